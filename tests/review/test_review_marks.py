"""Marks of a note under any actions: disjoint, undone without limit, the same again from the log."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.document import Document, Span
from incognote.review.marks import (
    Action,
    Kind,
    Mark,
    MarkError,
    Marks,
    check_stretch,
    detected_marks,
)

TEXT = "Seen by Dr. Okafor on 3/14 in Springfield with her son Tom."
LENGTH = len(TEXT)

stretches = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 12)).map(
    lambda each: (each[0], min(LENGTH, each[0] + each[1]))
)
types = st.sampled_from(["DOCTOR", "DATE", "CITY"])
wishes = st.lists(
    st.tuples(
        st.sampled_from(["accept", "reject", "retype", "resize", "add", "bulk", "undo", "redo"]),
        st.integers(0, 8),
        stretches,
        types,
    ),
    max_size=25,
)


def begin() -> list[Mark]:
    spans = [Span.of(TEXT, 12, 18, "DOCTOR"), Span.of(TEXT, 22, 26, "DATE", score=0.6)]
    return detected_marks(spans)


def wanted(marks: Marks, kind: Kind, number: int, place: tuple[int, int], type: str) -> Action:
    ids = [mark.id for mark in marks]
    id = ids[number % len(ids)]
    match kind:
        case "accept":
            return marks.accepted(id)
        case "reject":
            return marks.rejected(id)
        case "bulk":
            return marks.all_accepted(None, 0.0)
        case "retype":
            return marks.retyped(id, type)
        case "resize":
            return marks.resized(id, *place)
        case "add":
            return marks.added([(*place, type)])
    return Action(kind)


@given(wishes)
def test_shown_marks_are_disjoint_and_all_can_be_undone(
    wished: list[tuple[Kind, int, tuple[int, int], str]],
) -> None:
    marks = Marks(begin())
    log: list[tuple[Kind, str]] = []
    for kind, number, place, type in wished:
        if (kind == "undo" and not marks.can_undo) or (kind == "redo" and not marks.can_redo):
            with pytest.raises(MarkError):
                marks.apply(Action(kind))
            continue
        action = wanted(marks, kind, number, place, type)
        log.append((kind, json.dumps(action.to_json())))
        marks.apply(action)
        shown = marks.shown
        assert all(a.end <= b.start for a, b in pairwise(shown)), shown
        marks.document(Document("", TEXT, ()))
    again = Marks(begin(), (Action.from_json(kind, json.loads(rows)) for kind, rows in log))
    assert list(again) == list(marks)
    assert (again.can_undo, again.can_redo) == (marks.can_undo, marks.can_redo)
    before = list(marks)
    count = 0
    while marks.can_undo:
        marks.apply(Action("undo"))
        count += 1
    assert list(marks) == list(Marks(begin()))
    for _ in range(count):
        marks.apply(Action("redo"))
    assert list(marks) == before


def test_an_action_has_no_words_of_the_note() -> None:
    marks = Marks(begin())
    for action in (marks.added([(30, 41, "CITY")]), marks.resized(0, 8, 18)):
        written = json.dumps(action.to_json())
        assert not any(word in written for word in ("Okafor", "Springfield", "Dr."))


def test_a_mark_that_is_there_already_is_accepted() -> None:
    marks = Marks(begin())
    action = marks.added([(12, 18, "DOCTOR")])
    assert [(c.before and c.before.id, c.after and c.after.status) for c in action.changes] == [
        (0, "accepted")
    ]
    marks.apply(action)
    assert not marks.added([(12, 18, "DOCTOR")]).changes


def test_a_new_mark_takes_the_place_of_those_it_meets() -> None:
    marks = Marks(begin())
    marks.apply(marks.added([(10, 24, "LOCATION-OTHER")]))
    assert [(mark.start, mark.end) for mark in marks.shown] == [(10, 24)]
    assert {mark.status for mark in marks} == {"replaced", "accepted"}


def test_stretches_outside_the_note_or_of_nothing_are_refused() -> None:
    for start, end in ((-1, 2), (5, 5), (6, 4), (0, LENGTH + 1), (4, 5)):
        with pytest.raises(MarkError):
            check_stretch(TEXT, start, end)
    with pytest.raises(MarkError):
        Marks(begin())[99]
