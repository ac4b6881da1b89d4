"""From the logits of windows to answers, best first, and whether there is one at all.

As Hugging Face's examples for question answering define it, to the same text and the same
probabilities: of each window the best `n_best` first and last tokens are paired; a pair counts if
both lie in the context, in order, with at most `longest` tokens. The score of "there is no answer"
is what [CLS] has as first and last token, the smallest of all windows. Where it exceeds the best
answer's by more than a threshold, there is none.

Two things differ: a candidate of white space only is none, and where no candidate is left the answer
is empty, not the word "empty".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from incognote.base.errors import NotFiniteError, TrainError
from incognote.workshop.tasks.inputs import Item
from incognote.workshop.tasks.metrics import best_threshold
from incognote.workshop.tasks.task import QuestionExample

Logits = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, kw_only=True)
class AnswerRules:
    """n_best: candidates that are kept; longest: tokens of an answer; nullable: there may be none.

    threshold: what the score of no answer must exceed the best answer's by, to win.
    """

    n_best: int = 20
    longest: int = 30
    nullable: bool = False
    threshold: float = 0.0

    def __post_init__(self) -> None:
        if self.n_best < 1 or self.longest < 1:
            raise TrainError("candidates and the tokens of an answer must be 1 or more")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible answer: `context[start:end] == text`; an empty one says that there is none.

    score: the logits of its first and last token together.
    """

    text: str
    start: int
    end: int
    first_logit: float
    last_logit: float
    probability: float

    @property
    def score(self) -> float:
        """The logits of its first and last token together."""
        return self.first_logit + self.last_logit


@dataclass(frozen=True, slots=True)
class Answered:
    """The candidates for a question, best first; with `nullable`, "there is no answer" among them.

    null_score: of the window that is surest of an answer.
    answer: the one given, None if there is none by the threshold.
    """

    id: str
    candidates: tuple[Candidate, ...]
    null_score: float
    answer: Candidate | None

    @property
    def text(self) -> str:
        """The answer as official files have it: empty if there is none."""
        return "" if self.answer is None else self.answer.text

    @property
    def best(self) -> Candidate | None:
        """The best candidate that says something."""
        return next((each for each in self.candidates if each.text), None)

    @property
    def null_odds(self) -> float:
        """How much better it scores that there is no answer; what is held against the threshold."""
        return self.null_score - (0.0 if self.best is None else self.best.score)

    def distinct(self, most: int) -> tuple[Candidate, ...]:
        """The answer given and the next best, each stretch once, however many windows have it."""
        none = next((each for each in self.candidates if not each.text), None)
        given = none if self.answer is None else self.answer
        places: dict[tuple[int, int], Candidate] = {}
        for candidate in (*([given] if given else []), *self.candidates):
            places.setdefault((candidate.start, candidate.end), candidate)
        return tuple(places.values())[:most]


def answers(
    examples: Iterable[QuestionExample],
    windows: Iterable[tuple[Item, Logits]],
    rules: AnswerRules,
) -> Iterator[Answered]:
    """The answer to each question, from its windows with their logits [tokens, 2], in order.

    A window is held only while it is looked at.
    """
    by_question = groupby(windows, key=lambda window: window[0].number)
    for example, (_, some) in zip(examples, by_question, strict=True):
        yield answer(example, some, rules)


def answer(
    example: QuestionExample, windows: Iterable[tuple[Item, Logits]], rules: AnswerRules
) -> Answered:
    """The answer to one question."""
    pairs: list[_Pair] = []
    null: _Pair | None = None
    for item, logits in windows:
        if not np.isfinite(logits).all():
            raise NotFiniteError
        pairs += _best_pairs(example.context, item, logits, rules)
        none = _Pair(0, 0, *logits[item.cls])
        if null is None or none.score < null.score:
            null = none
    assert null is not None
    best = sorted(pairs, key=lambda pair: -pair.score)[: rules.n_best]
    if rules.nullable:
        # It has its place among the best; where that is beyond them, it is the last.
        place = sum(pair.score >= null.score for pair in best)
        best.insert(place, null)
        if place < rules.n_best:
            del best[rules.n_best :]
    shares = _shares(np.array([pair.score for pair in best]))
    candidates = tuple(
        Candidate(
            example.context[pair.start : pair.end],
            pair.start,
            pair.end,
            float(pair.first),
            float(pair.last),
            float(share),
        )
        for pair, share in zip(best, shares, strict=True)
    )
    return decided(Answered(example.id, candidates, float(null.score), None), rules)


def decided(answered: Answered, rules: AnswerRules) -> Answered:
    """The same with its answer by these rules' threshold."""
    best = answered.best
    if best is not None and rules.nullable and answered.null_odds > rules.threshold:
        best = None
    return Answered(answered.id, answered.candidates, answered.null_score, best)


class _Pair(NamedTuple):
    """A first and a last token: their characters in the context and their logits."""

    start: int
    end: int
    first: np.floating[Any]
    last: np.floating[Any]

    @property
    def score(self) -> np.floating[Any]:
        """In the precision of the logits, as the definition adds them."""
        return self.first + self.last


def _best_pairs(context: str, item: Item, logits: Logits, rules: AnswerRules) -> Iterator[_Pair]:
    """The best pairs of a window that count, no more than can be among the best of all windows."""
    sequence = item.sequences[0]
    best = -rules.n_best - 1
    first, last = (np.argsort(column)[-1:best:-1] for column in logits.T)
    first, last = np.repeat(first, len(last)), np.tile(last, len(first))
    inside = sequence.part == item.context
    counts = inside[first] & inside[last] & (first <= last) & (last - first < rules.longest)
    first, last = first[counts], last[counts]
    order = np.argsort(-(logits[first, 0] + logits[last, 1]), kind="stable")
    solid = (
        _Pair(int(sequence.starts[a]), int(sequence.ends[b]), logits[a, 0], logits[b, 1])
        for a, b in zip(first[order].tolist(), last[order].tolist(), strict=True)
        if context[sequence.starts[a] : sequence.ends[b]].strip()
    )
    return islice(solid, rules.n_best)


def _shares(scores: Logits) -> Logits:
    if not len(scores):
        return scores
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())


def tuned_threshold(examples: Sequence[QuestionExample], answered: Sequence[Answered]) -> float:
    """The threshold with the best F1 on these examples, as SQuAD 2.0's own script searches it."""
    texts = {each.id: "" if each.best is None else each.best.text for each in answered}
    return best_threshold(examples, texts, {each.id: each.null_odds for each in answered}).f1
