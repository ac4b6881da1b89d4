"""The chosen cells, scored: the figures that all sections show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from incognote.base.errors import RunError
from incognote.corpus.scoring.load import read_predicted
from incognote.document import Document
from incognote.evaluate import Difference, Figure, Marks, PairingError, Report, Resampling, score
from incognote.evaluate.counts import Measure
from incognote.evaluate.counts import Path as FigurePath
from incognote.evaluate.pairing import pair
from incognote.evaluate.report import block_measures
from incognote.formats import Fields
from incognote.workshop.compare.report.plots import MOST
from incognote.workshop.compare.report.table import Model
from incognote.workshop.compare.results import CellResult, Comparison, Part, chosen
from incognote.workshop.fine_tuning import Parts

PARTS: tuple[Part, ...] = get_args(Part)
BLOCKS = ("release", "study", "meddocan")
STRICT = ("meddocan", "ner")
"""Type, start and end are the same, as MEDDOCAN's first track asks."""
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
    with_rules: Report | None = None
    """On the test part, together with the rules, if they were wanted."""

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
    """The best on validation first, as in the study's tables 4 to 6."""
    draws: bool
    """Whether there is something to draw plots with."""
    rules: Report | None = None
    """Of the rules alone on the test part, if they were wanted."""

    @property
    def folds(self) -> list[str]:
        """The sources left out in turn, also those of an earlier command whose cells were kept."""
        cells = self.comparison.cells
        return list(dict.fromkeys([*self.comparison.folds, *(c.fold for c in cells if c.fold)]))

    def with_part(self, part: Part) -> list[Judged]:
        """Those that have figures on a part."""
        return [each for each in self.judged if part in each.reports]

    def drawn(self) -> list[Judged]:
        """Those with test figures that a plot has room for, the best on validation first."""
        return self.with_part("test")[:MOST]

    def left_out(self) -> str:
        """What a plot's title says where it has not room for all models."""
        more = len(self.with_part("test")) > MOST
        return f"; the {MOST} best on validation" if more else ""


def gather(
    comparison: Comparison, parts: Parts, resampling: Resampling, *, draws: bool
) -> Material:
    """Score the chosen cell of every encoder on every part that it has predictions for.

    Of encoders that are equally good on validation, the earlier in the plan comes first.
    """
    models = {facts.name: Model(facts.name, facts.random) for facts in comparison.encoders}
    judged = []
    for name, cell in chosen(comparison).items():
        reports: dict[Part, Report] = {}
        for part in PARTS:
            gold: Sequence[Document] = getattr(parts, part)
            if gold and cell.predictions(part).is_file():
                reports[part] = _score(gold, cell.predictions(part), part, resampling)
        with_rules = _tested(parts, cell.found_with_rules, resampling)
        judged.append(Judged(models[name], cell, reports, with_rules))
    judged.sort(key=lambda each: -(each.cell.f1 or 0.0))
    rules = _tested(parts, comparison.found_by_rules, resampling)
    return Material(comparison, parts, resampling, models, judged, draws, rules)


def predicted(cell: CellResult, part: Part) -> Sequence[Document | Marks]:
    """What a cell found in a part."""
    return read_predicted(cell.predictions(part), "jsonl", Fields())


def measures(
    gold: Sequence[Document], found: Sequence[Document | Marks], wanted: Iterable[FigurePath]
) -> dict[FigurePath, Measure]:
    """What differences are computed from."""
    wanted = set(wanted)
    blocks = [block for block in BLOCKS if block in {path[0] for path in wanted}]
    every = block_measures(pair(gold, found).pairs, blocks)
    return {path: measure for path, measure in every.items() if path in wanted}


def figure_of(difference: Difference) -> Figure:
    """A difference with its interval, as tables show it."""
    return Figure(difference.difference, difference.low, difference.high)


def _tested(parts: Parts, path: Path, resampling: Resampling) -> Report | None:
    return _score(parts.test, path, "test", resampling) if path.is_file() else None


def _score(gold: Sequence[Document], path: Path, part: Part, resampling: Resampling) -> Report:
    found = read_predicted(path, "jsonl", Fields())
    if {note.id for note in gold} != {note.id for note in found}:
        # A report on other notes than those that were predicted would be wrong and look right.
        raise RunError(f"{path}: was made on other notes than those of the {part} part")
    try:
        return score(gold, found, blocks=BLOCKS, resampling=resampling)
    except PairingError as error:
        raise RunError(f"{path}: {error}") from None
