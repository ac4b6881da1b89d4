"""A long document in parts, which are read by themselves and give the same sentences and pieces.

A part ends with a line that the next does not go on from, where a sentence ends whatever stands
around it; the next part begins with the white space after it, for tokenizers that keep it. So many
processes can read one document, and nobody has to hold more of it than a part. A line, and lines
wrapped into each other, are never parted.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from incognote.workshop.pretrain.corpus.sentences import goes_on, lines


class Part(NamedTuple):
    """Some of a document: its text, whether the document begins with it, and on which side it is."""

    text: str
    begins: bool
    held_out: bool


def parts(text: str, size: int, *, held_out: bool = False) -> Iterator[Part]:
    """The parts of a document, each of so many characters and what is left of its last lines."""
    begin = 0
    while len(text) - begin > size:
        end = _edge(text, begin + size)
        yield Part(text[begin:end], not begin, held_out)
        begin = end
    if not begin or begin < len(text):
        yield Part(text[begin:], not begin, held_out)


def _edge(text: str, place: int) -> int:
    """Where the first line ends, of those that begin after a place, that none goes on from."""
    found = lines(text, place)
    next(found)  # the place is within it
    for (first, end), following in pairwise(found):
        line = text[first:end].rstrip()
        if line and not goes_on(line, text[slice(*following)]):
            return first + len(line)
    return len(text)
