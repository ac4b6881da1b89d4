"""Small vocabularies of each published kind, in the files they are published in."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import sentencepiece
from align.tiny_tokenizers import SENTENCES, tiny_tokenizers
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from incognote.workshop.tokenizer_training import train_tokenizer

NUMBERS = ("In 2019, 14, and 3, of 21, were seen; 9,9 and 1,000 (or -2.5).",) * 30
SPECIAL = {
    "albert": ["[CLS]", "[SEP]", "[MASK]"],
    "xlnet": ["<cls>", "<sep>", "<mask>", "<pad>"],
}


@cache
def sentencepiece_model(family: str) -> bytes:
    """A unigram model with pieces that end in a digit and a comma."""
    written = io.BytesIO()
    lines = [*SENTENCES, *NUMBERS]
    if family == "albert":
        lines = [line.lower() for line in lines]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=written,
        vocab_size=160,
        control_symbols=SPECIAL[family],
        user_defined_symbols=["-", "(", ")"],
        pad_id=0 if family == "albert" else -1,
        unk_id=1 if family == "albert" else 0,
        bos_id=-1,
        eos_id=-1,
        hard_vocab_limit=False,
        split_by_number=False,
        split_by_unicode_script=False,
        minloglevel=3,
    )
    return written.getvalue()


def write_vocabulary(folder: Path, family: str) -> Path:
    """A folder with the files of one family."""
    folder.mkdir(parents=True, exist_ok=True)
    if family in SPECIAL:
        (folder / "spiece.model").write_bytes(sentencepiece_model(family))
    elif family == "deberta-v2":
        (folder / "spm.model").write_bytes(deberta_model())
    elif family == "modernbert":
        train_tokenizer(lambda: SENTENCES * 3, folder, "bpe", 330, family="modernbert")
        for name in ("tokenizer.json", "tokenizer_config.json"):
            (folder / name).unlink()
    elif family == "bert":
        vocabulary = tiny_tokenizers()["wordpiece"].get_vocab()
        pieces = sorted(vocabulary, key=lambda piece: vocabulary[piece])
        (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    else:
        _byte_bpe().model.save(str(folder))
    return folder


@cache
def deberta_model() -> bytes:
    """A unigram model with DeBERTa's special tokens at their places, of which the mask is none."""
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([*SENTENCES, *NUMBERS]),
        model_writer=written,
        vocab_size=160,
        pad_id=0,
        bos_id=1,
        eos_id=2,
        unk_id=3,
        pad_piece="[PAD]",
        bos_piece="[CLS]",
        eos_piece="[SEP]",
        unk_piece="[UNK]",
        hard_vocab_limit=False,
        minloglevel=3,
    )
    return written.getvalue()


@cache
def _byte_bpe() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(
        SENTENCES,
        trainers.BpeTrainer(
            vocab_size=330,
            special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    return tokenizer


FAMILIES = ("bert", "albert", "roberta", "xlnet")
