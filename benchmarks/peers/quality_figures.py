"""How well a system finds, by `incognote.evaluate`, from the spans that it wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from incognote import Document
from incognote.corpus.predictions import read_predicted
from incognote.evaluate import Figure, Mark, Marks, Resampling, score
from incognote.formats import Fields
from incognote.phi import CATEGORY_OF

PEOPLE = ("PATIENT", "DOCTOR")
NO_CATEGORY = "none"


@dataclass(frozen=True)
class Quality:
    """The figures of one system. An F1 is None where its labels cannot be compared."""

    covered: Figure
    covered_people: Figure
    leaked: Figure
    over_redaction: Figure
    category_f1: Figure | None
    type_f1: Figure | None
    covered_by_type: Mapping[str, Figure]
    category_f1_by_category: Mapping[str, Figure]


def read_spans(path: Path) -> list[Marks]:
    """What a peer wrote; each note's spans, with the peer's own labels."""
    return [note for note in read_predicted(path, "jsonl", Fields()) if isinstance(note, Marks)]


def quality(
    gold: Sequence[Document],
    found: Sequence[Marks],
    categories: Mapping[str, str] | None,
    *,
    own_types: bool,
    resampling: Resampling,
) -> Quality:
    """`categories` tells what labels mean, `own_types` whether they are our types as well."""
    release = score(gold, found, blocks=["release"], resampling=resampling)
    people = [only(note, PEOPLE) for note in gold]
    names = score(people, found, blocks=["release"], resampling=resampling)
    f1: Figure | None = None
    by_category: dict[str, Figure] = {}
    if categories is not None:
        typed = score(
            [in_categories(note) for note in gold],
            [relabelled(note, categories) for note in found],
            blocks=["release"],
            resampling=resampling,
        )
        f1 = typed.figures["release", "overlap", "f1"]
        by_category = {
            name: figure
            for (name, part), figure in typed.under("release", "overlap_by_type").items()
            if part == "f1" and name != NO_CATEGORY
        }
    by_type = release.under("release", "covered_recall_by_type")
    return Quality(
        covered=release.figures["release", "covered_recall"],
        covered_people=names.figures["release", "covered_recall"],
        leaked=release.figures["release", "leaked_notes"],
        over_redaction=release.figures["release", "over_redaction"],
        category_f1=f1,
        type_f1=release.figures["release", "overlap", "f1"] if own_types else None,
        covered_by_type={type: figure for (type,), figure in by_type.items()},
        category_f1_by_category=by_category,
    )


def only(note: Document, types: Sequence[str]) -> Document:
    """The note with the marks of these types."""
    return note.with_spans(span for span in note.spans if span.type in types)


def in_categories(note: Document) -> Document:
    """The note with each mark called by its category."""
    return note.with_spans(replace(span, type=CATEGORY_OF[span.type]) for span in note.spans)


def relabelled(note: Marks, categories: Mapping[str, str]) -> Marks:
    """A peer's marks called by category; what fits none stays, and is wrong."""
    return Marks(
        note.id,
        tuple(
            Mark(mark.start, mark.end, categories.get(mark.type, NO_CATEGORY), mark.score)
            for mark in note.marks
        ),
    )
