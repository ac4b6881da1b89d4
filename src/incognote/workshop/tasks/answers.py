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
from itertools import groupby
from typing import Any

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
        """The best candidates, each stretch of the context once, however many windows have it."""
        places: dict[tuple[int, int], Candidate] = {}
        for candidate in self.candidates:
            places.setdefault((candidate.start, candidate.end), candidate)
        return tuple(places.values())[:most]


def answers(
    examples: Iterable[QuestionExample],
    windows: Iterable[tuple[Item, Logits]],
    rules: AnswerRules,
) -> Iterator[Answered]:
    """The answer to each question, from its windows with their logits [tokens, 2], in order.

    One question's windows are held at a time.
    """
    by_question = groupby(windows, key=lambda window: window[0].number)
    for example, (_, some) in zip(examples, by_question, strict=True):
        yield answer(example, list(some), rules)


def answer(
    example: QuestionExample, windows: Sequence[tuple[Item, Logits]], rules: AnswerRules
) -> Answered:
    """The answer to one question."""
    if not all(np.isfinite(logits).all() for _, logits in windows):
        raise NotFiniteError
    found = [_of_window(item, logits, rules) for item, logits in windows]
    starts, ends, first, last = (np.concatenate(column) for column in zip(*found, strict=True))
    solid = np.array(
        [bool(example.context[a:b].strip()) for a, b in zip(starts, ends, strict=True)], bool
    )
    starts, ends, first, last = (column[solid] for column in (starts, ends, first, last))
    nulls = np.array([logits[item.cls] for item, logits in windows])
    null = nulls[(nulls[:, 0] + nulls[:, 1]).argmin()]
    order = np.argsort(-(first + last), kind="stable")[: rules.n_best]
    rows = [
        (example.context[starts[n] : ends[n]], int(starts[n]), int(ends[n]), first[n], last[n])
        for n in order.tolist()
    ]
    if rules.nullable:
        # It keeps its place among the best; beyond them it is the last.
        null_score = null[0] + null[1]
        place = sum(bool(row[3] + row[4] >= null_score) for row in rows)
        rows.insert(place, ("", 0, 0, null[0], null[1]))
        if place < rules.n_best:
            rows = rows[: rules.n_best]
    shares = _shares(np.array([row[3] + row[4] for row in rows]))
    candidates = tuple(
        Candidate(text, start, end, float(one), float(other), float(share))
        for (text, start, end, one, other), share in zip(rows, shares, strict=True)
    )
    answered = Answered(example.id, candidates, float(null[0] + null[1]), None)
    return decided(answered, rules)


def decided(answered: Answered, rules: AnswerRules) -> Answered:
    """The same with its answer by these rules' threshold."""
    best = answered.best
    if best is not None and rules.nullable and answered.null_odds > rules.threshold:
        best = None
    return Answered(answered.id, answered.candidates, answered.null_score, best)


def _of_window(item: Item, logits: Logits, rules: AnswerRules) -> tuple[npt.NDArray[Any], ...]:
    """Characters from and to, and both logits, of every pair that counts."""
    sequence = item.sequences[0]
    best = -rules.n_best - 1
    first, last = (np.argsort(column)[-1:best:-1] for column in logits.T)
    first, last = np.repeat(first, len(last)), np.tile(last, len(first))
    inside = sequence.part == item.context
    counts = inside[first] & inside[last] & (first <= last) & (last - first < rules.longest)
    first, last = first[counts], last[counts]
    return sequence.starts[first], sequence.ends[last], logits[first, 0], logits[last, 1]


def _shares(scores: Logits) -> Logits:
    if not len(scores):
        return scores
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())


def tuned_threshold(examples: Sequence[QuestionExample], answered: Sequence[Answered]) -> float:
    """The threshold with the best F1 on these examples, as SQuAD 2.0's own script searches it."""
    texts = {each.id: "" if each.best is None else each.best.text for each in answered}
    return best_threshold(examples, texts, {each.id: each.null_odds for each in answered}).f1
