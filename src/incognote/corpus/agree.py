"""How far two annotators of the same notes agree, and where they differ.

Spans agree when start, end and type are the same. Words are those of `align`, each with one label
(B and I collapsed): from the table of both annotators' labels come F1 and Cohen's kappa. Precision
is the share of the second annotator's marks that the first has too, recall the share of the first's
that the second has: exchanged, they are the same figures the other way round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incognote.align.tags import Labels
from incognote.corpus.source import CorpusError, in_order
from incognote.document import Document, Span
from incognote.evaluate.pairing import Pair, pair
from incognote.evaluate.study import word_types
from incognote.phi import bio_labels


@dataclass(frozen=True)
class Overlap:
    """What each annotator marked, and what both did. Shares of nothing are None."""

    first: int
    second: int
    both: int

    @property
    def precision(self) -> float | None:
        return self.both / self.second if self.second else None

    @property
    def recall(self) -> float | None:
        return self.both / self.first if self.first else None

    @property
    def f1(self) -> float | None:
        total = self.first + self.second
        return 2 * self.both / total if total else None

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "precision": self.precision, "recall": self.recall, "f1": self.f1}


@dataclass(frozen=True)
class Level:
    """Agreement over all types, regardless of type (`untyped`), and by type."""

    overall: Overlap
    untyped: Overlap
    by_type: dict[str, Overlap]

    def to_json(self) -> dict[str, Any]:
        return {
            "overall": self.overall.to_json(),
            "untyped": self.untyped.to_json(),
            "by_type": {type: overlap.to_json() for type, overlap in self.by_type.items()},
        }


@dataclass(frozen=True)
class Kappa:
    """Cohen's kappa over words: all labels with O, marked or not, and each type or not.

    None where it is undefined: both annotators use one and the same label throughout.
    """

    overall: float | None
    untyped: float | None
    by_type: dict[str, float | None]


@dataclass(frozen=True)
class Agreement:
    """All figures for the notes that both annotators have."""

    pairs: Sequence[Pair]
    words: int
    spans: Level
    by_word: Level
    kappa: Kappa
    only_first: list[str]
    """Ids of the notes that the second annotator does not have."""
    only_second: list[str]

    @property
    def types(self) -> list[str]:
        return list(self.spans.by_type)

    def to_json(self) -> dict[str, Any]:
        return {
            "notes": len(self.pairs),
            "words": self.words,
            "spans": self.spans.to_json(),
            "word_level": self.by_word.to_json(),
            "kappa": asdict(self.kappa),
            "notes_of_first_only": len(self.only_first),
            "notes_of_second_only": len(self.only_second),
        }


def agree(first: Iterable[Document], second: Iterable[Document]) -> Agreement:
    """Compare two annotators; the notes that only one has are listed and not compared."""
    mine, other = list(first), list(second)
    theirs = _by_id(other, "second")
    _refuse_other_texts(_by_id(mine, "first"), theirs)
    pairs = pair([note for note in mine if note.id in theirs], other).pairs
    if not pairs:
        raise CorpusError("the two annotators have no note in common")
    types = in_order(
        {s.type for both in pairs for side in (both.gold, both.predicted) for s in side.spans}
    )
    table = _word_table(pairs, types)
    return Agreement(
        pairs,
        int(table.sum()),
        _spans(pairs, types),
        _words(table, types),
        _kappas(table, types),
        _difference(mine, other),
        _difference(other, mine),
    )


def _by_id(notes: Sequence[Document], whose: str) -> dict[str, Document]:
    by_id: dict[str, Document] = {}
    for note in notes:
        if note.id in by_id:
            raise CorpusError(f"{note.id}: two notes of the {whose} annotator have this id")
        by_id[note.id] = note
    return by_id


def _refuse_other_texts(first: dict[str, Document], second: dict[str, Document]) -> None:
    for id in first.keys() & second.keys():
        if first[id].text != second[id].text:
            raise CorpusError(f"{id}: the two annotators have different texts of this note")


def _difference(notes: Sequence[Document], others: Sequence[Document]) -> list[str]:
    ids = {note.id for note in others}
    return [note.id for note in notes if note.id not in ids]


def _spans(pairs: Sequence[Pair], types: Sequence[str]) -> Level:
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    both: Counter[str] = Counter()
    places = [0, 0, 0]
    for each in pairs:
        a, b = (
            {(span.start, span.end, span.type) for span in side.spans}
            for side in (each.gold, each.predicted)
        )
        first.update(type for *_, type in a)
        second.update(type for *_, type in b)
        both.update(type for *_, type in a & b)
        where_a, where_b = ({place[:2] for place in side} for side in (a, b))
        sizes = (len(where_a), len(where_b), len(where_a & where_b))
        places = [total + size for total, size in zip(places, sizes, strict=True)]
    return Level(
        Overlap(first.total(), second.total(), both.total()),
        Overlap(*places),
        {type: Overlap(first[type], second[type], both[type]) for type in types},
    )


Table = NDArray[np.int64]
"""Words by the label that the first gave (row) and the second (column); O is label 0."""


def _word_table(pairs: Sequence[Pair], types: Sequence[str]) -> Table:
    labels = Labels(bio_labels(types))
    size = len(types) + 1
    table = np.zeros((size, size), np.int64)
    for each in pairs:
        first, second = word_types(each, labels)
        table += np.bincount(first * size + second, minlength=size * size).reshape(size, size)
    return table


def _words(table: Table, types: Sequence[str]) -> Level:
    first, second, same = table.sum(axis=1), table.sum(axis=0), table.diagonal()
    totals = (int(first[1:].sum()), int(second[1:].sum()))
    return Level(
        Overlap(*totals, int(same[1:].sum())),
        Overlap(*totals, int(table[1:, 1:].sum())),
        {
            type: Overlap(int(first[at]), int(second[at]), int(same[at]))
            for at, type in enumerate(types, 1)
        },
    )


def _kappas(table: Table, types: Sequence[str]) -> Kappa:
    return Kappa(
        kappa(table),
        kappa(_one_against_rest(table, 0)),
        {type: kappa(_one_against_rest(table, at)) for at, type in enumerate(types, 1)},
    )


def _one_against_rest(table: Table, label: int) -> Table:
    both = table[label, label]
    first, second = table[label].sum() - both, table[:, label].sum() - both
    return np.array([[both, first], [second, table.sum() - both - first - second]])


def kappa(table: Table) -> float | None:
    """Cohen's kappa: agreement beyond chance, as a share of what chance leaves."""
    total = int(table.sum())
    if not total:
        return None
    observed = int(table.trace()) * total
    chance = sum(int(a) * int(b) for a, b in zip(table.sum(axis=1), table.sum(axis=0), strict=True))
    return None if chance == total * total else (observed - chance) / (total * total - chance)


@dataclass(frozen=True)
class Disagreement:
    """The spans of both annotators at one place of a note.

    Spans that touch each other, of either annotator, are one place. Its kind: `only first`, `only
    second`; `type` if the same stretches are called differently; `boundary` if the same types are
    marked in other stretches; else `type and boundary`.
    """

    id: str
    first: tuple[Span, ...]
    second: tuple[Span, ...]

    @property
    def kind(self) -> str:
        if not self.second:
            return "only first"
        if not self.first:
            return "only second"
        places = [{(span.start, span.end) for span in side} for side in (self.first, self.second)]
        types = [{span.type for span in side} for side in (self.first, self.second)]
        if places[0] == places[1]:
            return "type"
        return "boundary" if types[0] == types[1] else "type and boundary"

    def to_json(self, show_text: bool = False) -> dict[str, Any]:
        """Offsets and types; the spans' texts only if asked for."""
        return {
            "id": self.id,
            "kind": self.kind,
            "first": [_span_json(span, show_text) for span in self.first],
            "second": [_span_json(span, show_text) for span in self.second],
        }


def _span_json(span: Span, show_text: bool) -> dict[str, Any]:
    place = {"start": span.start, "end": span.end, "type": span.type}
    return {**place, "text": span.text} if show_text else place


def disagreements(both: Pair) -> Iterator[Disagreement]:
    """The places of a note where its annotators differ, in order."""
    first, second = _distinct(both.gold), _distinct(both.predicted)
    marks = sorted(
        [(place, 0, span) for place, span in first.items()]
        + [(place, 1, span) for place, span in second.items()],
        key=lambda mark: mark[:2],
    )
    sides: tuple[list[Span], list[Span]] = ([], [])
    reach = -1
    for (start, end, _), side, span in marks:
        if start >= reach and (start, end) != (reach, reach):
            yield from _place(both.gold.id, sides)
            sides = ([], [])
        sides[side].append(span)
        reach = max(reach, end)
    yield from _place(both.gold.id, sides)


def _distinct(document: Document) -> dict[tuple[int, int, str], Span]:
    return {(span.start, span.end, span.type): span for span in document.spans}


def _place(id: str, sides: tuple[list[Span], list[Span]]) -> Iterator[Disagreement]:
    first, second = ([(span.start, span.end, span.type) for span in side] for side in sides)
    if first != second:
        yield Disagreement(id, tuple(sides[0]), tuple(sides[1]))
