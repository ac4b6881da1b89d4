"""A note as a vault stores it: what was written, what was read, and where both stand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from incognote.document import Document, Span
from incognote.replace.vault.keys import VaultError

_WOULD_NOT_RESTORE = "a note would not come back from the vault, so it is not put there"


@dataclass(frozen=True)
class Change:
    """`original` stood where the output has `length` characters from `start` on."""

    start: int
    length: int
    original: str = field(repr=False)
    type: str


@dataclass(frozen=True)
class Place:
    """Where a note stands.

    `target` is where the run wrote, `output` the file's place below it, `input` that of the file
    which was read. `chain` is a hash of all notes before it in its file, by which two that look
    alike are told apart; None where the file is no longer whole, so that it tells nothing. `id` is
    the name that a table gives it.
    """

    target: str
    output: str
    input: str = field(default="", repr=False)
    chain: str | None = ""
    id: str | None = field(default=None, repr=False)


def digest(text: str) -> str:
    """The hash of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def digest_of_bytes(parts: Sequence[bytes]) -> str:
    """The hash of a record's bytes, a piece for each of its files; of none, nothing."""
    if not parts:
        return ""
    code = hashlib.sha256()
    for part in parts:
        code.update(len(part).to_bytes(8, "big") + part)
    return code.hexdigest()


def chain_after(chain: str, output_hash: str) -> str:
    """The hash of all notes of a file, after one more note."""
    return hashlib.sha256(f"{chain} {output_hash}".encode()).hexdigest()[:32]


@dataclass(frozen=True)
class StoredNote:
    """A note as the vault stores it.

    `output_hash` is that of its text after replacement, `around` that of its record's bytes in the
    files, and `deltas` lead from these to the bytes that were read; the first note of a record has
    them, where the format has bytes of its own.
    """

    output_hash: str
    changes: tuple[Change, ...]
    place: Place
    around: str = ""
    deltas: tuple[Delta, ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls, original: Document, output: Document, lengths: Sequence[int], place: Place
    ) -> StoredNote:
        """A note of its original and its output; `lengths` are those of the originals of its spans."""
        changes: list[Change] = []
        shift = 0
        for span, length in zip(output.spans, lengths, strict=True):
            start = span.start + shift
            value = original.text[start : start + length]
            changes.append(Change(span.start, len(span), value, span.type))
            shift += length - len(span)
        note = cls(digest(output.text), tuple(changes), place)
        if note.restore(output.text).text != original.text:
            raise VaultError(_WOULD_NOT_RESTORE)
        return note

    def restore(self, text: str, id: str = "") -> Document:
        """The original of a text that was written, with what was replaced marked in it."""
        pieces: list[str] = []
        spans: list[Span] = []
        end = length = 0
        for change in self.changes:
            between = text[end : change.start]
            start = length + len(between)
            length = start + len(change.original)
            pieces += (between, change.original)
            spans.append(Span(start, length, change.type, change.original))
            end = change.start + change.length
        return Document(id, "".join((*pieces, text[end:])), tuple(spans))

    def restore_bytes(self, parts: Sequence[bytes]) -> tuple[bytes, ...] | None:
        """The bytes that were read; None if these are not the ones that were written."""
        if not self.deltas or digest_of_bytes(parts) != self.around:
            return None
        return tuple(map(apply_delta, parts, self.deltas))

    def pack(self) -> bytes:
        """As bytes, to be sealed."""
        content = {
            "written": self.output_hash,
            "changes": [[c.start, c.length, c.original, c.type] for c in self.changes],
            "place": vars(self.place),
            "around": self.around,
            "deltas": [[[d[0].decode("latin-1"), *d[1:]] for d in delta] for delta in self.deltas],
        }
        return json.dumps(content, separators=(",", ":")).encode()

    @classmethod
    def unpack(cls, content: bytes) -> StoredNote:
        """A note from the bytes that `pack` made."""
        data: dict[str, Any] = json.loads(content)
        return cls(
            data["written"],
            tuple(Change(*change) for change in data["changes"]),
            Place(**data["place"]),
            data["around"],
            tuple(
                [(d[0].encode("latin-1"), d[1], d[2]) for d in delta] for delta in data["deltas"]
            ),
        )


def deltas_of(output: Sequence[bytes], original: Sequence[bytes]) -> tuple[Delta, ...]:
    """The delta of each of a record's files, tried once before it is trusted."""
    deltas = tuple(map(delta_of, output, original))
    if tuple(map(apply_delta, output, deltas)) != tuple(original):
        raise VaultError(_WOULD_NOT_RESTORE)
    return deltas


def handles(output_hash: str, place: Place) -> tuple[bytes, ...]:
    """By what a note can be found, the surest first: the place where it was written; where that
    was moved as a whole, all notes before it in its file (of the first, the file's name); its id;
    its text alone.
    """
    handles: list[list[str]] = []
    if place.chain is not None:
        handles.append(["at", output_hash, place.target, place.output, place.chain])
        handles.append(["place", output_hash, place.chain or place.output])
    if place.id is not None:
        handles.append(["id", output_hash, place.id])
    return tuple(json.dumps(handle).encode() for handle in (*handles, ["text", output_hash]))


# What leads from the bytes that were written back to the bytes that were read.
#
# A note's surroundings change with it: quotes appear in a table, TAGS are made anew, spans are
# added to a line. The delta knows no format, so it restores them all.

BLOCK = 16
_NEAR = 128
_FIRST_STEP = 64

Delta = list[tuple[bytes, int, int]]
"""In order: bytes of the original, then how many bytes of the output to copy, from where."""


def delta_of(output: bytes, original: bytes) -> Delta:
    """The delta that comparing blocks finds; `apply_delta` follows it.

    Where a copy ends, the block that comes next, or soon, in the output is looked for nearby in
    the original; else the original's blocks are looked up in all of the output. What is found is
    extended as far as it goes, in both directions.
    """
    delta: Delta = []
    start = at = end = 0
    places: dict[bytes, int] | None = None
    length = _common(output, 0, original, 0)
    while True:
        delta.append((original[end:at], start, length))
        at = end = at + length
        if end == len(original):
            return delta
        near = _near(output, start + length, original, at)
        if near is None:
            places = _blocks(output) if places is None else places
            near = _anywhere(original, at, places)
        if near is None:
            delta.append((original[end:], 0, 0))
            return delta
        start, at = near
        while at > end and start > 0 and original[at - 1] == output[start - 1]:
            at, start = at - 1, start - 1
        length = _common(output, start, original, at)


def _near(output: bytes, start: int, original: bytes, at: int) -> tuple[int, int] | None:
    """Where output and original agree again, a little further on."""
    for place in range(start, start + _NEAR, BLOCK):
        block = output[place : place + BLOCK]
        if len(block) < BLOCK:
            return None
        match = original.find(block, at, at + 2 * _NEAR)
        if match >= 0:
            return place, match
    return None


def _blocks(output: bytes) -> dict[bytes, int]:
    starts = range((len(output) - BLOCK) // BLOCK * BLOCK, -1, -BLOCK)
    return {output[start : start + BLOCK]: start for start in starts}


def _anywhere(original: bytes, at: int, places: dict[bytes, int]) -> tuple[int, int] | None:
    """The next block of the original that the output has."""
    for here in range(at, len(original) - BLOCK + 1):
        start = places.get(original[here : here + BLOCK])
        if start is not None:
            return start, here
    return None


def _common(one: bytes, start: int, other: bytes, at: int) -> int:
    """How many bytes are the same from here on, compared in steps that grow."""
    length, step = 0, _FIRST_STEP
    while True:
        mine = one[start + length : start + length + step]
        theirs = other[at + length : at + length + step]
        size = min(len(mine), len(theirs))
        if mine[:size] != theirs[:size]:
            first = int.from_bytes(mine[:size]) ^ int.from_bytes(theirs[:size])
            return length + size - (first.bit_length() + 7) // 8
        length += size
        if size < step:
            return length
        step *= 2


def apply_delta(output: bytes, delta: Delta) -> bytes:
    """The original of an output."""
    return b"".join(_pieces(output, delta))


def _pieces(output: bytes, delta: Delta) -> Iterator[bytes]:
    for literal, start, length in delta:
        yield literal
        yield output[start : start + length]
