"""Examples by epoch and index: any can be made again, in any process and in any order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np

from incognote.align.tokens import Integers
from incognote.base.errors import TrainError
from incognote.base.options import Option, between, check
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.masking import Masking
from incognote.workshop.pretrain.reading_order import Permutation
from incognote.workshop.pretrain.segments import (
    LONGEST,
    PAIRS,
    NextSentence,
    Plan,
    Planner,
    Runs,
    SentenceOrder,
)
from incognote.workshop.pretrain.stream import Frame, Framed, Origin, Stream

Inputs = Literal[
    "segment-pair", "sentence-pair", "sentence-order", "full-sentences", "doc-sentences"
]
"""What a sequence is made of. The first three have a second segment, and a label for it."""

Noise = Callable[[Framed, Origin, np.random.Generator], Any]
"""What an objective makes of a sequence; to be sent to other processes, no closure."""

_PLAN, _EXAMPLE = 0, 1
_KEPT_PLANS = 2


@dataclass(frozen=True, kw_only=True)
class ExampleSettings:
    """How examples are made.

    inputs: `segment-pair` (BERT's, with NSP), `sentence-pair` (the same of single sentences),
        `sentence-order` (ALBERT's SOP), `full-sentences` (RoBERTa's, across documents),
        `doc-sentences` (the same within a document).
    length: the most tokens of a sequence, special ones counted.
    short: the share of sequences with a random shorter target.
    unpaired: sentences that make no pair become sequences of their own, masked but asked nothing
        (a label of −1); else they are left out, and `Examples.report` counts them.
    masking, permutation: for objectives that mask, or permute.
    """

    inputs: Annotated[
        Inputs,
        Option(
            "What a sequence is made of; by default as the objective needs it.",
            panel="Examples",
            varies=True,
        ),
    ] = "full-sentences"
    length: int = 512
    short: Annotated[
        float,
        Option(
            "Share of sequences that are shorter.", between(0, 1), panel="Examples", varies=True
        ),
    ] = 0.1
    unpaired: bool = False
    masking: Masking = field(default_factory=Masking)
    permutation: Permutation = field(default_factory=Permutation)

    def __post_init__(self) -> None:
        if self.length < 8:
            raise TrainError(f"a sequence must have room for 8 tokens, not only {self.length}")
        if self.length > LONGEST:
            raise TrainError(f"a sequence has at most {LONGEST:,} tokens, not {self.length:,}")
        check(self, TrainError)


class Examples:
    """Sequences cut from documents anew each epoch, and what `noise` makes of each.

    >>> examples = objective.examples(shards, shards.train, settings, seed)  # doctest: +SKIP
    >>> batch = [examples.example(epoch, i) for i in range(8)]  # doctest: +SKIP
    """

    def __init__(
        self,
        shards: Shards,
        documents: Integers,
        frame: Frame,
        settings: ExampleSettings,
        seed: int,
        noise: Noise,
    ) -> None:
        self.settings = settings
        self.seed = seed
        self._stream = Stream(shards, documents)
        self._planner = _planner(settings, self._stream, frame)
        self._noise = noise
        self._plans: dict[int, Plan] = {}

    def count(self, epoch: int) -> int:
        """How many examples an epoch has."""
        return len(self._plan(epoch).begins)

    def lengths(self, epoch: int, indices: Integers | None = None) -> Integers:
        """How many tokens each example of the epoch has, or each of these; of a random second
        segment, about.
        """
        plan = self._plan(epoch) if indices is None else self._plan(epoch).only(indices)
        return plan.sizes.astype(np.int64) + self._planner.added(plan)

    def report(self, epoch: int) -> Mapping[str, int]:
        """How many sentences of the epoch made no pair, and why; 0 where all did."""
        return self._plan(epoch).left_out

    def example(self, epoch: int, index: int) -> Any:
        """One example, the same whenever it is made."""
        version, plan = self._version(epoch), self._plan(epoch)
        if not 0 <= index < len(plan.begins):
            raise IndexError(f"the epoch has {len(plan.begins):,} examples, and no {index}")
        draws = np.random.default_rng([self.seed, _EXAMPLE, version, index])
        begin = int(plan.begins[index])
        origin = Origin(self._stream, begin, begin + int(plan.borders[index]))
        return self._noise(self._planner.framed(plan, index, draws), origin, draws)

    def forget_before(self, epoch: int) -> None:
        """Drop the plans of earlier epochs, before another is made."""
        current = self._version(epoch)
        self._plans = {version: plan for version, plan in self._plans.items() if version == current}

    def __getstate__(self) -> dict[str, Any]:
        """Another process makes its own plans."""
        return {**self.__dict__, "_plans": {}}

    def _version(self, epoch: int) -> int:
        copies = self.settings.masking.copies
        return epoch if copies is None else epoch % copies

    def _plan(self, epoch: int) -> Plan:
        version = self._version(epoch)
        if version not in self._plans:
            while len(self._plans) >= _KEPT_PLANS:
                del self._plans[next(iter(self._plans))]
            draws = np.random.default_rng([self.seed, _PLAN, version])
            plan = self._planner.plan(draws)
            if not len(plan.begins):
                raise TrainError(
                    f"the text gives no example of {self.settings.inputs}: {self._planner.needs}"
                )
            self._plans[version] = plan
        return self._plans[version]


def _planner(settings: ExampleSettings, stream: Stream, frame: Frame) -> Planner:
    inputs = settings.inputs
    common = (stream, frame, settings.length, settings.short)
    if inputs == "sentence-order":
        return SentenceOrder(*common, settings.unpaired)
    if inputs in PAIRS:
        if len(stream.documents) < 2:
            raise TrainError("next-sentence pairs need at least two documents")
        return NextSentence(*common, settings.unpaired, inputs == "sentence-pair")
    return Runs(*common, across=inputs == "full-sentences")
