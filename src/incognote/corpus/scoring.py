"""Scoring files: gold and one prediction or more, every figure, the error page and the plot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from incognote.base.errors import RunError
from incognote.base.files import write_private
from incognote.base.messages import quantity
from incognote.corpus.output import check_output
from incognote.corpus.predictions import read_gold, read_predicted
from incognote.corpus.source import view_named
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
from incognote.phi import TYPES, VIEWS, KnownTypes, View

SHOWN_INDICES = 10
PLOT = "f1-by-type"
MEDDOCAN_LABELS = frozenset(VIEWS["meddocan"].types) - set(TYPES)

Note = TypeVar("Note", Document, Document | Marks)


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
    """The notes that were read, and the figures of each system."""

    gold: Sequence[Document]
    gold_path: str
    view: str | None
    dropped: Counter[str]
    """Gold spans that the view has no type for, by label."""
    systems: Sequence[System]
    differences: Sequence[Mapping[tuple[str, ...], Difference]]
    """Of the second system and each further one from the first."""
    types: KnownTypes | None = None
    """Those of a site file and ours, if the site file was given."""

    def warnings(self) -> Iterator[str]:
        """What must not go unseen, a sentence each; notes by index, because ids may be PHI."""
        yield from _dropped_warning(self.gold_path, self.view, self.dropped)
        if not any(note.spans for note in self.gold):
            yield f"{self.gold_path}: no note has an annotated span"
        if self.types is not None:
            for path, some in (
                (self.gold_path, labels(self.gold)),
                *((system.path, labels(system.notes)) for system in self.systems),
            ):
                if unknown := sorted(some - set(self.types.names)):
                    yield (
                        f"{path}: neither incognote nor the site file has the types "
                        f"{', '.join(unknown)}"
                    )
        for system in self.systems:
            yield from _dropped_warning(system.path, self.view, system.dropped)
            if missing := system.report.missing:
                yield (
                    f"{system.path}: {len(missing):,} of {len(self.gold):,} gold notes have no "
                    f"prediction and count as all missed (index {_first_indices(missing)})"
                )
            if extra := system.report.extra:
                yield (
                    f"{system.path}: {len(extra):,} predictions have no gold note and are not "
                    f"scored (index {_first_indices(extra)})"
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
                    "figures": _nested_figures(differences),
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
    types: KnownTypes | None = None,
) -> Scores:
    """Read, map if asked to, score, and compare each prediction with the first.

    MEDDOCAN's figures are among them where the gold has its labels, or if asked for. Gold without
    a single span is taken for an oversight unless `without_identifiers` says that it is right. With
    `types`, those of a site file, there is a warning of all other types, and the figures of i2b2
    know the categories of the site's own.
    """
    mapping = view_named(view) if view else None
    how, table = resampling or Resampling(), fields or Fields()
    notes = read_gold(Path(gold), format, table)
    dropped: Counter[str] = Counter()
    if mapping:
        notes, dropped = apply_view(mapping, notes)
    if types is not None:
        notes = list(map(types.with_tags, notes))
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
        dropped_here: Counter[str] = Counter()
        if mapping:
            predictions, dropped_here = apply_view(mapping, predictions)
        if types is not None:
            predictions = [
                note if isinstance(note, Marks) else types.with_tags(note) for note in predictions
            ]
        _refuse_strangers(notes, predictions, gold, path)
        try:
            report = score(notes, predictions, blocks=blocks, resampling=how)
        except PairingError as error:
            raise RunError(f"{path}: {error}") from None
        systems.append(System(name, path, predictions, dropped_here, report))
    differences = [
        compare(notes, systems[0].notes, system.notes, blocks=blocks, resampling=how)
        for system in systems[1:]
    ]
    return Scores(notes, gold, view, dropped, systems, differences, types)


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


def _dropped_warning(path: str, view: str | None, dropped: Counter[str]) -> Iterator[str]:
    if dropped:
        which = ", ".join(f"{label} {count:,}" for label, count in dropped.most_common())
        yield f"{path}: --map {view} dropped {quantity(dropped.total(), 'span')} ({which})"


def _first_indices(indices: Sequence[int]) -> str:
    text = ", ".join(map(str, indices[:SHOWN_INDICES]))
    return text if len(indices) <= SHOWN_INDICES else f"{text}, …"


def _nested_figures(differences: Mapping[tuple[str, ...], Difference]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for path, difference in differences.items():
        node = result
        for step in path[:-1]:
            node = node.setdefault(step, {})
        node[path[-1]] = vars(difference).copy()
    return result


def apply_view(view: View, notes: Sequence[Note]) -> tuple[list[Note], Counter[str]]:
    """The notes with the view's types for their labels, and the spans without one, by label.

    Notes whose labels are all ours already stay as they are: predictions of incognote can so be
    scored against gold of another scheme.
    """
    if labels(notes) <= set(TYPES):
        return list(notes), Counter()
    dropped: Counter[str] = Counter()
    result: list[Note] = []
    for note in notes:
        mapped, own = _apply_to_marks(view, note) if isinstance(note, Marks) else view.apply(note)
        result.append(mapped)
        dropped += own
    return result, dropped


def _apply_to_marks(view: View, note: Marks) -> tuple[Marks, Counter[str]]:
    marks = tuple(
        replace(mark, type=view.types[mark.type]) for mark in note.marks if mark.type in view.types
    )
    dropped = Counter(mark.type for mark in note.marks if mark.type not in view.types)
    return replace(note, marks=marks), dropped


def labels(notes: Sequence[Document | Marks]) -> set[str]:
    """All types that occur in the notes."""
    return {
        mark.type
        for note in notes
        for mark in (note.marks if isinstance(note, Marks) else note.spans)
    }


@dataclass(frozen=True)
class Outputs:
    """The files to write: checked before the work, written after it."""

    errors: Path | None = None
    """The page that shows every error; it holds PHI and only its owner may read it."""
    plot: Path | None = None
    """A folder for the plot, which holds figures only."""

    def files(self) -> list[Path]:
        """All files that will be written."""
        from incognote.evaluate.plots import FORMATS

        plots = [self.plot / f"{PLOT}.{format}" for format in FORMATS] if self.plot else []
        return [*([self.errors] if self.errors else []), *plots]

    def check(self, gold: Path, predicted: Sequence[Path], *, overwrite: bool) -> None:
        """Refuse before the work what would fail after it."""
        from incognote.evaluate.plots import PlotError, need_matplotlib

        if self.errors and len(predicted) > 1:
            raise RunError("--errors shows one prediction: score them one by one for their pages")
        if self.errors and self.errors.is_dir():
            raise RunError(f"{self.errors}: is a folder; --errors writes one file")
        if self.plot and self.plot.exists() and not self.plot.is_dir():
            raise RunError(f"{self.plot}: is not a folder; --plot writes into one")
        for file in self.files():
            check_output(file, (gold, *predicted), overwrite=overwrite)
        if self.plot:
            try:
                need_matplotlib()
            except PlotError as error:
                raise RunError(f"--plot: {error}") from None

    def write(self, scores: Scores) -> list[Path]:
        """Write them; the paths in the order of `files`."""
        contents: list[bytes] = []
        if self.errors:
            contents.append(_page(scores))
        if self.plot:
            contents += _plots(scores)
        for file, content in zip(self.files(), contents, strict=True):
            write_private(file, content)
        return self.files()


def _page(scores: Scores) -> bytes:
    from incognote.evaluate.error_analysis import analyse
    from incognote.evaluate.error_page import error_page

    system = scores.systems[0]
    analysis = analyse(scores.gold, system.notes)
    return error_page(system.report, analysis, system.name).encode("utf-8", "replace")


def _plots(scores: Scores) -> list[bytes]:
    from incognote.evaluate.plots import FORMATS, f1_by_type

    images = f1_by_type({system.name: system.report for system in scores.systems})
    return [images[format] for format in FORMATS]
