"""Greedy and beam search over whatever scores the next token: torch's model, or exported networks.

A search may be held to a constraint, which says for each hypothesis what may come next. Scores are
sums of log-probabilities over all tokens, constrained or not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from incognote.align.tokens import Integers

Floats = npt.NDArray[np.floating[Any]]
Memory = TypeVar("Memory")
State = TypeVar("State")
Penalty = Callable[[int], float]
"""What the score of a hypothesis of so many tokens, its end included, is divided by."""


class Scorer(Protocol[Memory]):
    """What gives the next token's logits for rows, each a target so far."""

    def begin(self, sources: Sequence[Sequence[int]]) -> Memory:
        """The memory of targets that are empty, a row for each source."""
        ...

    def step(self, tokens: Integers, memory: Memory) -> tuple[Floats, Memory]:
        """The last token of each row, [rows]; to logits [rows, vocabulary] and the memory with it."""
        ...

    def rows(self, memory: Memory, rows: Integers) -> Memory:
        """Of these rows, in this order; one may come several times."""
        ...


class Constraint(Protocol[State]):
    """What may come next in one target."""

    def begin(self) -> State:
        """Before its first token."""
        ...

    def allowed(self, state: State) -> Integers:
        """The tokens that may come."""
        ...

    def advance(self, state: State, token: int) -> State:
        """After a token."""
        ...


@dataclass(frozen=True)
class Hypothesis:
    """A target without its start; the last token is the end, unless it was cut at the limit.

    score: the sum of log-probabilities, divided by the length penalty.
    """

    tokens: tuple[int, ...]
    score: float


def paper_penalty(alpha: float = 0.6) -> Penalty:
    """((5 + length) / 6)^α, of Wu et al., 2016, as the Transformer's paper has it.

    >>> paper_penalty()(1)
    1.0
    """
    return lambda length: float(((5 + length) / 6) ** alpha)


def power_penalty(alpha: float = 1.0) -> Penalty:
    """length^α, as Hugging Face's `generate` has it; 0 is none."""
    return lambda length: float(length**alpha)


def greedy(
    scorer: Scorer[Memory],
    sources: Sequence[Sequence[int]],
    *,
    start_id: int,
    end_id: int,
    longest: Sequence[int],
    never: Collection[int] = (),
    constraints: Sequence[Constraint[Any]] | None = None,
) -> list[Hypothesis]:
    """The likeliest next token, again and again, up to `longest` tokens for each source."""
    followed = _Followed(constraints, len(sources))
    tokens: list[list[int]] = [[] for _ in sources]
    scores = np.zeros(len(sources))
    memory, live = scorer.begin(sources), np.arange(len(sources))
    last = np.full(len(sources), start_id)
    while len(live):
        logits, memory = scorer.step(last, memory)
        likely = followed.hold(log_probabilities(logits, never), live)
        last = likely.argmax(axis=1)
        scores[live] += likely[np.arange(len(live)), last]
        for row, token in zip(live.tolist(), last.tolist(), strict=True):
            tokens[row].append(token)
            followed.advance(row, row, token)
        full = np.array([len(tokens[row]) >= longest[row] for row in live.tolist()])
        goes_on = (last != end_id) & ~full
        if not goes_on.all():
            memory = scorer.rows(memory, np.flatnonzero(goes_on))
            live, last = live[goes_on], last[goes_on]
    return [
        Hypothesis(tuple(each), float(score)) for each, score in zip(tokens, scores, strict=True)
    ]


def beam_search(
    scorer: Scorer[Memory],
    sources: Sequence[Sequence[int]],
    *,
    start_id: int,
    end_id: int,
    longest: Sequence[int],
    beams: int = 4,
    penalty: Penalty | None = None,
    never: Collection[int] = (),
    constraints: Sequence[Constraint[Any]] | None = None,
) -> list[list[Hypothesis]]:
    """The best hypotheses of each source, the best first; the paper has 4 beams and α = 0.6.

    In each step the best continuations of all beams stay. A hypothesis that ends competes by its score
    with the length penalty, and the search of a source goes on until no beam can come to more, were
    it to end at the limit at once.
    """
    penalty = penalty or paper_penalty()
    followed = _Followed(constraints, len(sources) * beams, beams)
    searches = [_Beams(beams, limit, penalty, end_id) for limit in longest]
    memory = scorer.begin(sources)
    memory = scorer.rows(memory, np.repeat(np.arange(len(sources)), beams))
    live = np.arange(len(sources))
    last = np.full(len(sources) * beams, start_id)
    while len(live):
        rows = (live[:, None] * beams + np.arange(beams)).ravel()
        logits, memory = scorer.step(last, memory)
        likely = followed.hold(log_probabilities(logits, never), rows)
        likely = likely.reshape(len(live), beams, -1)
        origins, going_on = [], []
        for place, number in enumerate(live.tolist()):
            search = searches[number]
            parents = search.take(likely[place])
            going_on.append(not search.is_over)
            if not search.is_over:
                followed.move(number * beams, parents, [each[-1] for each in search.tokens])
            origins.append(place * beams + parents)
        kept = np.array(going_on)
        memory = scorer.rows(memory, np.array(origins)[kept].ravel())
        live = live[kept]
        last = np.array([each[-1] for number in live for each in searches[number].tokens])
    return [search.best() for search in searches]


class _Beams:
    """The search of one source: its live hypotheses, and the best of those that have ended."""

    def __init__(self, beams: int, limit: int, penalty: Penalty, end_id: int) -> None:
        self.beams, self.limit, self.penalty, self.end_id = beams, limit, penalty, end_id
        self.tokens: list[tuple[int, ...]] = [()] * beams
        self.scores = np.full(beams, -np.inf)
        self.scores[0] = 0.0  # all begin alike: one is enough
        self.ended: list[Hypothesis] = []
        self.is_over = False

    def take(self, likely: Floats) -> Integers:
        """Go on by log-probabilities [beams, vocabulary]; which beam each new one goes on from."""
        totals = (self.scores[:, None] + likely).ravel()
        # Twice as many, so that enough are left if as many as there are beams end.
        count = min(2 * self.beams, len(totals))
        best = np.argpartition(-totals, count - 1)[:count]
        best = best[np.argsort(-totals[best], kind="stable")]
        parents, tokens = np.divmod(best, likely.shape[1])
        length = len(self.tokens[0]) + 1
        at_limit = length >= self.limit
        going: list[int] = []
        for rank, (parent, token) in enumerate(zip(parents.tolist(), tokens.tolist(), strict=True)):
            total = totals[best[rank]]
            if not np.isfinite(total):
                break
            if token != self.end_id and not at_limit:
                going.append(rank)
            elif rank < self.beams:
                hypothesis = (*self.tokens[parent], token)
                self.ended.append(Hypothesis(hypothesis, float(total / self.penalty(length))))
        self.ended = sorted(self.ended, key=lambda each: -each.score)[: self.beams]
        going = going[: self.beams]
        if at_limit or not going:
            self.is_over = True
            return np.zeros(self.beams, np.int64)
        going += [going[-1]] * (self.beams - len(going))
        before = self.tokens
        self.tokens = [(*before[int(parents[rank])], int(tokens[rank])) for rank in going]
        self.scores = totals[best[going]]
        self.scores[len(set(going)) :] = -np.inf  # copies that fill up
        self.is_over = self._cannot_improve()
        return parents[going]

    def _cannot_improve(self) -> bool:
        if len(self.ended) < self.beams:
            return False
        return bool(self.scores[0] / self.penalty(self.limit) <= self.ended[-1].score)

    def best(self) -> list[Hypothesis]:
        """What has ended, the best first."""
        return self.ended


class _Followed:
    """The constraints' states, one for each row of a search; without constraints, nothing."""

    def __init__(
        self, constraints: Sequence[Constraint[Any]] | None, rows: int, beams: int = 1
    ) -> None:
        self.constraints = None
        if constraints is not None:
            self.constraints = [each for each in constraints for _ in range(beams)]
            self.states = [each.begin() for each in self.constraints]

    def hold(self, likely: Floats, rows: Integers) -> Floats:
        """Log-probabilities of what may not come become -∞."""
        if self.constraints is None:
            return likely
        held = np.full_like(likely, -np.inf)
        for place, row in enumerate(rows.tolist()):
            allowed = self.constraints[row].allowed(self.states[row])
            held[place, allowed] = likely[place, allowed]
        return held

    def advance(self, origin: int, row: int, token: int) -> None:
        """A row goes on from another with a token."""
        if self.constraints is not None:
            self.states[row] = self.constraints[row].advance(self.states[origin], token)

    def move(self, first: int, parents: Integers, tokens: Sequence[int]) -> None:
        """The rows of one source, from `first` on, go on from these beams with these tokens."""
        if self.constraints is not None:
            before = self.states[first : first + len(parents)]
            for beam, (parent, token) in enumerate(zip(parents.tolist(), tokens, strict=True)):
                constraint = self.constraints[first + beam]
                self.states[first + beam] = constraint.advance(before[parent], token)


def log_probabilities(logits: Floats, never: Collection[int] = ()) -> Floats:
    """The log-softmax of logits [rows, vocabulary]; tokens that never come have -∞."""
    shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    likely: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    if never:
        likely[:, list(never)] = -np.inf
    return likely
