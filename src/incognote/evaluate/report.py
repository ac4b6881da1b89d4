"""`score` judges one prediction against gold, `compare` two of them on the same notes.

A report has every figure under the path of names by which its community knows it, first the block
of those who defined it; `Report.as_dict` gives the same as plain JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from incognote.document import Document
from incognote.evaluate import i2b2, meddocan, release, study
from incognote.evaluate.counts import (
    Agreement,
    Figures,
    Measure,
    Path,
    Tree,
    defined_or_none,
    leaves,
)
from incognote.evaluate.pairing import Marks, Pair, pair
from incognote.evaluate.resampling import (
    Difference,
    Resampling,
    differences,
    intervals,
    resample_figures,
)

BLOCKS: Mapping[str, Callable[[Sequence[Pair]], Tree]] = {
    "release": release.measures,
    "i2b2": i2b2.measures,
    "study": study.measures,
    "meddocan": meddocan.measures,
}
"""The groups of figures, each under the name of those who defined it."""

RELEASE: tuple[tuple[str, Path], ...] = (
    ("covered recall", ("release", "covered_recall")),
    ("leaked notes", ("release", "leaked_notes")),
    ("over-redaction", ("release", "over_redaction")),
    ("overlap precision", ("release", "overlap", "precision")),
    ("overlap recall", ("release", "overlap", "recall")),
    ("overlap F1", ("release", "overlap", "f1")),
    ("characters precision", ("release", "characters", "precision")),
    ("characters recall", ("release", "characters", "recall")),
    ("characters F1", ("release", "characters", "f1")),
)
"""The figures that decide a release, by the names that tables give them."""


@dataclass(frozen=True)
class Figure:
    """A value and its interval; None where undefined (0/0) or not asked for.

    `part` and `whole` are the sums it is the ratio of; an F1 has none.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    part: float | None = None
    whole: float | None = None


@dataclass(frozen=True)
class Report:
    """All figures of one prediction."""

    notes: int
    gold_spans: int
    predicted_spans: int
    missing: tuple[int, ...]
    """Indices of gold notes without a prediction, scored as all missed."""
    extra: tuple[int, ...]
    """Indices of predictions without a gold note, not scored."""
    resampling: Resampling
    figures: Mapping[Path, Figure]

    def value(self, *path: str) -> float | None:
        """One figure, such as `value("release", "covered_recall_by_type", "DATE")`.

        The three of a precision-recall-F1 group are one step further down.
        """
        return self.figures[path].value

    def under(self, *path: str) -> dict[Path, Figure]:
        """The figures below a path, by what remains of theirs."""
        depth = len(path)
        return {
            full[depth:]: figure for full, figure in self.figures.items() if full[:depth] == path
        }

    def as_dict(self) -> dict[str, Any]:
        """Plain nested dictionaries, ready for JSON."""
        result: dict[str, Any] = {
            "notes": self.notes,
            "gold_spans": self.gold_spans,
            "predicted_spans": self.predicted_spans,
            "missing": list(self.missing),
            "extra": list(self.extra),
            "resampling": vars(self.resampling).copy(),
        }
        for path, figure in self.figures.items():
            node = result
            for step in path[:-1]:
                node = node.setdefault(step, {})
            node[path[-1]] = vars(figure).copy()
        return result


def score(
    gold: Iterable[Document],
    predicted: Iterable[Document | Marks],
    *,
    blocks: Iterable[str] = BLOCKS,
    resampling: Resampling | None = None,
) -> Report:
    """Score predictions against gold, joined by id.

    `blocks` are names of `BLOCKS`; `Resampling(resamples=0)` leaves the intervals out.
    """
    resampling = resampling or Resampling()
    pairing = pair(gold, predicted)
    measures = block_measures(pairing.pairs, blocks)
    return Report(
        notes=len(pairing.pairs),
        gold_spans=sum(len(pair.gold.spans) for pair in pairing.pairs),
        predicted_spans=sum(len(pair.predicted.spans) for pair in pairing.pairs),
        missing=pairing.missing,
        extra=pairing.extra,
        resampling=resampling,
        figures=figures_of(measures, len(pairing.pairs), resampling),
    )


def compare(
    gold: Iterable[Document],
    first: Iterable[Document | Marks],
    second: Iterable[Document | Marks],
    *,
    blocks: Iterable[str] = BLOCKS,
    resampling: Resampling | None = None,
) -> dict[Path, Difference]:
    """Every figure of two predictions for the same gold, with its difference and p-value."""
    notes, names = list(gold), list(blocks)
    sides = [block_measures(pair(notes, predicted).pairs, names) for predicted in (first, second)]
    return differences(sides[0], sides[1], len(notes), resampling or Resampling())


def block_measures(pairs: Sequence[Pair], names: Iterable[str]) -> dict[Path, Measure]:
    """The measures of the named blocks by their paths."""
    return dict(leaves({name: BLOCKS[name](pairs) for name in names}))


def figures_of(
    measures: Mapping[Path, Measure], notes: int, resampling: Resampling
) -> dict[Path, Figure]:
    """Every figure of some measures, with its interval."""
    figures = Figures(measures, notes)
    sums = figures.matrix.sum(axis=0)
    low, high = intervals(resample_figures(figures, resampling), resampling.level)
    ratios = [ratio for measure in measures.values() for ratio in _ratios(measure)]
    return {
        path: Figure(*map(defined_or_none, numbers), *ratio)
        for path, *numbers, ratio in zip(
            figures.paths, figures.values(sums), low, high, ratios, strict=True
        )
    }


def percent(value: float | None) -> str:
    """As every table shows a share; undefined is a dash."""
    return "–" if value is None else f"{100 * value:.2f}"


def _ratios(measure: Measure) -> list[tuple[float, float] | tuple[()]]:
    """The sums behind each figure of a measure, in the order of its names."""
    sums = [float(column.sum()) for column in measure.columns]
    pairs: list[tuple[float, float] | tuple[()]] = [
        (sums[place], sums[place + 1]) for place in range(0, len(sums), 2)
    ]
    return [*pairs, ()] if isinstance(measure, Agreement) else pairs
