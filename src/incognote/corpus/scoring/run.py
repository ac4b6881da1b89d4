"""One gold corpus and one prediction or more: every figure, and each system against the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incognote.base.errors import RunError
from incognote.base.messages import quantity
from incognote.corpus.scoring.load import read_gold, read_predicted
from incognote.corpus.scoring.views import MEDDOCAN_LABELS, apply_view, labels, view_named
from incognote.document import Document
from incognote.evaluate import (
    Difference,
    Marks,
    PairingError,
    Report,
    Resampling,
    compare,
    score,
)
from incognote.formats import Fields

SHOWN_INDICES = 10


@dataclass(frozen=True)
class System:
    """One prediction and its figures."""

    name: str
    path: str
    notes: Sequence[Document | Marks]
    dropped: Counter[str]
    report: Report


@dataclass(frozen=True)
class Scores:
    """What was read and what came out."""

    gold: Sequence[Document]
    gold_path: str
    view: str | None
    dropped: Counter[str]
    """Gold spans that the view has no type for, by label."""
    systems: Sequence[System]
    differences: Sequence[Mapping[tuple[str, ...], Difference]]
    """Of the second system and each further one from the first."""

    def warnings(self) -> Iterator[str]:
        """What must not go unseen, a sentence each; notes by index, because ids may be PHI."""
        yield from _dropped(self.gold_path, self.view, self.dropped)
        if not any(note.spans for note in self.gold):
            yield f"{self.gold_path}: no note has an annotated span"
        for system in self.systems:
            yield from _dropped(system.path, self.view, system.dropped)
            if missing := system.report.missing:
                yield (
                    f"{system.path}: {len(missing):,} of {len(self.gold):,} gold notes have no "
                    f"prediction and count as all missed (index {_listed(missing)})"
                )
            if extra := system.report.extra:
                yield (
                    f"{system.path}: {len(extra):,} predictions have no gold note and are not "
                    f"scored (index {_listed(extra)})"
                )
            if not labels(system.notes):
                yield f"{system.path}: no span is predicted in any note"

    def as_dict(self) -> dict[str, Any]:
        """Plain nested dictionaries, ready for JSON."""
        return {
            "gold": {"notes": len(self.gold), "dropped": dict(self.dropped)},
            "view": self.view,
            "systems": [
                {"name": system.name, "dropped": dict(system.dropped), **system.report.as_dict()}
                for system in self.systems
            ],
            "comparisons": [
                {
                    "first": self.systems[0].name,
                    "second": system.name,
                    "figures": _nested(differences),
                }
                for system, differences in zip(self.systems[1:], self.differences, strict=True)
            ],
        }


def score_files(
    gold: str,
    predicted: Sequence[str],
    *,
    format: str | None = None,
    predicted_format: str | None = None,
    fields: Fields | None = None,
    view: str | None = None,
    meddocan: bool = False,
    resampling: Resampling | None = None,
    without_identifiers: bool = False,
) -> Scores:
    """Read, map if asked to, score, and compare each prediction with the first.

    MEDDOCAN's figures are among them where the gold has its labels, or if asked for. Gold without
    a single span is taken for an oversight unless `without_identifiers` says that it is right.
    """
    mapping = view_named(view) if view else None
    how, table = resampling or Resampling(), fields or Fields()
    notes = read_gold(Path(gold), format, table)
    dropped: Counter[str] = Counter()
    if mapping:
        notes, dropped = apply_view(mapping, notes)
    if not without_identifiers and not any(note.spans for note in notes):
        raise RunError(
            f"{gold}: none of its {quantity(len(notes), 'note')} has an annotated identifier, so there "
            "is nothing to score; if that is right, --without-identifiers scores what was marked in vain"
        )
    blocks = ["release", "i2b2", "study"]
    if meddocan or labels(notes) & MEDDOCAN_LABELS:
        blocks.append("meddocan")
    systems: list[System] = []
    for name, path in zip(_names(predicted), predicted, strict=True):
        predictions = read_predicted(Path(path), predicted_format, table)
        lost: Counter[str] = Counter()
        if mapping:
            predictions, lost = apply_view(mapping, predictions)
        _refuse_strangers(notes, predictions, gold, path)
        try:
            report = score(notes, predictions, blocks=blocks, resampling=how)
        except PairingError as error:
            raise RunError(f"{path}: {error}") from None
        systems.append(System(name, path, predictions, lost, report))
    differences = [
        compare(notes, systems[0].notes, system.notes, blocks=blocks, resampling=how)
        for system in systems[1:]
    ]
    return Scores(notes, gold, view, dropped, systems, differences)


def _refuse_strangers(
    gold: Sequence[Document], predicted: Sequence[Document | Marks], gold_path: str, path: str
) -> None:
    if predicted and not {note.id for note in gold} & {note.id for note in predicted}:
        raise RunError(
            f"{path}: none of its {len(predicted):,} notes has the id of a note in {gold_path}"
        )


def _names(paths: Sequence[str]) -> list[str]:
    """Short names for columns: the files' own where they differ, else the paths."""
    short = [Path(path).name.removesuffix(".gz").removesuffix(Path(path).suffix) for path in paths]
    return short if len(set(short)) == len(short) and all(short) else list(paths)


def _dropped(path: str, view: str | None, dropped: Counter[str]) -> Iterator[str]:
    if dropped:
        which = ", ".join(f"{label} {count:,}" for label, count in dropped.most_common())
        yield f"{path}: --map {view} dropped {quantity(dropped.total(), 'span')} ({which})"


def _listed(indices: Sequence[int]) -> str:
    shown = ", ".join(map(str, indices[:SHOWN_INDICES]))
    return shown if len(indices) <= SHOWN_INDICES else f"{shown}, …"


def _nested(differences: Mapping[tuple[str, ...], Difference]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for path, difference in differences.items():
        node = result
        for step in path[:-1]:
            node = node.setdefault(step, {})
        node[path[-1]] = vars(difference).copy()
    return result
