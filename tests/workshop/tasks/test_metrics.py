"""The official figures, on the edge cases of their definitions and against scipy's and scikit-learn's."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as oracle

from incognote.base.errors import TrainError
from incognote.evaluate.resampling import Resampling
from incognote.workshop.tasks.metrics import (
    answer_score,
    best_threshold,
    exact_match,
    figure,
    glue_average,
    intervals,
    normal,
    score,
    task_score,
    word_f1,
)
from incognote.workshop.tasks.task import (
    GLUE,
    TASKS,
    Answer,
    ChoiceExample,
    QuestionExample,
    SentenceExample,
)

bits = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=30)


def question(id: str, *answers: str, known: bool = True) -> QuestionExample:
    return QuestionExample(id, "?", "", tuple(Answer(text, 0) for text in answers), known=known)


# SQuAD


@pytest.mark.parametrize(
    ("written", "normal_form"),
    [
        ("The Broncos", "broncos"),
        ("a an the", ""),
        ("Santa Clara, California.", "santa clara california"),
        ("theatre another", "theatre another"),
        ("the-end", "theend"),
        ("$1,000.50", "100050"),
        ("  two\t\nlines\u00a0here ", "two lines here"),
        ("l'«été»", "l«été»"),
        ("U.S.A.", "usa"),
        ("A–B", "–b"),
        ("", ""),
    ],
)
def test_answers_are_compared_without_case_punctuation_and_articles(
    written: str, normal_form: str
) -> None:
    assert normal(written) == normal_form


@pytest.mark.parametrize(
    ("predicted", "right", "exact", "f1"),
    [
        ("the Broncos", "Broncos!", 1, 1),
        ("Denver Broncos", "Broncos", 0, 2 / 3),
        ("of of", "of", 0, 2 / 3),
        ("of of the", "of of of", 0, 0.8),
        ("Carolina", "Denver", 0, 0),
        ("the", "a", 1, 1),
        ("the", "Denver", 0, 0),
        ("", "", 1, 1),
        ("", "Denver", 0, 0),
        ("Denver", "", 0, 0),
    ],
)
def test_one_answer(predicted: str, right: str, exact: float, f1: float) -> None:
    assert exact_match(predicted, right) == exact
    assert word_f1(predicted, right) == pytest.approx(f1)


def test_of_several_answers_the_most_like_one_counts_for_each_figure() -> None:
    example = question("a", "big red dog house", "dog")
    assert answer_score("red dog house", example, nullable=False).f1 == pytest.approx(6 / 7)
    assert answer_score("red dog house", example, nullable=False).exact == 0.0
    assert answer_score("Dog.", example, nullable=False) == (1.0, 1.0)


def test_squad_1_and_2_differ_where_nothing_is_left_of_an_answer() -> None:
    articles = question("a", "the")
    assert answer_score("a", articles, nullable=False) == (1.0, 0.0)
    assert answer_score("a", articles, nullable=True) == (1.0, 1.0)
    assert answer_score("", articles, nullable=True) == (1.0, 1.0)


def test_no_answer_is_right_only_where_there_is_none() -> None:
    task = TASKS["squad2"]
    examples = [question("a", "Denver"), question("b"), question("c"), question("d", "the red dog")]
    figures = score(task, examples, ["Denver", "", "Denver", "dog"])
    assert figures == {
        "f1": pytest.approx((1 + 1 + 0 + 2 / 3) / 4),
        "exact_match": 0.5,
        "answerable_f1": pytest.approx((1 + 2 / 3) / 2),
        "answerable_exact_match": 0.5,
        "unanswerable_f1": 0.5,
        "unanswerable_exact_match": 0.5,
    }
    assert "unanswerable_f1" not in score(task, examples[:1], ["Denver"])


def exhaustive(
    examples: list[QuestionExample], texts: dict[str, str], odds: dict[str, float], part: int
) -> float:
    """The best figure over all thresholds between two odds."""
    levels = [-math.inf, *odds.values()]
    return max(
        sum(
            answer_score("" if odds[each.id] > level else texts[each.id], each, nullable=True)[part]
            for each in examples
        )
        for level in levels
    )


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(-4, 4)), min_size=1, max_size=12)
)
def test_the_threshold_found_is_as_good_as_any(rows: list[tuple[bool, bool, int]]) -> None:
    examples = [
        question(f"{n}", *(["red dog"] if has_answer else []))
        for n, (has_answer, _, _) in enumerate(rows)
    ]
    # Odds differ: among equal ones the official search may stop half-way.
    odds = {f"{n}": level + n / 100 for n, (_, _, level) in enumerate(rows)}
    texts = {f"{n}": "red dog" if right else "dog" for n, (_, right, _) in enumerate(rows)}
    found = best_threshold(examples, texts, odds)
    for part, threshold in enumerate(found):
        reached = sum(
            answer_score("" if odds[e.id] > threshold else texts[e.id], e, nullable=True)[part]
            for e in examples
        )
        best = exhaustive(examples, texts, odds, part)
        # Where never answering is best, the official threshold is 0, whatever lies below.
        never = sum(not e.answers for e in examples)
        assert reached == pytest.approx(best) or (threshold == 0 and best == pytest.approx(never))


def test_the_threshold_is_0_where_answering_never_gains() -> None:
    assert best_threshold([question("a")], {"a": "dog"}, {"a": -3.0}) == (0.0, 0.0)
    assert best_threshold([question("a", "dog")], {"a": "dog"}, {"a": 3.5}) == (3.5, 3.5)


# Labels and numbers


@given(bits)
def test_accuracy_f1_and_matthews_are_scikit_learns(pairs: list[tuple[int, int]]) -> None:
    gold, guess = map(list, zip(*pairs, strict=True))
    assert figure("accuracy", gold, guess) == pytest.approx(oracle.accuracy_score(gold, guess))
    assert figure("f1", gold, guess) == pytest.approx(
        oracle.f1_score(gold, guess, labels=[0, 1], zero_division=0.0)
    )
    if len({*gold, *guess}) > 1:  # with one label alone scikit-learn warns, and says 0 as well
        assert figure("matthews", gold, guess) == pytest.approx(
            oracle.matthews_corrcoef(gold, guess)
        )


@pytest.mark.parametrize(("gold", "guess"), [([1, 1, 0], [1, 1, 1]), ([1, 1], [1, 1]), ([0], [0])])
def test_matthews_is_0_where_all_is_alike(gold: list[int], guess: list[int]) -> None:
    assert figure("matthews", gold, guess) == 0.0


@given(
    st.lists(st.tuples(st.integers(0, 5), st.floats(-10, 10, width=32)), min_size=3, max_size=30)
)
def test_correlations_are_scipys_ties_included(pairs: list[tuple[int, float]]) -> None:
    gold, guess = np.array(pairs).T
    guess = np.round(guess, 1)
    for name, function in (("pearson", scipy.stats.pearsonr), ("spearman", scipy.stats.spearmanr)):
        found = figure(name, gold.tolist(), guess.tolist())
        if len(set(gold)) > 1 and len(set(guess)) > 1:
            assert found == pytest.approx(float(function(gold, guess).statistic), abs=1e-9)
        else:
            assert math.isnan(found)


def test_a_correlation_with_what_does_not_vary_is_undefined_however_large() -> None:
    assert math.isnan(figure("pearson", [0.1] * 7, [1.0, 2, 3, 4, 5, 6, 7]))
    assert math.isnan(figure("spearman", [1.0, 2, 3], [1e12] * 3))
    assert figure("pearson", [1e9, 1e9 + 1, 1e9 + 2], [1.0, 2, 3]) == pytest.approx(1.0)
    assert figure("spearman", [1.0, 2, 3], [10.0, 100, 1000]) == pytest.approx(1.0)


# Tasks


def sentences(labels: Sequence[str | float]) -> list[SentenceExample]:
    return [SentenceExample(f"{n}", "a", "b", label) for n, label in enumerate(labels)]


def test_every_task_of_glue_has_its_own_figures() -> None:
    gold = sentences(["1", "0", "1", "1"])
    guess = ["1", "1", "0", "1"]
    assert score(GLUE["mrpc"], gold, guess) == {"f1": pytest.approx(2 / 3), "accuracy": 0.5}
    assert score(GLUE["cola"], gold, guess)["matthews"] == pytest.approx(-1 / 3)
    similar = score(GLUE["sts-b"], sentences([0.0, 2.5, 5.0]), [1, 2, 4])
    assert similar["spearman"] == pytest.approx(1.0)
    assert similar["pearson"] == pytest.approx(np.corrcoef([0, 2.5, 5], [1, 2, 4])[0, 1])
    three = sentences(["entailment", "neutral", "contradiction"])
    assert score(GLUE["mnli"], three, ["entailment", "neutral", "neutral"])["accuracy"] == (
        pytest.approx(2 / 3)
    )


def test_glues_average_is_of_tasks_whose_figures_are_averaged_first() -> None:
    assert task_score(GLUE["mrpc"], {"f1": 0.9, "accuracy": 0.8}) == pytest.approx(0.85)
    assert task_score(TASKS["squad"], {"f1": 0.9, "exact_match": 0.8}) == 0.9
    scores = {"mrpc": 0.85, "cola": 0.5, "mnli": 0.7, "snli": 0.1}
    assert glue_average(scores) == pytest.approx((0.5 + 0.85 + 0.7) / 3)


def test_race_has_figures_of_its_schools() -> None:
    groups = ["middle", "high", "high", "high"]
    examples = [ChoiceExample(f"{n}", "", "", ("a", "b"), 1, g) for n, g in enumerate(groups)]
    figures = score(TASKS["race"], examples, [1, 1, 0, 0])
    assert list(figures) == ["accuracy", "middle", "high"]
    assert figures == {"accuracy": 0.5, "middle": 1.0, "high": pytest.approx(1 / 3)}


def test_intervals_are_those_of_drawing_examples_again() -> None:
    draws = np.random.default_rng(3)
    gold, guess = draws.normal(size=60), draws.normal(size=60)
    guess = np.round(guess + gold, 1)
    found = intervals(
        GLUE["sts-b"], sentences(gold.tolist()), guess.tolist(), Resampling(resamples=300, seed=5)
    )
    rows = np.random.default_rng(5).integers(0, 60, size=(300, 60))
    for name, function in (("pearson", scipy.stats.pearsonr), ("spearman", scipy.stats.spearmanr)):
        values = [function(gold[row], guess[row]).statistic for row in rows]
        assert found[name] == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_intervals_of_f1_and_matthews_too() -> None:
    draws = np.random.default_rng(4)
    gold = draws.integers(0, 2, 50)
    guess = np.where(draws.random(50) < 0.7, gold, 1 - gold)
    rows = np.random.default_rng(6).integers(0, 50, size=(200, 50))
    labels, guesses = [str(n) for n in gold], [str(n) for n in guess]
    resampling = Resampling(resamples=200, seed=6)
    for task, name, function in (
        ("mrpc", "f1", oracle.f1_score),
        ("cola", "matthews", oracle.matthews_corrcoef),
    ):
        found = intervals(GLUE[task], sentences(labels), guesses, resampling)
        values = [function(gold[row], guess[row]) for row in rows]
        assert found[name] == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(TrainError, match="example x has no known answer"):
        score(GLUE["rte"], [SentenceExample("x", "a", "b")], ["entailment"])
    with pytest.raises(TrainError, match="example x has no known answer"):
        score(TASKS["squad"], [question("x", known=False)], ["a"])
    with pytest.raises(TrainError, match="2 predictions cannot be scored against 1 examples"):
        score(GLUE["rte"], sentences(["entailment"]), ["entailment", "entailment"])
    with pytest.raises(TrainError, match="no example"):
        score(GLUE["rte"], [], [])
