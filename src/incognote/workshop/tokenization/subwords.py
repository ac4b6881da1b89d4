"""WordPiece, as BERT and ELECTRA read it, and byte-level BPE, as RoBERTa and ModernBERT do; and how each is learned.

Special tokens stand where the published vocabularies have them: BERT's five first, RoBERTa's four
first and <mask> last, ModernBERT's five last. All kinds of vocabulary are learned from `Texts`; counting their words takes a
bounded memory for any amount of text.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import tokenizers
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers, trainers

from incognote.base.errors import TokenizerError

BERT_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ROBERTA_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
MODERN_SPECIAL = ("[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]")
UNKNOWN = "[UNK]"
INSIDE = "##"

DISTINCT = 2_000_000
"""Words held at most: beyond, the rarest are forgotten, of which no token would come."""

CHARACTERS = 1000
"""Different ones that get a token in WordPiece, the commonest; BERT's number."""

LEAST_FREQUENCY = 2
"""How often a token must be there, or a pair that byte BPE merges."""

Texts = Callable[[], Iterable[str]]
"""Gives the texts, each time anew."""
Merges = list[tuple[str, str]]


def wordpiece(path: Path, *, lowercase: bool | None = None) -> tokenizers.Tokenizer:
    """From a vocab.txt; lower-cased, unless `lowercase` says, where no token has a capital."""
    try:
        tokens = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        raise TokenizerError(f"{path}: not a list of tokens in UTF-8") from None
    vocabulary = {token.rstrip("\r"): number for number, token in enumerate(tokens)}
    absent = [token for token in BERT_SPECIAL if token not in vocabulary]
    if absent or len(vocabulary) != len(tokens):
        what = f"lacks {', '.join(absent)}" if absent else "has a token twice"
        raise TokenizerError(f"{path}: not a WordPiece vocabulary: it {what}")
    if lowercase is None:
        lowercase = not any(
            token != token.lower() for token in vocabulary if token not in BERT_SPECIAL
        )
    tokenizer = tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(list(BERT_SPECIAL))
    return tokenizer


def train_wordpiece(texts: Texts, size: int, *, lowercase: bool) -> list[str]:
    """The lines of a `vocab.txt`.

    The library numbers the tokens of one character inside a word as it happens to meet them, and ties
    fall by number: two runs would learn other tokens. So they are given to it in their order.
    """
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    anywhere, inside = _characters(word_counts(texts), tokenizer)
    least = len(BERT_SPECIAL) + len(anywhere) + len(inside)
    if size < least:
        raise too_small(size, least)
    trainer = trainers.WordPieceTrainer(
        vocab_size=size,
        min_frequency=LEAST_FREQUENCY,
        special_tokens=[*BERT_SPECIAL, *(INSIDE + character for character in inside)],
        initial_alphabet=anywhere,
        limit_alphabet=len(anywhere),
        continuing_subword_prefix=INSIDE,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts(), trainer)
    vocabulary = tokenizer.get_vocab()
    if len(vocabulary) < size:
        raise too_large(size, len(vocabulary))
    return sorted(vocabulary, key=vocabulary.__getitem__)


def _characters(
    words: Mapping[str, int], tokenizer: tokenizers.Tokenizer
) -> tuple[list[str], list[str]]:
    """The commonest characters, and those of them that follow another in a word; sorted."""
    counts: Counter[str] = Counter()
    following: set[str] = set()
    for word, count in words.items():
        normal = tokenizer.normalizer.normalize_str(word)
        for part, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normal):
            following.update(part[1:])
            for character in part:
                counts[character] += count
    if not counts:
        raise TokenizerError("there is no text to learn a vocabulary from")
    common = sorted(counts, key=lambda character: (-counts[character], character))[:CHARACTERS]
    return sorted(common), sorted(following.intersection(common))


def byte_bpe(vocabulary: Path, merges: Path, *, modern: bool = False) -> tokenizers.Tokenizer:
    """From a vocab.json and a merges.txt; RoBERTa's, or with ModernBERT's special tokens and composed letters."""
    special = MODERN_SPECIAL if modern else ROBERTA_SPECIAL
    try:
        model = models.BPE.from_file(str(vocabulary), str(merges))
    except Exception as error:  # the library raises its plain Exception
        raise TokenizerError(f"{vocabulary}: not read with {merges.name} ({error})") from None
    tokenizer = tokenizers.Tokenizer(model)
    absent = [token for token in special if tokenizer.token_to_id(token) is None]
    if absent:
        raise TokenizerError(f"{vocabulary}: lacks {', '.join(absent)}")
    if modern:
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(
        [
            AddedToken(token, lstrip=token in ("<mask>", "[MASK]"), normalized=False)
            for token in special
        ]
    )
    return tokenizer


def train_byte_bpe(
    texts: Texts, size: int, *, modern: bool = False
) -> tuple[dict[str, int], Merges]:
    """The content of a `vocab.json` and of a `merges.txt`; as RoBERTa or as ModernBERT has them."""
    first, last = ((), MODERN_SPECIAL) if modern else (ROBERTA_SPECIAL[:-1], ROBERTA_SPECIAL[-1:])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    if size < len(alphabet) + len(ROBERTA_SPECIAL):
        raise too_small(size, len(alphabet) + len(ROBERTA_SPECIAL))
    tokenizer = tokenizers.Tokenizer(models.BPE())
    if modern:
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=size - len(last),
        min_frequency=LEAST_FREQUENCY,
        special_tokens=list(first),
        initial_alphabet=sorted(alphabet),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_solid(texts), trainer)
    vocabulary = tokenizer.get_vocab()
    if len(vocabulary) < size - len(last):
        raise too_large(size, len(vocabulary) + len(last))
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    numbered = {token: size - len(last) + place for place, token in enumerate(last)}
    return {**vocabulary, **numbered}, [(left, right) for left, right in merges]


def _solid(texts: Texts) -> Iterator[str]:
    """The texts that are more than white space, of which there must be one."""
    empty = True
    for text in texts():
        if text.strip():
            empty = False
            yield text
    if empty:
        raise TokenizerError("there is no text to learn a vocabulary from")


def word_counts(texts: Texts, distinct: int = DISTINCT) -> Counter[str]:
    """How often each word between white space is there."""
    counts: Counter[str] = Counter()
    for text in texts():
        counts.update(text.split())
        if len(counts) > distinct:
            _forget(counts, distinct)
    if not counts:
        raise TokenizerError("there is no text to learn a vocabulary from")
    return counts


def _forget(counts: Counter[str], distinct: int) -> None:
    """Leave out the rarest until there is room for as many again as half."""
    rare = 0
    while len(counts) > distinct // 2:
        rare += 1
        for word in [word for word, count in counts.items() if count <= rare]:
            del counts[word]


def too_large(wanted: int, most: int) -> TokenizerError:
    """What to say when the text has not enough in it."""
    return TokenizerError(
        f"a vocabulary of {wanted:,} is more than this text supports: it has {most:,} tokens at "
        "most; choose a smaller vocabulary, or give more text"
    )


def too_small(wanted: int, least: int) -> TokenizerError:
    """What to say when not even the characters fit."""
    return TokenizerError(
        f"a vocabulary of {wanted:,} is too small: single characters and special tokens alone "
        f"take {least:,}"
    )
