"""What leads from the bytes that were written back to the bytes that were read.

A note's surroundings change with it: quotes appear in a table, TAGS are made anew, spans are
added to a line. The delta knows no format, so it restores them all.
"""

from __future__ import annotations

from collections.abc import Iterator

BLOCK = 16
_FIRST_STEP = 64

Delta = list[tuple[bytes, int, int]]
"""In order: bytes of the original, then how many bytes of the output to copy, from where."""


def delta_of(output: bytes, original: bytes) -> Delta:
    """The way that comparing blocks finds; `restored` goes it.

    At every place of the original, the block there is looked up in the output: where the last
    copy ended, or else anywhere. What is found is made as long as it can be, in both directions.
    """
    if output == original:
        return [(b"", 0, len(original))]
    places: dict[bytes, int] = {}
    for start in range((len(output) - BLOCK) // BLOCK * BLOCK, -1, -BLOCK):
        places[output[start : start + BLOCK]] = start
    found: Delta = []
    done = at = expected = 0
    last = len(original) - BLOCK
    while at <= last:
        block = original[at : at + BLOCK]
        start = expected if output.startswith(block, expected) else places.get(block, -1)
        if start < 0:
            at += 1
            continue
        while at > done and start > 0 and original[at - 1] == output[start - 1]:
            at, start = at - 1, start - 1
        length = _common(output, start, original, at)
        found.append((original[done:at], start, length))
        at = done = at + length
        expected = start + length
    if done < len(original):
        found.append((original[done:], 0, 0))
    return found


def _common(one: bytes, start: int, other: bytes, at: int) -> int:
    """How many bytes are the same from here on; compared in steps that grow, then shrink."""
    most = min(len(one) - start, len(other) - at)
    length, step = 0, _FIRST_STEP
    while step:
        step = min(step, most - length)
        here, there = start + length, at + length
        if step and one[here : here + step] == other[there : there + step]:
            length += step
            step *= 2
        else:
            step //= 2
    return length


def restored(output: bytes, delta: Delta) -> bytes:
    """The original."""
    return b"".join(_pieces(output, delta))


def _pieces(output: bytes, delta: Delta) -> Iterator[bytes]:
    for literal, start, length in delta:
        yield literal
        yield output[start : start + length]
