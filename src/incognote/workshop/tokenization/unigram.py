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

import tokenizers
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers

from incognote.base.errors import TokenizerError
from incognote.base.protobuf import fields, messages
from incognote.workshop.tokenization.word_counts import (
    Texts,
    too_large,
    too_small,
    word_counts,
)

UNKNOWN, CONTROL = 2, 3


class SentencePieceFile(NamedTuple):
    """The pieces with their scores, the unknown one, those never read from text, and a map.

    The map is the compiled one of characters to their normal forms.
    """

    pieces: tuple[tuple[str, float], ...]
    unknown: int
    controls: frozenset[int]
    character_map: bytes


def read_sentencepiece(path: Path) -> SentencePieceFile:
    """Read a `.model` file of the unigram kind."""
    pieces: list[tuple[str, float]] = []
    controls: set[int] = set()
    unknown, character_map, kind = None, b"", 1
    try:
        for number, value in messages(memoryview(path.read_bytes())):
            if number == 1:
                role, piece = _role(value), dict(messages(value))
                if role == UNKNOWN:
                    unknown = len(pieces)
                if role in (UNKNOWN, CONTROL):
                    controls.add(len(pieces))
                (score,) = struct.unpack("<f", piece.get(2, bytes(4)))
                pieces.append((bytes(piece[1]).decode(), score))
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
    return SentencePieceFile(tuple(pieces), unknown, frozenset(controls), character_map)


def _role(message: memoryview) -> int:
    """The third field, which says of what kind a piece or a trainer is; 1 where it is not said."""
    said = dict(fields(message)).get(3)
    return said if isinstance(said, int) else 1


SPACE = "\u2581"


def unigram(path: Path, *, lowercase: bool, keep_accents: bool = False) -> tokenizers.Tokenizer:
    """From a SentencePiece file."""
    file = read_sentencepiece(path)
    tokenizer = tokenizers.Tokenizer(models.Unigram(list(file.pieces), unk_id=file.unknown))
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
            AddedToken(piece, lstrip=piece in ("[MASK]", "<mask>"), normalized=False)
            for number, (piece, _) in enumerate(file.pieces)
            if number in file.controls
        ]
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


COVERAGE = 0.99995
THREADS = 4
"""Fixed: the sums, and so the pieces, depend on how the words are dealt out."""

_CUT = "€"
"""Put where no piece may cross; it is a piece already, whose score nothing changes."""


@dataclass(frozen=True)
class Symbols:
    """What a family's vocabulary begins with.

    pad, unknown, begin, end: the ids of what SentencePiece itself has a name for, −1 for none.
    controls: never read from text. alone: always pieces by themselves.
    """

    controls: tuple[str, ...]
    alone: tuple[str, ...]
    unknown: int
    pad: int = -1
    begin: int = -1
    end: int = -1

    @property
    def count(self) -> int:
        """How many pieces these are."""
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
    counts = _spelled(word_counts(texts), lowercase=lowercase)
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


def _spelled(counts: Mapping[str, int], *, lowercase: bool) -> Counter[str]:
    """The words as the tokenizer will see them, which may be several to one."""
    normalizer = spelling(lowercase=lowercase, keep_accents=False)
    spelled: Counter[str] = Counter()
    for word, count in counts.items():
        for part in normalizer.normalize_str(word).split():
            spelled[part] += count
    return spelled
