"""A tokenizer's tokens with their exact place in the note."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer
from tokenizers.pre_tokenizers import ByteLevel

from incognote.base.errors import AlignError

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.floating[Any]]

_AFTER_SPACES = 0x3001
_SPACE = np.array([chr(code).isspace() for code in range(_AFTER_SPACES)] + [False])


@dataclass(frozen=True, eq=False)
class TokenOffsets:
    """Character offsets of tokens in reading order: neither starts nor ends ever go back.

    Tokens may share characters (two byte tokens of one letter) and may be empty (a token that
    stands for white space only). An empty token has no characters to cover, so it never decides
    where a span is, and its own place means nothing.
    """

    starts: Integers
    ends: Integers

    def __post_init__(self) -> None:
        starts, ends = self.starts, self.ends
        if starts.ndim != 1 or starts.shape != ends.shape:
            raise AlignError("tokens need one start and one end each")
        if ((starts < 0) | (ends < starts)).any():
            raise AlignError("a token ends before it starts, or starts before the note")
        starts, ends = starts[self.solid], ends[self.solid]
        if ((starts[1:] < starts[:-1]) | (ends[1:] < ends[:-1])).any():
            raise AlignError("tokens must be in reading order")

    @classmethod
    def of(cls, offsets: Sequence[tuple[int, int]]) -> TokenOffsets:
        """Tokens from (start, end) pairs, such as `words` gives."""
        table = np.array(offsets, dtype=np.int64).reshape(-1, 2)
        return cls(table[:, 0].copy(), table[:, 1].copy())

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def solid(self) -> Integers:
        """The indices of the tokens that are not empty."""
        return np.flatnonzero(self.ends > self.starts)


def spaces(text: str) -> Flags:
    """Which characters are white space, as `str.isspace` sees it."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    flags: Flags = _SPACE[np.minimum(codes, _AFTER_SPACES)]
    return flags


def within(offsets: TokenOffsets, length: int) -> Flags:
    """Which of the first `length` characters lie in a token."""
    edges = np.bincount(offsets.starts, minlength=length + 1)
    edges = edges - np.bincount(offsets.ends, minlength=length + 1)
    flags: Flags = np.cumsum(edges)[:length] > 0
    return flags


def in_reading_order(starts: Integers, ends: Integers) -> TokenOffsets:
    """Tokens of these offsets, put into reading order by widening only; empty ones stay."""
    solid = ends > starts
    starts, ends = starts.copy(), ends.copy()
    starts[solid] = np.minimum.accumulate(starts[solid][::-1])[::-1]
    ends[solid] = np.maximum.accumulate(ends[solid])
    return TokenOffsets(starts, ends)


# Reading a note with a tokenizer

_SURROGATE = re.compile("[\ud800-\udfff]")
_LAST_SPACE = re.compile(r"\s(?=\S*\Z)")
_SPACE_WITHIN = 1000
LONGEST_PART = 500_000
"""A longer note is read in parts; only the tokens beside a cut may differ for it."""

_BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of one note: all of it, and no special tokens.

    `offsets` has a place for each id. White space at either end of a token is left out, so a token
    that stands for white space only is empty; the byte tokens of one character all have that
    character. A character that the tokenizer drops (a stripped accent, a zero-width or control
    character) is given to the token directly before it, else directly after it, so that hiding
    the token hides it too; `dropped` counts these, for the model never saw them.
    """

    ids: Integers
    offsets: TokenOffsets
    dropped: int


class TokenReader:
    """Reads notes with a private copy of a tokenizer.

    The copy never truncates or pads, whatever its file says, and reads `[MASK]` or `</s>` in a
    note as the text that it is. The caller's tokenizer stays as it was. A tokenizer whose model
    has no token for an unknown character is refused: the library then fails, or skips the
    character and reports the rest of the word in the wrong place.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        text = tokenizer.to_str()
        description = json.loads(text)
        if not _has_a_token_for_everything(description):
            raise AlignError(
                "the tokenizer has no token for unknown characters; give it an unknown token"
            )
        if description["model"]["type"] == "Unigram":
            _keep_special_tokens_from_text(description)
            text = json.dumps(description)
        self._tokenizer = _open(text)
        self.parts_at_spaces = _parts_at_spaces(description)
        """Whether each stretch between white space is read by itself (`note_reader.py`)."""

    def __getstate__(self) -> dict[str, Any]:
        """Another process opens it anew: the library forgets settings when it is sent."""
        return {**self.__dict__, "_tokenizer": self._tokenizer.to_str()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _tokenizer=_open(state["_tokenizer"]))

    @property
    def vocabulary(self) -> dict[str, int]:
        """Every token's number."""
        return self._tokenizer.get_vocab()

    def read(self, text: str) -> Tokens:
        """The tokens of one note."""
        return self.read_all([text])[0]

    def read_all(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of several notes, the same as one by one, in less time."""
        parts = [
            [self._without_removed_start(*part) for part in _parts(_SURROGATE.sub("\ufffd", text))]
            for text in texts
        ]
        whole = [note[0][1] for note in parts if len(note) == 1]
        encodings = iter(self._tokenizer.encode_batch(whole, add_special_tokens=False))
        notes = []
        for text, note in zip(texts, parts, strict=True):
            if len(note) == 1:
                read = [_read(next(encodings), note[0][0])]
            else:
                read = [self._read_part(begin, part) for begin, part in note]
            ids, offsets = zip(*read, strict=True)
            notes.append(_placed(text, np.concatenate(ids), np.concatenate(offsets)))
        return notes

    def read_in_parts(self, text: str, begins: Sequence[int]) -> Tokens:
        """The tokens of a text that the tokenizer reads anew from each of these places on."""
        clean = _SURROGATE.sub("\ufffd", text)
        parts = [clean[begin:end] for begin, end in pairwise([0, *begins, len(text)])]
        placed = map(self._without_removed_start, [0, *begins], parts)
        ids, offsets = zip(*(self._read_part(*part) for part in placed), strict=True)
        return _placed(text, np.concatenate(ids), np.concatenate(offsets))

    def read_each(self, texts: Sequence[str]) -> tuple[Tokens, Integers]:
        """The tokens of many short texts in one go, and for each token the number of its text.

        They are those of one by one; their places are those in all texts joined by line feeds.
        """
        begins = np.cumsum([0, *(len(text) + 1 for text in texts)]).tolist()
        clean = [_SURROGATE.sub("\ufffd", text) for text in texts]
        parts = list(map(self._without_removed_start, begins, clean))
        encoding = self._tokenizer.encode(
            [part for _, part in parts], is_pretokenized=True, add_special_tokens=False
        )
        ids, offsets = _read(encoding, 0)
        whose = np.array(encoding.word_ids, dtype=np.int64)
        offsets += np.array([begin for begin, _ in parts], dtype=np.int64)[whose, None]
        return _placed("\n".join(texts), ids, offsets), whose

    def _without_removed_start(self, begin: int, part: str) -> tuple[int, str]:
        """Leave out characters that normalization removes at the start of a part.

        The library would place every token after them too far to the left.
        """
        removed = 0
        normalizer = self._tokenizer.normalizer
        if normalizer is not None:
            while removed < len(part) and not normalizer.normalize_str(part[removed]):
                removed += 1
        return begin + removed, part[removed:]

    def _read_part(self, begin: int, part: str) -> tuple[Integers, Integers]:
        return _read(self._tokenizer.encode(part, add_special_tokens=False), begin)


def _open(text: str) -> Tokenizer:
    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def _parts(text: str) -> list[tuple[int, str]]:
    """A note of many megabytes in parts that end at white space, so that memory stays small.

    Each part has the place where it begins.
    """
    begins = part_begins(text)
    return [(begin, text[begin:end]) for begin, end in pairwise([*begins, len(text)])]


def part_begins(text: str) -> list[int]:
    """Where a tokenizer begins to read a part, the first included."""
    begins = [0]
    while len(text) - begins[-1] > LONGEST_PART:
        limit = begins[-1] + LONGEST_PART
        space = _LAST_SPACE.search(text, max(begins[-1], limit - _SPACE_WITHIN), limit)
        begins.append(space.end() if space else limit)
    return begins


def _read(encoding: Encoding, begin: int) -> tuple[Integers, Integers]:
    """The ids and the offsets in the note of a part that begins there."""
    offsets = np.fromiter(chain.from_iterable(encoding.offsets), np.int64).reshape(-1, 2)
    return np.array(encoding.ids, dtype=np.int64), offsets + begin


def _has_a_token_for_everything(description: Any) -> bool:
    """Judge a `tokenizer.json`."""
    model = description["model"]
    if model["type"] == "Unigram":
        return model["unk_id"] is not None
    vocabulary = model["vocab"]
    if model.get("unk_token") in vocabulary:
        return True
    if model.get("byte_fallback"):
        return all(byte in vocabulary for byte in _BYTES)
    steps = json.dumps([description["normalizer"], description["pre_tokenizer"]])
    return '"ByteLevel"' in steps and all(byte in vocabulary for byte in ByteLevel.alphabet())


def _parts_at_spaces(description: Any) -> bool:
    """Judge a `tokenizer.json`: BERT's normalizer and parts, and no token of somebody's own."""
    steps = [(description[name] or {}).get("type") for name in ("normalizer", "pre_tokenizer")]
    special = all(token["special"] for token in description["added_tokens"])
    return special and steps == ["BertNormalizer", "BertPreTokenizer"]


def _keep_special_tokens_from_text(description: Any) -> None:
    """In a unigram model, special tokens are tokens like any other, so "<pad>" in a note were one.

    A space in its name, which no text has after pre-tokenization, keeps a token from being found.
    """
    model = description["model"]
    special = {token["content"] for token in description["added_tokens"] if token["special"]}
    for number, entry in enumerate(model["vocab"]):
        if entry[0] in special or number == model["unk_id"]:
            entry[0] = f" {entry[0]}"
    description["added_tokens"] = [
        token for token in description["added_tokens"] if not token["special"]
    ]


def _placed(text: str, ids: Integers, offsets: Integers) -> Tokens:
    blank = spaces(text)
    places = _trimmed(offsets[:, 0], offsets[:, 1], blank)
    dropped = int(np.count_nonzero(~within(places, len(text)) & ~blank))
    if dropped:
        places = _with_dropped(places, blank)
    return Tokens(ids, places, dropped)


def with_unknown(text: str, tokens: Tokens, unknown: int) -> Tokens:
    """The tokens, and an unknown one for each run of characters that none has.

    A tokenizer drops a control character that stands by itself; a model that judges every
    character must be given something in its place.
    """
    offsets = tokens.offsets
    missing = ~within(offsets, len(text)) & ~spaces(text) if tokens.dropped else np.zeros(0, bool)
    if not missing.any():
        return tokens
    edges = np.diff(np.concatenate(([0], missing.astype(np.int8), [0])))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    at = np.searchsorted(np.maximum.accumulate(np.append(offsets.ends, 0))[:-1], starts, "right")
    return Tokens(
        np.insert(tokens.ids, at, unknown),
        TokenOffsets(np.insert(offsets.starts, at, starts), np.insert(offsets.ends, at, ends)),
        tokens.dropped,
    )


def _trimmed(starts: Integers, ends: Integers, blank: Flags) -> TokenOffsets:
    """Offsets without white space at their ends, in reading order."""
    size = len(blank)
    places = np.arange(size)
    next_solid = np.append(np.where(blank, size, places), size)
    next_solid = np.minimum.accumulate(next_solid[::-1])[::-1]
    last_solid = np.concatenate(([0], np.maximum.accumulate(np.where(blank, 0, places + 1))))
    trimmed_starts = np.minimum(next_solid[starts], ends)
    trimmed_ends = np.maximum(last_solid[ends], trimmed_starts)
    return in_reading_order(trimmed_starts, trimmed_ends)


def _with_dropped(offsets: TokenOffsets, blank: Flags) -> TokenOffsets:
    """Tokens stretched over the characters beside them that no token has."""
    starts, ends = offsets.starts.copy(), offsets.ends.copy()
    size = len(blank)
    places = np.arange(size)
    next_blank = np.append(np.where(blank, places, size), size)
    next_blank = np.minimum.accumulate(next_blank[::-1])[::-1]
    last_blank = np.concatenate(([0], np.maximum.accumulate(np.where(blank, places + 1, 0))))
    solid = np.flatnonzero(ends > starts)
    first, last = starts[solid], ends[solid]
    following = np.append(first, size)[np.searchsorted(first, last)]
    last = np.minimum(next_blank[last], following)
    before = np.concatenate(([0], last))[np.searchsorted(last, first, "right")]
    starts[solid] = np.maximum(last_blank[first], before)
    ends[solid] = last
    return TokenOffsets(starts, ends)
