"""SentencePiece's unigram tokens, as ALBERT and XLNet read them, and how they are learned.

Reading takes just as much of SentencePiece's file as a tokenizer is built from. Learning has the
settings of the published ALBERT and XLNet: a coverage of 0.99995 of the characters, `nmt_nfkc`,
their special tokens as control symbols, and eight signs that are always tokens by themselves. One
thing is added: no token goes from a digit to a comma. The papers' code parts such tokens again after
reading, and no other reader does; without them all readers give the same ids.
"""

from __future__ import annotations

import io
import re
import struct
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tokenizers
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers

from incognote.align.tokens import Integers, Tokens, in_reading_order
from incognote.base.errors import TokenizerError
from incognote.base.protobuf import fields, messages
from incognote.workshop.tokenization.subwords import (
    Texts,
    too_large,
    too_small,
    word_counts,
)

SPACE = "\u2581"
UNKNOWN, CONTROL = 2, 3
"""The kinds of tokens that a SentencePiece file has a number for and that are not read from text."""

COVERAGE = 0.99995
THREADS = 4
"""Fixed: the sums, and so the tokens, depend on how the words are dealt out."""

SPLITS_DIGIT_COMMAS = ("albert", "xlnet")
"""Families that read a token ending in a digit and a comma as several."""

_CUT = "€"
"""Put where no token may cross; it is a token already, whose score nothing changes."""


class SentencePieceFile(NamedTuple):
    """The tokens with their scores, the unknown one, those never read from text, and a map.

    The map is the compiled one of characters to their normal forms.
    """

    tokens: tuple[tuple[str, float], ...]
    unknown: int
    controls: frozenset[int]
    character_map: bytes


def read_sentencepiece(path: Path) -> SentencePieceFile:
    """Read a `.model` file of the unigram kind."""
    tokens: list[tuple[str, float]] = []
    controls: set[int] = set()
    unknown, character_map, kind = None, b"", 1
    try:
        for number, value in messages(memoryview(path.read_bytes())):
            if number == 1:
                role, token = _role(value), dict(messages(value))
                if role == UNKNOWN:
                    unknown = len(tokens)
                if role in (UNKNOWN, CONTROL):
                    controls.add(len(tokens))
                (score,) = struct.unpack("<f", token.get(2, bytes(4)))
                tokens.append((bytes(token[1]).decode(), score))
            elif number == 2:
                kind = _role(value)
            elif number == 3:
                character_map = bytes(dict(messages(value)).get(2, b""))
    except (IndexError, KeyError, UnicodeDecodeError, struct.error):
        raise TokenizerError(f"{path}: not a SentencePiece file, or cut short") from None
    if unknown is None:
        raise TokenizerError(f"{path}: not a SentencePiece file, or without an unknown token")
    if kind != 1:
        raise TokenizerError(f"{path}: only SentencePiece's unigram kind is read")
    return SentencePieceFile(tuple(tokens), unknown, frozenset(controls), character_map)


def _role(message: memoryview) -> int:
    """The third field, which says of what kind a token or a trainer is; 1 where it is not said."""
    role = dict(fields(message)).get(3)
    return role if isinstance(role, int) else 1


def unigram(path: Path, *, lowercase: bool, keep_accents: bool = False) -> tokenizers.Tokenizer:
    """From a SentencePiece file."""
    file = read_sentencepiece(path)
    tokenizer = tokenizers.Tokenizer(models.Unigram(list(file.tokens), unk_id=file.unknown))
    steps = _steps(lowercase=lowercase, keep_accents=keep_accents)
    if file.character_map:
        steps.append(normalizers.Precompiled(file.character_map))
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(SPACE, "always")]
    )
    tokenizer.decoder = decoders.Metaspace(SPACE, "always")
    tokenizer.add_special_tokens(
        [
            AddedToken(token, lstrip=token in ("[MASK]", "<mask>"), normalized=False)
            for number, (token, _) in enumerate(file.tokens)
            if number in file.controls
        ]
    )
    return tokenizer


def deberta_unigram(path: Path, *, lowercase: bool) -> tokenizers.Tokenizer:
    """From DeBERTa's SentencePiece file, which has no mask: it comes after the last token.

    Text is spelled as the file says. `transformers` 5 leaves that out, so that its ids differ from
    those that the published models were trained with wherever a character has another form.
    """
    file = read_sentencepiece(path)
    tokenizer = tokenizers.Tokenizer(models.Unigram(list(file.tokens), unk_id=file.unknown))
    steps: list[normalizers.Normalizer] = [normalizers.Lowercase()] if lowercase else []
    steps.append(normalizers.Strip())
    if file.character_map:
        steps.append(normalizers.Precompiled(file.character_map))
    steps.append(normalizers.Replace(tokenizers.Regex(" {2,}"), " "))
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(SPACE, "always")
    tokenizer.decoder = decoders.Metaspace(SPACE, "always")
    tokens = [token for number, (token, _) in enumerate(file.tokens) if number in file.controls]
    tokenizer.add_special_tokens(
        [AddedToken(token, normalized=False) for token in dict.fromkeys((*tokens, "[MASK]"))]
    )
    return tokenizer


def spelling(*, lowercase: bool, keep_accents: bool) -> normalizers.Normalizer:
    """What is done to text before SentencePiece sees it."""
    return normalizers.Sequence(_steps(lowercase=lowercase, keep_accents=keep_accents))


def _steps(*, lowercase: bool, keep_accents: bool) -> list[normalizers.Normalizer]:
    steps: list[normalizers.Normalizer] = [
        normalizers.Replace("``", '"'),
        normalizers.Replace("''", '"'),
    ]
    if not keep_accents:
        steps += [normalizers.NFKD(), normalizers.StripAccents()]
    if lowercase:
        steps.append(normalizers.Lowercase())
    return steps


def digit_commas(tokenizer: tokenizers.Tokenizer, unknown: int) -> dict[int, tuple[int, ...]]:
    """For each token that ends in a digit and a comma, the tokens that take its place.

    It is ALBERT's and XLNet's own step after SentencePiece: without it, a number before a comma would
    be another word than the number elsewhere. The step is in the papers' code, and in no
    `tokenizer.json`.
    """
    parts = {}
    comma = tokenizer.token_to_id(",")
    for token, number in tokenizer.get_vocab(with_added_tokens=False).items():
        if comma is None or len(token) < 2 or token[-1] != "," or not token[-2].isdigit():
            continue
        stem = tokenizer.encode(token[:-1].replace(SPACE, ""), add_special_tokens=False)
        ids, tokens = stem.ids, stem.tokens
        if token[0] != SPACE and tokens[0] == SPACE:
            ids = ids[1:]
        elif token[0] != SPACE and tokens[0][0] == SPACE:
            bare = tokenizer.token_to_id(tokens[0][1:])
            ids = [unknown if bare is None else bare, *ids[1:]]
        parts[number] = (*ids, comma)
    return parts


def split_ids(ids: list[int], table: Mapping[int, tuple[int, ...]]) -> list[int]:
    """The ids with each token of the table replaced by its parts."""
    return [part for number in ids for part in table.get(number, (number,))]


def split_digit_commas(
    tokens: Tokens, table: Mapping[int, tuple[int, ...]], spelling: Mapping[int, str]
) -> Tokens:
    """The tokens with each one of the table replaced by its parts, and where these stand.

    `spelling` has the text of every part in the table. The comma is the last character. Where the
    other characters are not one for one (½ is written with three) the parts share them.
    """
    if not table or not np.isin(tokens.ids, list(table)).any():
        return tokens
    ids: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    offsets = tokens.offsets
    for number, start, end in zip(
        tokens.ids.tolist(), offsets.starts.tolist(), offsets.ends.tolist(), strict=True
    ):
        parts = table.get(number, (number,))
        ids += parts
        if len(parts) == 1:
            starts.append(start)
            ends.append(end)
            continue
        before = max(start, end - 1) if end - start > 1 else end
        sizes = [len(spelling[part].replace(SPACE, "")) for part in parts[:-1]]
        if sum(sizes) == before - start:
            edges = np.cumsum([start, *sizes]).tolist()
            starts += edges[:-1]
            ends += edges[1:]
        else:
            starts += [start] * len(sizes)
            ends += [before] * len(sizes)
        starts.append(min(before, end - 1) if end > start else start)
        ends.append(end)
    return Tokens(_array(ids), in_reading_order(_array(starts), _array(ends)), tokens.dropped)


def _array(values: list[int]) -> Integers:
    return np.array(values, dtype=np.int64)


@dataclass(frozen=True)
class Symbols:
    """What a family's vocabulary begins with.

    pad, unknown, begin, end: the ids of what SentencePiece itself has a name for, −1 for none.
    controls: never read from text. alone: always tokens by themselves.
    """

    controls: tuple[str, ...]
    alone: tuple[str, ...]
    unknown: int
    pad: int = -1
    begin: int = -1
    end: int = -1

    @property
    def count(self) -> int:
        """How many tokens these are."""
        named = sum(number >= 0 for number in (self.unknown, self.pad, self.begin, self.end))
        return len(self.controls) + len(self.alone) + named


SYMBOLS = {
    "albert": Symbols(("[CLS]", "[SEP]", "[MASK]"), tuple('()"-.–£€'), pad=0, unknown=1),
    "xlnet": Symbols(
        ("<cls>", "<sep>", "<pad>", "<mask>", "<eod>"),
        ("<eop>", *'.()"-–£€'),
        unknown=0,
        begin=1,
        end=2,
    ),
}

_DIGIT_COMMA = re.compile(r"(?<=\d),")
_MOST = re.compile(r"value <= (\d+)")
_LEAST = re.compile(r"required_chars\. \d+ vs (\d+)")


def train_unigram(texts: Texts, size: int, *, family: str, lowercase: bool) -> bytes:
    """The content of a `spiece.model`."""
    symbols = SYMBOLS[family]
    try:
        from sentencepiece import SentencePieceTrainer
    except ImportError:
        raise TokenizerError(
            "a unigram vocabulary needs sentencepiece, which is not installed: "
            "pip install 'incognote[train]'"
        ) from None
    counts = _respelled(word_counts(texts), lowercase=lowercase)
    if not counts:
        raise TokenizerError("there is no text to learn a vocabulary from")
    lines = (f"{_DIGIT_COMMA.sub(_CUT + ',', word)}\t{counts[word]}" for word in sorted(counts))
    model = io.BytesIO()
    try:
        SentencePieceTrainer.train(
            sentence_iterator=lines,
            input_format="tsv",
            model_writer=model,
            model_type="unigram",
            vocab_size=max(size, symbols.count),  # with less it would not say what it needs
            pad_id=symbols.pad,
            unk_id=symbols.unknown,
            bos_id=symbols.begin,
            eos_id=symbols.end,
            control_symbols=list(symbols.controls),
            user_defined_symbols=list(symbols.alone),
            character_coverage=COVERAGE,
            num_threads=THREADS,
            minloglevel=3,
        )
    except RuntimeError as error:
        if most := _MOST.search(str(error)):
            raise too_large(size, int(most[1])) from None
        if least := _LEAST.search(str(error)):
            raise too_small(size, int(least[1])) from None
        raise TokenizerError("SentencePiece could not learn from this text") from None
    return model.getvalue()


def _respelled(counts: Mapping[str, int], *, lowercase: bool) -> Counter[str]:
    """The words as the tokenizer will see them, which may be several to one."""
    normalizer = spelling(lowercase=lowercase, keep_accents=False)
    respelled: Counter[str] = Counter()
    for word, count in counts.items():
        for part in normalizer.normalize_str(word).split():
            respelled[part] += count
    return respelled
