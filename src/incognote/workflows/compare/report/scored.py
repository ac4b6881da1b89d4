"""The chosen cells, scored: the figures that all sections show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from incognote.document import Document
from incognote.evaluate import Difference, Figure, Marks, PairingError, Report, Resampling, score
from incognote.evaluate.blocks import block_measures
from incognote.evaluate.counts import Measure, Path
from incognote.evaluate.pairing import pair
from incognote.formats import Fields
from incognote.workflows.compare.report.plots import MOST
from incognote.workflows.compare.report.table import Model
from incognote.workflows.compare.results import CellResult, Comparison, Part, chosen
from incognote.workflows.run.inputs import RunError
from incognote.workflows.scoring.load import read_predicted
from incognote.workflows.train import Parts

PARTS: tuple[Part, ...] = get_args(Part)
BLOCKS = ("release", "study", "meddocan")
STRICT = ("meddocan", "ner")
"""Type, start and end are the same: what MEDDOCAN's first track asks, and what cells are chosen by."""
WORDS = ("study", "overall")
ACCURACY = ("study", "accuracy")
COVERED = ("release", "covered_recall")
LEAKED = ("release", "leaked_notes")
OVER_REDACTION = ("release", "over_redaction")


@dataclass(frozen=True)
class Judged:
    """An encoder's chosen cell; a part whose predictions are not there yet has no report."""

    model: Model
    cell: CellResult
    reports: Mapping[Part, Report]

    def figure(self, part: Part, *path: str) -> Figure | None:
        """One figure with its interval, None where there is none."""
        report = self.reports.get(part)
        return report.figures.get(path) if report else None


@dataclass(frozen=True)
class Material:
    """All that a report is made of."""

    comparison: Comparison
    parts: Parts
    resampling: Resampling
    models: Mapping[str, Model]
    judged: Sequence[Judged]
    """In the order of the plan."""
    draws: bool
    """Whether there is something to draw plots with."""

    @property
    def folds(self) -> list[str]:
        """The sources left out in turn, also those of an earlier command whose cells were kept."""
        cells = self.comparison.cells
        return list(dict.fromkeys([*self.comparison.folds, *(c.fold for c in cells if c.fold)]))

    def by_validation(self) -> list[Judged]:
        """The best first."""
        return sorted(self.judged, key=lambda each: -(each.cell.f1 or 0.0))

    def with_part(self, part: Part) -> list[Judged]:
        """Those that have figures on a part."""
        return [each for each in self.judged if part in each.reports]

    def drawn(self) -> list[Judged]:
        """Those with test figures that a plot has room for: the best, in the plan's order."""
        tested = [each for each in self.by_validation() if "test" in each.reports]
        best = {each.model for each in tested[:MOST]}
        return [each for each in self.with_part("test") if each.model in best]

    def left_out(self) -> str:
        """What a plot's title says where it has not room for all models."""
        more = len(self.with_part("test")) > MOST
        return f"; the {MOST} best on validation" if more else ""


def gather(
    comparison: Comparison, parts: Parts, resampling: Resampling, *, draws: bool
) -> Material:
    """Score the chosen cell of every encoder on every part that it has predictions for."""
    models = {facts.name: Model(facts.name, facts.random) for facts in comparison.encoders}
    judged = []
    for name, cell in chosen(comparison).items():
        reports: dict[Part, Report] = {}
        for part in PARTS:
            gold: Sequence[Document] = getattr(parts, part)
            if gold and cell.predictions(part).is_file():
                reports[part] = _score(gold, cell, part, resampling)
        judged.append(Judged(models[name], cell, reports))
    return Material(comparison, parts, resampling, models, judged, draws)


def predicted(cell: CellResult, part: Part) -> Sequence[Document | Marks]:
    """What a cell found in a part."""
    return read_predicted(cell.predictions(part), "jsonl", Fields())


def measures(
    gold: Sequence[Document], found: Sequence[Document | Marks], wanted: Iterable[Path]
) -> dict[Path, Measure]:
    """What differences are computed from."""
    wanted = set(wanted)
    blocks = [block for block in BLOCKS if block in {path[0] for path in wanted}]
    every = block_measures(pair(gold, found).pairs, blocks)
    return {path: measure for path, measure in every.items() if path in wanted}


def figure_of(difference: Difference) -> Figure:
    """A difference with its interval, as tables show it."""
    return Figure(difference.difference, difference.low, difference.high)


def _score(
    gold: Sequence[Document], cell: CellResult, part: Part, resampling: Resampling
) -> Report:
    found = predicted(cell, part)
    if {note.id for note in gold} != {note.id for note in found}:
        # A report on other notes than those that were predicted would be wrong and look right.
        raise RunError(
            f"{cell.predictions(part)}: was made on other notes than those of the {part} part"
        )
    try:
        return score(gold, found, blocks=BLOCKS, resampling=resampling)
    except PairingError as error:
        raise RunError(f"{cell.predictions(part)}: {error}") from None
