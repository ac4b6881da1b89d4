"""Labels of another scheme read as ours, because the user said so; what is dropped is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from incognote.base.errors import RunError
from incognote.document import Document
from incognote.evaluate import Marks
from incognote.phi import TYPES, VIEWS, View

Note = TypeVar("Note", Document, Document | Marks)

MEDDOCAN_LABELS = frozenset(VIEWS["meddocan"].types) - set(TYPES)


def view_named(name: str) -> View:
    """One of the views there are."""
    if name not in VIEWS:
        raise RunError(f"--map {name}: choose one of {', '.join(VIEWS)}")
    return VIEWS[name]


def apply_view(view: View, notes: Sequence[Note]) -> tuple[list[Note], Counter[str]]:
    """The notes in our types, and how many spans of each label were dropped.

    Notes whose labels are all ours already stay as they are: predictions of incognote can so be
    scored against gold of another scheme.
    """
    if labels(notes) <= set(TYPES):
        return list(notes), Counter()
    dropped: Counter[str] = Counter()
    result: list[Note] = []
    for note in notes:
        mapped, lost = _marks(view, note) if isinstance(note, Marks) else view.apply(note)
        result.append(mapped)
        dropped += lost
    return result, dropped


def _marks(view: View, note: Marks) -> tuple[Marks, Counter[str]]:
    kept = tuple(
        replace(mark, type=view.types[mark.type]) for mark in note.marks if mark.type in view.types
    )
    dropped = Counter(mark.type for mark in note.marks if mark.type not in view.types)
    return replace(note, marks=kept), dropped


def labels(notes: Sequence[Document | Marks]) -> set[str]:
    """All types that occur."""
    return {
        mark.type
        for note in notes
        for mark in (note.marks if isinstance(note, Marks) else note.spans)
    }
