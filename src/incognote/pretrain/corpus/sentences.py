"""Where the sentences of a clinical text are.

Of five libraries that were tried on clinical lines, sentencex misses fewest ends and is by far the
fastest. Its wrong cuts are of two kinds, which are taken back here: after the number of a list
item, and after a clinical abbreviation that goes on in lower case or with a number. Layout is ours
too, as no library knows it: a line end ends a sentence unless the line was wrapped. The library
only says where to cut, so no character can be lost or change its place.
"""

from __future__ import annotations

import re
from importlib.metadata import version

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
_SPACE = re.compile(r"\s")
_ITEM = re.compile(r"\s*(?:[-*+•·▪◦‣–—>#|]|[(\[]?(?:\d{1,3}|[A-Za-z])[.)\]])\s")
_HEADING = re.compile(r"\s*[A-Z][\w /&,()'-]{0,40}:|[^a-z]*[A-Z][^a-z]*$")
_LIST_NUMBER = re.compile(r"(?:^\s*|[:;]\s+|,)[(\[]?(?:\d{1,2}|[A-Za-z])[.)\]]+\s*$")
_LAST_WORD = re.compile(r"([A-Za-z]{2,8})\.\s*$")
_GOES_ON = re.compile(r"[a-z\d]")


def sentences(text: str) -> list[tuple[int, int]]:
    """The first and the end of each sentence, without white space around it, in order.

    Every character but white space lies in exactly one.
    """
    found = []
    for first, end in _stretches(text):
        begin = first
        for cut in [*_cuts(text[first:end]), end - first]:
            part = text[begin : first + cut]
            solid = part.strip()
            if solid:
                start = begin + len(part) - len(part.lstrip())
                found.append((start, start + len(solid)))
            begin = first + cut
    return found


def _stretches(text: str) -> list[tuple[int, int]]:
    """The lines, each with those that it was wrapped into; blank ones are left out."""
    edges = [0]
    lines: list[tuple[int, int]] = []
    for match in _LINE_END.finditer(text):
        lines.append((edges[-1], match.start()))
        edges.append(match.end())
    lines.append((edges[-1], len(text)))
    found: list[tuple[int, int]] = []
    wrapped = False
    for first, end in lines:
        line = text[first:end]
        solid = len(line.strip())
        if not solid:
            wrapped = False
            continue
        if wrapped and not _ITEM.match(line) and not _HEADING.match(line):
            found[-1] = (found[-1][0], end)
        else:
            found.append((first, end))
        wrapped = WRAPPED_AT_LEAST <= solid <= WRAPPED_AT_MOST and line.rstrip()[-1] not in ":?!"
    return found


def _cuts(stretch: str) -> list[int]:
    """Where to cut a stretch, ends not among them.

    White space of any kind is shown to the library as a plain space: it fails on some others.
    """
    parts = sentencex.segment("en", _SPACE.sub(" ", stretch))
    cuts, place, begin = [], 0, 0
    for number, part in enumerate(parts):
        if number and not _taken_back(stretch[begin:place], part):
            cuts.append(place)
            begin = place
        place += len(part)
    return cuts


def _taken_back(before: str, after: str) -> bool:
    """Whether a cut between these is wrong."""
    if _LIST_NUMBER.search(before, max(0, len(before) - 12)):
        return True
    word = _LAST_WORD.search(before[-12:])
    return (
        word is not None
        and word[1].lower() in ABBREVIATIONS
        and _GOES_ON.match(after.lstrip()) is not None
    )
