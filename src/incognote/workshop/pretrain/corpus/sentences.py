"""Where the sentences of a clinical text are, and a long document in parts that end where they do.

Of five libraries that were tried on clinical lines, sentencex misses fewest ends and is by far the
fastest. Its wrong cuts are of two kinds, which are taken back here: after the number of a list
item, and after a clinical abbreviation that goes on in lower case or with a number. Layout is ours
too, as no library knows it: a line end ends a sentence unless the line was wrapped. The library
only says where to cut, so no character can be lost or change its place.

A stretch (a line with those it was wrapped into) is looked at by itself, so what a long text takes
in memory is what its longest stretch takes.

A part of a document ends with a line that the next does not go on from, where a sentence ends whatever
stands around it; the next part begins with the white space after it, for tokenizers that keep it. So
parts are read by themselves and give the same sentences and tokens, many processes can read one
document, and nobody has to hold more of it than a part. A line, and lines wrapped into each other, are
never divided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import version
from itertools import pairwise
from typing import NamedTuple

import sentencex  # type: ignore[import-untyped]

VERSION = f"1, sentencex {version('sentencex')}"
"""Of the rules here and of the library: another may cut elsewhere."""

WRAPPED_AT_LEAST, WRAPPED_AT_MOST = 50, 132
"""A line of such a length may go on in the next; a longer one is a paragraph."""

ABBREVIATIONS = frozenset(
    "abd amp amt approx appt app art avg bilat bx ca cal cap caps cath cc cl cm cont cx def dept diag "
    "diam disp dist div dx ed est ext fem fig freq ft fx gen gm gr grav hosp hr hrs ht hx in inj "
    "intermed kg lab lat lb lbs liq lt max med meds mg min mins ml mm mo mos neg no nos occ oz pg plt "
    "pos post prev prob prox pt pts qty ref reg rel resp rt rx sec sig sol soln sp spec st stat "
    "supp surg susp sx sys tab tabs tbl tbsp temp tsp tx ung vag vit vol vs wk wks wt yd yr yrs".split()
)

_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_OTHER_SPACE = re.compile(r"[^\S ]")
_ITEM = re.compile(r"\s*(?:[-*+•·▪◦‣–—>#|]|[(\[]?(?:\d{1,3}|[A-Za-z])[.)\]])\s")
_HEADING = re.compile(r"\s*[A-Z][\w /&,()'-]{0,40}:|[^a-z]*[A-Z][^a-z]*$")
_LIST_NUMBER = re.compile(r"(?:^\s*|[:;]\s+|,)[(\[]?(?:\d{1,2}|[A-Za-z])[.)\]]+\s*$")
_LAST_WORD = re.compile(r"([A-Za-z]{2,8})\.\s*$")
_GOES_ON = re.compile(r"\s*[a-z\d]")
_CONTEXT = 12
"""Characters before a cut."""

_BLOCK = 100_000


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The first and the end of each sentence, without white space around it, in order.

    Every character but white space lies in exactly one.
    """
    for first, end in _stretches(text):
        stretch = text[first:end]
        begin = 0
        for cut in _cuts(stretch):
            part = stretch[begin:cut]
            solid = part.strip()
            if solid:
                start = first + begin + len(part) - len(part.lstrip())
                yield start, start + len(solid)
            begin = cut


def lines(text: str, begin: int = 0) -> Iterator[tuple[int, int]]:
    """The first and the end of each line from a place on, without what ends it."""
    for match in _LINE_END.finditer(text, begin):
        yield begin, match.start()
        begin = match.end()
    yield begin, len(text)


def goes_on(line: str, following: str) -> bool:
    """Whether a line was wrapped into the one that follows it."""
    solid = line.strip()
    return (
        WRAPPED_AT_LEAST <= len(solid) <= WRAPPED_AT_MOST
        and solid[-1] not in ":?!"
        and not _ITEM.match(following)
        and not _HEADING.match(following)
    )


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """The lines, each with those that it was wrapped into; blank ones are left out."""
    begin = end = -1
    before = ""
    for first, last in lines(text):
        line = text[first:last]
        if line.isspace() or not line:
            before = ""
            continue
        if not goes_on(before, line):
            if begin >= 0:
                yield begin, end
            begin = first
        end, before = last, line
    if begin >= 0:
        yield begin, end


def _cuts(stretch: str) -> Iterator[int]:
    """Where to cut a stretch; its end is the last."""
    place = begin = 0
    for size in _sizes(stretch):
        if place and not _is_wrong_cut(stretch, begin, place, place + size):
            yield place
            begin = place
        place += size
    yield len(stretch)


def _sizes(stretch: str) -> list[int]:
    """How long the library's sentences are.

    White space of any kind is shown to it as a plain space: it fails on some others.
    """
    blocks = (stretch[place : place + _BLOCK] for place in range(0, len(stretch), _BLOCK))
    plain = "".join(_OTHER_SPACE.sub(" ", block) for block in blocks)
    return [len(part) for part in sentencex.segment("en", plain)]


def _is_wrong_cut(stretch: str, begin: int, cut: int, end: int) -> bool:
    """Whether a cut is wrong between what begins and what ends there."""
    before = stretch[max(begin, cut - _CONTEXT - 1) : cut]
    if _LIST_NUMBER.search(before, max(0, len(before) - _CONTEXT)):
        return True
    word = _LAST_WORD.search(before[-_CONTEXT:])
    return (
        word is not None
        and word[1].lower() in ABBREVIATIONS
        and _GOES_ON.match(stretch, cut, end) is not None
    )


class Part(NamedTuple):
    """Some of a document: its text, whether the document begins with it, and on which side it is."""

    text: str
    begins: bool
    held_out: bool


def parts(text: str, size: int, *, held_out: bool = False) -> Iterator[Part]:
    """The parts of a document, each of so many characters and the rest of its last lines."""
    begin = 0
    while len(text) - begin > size:
        end = _edge(text, begin + size)
        yield Part(text[begin:end], not begin, held_out)
        begin = end
    if not begin or begin < len(text):
        yield Part(text[begin:], not begin, held_out)


def _edge(text: str, place: int) -> int:
    """Where the first line ends, of those that begin after a place, that none goes on from."""
    rest = lines(text, place)
    next(rest)  # the place is within it
    for (first, end), following in pairwise(rest):
        line = text[first:end].rstrip()
        if line and not goes_on(line, text[slice(*following)]):
            return first + len(line)
    return len(text)
