"""The published vocabularies, where the folder that holds them is there."""

from __future__ import annotations

from functools import cache

import pytest
import transformers
from places import ROOT
from rule_cases import parse
from sentencepiece import SentencePieceProcessor
from workshop.tokenization.sentencepiece_oracle import equally_good, papers_pieces

from incognote.workshop.tokenization import Tokenizer, load

TOKENIZERS = ROOT.parent / "shared" / "tokenizers"
TRICKY = (
    "José Núñez, naïve\r\n\tto opioids",
    "e\u0301 a\x00b \x1f\x7f",
    "\x01\x02\x03leading controls",
    "😀👩\u200d⚕\ufe0f ok",
    "A\u200bB\ufeffC x\u00adsoft",
    "½ cup 21,4 2019, 1,000",
    "``quoted'' text",
    "李明 हिन्दी ไทย",
    "ﬁne ①② 𝔘nicode",
    "  lead  trail  ",
    "İstanbul ß",
    "3/14/2019,",
    "\ufffd\u2028new\u0085line",
    '( ) " - . – £ €',
    "MRN:00-123-45",
    "x" * 120,
    "",
    " ",
    "\n",
)
USER_DEFINED = frozenset('()"-.–£€')
"""After these, transformers (5.22) reads the rest of a word as a new word; SentencePiece does not."""


@cache
def tokenizer(name: str) -> Tokenizer:
    return load(TOKENIZERS / name)


@cache
def lines() -> tuple[str, ...]:
    found: list[str] = []
    for folder in "ABCD":
        for path in sorted((ROOT / "corpus" / folder).glob("*.txt"))[:12]:
            found += parse(path.read_text("utf-8")).text.split("\n")
    return (*TRICKY, *found)


def tokens(name: str, text: str, pair: str | None = None) -> list[str]:
    return tokenizer(name).tokens(tokenizer(name).encode(text, pair).ids.tolist())


if TOKENIZERS.exists():

    @pytest.mark.parametrize(
        ("name", "family", "size"),
        [
            ("albert-base-v2", "albert", 30_000),
            ("bert-cased", "bert", 28_996),
            ("bert-uncased", "bert", 30_522),
            ("roberta-base", "roberta", 50_265),
            ("xlnet-cased", "xlnet", 32_000),
        ],
    )
    def test_published_sizes(name: str, family: str, size: int) -> None:
        assert tokenizer(name).family == family
        assert tokenizer(name).vocabulary_size == size

    def test_published_examples() -> None:
        snuffle = "[CLS] does bert know s ##nu ##ffle ##up ##ag ##us ? [SEP]".split()
        assert tokens("bert-uncased", "Does BERT know Snuffleupagus?") == snuffle
        surprise = "[CLS] this isn ' t too surprising ! [SEP]".split()
        assert tokens("bert-uncased", "This isn't too surprising!") == surprise

    def test_pairs() -> None:
        assert tokens("albert-base-v2", "Pain?", "None.") == (
            "[CLS] ▁pain ? [SEP] ▁none . [SEP]".split()
        )
        assert tokens("roberta-base", "Pain?", "None.") == (
            "<s> Pain ? </s> </s> None . </s>".split()
        )
        assert tokens("xlnet-cased", "Pain?", "None.") == (
            "▁Pain ? <sep> ▁None . <sep> <cls>".split()
        )

    def test_a_number_before_a_comma_is_the_number() -> None:
        assert tokens("albert-base-v2", "in 2019, 21,4") == (
            "[CLS] ▁in ▁2019 , ▁21 , 4 [SEP]".split()
        )
        pieces = tokenizer("albert-base-v2").read("in 2019, 21,4")
        assert pieces.offsets.starts.tolist() == [0, 3, 7, 9, 11, 12]
        assert pieces.offsets.ends.tolist() == [2, 7, 8, 11, 12, 13]

    @pytest.mark.parametrize("name", ["albert-base-v2", "xlnet-cased"])
    def test_sentencepiece_reads_the_same(name: str) -> None:
        model = SentencePieceProcessor(model_file=str(TOKENIZERS / name / "spiece.model"))
        read = tokenizer(name).read_all(lines())
        exact = 0
        for text, pieces in zip(lines(), read, strict=True):
            wanted = papers_pieces(model, text, lowercase=name == "albert-base-v2")
            ids = [model.piece_to_id(piece) for piece in wanted]
            assert equally_good(model, pieces.ids.tolist(), ids)
            exact += pieces.ids.tolist() == ids
        assert exact / len(read) > 0.99

    @pytest.mark.parametrize(
        ("name", "peer"),
        [
            ("bert-uncased", "BertTokenizer"),
            ("bert-cased", "BertTokenizer"),
            ("roberta-base", "RobertaTokenizer"),
            ("albert-base-v2", "AlbertTokenizer"),
            ("xlnet-cased", "XLNetTokenizer"),
        ],
    )
    def test_transformers_reads_the_same(name: str, peer: str) -> None:
        case = {"do_lower_case": name == "bert-uncased"} if name.startswith("bert") else {}
        theirs = getattr(transformers, peer).from_pretrained(TOKENIZERS / name, **case)
        ours = tokenizer(name)
        alike = [text for text in lines() if "," not in text and not USER_DEFINED & set(text)]
        texts = list(lines()) if peer in ("BertTokenizer", "RobertaTokenizer") else alike
        assert len(texts) > 300
        wanted = theirs(texts)["input_ids"]
        for text, ids in zip(texts, wanted, strict=True):
            assert ours.encode(text).ids.tolist() == ids
        pair = theirs("chest pain", "no fever", return_token_type_ids=True)
        encoding = ours.encode("chest pain", "no fever")
        assert encoding.ids.tolist() == pair["input_ids"]
        if peer != "RobertaTokenizer":
            assert encoding.segments.tolist() == pair["token_type_ids"]
