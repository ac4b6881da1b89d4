"""The official figures of the tasks, defined anew and tested on the definitions' edge cases.

- SQuAD: exact match and F1 over words, after `normal`; of several right answers the best one counts
  (the scripts evaluate-v1.1 and evaluate-v2.0, which differ where nothing is left of an answer).
- GLUE: accuracy, F1 of the label "1", Matthews, Pearson, Spearman; a task's score is the mean of its
  figures, GLUE's that of its tasks.
- RACE: accuracy of middle, high, and all.

Shares and correlations are from 0 (or −1) to 1; reports multiply. `intervals` resamples examples.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from incognote.base.errors import TrainError
from incognote.evaluate.resampling import Resampling, draw_resamples
from incognote.evaluate.resampling import intervals as percentiles
from incognote.workshop.tasks.task import (
    GLUE,
    ChoiceExample,
    Example,
    Figures,
    QuestionExample,
    SentenceExample,
    Task,
)

Numbers = npt.NDArray[np.float64]
Prediction = str | float | int
"""A label, a number, an answer's text (empty: there is none), or an option's number."""

POSITIVE = "1"
"""The label that F1 is of: "is a paraphrase" in MRPC and QQP."""

MATCHED, MISMATCHED = "matched", "mismatched"

# Figures of labels and numbers, each of columns and the weights of their rows; weights may be a whole
# matrix [resamples, rows], and then there is one figure for each resample.


def _weights(rows: int) -> Numbers:
    return np.ones((1, rows))


def _divide(part: Numbers, whole: Numbers, empty: float) -> Numbers:
    result = np.full(np.broadcast(part, whole).shape, empty)
    np.divide(part, whole, out=result, where=whole > 0)
    return result


def _accuracy(gold: Numbers, predicted: Numbers, weights: Numbers) -> Numbers:
    return _divide(weights @ (gold == predicted), weights.sum(1), np.nan)


def _f1(gold: Numbers, predicted: Numbers, weights: Numbers) -> Numbers:
    """Of the positive label; 0 where it is neither predicted nor there."""
    hits = weights @ ((gold == 1) & (predicted == 1))
    return _divide(2 * hits, weights @ (gold == 1) + weights @ (predicted == 1), 0.0)


def _matthews(gold: Numbers, predicted: Numbers, weights: Numbers) -> Numbers:
    """Of any number of labels; 0 where all gold or all predictions are alike."""
    labels = np.union1d(gold, predicted)
    golds, guesses = gold[:, None] == labels, predicted[:, None] == labels
    total = weights.sum(1)
    right = weights @ (gold == predicted)
    by_gold, by_guess = weights @ golds, weights @ guesses
    covariance = right * total - (by_gold * by_guess).sum(1)
    spread = (total**2 - (by_guess**2).sum(1)) * (total**2 - (by_gold**2).sum(1))
    return _divide(covariance, np.sqrt(np.maximum(spread, 0)), 0.0)


def _pearson(gold: Numbers, predicted: Numbers, weights: Numbers) -> Numbers:
    """Undefined where either does not vary."""
    return _correlation(
        np.broadcast_to(gold, weights.shape), np.broadcast_to(predicted, weights.shape), weights
    )


def _spearman(gold: Numbers, predicted: Numbers, weights: Numbers) -> Numbers:
    """Pearson's of the ranks; what is equal shares the mean of its ranks."""
    return _correlation(_ranks(gold, weights), _ranks(predicted, weights), weights)


def _correlation(first: Numbers, second: Numbers, weights: Numbers) -> Numbers:
    total = weights.sum(1, keepdims=True)
    centred = [
        column - (weights * column).sum(1, keepdims=True) / total for column in (first, second)
    ]
    sizes = [(weights * column**2).sum(1) for column in centred]
    # What does not vary leaves no more than the last digits of its own size.
    flat = [
        size <= (1e-12 * np.abs(column).max(1)) ** 2 * total[:, 0]
        for size, column in zip(sizes, (first, second), strict=True)
    ]
    product = np.sqrt(sizes[0] * sizes[1])
    product[flat[0] | flat[1]] = 0
    return _divide((weights * centred[0] * centred[1]).sum(1), product, np.nan)


def _ranks(values: Numbers, weights: Numbers) -> Numbers:
    """The rank of each row among rows that are there `weights` times: [resamples, rows]."""
    _, group = np.unique(values, return_inverse=True)
    order = np.argsort(group, kind="stable")
    begins = np.flatnonzero(np.diff(group[order], prepend=-1))
    counts = np.add.reduceat(weights[:, order], begins, axis=1)
    ends = np.cumsum(counts, axis=1)
    return np.asarray((ends - (counts - 1) / 2)[:, group])


_METRICS: dict[str, Callable[[Numbers, Numbers, Numbers], Numbers]] = {
    "accuracy": _accuracy,
    "f1": _f1,
    "matthews": _matthews,
    "pearson": _pearson,
    "spearman": _spearman,
}


def figure(name: str, gold: Sequence[float], predicted: Sequence[float]) -> float:
    """One figure by name: accuracy, f1 (of label 1), matthews, pearson or spearman; NaN if undefined."""
    golds, guesses = np.array(gold, np.float64), np.array(predicted, np.float64)
    if not len(golds):
        return float("nan")
    return float(_METRICS[name](golds, guesses, _weights(len(golds)))[0])


# Answers

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normal(answer: str) -> str:
    """An answer as it is compared: in lower case, without ASCII punctuation, then without articles.

    >>> normal("The  Vatican's flag.")
    'vaticans flag'
    """
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_NO_PUNCTUATION)).split())


def exact_match(predicted: str, right: str) -> float:
    """1 if both are the same after `normal`."""
    return float(normal(predicted) == normal(right))


def word_f1(predicted: str, right: str) -> float:
    """F1 over words, as often as they are there; 1 if both are empty."""
    guess, gold = normal(predicted).split(), normal(right).split()
    if not guess or not gold:
        return float(guess == gold)
    hits = (Counter(guess) & Counter(gold)).total()
    precision, recall = hits / len(guess), hits / len(gold)
    return 2 * precision * recall / (precision + recall) if hits else 0.0


class AnswerScore(NamedTuple):
    """Of one question."""

    exact: float
    f1: float


def answer_score(predicted: str, example: QuestionExample, *, nullable: bool) -> AnswerScore:
    """Against the right answer that it is most like.

    nullable: as SQuAD 2.0 has it, where a right answer of articles and punctuation only is none, and
    an empty one is right if there are no others. In SQuAD 1.1 words that are not there match nothing.
    """
    right = [answer.text for answer in example.answers]
    if nullable:
        right = [text for text in right if normal(text)] or [""]
        return AnswerScore(
            max(exact_match(predicted, text) for text in right),
            max(word_f1(predicted, text) for text in right),
        )
    return AnswerScore(
        max((exact_match(predicted, text) for text in right), default=0.0),
        max((word_f1(predicted, text) for text in right if normal(text)), default=0.0),
    )


class Threshold(NamedTuple):
    """Where null odds exceed it, the question has no answer."""

    exact: float
    f1: float


def best_threshold(
    examples: Sequence[QuestionExample],
    predicted: Mapping[str, str],
    null_odds: Mapping[str, float],
) -> Threshold:
    """The threshold for the best exact match, and that for the best F1: SQuAD 2.0's own search.

    predicted: the best answers, whatever their odds.
    """
    scores = {each.id: answer_score(predicted[each.id], each, nullable=True) for each in examples}
    found = []
    for part in range(2):
        gains = {
            each.id: scores[each.id][part] if each.answers else -float(bool(predicted[each.id]))
            for each in examples
        }
        found.append(_threshold(gains, null_odds))
    return Threshold(*found)


def _threshold(gains: Mapping[str, float], null_odds: Mapping[str, float]) -> float:
    """The odds up to which answering gains most over never answering; 0 if it never gains."""
    total, most, threshold = 0.0, 0.0, 0.0
    for id in sorted(gains, key=lambda id: null_odds[id]):
        total += gains[id]
        if total > most:
            most, threshold = total, null_odds[id]
    return threshold


# Tasks


def score(task: Task, examples: Sequence[Example], predictions: Sequence[Prediction]) -> Figures:
    """The task's figures, and those of its parts: `middle`, `high`; `answerable_f1` and the like.

    Examples whose answer is not known are refused.
    """
    columns = _columns(task, examples, predictions)
    ones = _weights(len(examples))
    return {name: float(values(ones)[0]) for name, values in columns.items()}


def intervals(
    task: Task,
    examples: Sequence[Example],
    predictions: Sequence[Prediction],
    resampling: Resampling,
) -> dict[str, tuple[float, float]]:
    """The percentile interval of each figure, examples drawn with replacement."""
    columns = _columns(task, examples, predictions)
    draws = [
        np.stack([values(weights) for values in columns.values()], axis=1)
        for weights in draw_resamples(len(examples), resampling)
    ]
    if not draws:
        return {}
    low, high = percentiles(np.concatenate(draws), resampling.level)
    return {
        name: (float(one), float(other))
        for name, one, other in zip(columns, low, high, strict=True)
    }


_Values = Callable[[Numbers], Numbers]
"""A figure of weights [resamples, examples]."""


def _columns(
    task: Task, examples: Sequence[Example], predictions: Sequence[Prediction]
) -> dict[str, _Values]:
    if len(examples) != len(predictions):
        raise TrainError(
            f"{len(predictions):,} predictions cannot be scored against {len(examples):,} examples"
        )
    if not examples:
        raise TrainError("there is no example to score")
    if task.kind == "span":
        return _answer_columns(task, examples, predictions)
    if task.kind == "choice":
        return _choice_columns(examples, predictions)
    return _sentence_columns(task, examples, predictions)


def _sentence_columns(
    task: Task, examples: Sequence[Example], predictions: Sequence[Prediction]
) -> dict[str, _Values]:
    labels = [each.label for each in examples if isinstance(each, SentenceExample)]
    if None in labels or len(labels) != len(examples):
        raise _not_known(examples[labels.index(None)].id if None in labels else "")
    if task.regression:
        gold = np.array([float(label) for label in labels if label is not None])
        guesses = np.array([float(each) for each in predictions])
    else:
        names = {label: number for number, label in enumerate(_label_order(task))}
        for label in (*labels, *predictions):
            names.setdefault(str(label), len(names))
        gold = np.array([float(names[str(label)]) for label in labels])
        guesses = np.array([float(names[str(each)]) for each in predictions])
    return {name: _metric(name, gold, guesses) for name in task.metrics}


def _label_order(task: Task) -> tuple[str, ...]:
    """Labels so that the positive one has the number 1, if there is one."""
    if POSITIVE not in task.labels:
        return task.labels
    others = [label for label in task.labels if label != POSITIVE]
    return (others[0] if others else "", POSITIVE, *others[1:])


def _metric(name: str, gold: Numbers, guesses: Numbers) -> _Values:
    return lambda weights: _METRICS[name](gold, guesses, weights)


def _choice_columns(
    examples: Sequence[Example], predictions: Sequence[Prediction]
) -> dict[str, _Values]:
    choices = [each for each in examples if isinstance(each, ChoiceExample)]
    unknown = next((each.id for each in choices if each.answer is None), None)
    if unknown is not None or len(choices) != len(examples):
        raise _not_known(unknown or "")
    right = np.array(
        [each.answer == guess for each, guess in zip(choices, predictions, strict=True)], np.float64
    )
    columns = {"accuracy": _mean(right, np.ones(len(right)))}
    for group in sorted({each.group for each in choices} - {""}, reverse=True):
        columns[group] = _mean(right, np.array([each.group == group for each in choices], float))
    return columns


def _answer_columns(
    task: Task, examples: Sequence[Example], predictions: Sequence[Prediction]
) -> dict[str, _Values]:
    questions = [each for each in examples if isinstance(each, QuestionExample)]
    unknown = next((each.id for each in questions if not each.known), None)
    if unknown is not None or len(questions) != len(examples):
        raise _not_known(unknown or "")
    scores = np.array(
        [
            answer_score(str(guess), each, nullable=task.nullable)
            for each, guess in zip(questions, predictions, strict=True)
        ],
        np.float64,
    )
    parts = {"": np.ones(len(questions))}
    if task.nullable:
        answered = np.array([bool(each.answers) for each in questions], np.float64)
        parts |= {"answerable_": answered, "unanswerable_": 1 - answered}
    return {
        prefix + name: _mean(scores[:, column], part)
        for prefix, part in parts.items()
        if part.any()
        for column, name in ((1, "f1"), (0, "exact_match"))
    }


def _mean(values: Numbers, part: Numbers) -> _Values:
    return lambda weights: _divide(weights @ (values * part), weights @ part, np.nan)


def _not_known(id: str) -> TrainError:
    where = f"example {id}" if id else "an example"
    return TrainError(f"{where} has no known answer, so that predictions cannot be scored")


def task_score(task: Task, figures: Figures) -> float:
    """One number for a task: in GLUE the mean of its figures; else the first."""
    names = task.metrics if task.name in GLUE else task.metrics[:1]
    return float(np.mean([figures[name] for name in names]))


def glue_average(scores: Mapping[str, float]) -> float:
    """GLUE's average: the mean of its tasks' scores; of those that there are."""
    return float(np.mean([scores[name] for name in GLUE if name in scores]))
