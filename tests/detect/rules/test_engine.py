"""A row finds what its conditions allow; overlaps are resolved as each resolution says."""

from __future__ import annotations

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern
from incognote.detect.rules.engine import (
    LAST,
    Finding,
    Rule,
    after,
    all_of,
    any_of,
    before,
    cut_overlaps,
    keep_distinct,
    keep_first,
    keep_longest,
    no,
    value,
)

NOTE = NoteIndex("ward 12, bed 7; weight 80 kg, room 31")
NUMBER = Pattern(r"\d+")


def texts(rule: Rule) -> list[str]:
    return [NOTE.text[finding.start : finding.end] for finding in rule(NOTE)]


def test_conditions() -> None:
    in_room = before(r"\b(?:bed|room) $", 6)
    measured = after(r" kg\b")
    assert texts(Rule(NUMBER, "IDNUM", 0.8)) == ["12", "7", "80", "31"]
    assert texts(Rule(NUMBER, "IDNUM", 0.8, when=in_room)) == ["7", "31"]
    assert texts(Rule(NUMBER, "IDNUM", 0.8, when=no(measured))) == ["12", "7", "31"]
    assert texts(Rule(NUMBER, "IDNUM", 0.8, when=any_of(in_room, measured))) == ["7", "80", "31"]
    long = value(lambda number: len(number) > 1)
    assert texts(Rule(NUMBER, "IDNUM", 0.8, when=all_of(in_room, long))) == ["31"]


def test_group_score_type_places_and_signs() -> None:
    either = Pattern(r"ward (?P<ward>\d+)|bed (?P<bed>\d+)")
    assert texts(Rule(either, "IDNUM", 0.8, LAST)) == ["12", "7"]
    assert texts(Rule(either, "IDNUM", 0.8, "bed")) == ["7"]
    assert texts(Rule(NUMBER, "IDNUM", lambda _, match: 0.5 * (match[0] == "7"))) == ["7"]
    rule = Rule(either, lambda match: (match.lastgroup or "").upper(), 0.8, LAST)
    assert [finding.type for finding in rule(NOTE)] == ["WARD", "BED"]
    assert texts(Rule(NUMBER, "IDNUM", 0.8, at=lambda note: note.figures_of({1}))) == ["7"]
    assert texts(Rule(NUMBER, "IDNUM", 0.8, signs=("corridor",))) == []


def test_resolutions() -> None:
    short, long, late = Finding(0, 4, "A", 0.9), Finding(0, 6, "B", 0.7), Finding(5, 9, "C", 0.8)
    same = Finding(0, 6, "D", 0.8)
    findings = [short, long, late, same]
    assert list(keep_longest("", findings)) == [same]
    assert list(cut_overlaps("", findings)) == [same, late._replace(start=6)]
    assert list(keep_distinct("", findings)) == [short, long, late]
    assert list(keep_first("", findings)) == [short, late]
