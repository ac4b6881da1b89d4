"""Loads the regression cases of a rule family and checks one of them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from incognote.detect.note_index import NoteIndex
from incognote.detect.rules.engine import Family

CASES = Path(__file__).parent / "cases"
MARK = re.compile(r"\[\[([A-Z-]+)\|(.*?)\]\](?!\])", re.DOTALL)

Mark = tuple[int, int, str]


@dataclass(frozen=True)
class Case:
    """A text with the spans that a family must find in it."""

    text: str
    marks: tuple[Mark, ...]
    why: str


def parse(marked: str, why: str = "") -> Case:
    """Take the `[[TYPE|text]]` marks out of a text."""
    pieces: list[str] = []
    marks: list[Mark] = []
    length = last = 0
    for match in MARK.finditer(marked):
        before, inside = marked[last : match.start()], match[2]
        start = length + len(before)
        length = start + len(inside)
        marks.append((start, length, match[1]))
        pieces += [before, inside]
        last = match.end()
    return Case("".join(pieces) + marked[last:], tuple(marks), why)


def load(name: str) -> list[Case]:
    """All cases of `tests/cases/<name>.jsonl`."""
    lines = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [parse(row["text"], row.get("why", "")) for row in map(json.loads, filter(None, lines))]


def check(family: Family, case: Case) -> None:
    """The family finds exactly the marks of its types; overlapping finds of one type count once."""
    wanted = sorted(mark for mark in case.marks if mark[2] in family.types)
    found = sorted(
        {(span.start, span.end, span.type) for span in family.find(NoteIndex(case.text))}
    )
    assert found == wanted, case.why


def enough(cases: list[Case], family: Family) -> None:
    """At least 40 cases that hold an identifier of the family and 40 that hold none."""
    positive = sum(any(mark[2] in family.types for mark in case.marks) for case in cases)
    assert positive >= 40
    assert len(cases) - positive >= 40
