"""What leads from the bytes that were written back to the bytes that were read.

A note's surroundings change with it: quotes appear in a table, TAGS are made anew, spans are
added to a line. The delta knows no format, so it restores them all.
"""

from __future__ import annotations

from collections.abc import Iterator

BLOCK = 16
_NEAR = 128
_FIRST_STEP = 64

Delta = list[tuple[bytes, int, int]]
"""In order: bytes of the original, then how many bytes of the output to copy, from where."""


def delta_of(output: bytes, original: bytes) -> Delta:
    """The way that comparing blocks finds; `restored` goes it.

    Where a copy ends, the block that comes next, or soon, in the output is looked for nearby in
    the original; else the original's blocks are looked up in all of the output. What is found is
    made as long as it can be, in both directions.
    """
    found: Delta = []
    start = at = done = 0
    places: dict[bytes, int] | None = None
    length = _common(output, 0, original, 0)
    while True:
        found.append((original[done:at], start, length))
        at = done = at + length
        if done == len(original):
            return found
        near = _near(output, start + length, original, at)
        if near is None:
            places = _blocks(output) if places is None else places
            near = _anywhere(original, at, places)
        if near is None:
            found.append((original[done:], 0, 0))
            return found
        start, at = near
        while at > done and start > 0 and original[at - 1] == output[start - 1]:
            at, start = at - 1, start - 1
        length = _common(output, start, original, at)


def _near(output: bytes, start: int, original: bytes, at: int) -> tuple[int, int] | None:
    """Where both go on alike, a little further on."""
    for place in range(start, start + _NEAR, BLOCK):
        block = output[place : place + BLOCK]
        if len(block) < BLOCK:
            return None
        found = original.find(block, at, at + 2 * _NEAR)
        if found >= 0:
            return place, found
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


def restored(output: bytes, delta: Delta) -> bytes:
    """The original."""
    return b"".join(_pieces(output, delta))


def _pieces(output: bytes, delta: Delta) -> Iterator[bytes]:
    for literal, start, length in delta:
        yield literal
        yield output[start : start + length]
