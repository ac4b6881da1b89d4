"""Intervals and paired comparison."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from incognote.document import Document, Span
from incognote.evaluate import Resampling, compare, score
from incognote.evaluate.counts import Figures
from incognote.evaluate.pairing import pair
from incognote.evaluate.report import BLOCKS, block_measures
from incognote.evaluate.resampling import draw_resamples, intervals, resample_figures

TEXT = "Ann Lee, 54, of Rome, seen 3/14."
MARKS = ((0, 7, "PATIENT"), (9, 11, "AGE"), (16, 20, "CITY"), (27, 31, "DATE"))


def note(id: int, marks: tuple[tuple[int, int, str], ...]) -> Document:
    return Document(f"{id:04}", TEXT, tuple(Span.of(TEXT, *mark) for mark in marks))


def corpus(notes: int, seed: int, hit: float) -> tuple[list[Document], list[Document]]:
    """Gold, and a prediction that finds each span with probability `hit` and adds a few."""
    rng = np.random.default_rng(seed)
    gold = [note(n, tuple(m for m in MARKS if rng.random() < 0.6)) for n in range(notes)]
    found = [
        replace(
            document,
            spans=(
                *(span for span in document.spans if rng.random() < hit),
                *([Span.of(TEXT, 22, 26, "CITY")] if rng.random() < 0.2 else []),
            ),
        )
        for document in gold
    ]
    return gold, found


GOLD, FOUND = corpus(60, seed=1, hit=0.8)
HOW = Resampling(resamples=300, seed=5)


def test_the_same_seed_gives_the_same_intervals_and_another_does_not() -> None:
    first = score(GOLD, FOUND, resampling=HOW)
    assert score(GOLD, FOUND, resampling=HOW) == first
    assert score(GOLD, FOUND, resampling=replace(HOW, seed=6)).figures != first.figures


def test_every_defined_figure_lies_in_its_interval() -> None:
    report = score(GOLD, FOUND, resampling=HOW)
    wide = 0
    for path, figure in report.figures.items():
        if figure.value is None:
            assert figure.low is figure.high is None, path
            continue
        assert figure.low is not None, path
        assert figure.high is not None, path
        assert figure.low - 1e-12 <= figure.value <= figure.high + 1e-12, path
        wide += figure.high - figure.low > 0.01
    assert wide > 50


def test_a_resample_scores_as_the_notes_it_draws() -> None:
    gold, found = corpus(12, seed=2, hit=0.7)
    how = Resampling(resamples=4, seed=3)
    figures = Figures(block_measures(pair(gold, found).pairs, BLOCKS), len(gold))
    (weights,) = draw_resamples(len(gold), how)
    assert (weights.sum(axis=1) == 12).all()
    for row, values in zip(weights.astype(int), resample_figures(figures, how), strict=True):
        drawn = [index for index, times in enumerate(row) for _ in range(times)]
        again = score(
            [replace(gold[index], id=f"{n}") for n, index in enumerate(drawn)],
            [replace(found[index], id=f"{n}") for n, index in enumerate(drawn)],
            resampling=Resampling(resamples=0),
        )
        for path, value in zip(figures.paths, values, strict=True):
            slow = again.figures[path].value if path in again.figures else None
            assert value == pytest.approx(np.nan if slow is None else slow, nan_ok=True), path


def test_intervals_are_percentiles_of_the_defined_values() -> None:
    draws = np.random.default_rng(0).random((101, 4))
    draws[5:60, 1] = np.nan
    draws[1:, 2] = np.nan
    draws[:, 3] = np.nan
    low, high = intervals(draws, 0.9)
    assert low[:3] == pytest.approx(np.nanquantile(draws[:, :3], 0.05, axis=0))
    assert high[:3] == pytest.approx(np.nanquantile(draws[:, :3], 0.95, axis=0))
    assert np.isnan([low[3], high[3]]).all()


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    covered = 0
    for seed in range(100):
        gold, found = corpus(80, seed=seed, hit=0.8)
        report = score(gold, found, blocks=["meddocan"], resampling=Resampling(resamples=200))
        recall = report.figures["meddocan", "ner", "recall"]
        assert recall.low is not None
        assert recall.high is not None
        covered += recall.low <= 0.8 <= recall.high
    assert 88 <= covered <= 99


def test_a_prediction_does_not_differ_from_itself() -> None:
    for path, result in compare(GOLD, FOUND, FOUND, resampling=HOW).items():
        if result.difference is None:
            assert result.p is None, path
        else:
            assert (result.difference, result.low, result.high, result.p) == (0, 0, 0, 1), path


def test_a_better_prediction_is_significantly_better_and_the_reverse_is_its_mirror() -> None:
    path = ("release", "covered_recall")
    better = compare(GOLD, FOUND, GOLD, resampling=HOW)[path]
    worse = compare(GOLD, GOLD, FOUND, resampling=HOW)[path]
    assert better.difference is not None
    assert better.low is not None
    assert better.p is not None
    assert better.difference > 0
    assert better.low > 0
    assert better.p == 1 / 301
    assert worse.difference == -better.difference
    assert worse.p == better.p


def test_the_p_value_is_that_of_all_exchanges() -> None:
    """Seven notes, all better by one span: only 2 of 2^7 exchanges differ as much."""
    gold = [note(n, MARKS) for n in range(7)]
    worse = [note(n, MARKS[:3]) for n in range(7)]
    results = compare(gold, worse, gold, blocks=["release"], resampling=Resampling(20_000))
    assert results["release", "covered_recall"].p == pytest.approx(2 / 128, rel=0.2)


def test_a_type_that_only_one_prediction_has_is_compared_all_the_same() -> None:
    other = [replace(document, spans=(Span.of(TEXT, 22, 26, "URL"),)) for document in GOLD]
    result = compare(GOLD, FOUND, other, blocks=["study"], resampling=HOW)
    only_second = result["study", "by_type", "URL", "precision"]
    assert (only_second.first, only_second.second, only_second.p) == (None, 0.0, None)


def test_a_report_is_plain_json() -> None:
    result = score(GOLD, FOUND, resampling=HOW).as_dict()
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    recall = result["release"]["covered_recall"]
    assert recall["value"] == recall["part"] / recall["whole"]
    assert set(result["i2b2"]["all"]["strict"]["micro"]) == {"precision", "recall", "f1"}


@pytest.mark.parametrize(("resamples", "level"), [(-1, 0.95), (10, 0.0), (10, 1.0)])
def test_nonsense_resampling_is_refused(resamples: int, level: float) -> None:
    with pytest.raises(ValueError, match=r"resamples|level"):
        Resampling(resamples=resamples, level=level)
