"""The figures that all sections show: the best cell of each encoder, scored on each part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incognote.base.errors import RunError
from incognote.corpus.predictions import read_predicted
from incognote.document import Document
from incognote.evaluate import Figure, Marks, PairingError, Report, Resampling, score
from incognote.evaluate.counts import Measure
from incognote.evaluate.counts import Path as FigurePath
from incognote.evaluate.pairing import pair
from incognote.evaluate.report import block_measures
from incognote.formats import Fields
from incognote.workshop.compare.report.content import Model
from incognote.workshop.compare.report.plots import MOST
from incognote.workshop.compare.results import PARTS, CellResult, Comparison, Part, best_cells
from incognote.workshop.fine_tuning import Parts

BLOCKS = ("release", "study", "meddocan")
STRICT = ("meddocan", "ner")
"""Type, start and end are the same, as MEDDOCAN's first track asks."""
WORDS = ("study", "overall")
ACCURACY = ("study", "accuracy")
COVERED = ("release", "covered_recall")
LEAKED = ("release", "leaked_notes")
OVER_REDACTION = ("release", "over_redaction")


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The cell that was chosen of an encoder."""

    model: Model
    cell: CellResult


@dataclass(frozen=True, kw_only=True)
class Material:
    """What the sections of every report are made from, of annotated notes or of a task."""

    comparison: Comparison
    models: Mapping[str, Model]
    best: Sequence[Chosen]
    """One of each encoder that has a cell done; the best on validation first, as in the study."""
    has_plots: bool
    """Whether there is a library to draw plots with."""

    @property
    def folds(self) -> list[str]:
        """The sources left out in turn, also those of an earlier command whose cells were kept."""
        cells = self.comparison.cells
        return list(dict.fromkeys([*self.comparison.folds, *(c.fold for c in cells if c.fold)]))

    def study_title(self, table: int, title: str) -> str:
        """The title of a table that the 2022 study has too, with its number there where notes are compared."""
        if self.comparison.task is None:
            return f"Table {table}: {title}"
        return title[0].upper() + title[1:]


@dataclass(frozen=True, kw_only=True)
class BestCell(Chosen):
    """The best cell of an encoder, scored; a part without predictions has no report."""

    reports: Mapping[Part, Report]
    with_rules: Report | None = None
    """On the test part, together with the rules, if they were wanted."""

    def figure(self, part: Part, *path: str) -> Figure | None:
        """One figure with its interval, None where there is none."""
        report = self.reports.get(part)
        return report.figures.get(path) if report else None


@dataclass(frozen=True, kw_only=True)
class NotesMaterial(Material):
    """What the report on annotated notes has besides: the gold, and each chosen cell scored."""

    best: Sequence[BestCell]
    parts: Parts
    resampling: Resampling
    rules: Report | None = None
    """Of the rules alone on the test part, if they were wanted."""

    def with_part(self, part: Part) -> list[BestCell]:
        """Those that have figures on a part."""
        return [each for each in self.best if part in each.reports]

    def for_plots(self) -> list[BestCell]:
        """Those with test figures that a plot has room for, the best on validation first."""
        return self.with_part("test")[:MOST]

    def plot_limit(self) -> str:
        """What a plot's title says where it has not room for all models."""
        more = len(self.with_part("test")) > MOST
        return f"; the {MOST} best on validation" if more else ""


def gather(
    comparison: Comparison, parts: Parts, resampling: Resampling, *, has_plots: bool
) -> NotesMaterial:
    """Score the chosen cell of every encoder on every part that it has predictions for.

    Of encoders that are equally good on validation, the earlier in the plan comes first.
    """
    models = models_of(comparison)
    best = []
    for name, cell in best_cells(comparison).items():
        reports: dict[Part, Report] = {}
        for part in PARTS:
            gold: Sequence[Document] = getattr(parts, part)
            if gold and cell.predictions(part).is_file():
                reports[part] = _score(gold, cell.predictions(part), part, resampling)
        with_rules = _test_report(parts, cell.predictions_with_rules, resampling)
        best.append(BestCell(model=models[name], cell=cell, reports=reports, with_rules=with_rules))
    best.sort(key=lambda each: -(each.cell.validation_score or 0.0))
    rules = _test_report(parts, comparison.predictions_by_rules, resampling)
    return NotesMaterial(
        comparison=comparison,
        models=models,
        best=best,
        has_plots=has_plots,
        parts=parts,
        resampling=resampling,
        rules=rules,
    )


def models_of(comparison: Comparison) -> dict[str, Model]:
    """The encoders by name."""
    return {facts.name: Model(facts.name, facts.random) for facts in comparison.encoders}


def predictions(cell: CellResult, part: Part) -> Sequence[Document | Marks]:
    """What a cell found in a part."""
    return read_predicted(cell.predictions(part), "jsonl", Fields())


def measures_at(
    gold: Sequence[Document], predicted: Sequence[Document | Marks], paths: Iterable[FigurePath]
) -> dict[FigurePath, Measure]:
    """The measures at these paths, from which differences are computed."""
    paths = set(paths)
    blocks = [block for block in BLOCKS if block in {path[0] for path in paths}]
    every = block_measures(pair(gold, predicted).pairs, blocks)
    return {path: measure for path, measure in every.items() if path in paths}


def minutes(speed: Mapping[str, Any]) -> float | None:
    """Those that a run took, where that is known."""
    seconds = speed.get("seconds")
    return None if seconds is None else seconds / 60


def _test_report(parts: Parts, path: Path, resampling: Resampling) -> Report | None:
    return _score(parts.test, path, "test", resampling) if path.is_file() else None


def _score(gold: Sequence[Document], path: Path, part: Part, resampling: Resampling) -> Report:
    predicted = read_predicted(path, "jsonl", Fields())
    if {note.id for note in gold} != {note.id for note in predicted}:
        # A report on other notes than those that were predicted would be wrong and look right.
        raise RunError(f"{path}: was made on other notes than those of the {part} part")
    try:
        return score(gold, predicted, blocks=BLOCKS, resampling=resampling)
    except PairingError as error:
        raise RunError(f"{path}: {error}") from None
