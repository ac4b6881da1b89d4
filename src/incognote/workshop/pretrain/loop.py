"""The pretraining run: steps, phases of one length, evaluation; and what it knows of itself.

What it shares with fine-tuning is `training/loop.py`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import torch
from torch import nn

from incognote.align.tokens import Integers
from incognote.base.errors import TrainError
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.examples import Examples, ExampleSettings
from incognote.workshop.pretrain.feed import Feed, Numbered, Order, Place, packs
from incognote.workshop.pretrain.figures import Log, evaluate
from incognote.workshop.pretrain.objectives.objective import BINARY, Batch, Objective
from incognote.workshop.pretrain.settings import Phase, Settings
from incognote.workshop.training.loop import (
    Loop,
    RunProgress,
    check_bounds,
    check_finite,
    moving_average,
    set_dropout,
)
from incognote.workshop.training.optimizers import optimizer_of
from incognote.workshop.training.processes import Processes

LOG, HELD_OUT = "log.csv", "held_out.csv"
EVALUATIONS, LOG_ROWS = 20, 1000

SAMPLE = 64
"""Examples that are made before the first step, to see that something is asked about."""


@dataclass
class Progress(RunProgress):
    """What a run knows of itself: where it is, what it costs, how fast it goes.

    steps: of the whole run. step: steps done. epoch, place: where in the examples of the current
    length the next step begins. averages: moving average of each part of the loss; lost, terms:
    sums since the last row of the log. tokens: tokens read.
    """

    steps: int
    step: int = 0
    epoch: int = 0
    place: int = 0
    pieces: int = 0
    averages: dict[str, float] = field(default_factory=dict)
    lost: dict[str, float] = field(default_factory=dict)
    terms: dict[str, float] = field(default_factory=dict)
    logged: tuple[float, int] = (0.0, 0)

    @property
    def done(self) -> int:
        return self.step

    def add_step(
        self,
        lost: Mapping[str, float],
        terms: Mapping[str, float],
        norm: float,
        guessing: Mapping[str, float],
    ) -> None:
        """Count a step; a loss that is no number, or far above guessing, ends the run."""
        place = f"step {self.step + 1}"
        check_finite(sum(lost.values()), norm, place)
        self.step += 1
        for part, value in lost.items():
            mean = value / max(1.0, terms[part])
            self.averages[part] = moving_average(self.averages.get(part, mean), mean, self.step)
            check_bounds(self.averages[part], guessing[part], self.step, f"{place} ({part})")
            self.lost[part] = self.lost.get(part, 0.0) + value
            self.terms[part] = self.terms.get(part, 0.0) + terms[part]

    def log_row(self) -> dict[str, float]:
        """The mean loss of each part and the speed since the last row; then they begin anew."""
        seconds, tokens = self.logged
        row: dict[str, float] = {
            f"{part}_loss": value / max(1.0, self.terms[part]) for part, value in self.lost.items()
        }
        row["pieces"] = self.pieces
        row["seconds"] = round(self.seconds, 2)
        row["pieces_per_second"] = (self.pieces - tokens) / ((self.seconds - seconds) or math.inf)
        self.lost, self.terms = {}, {}
        self.logged = (self.seconds, self.pieces)
        return row

    @property
    def pieces_per_second(self) -> float:
        """The speed of the whole run so far."""
        return self.pieces / (self.seconds or math.inf)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote."""
        values: dict[str, Any] = json.loads(text)
        seconds, tokens = values["logged"]
        return cls(**{**values, "logged": (seconds, tokens)})


@dataclass(frozen=True)
class Tick:
    """What a watcher gets after each step."""

    progress: Progress
    length: int
    lr: float
    norm: float


Watch = Callable[[Tick], None]


@dataclass
class Step:
    """The batches of a step, its phase, and the place in the examples where the next one begins."""

    batches: Iterator[Batch]
    phase: Phase
    after: Place
    terms: Sequence[float] = ()
    """What each part's loss is the sum of, in all processes; known with the gradients."""


class Run(Loop[Step]):
    """One run from its start to the last step; `train.py` makes an encoder's folder of it."""

    progress: Progress
    other_data = "with another text or tokenizer"

    def __init__(
        self,
        objective: Objective,
        module: nn.Module,
        shards: Shards,
        settings: Settings,
        folder: Path,
        *,
        processes: Processes | None = None,
        watch: Watch = lambda tick: None,
    ) -> None:
        self.objective, self.shards, self.settings, self.watch = objective, shards, settings, watch
        processes = processes or Processes(torch.device("cpu"))
        set_dropout(module, settings.dropout, settings.attention_dropout)
        module = module.to(processes.device).train()
        super().__init__(
            module,
            new_optimizer(module, settings),
            settings,
            folder,
            data=shards.manifest["fingerprint"],
            processes=processes,
            seed=settings.seed,
            lr=settings.lr,
            clip=settings.clip,
            save_seconds=settings.save_seconds,
        )
        self.progress = Progress(settings.steps or 0)
        self.log, self.held_out = Log(folder / LOG), Log(folder / HELD_OUT)
        self._examples: Examples | None = None
        vocabulary = math.log(max(2, shards.vocabulary_size))
        self._guessing = {
            part: math.log(2) if part in BINARY else vocabulary for part in objective.parts
        }

    @property
    def all_steps(self) -> int:
        return self.progress.steps

    def rate(self) -> float:
        return self.settings.rate(self.progress.step, self.progress.steps)

    def resume(self) -> dict[str, str]:
        """Go on from the state on disk; the logs lose what came after it."""
        metadata = super().resume()
        if self.processes.leads:
            evaluated = [int(row["step"]) for row in self.progress.curve]
            self.log.go_back(self.progress.step)
            self.held_out.go_back(max(evaluated, default=0))
        return metadata

    def train(self) -> Progress:
        """Run to the last step, evaluating on the way but not at the end."""
        progress = self.progress
        if progress.step == 0 and self.processes.leads:
            for log in (self.log, self.held_out):
                log.begin()
        for phase in self.settings.phases(progress.steps):
            if progress.step < phase.last:
                self._phase(phase)
        return progress

    def examples(self, length: int) -> Examples:
        """The examples of one length to train on; kept until those of another are asked for."""
        if self._examples is None or self._examples.settings.length != length:
            self._examples = None
            self._examples = self._examples_of(self.shards.train, length)
        return self._examples

    @cached_property
    def held_out_examples(self) -> Examples:
        """The examples to evaluate on."""
        length = self.settings.evaluate_length or self.settings.lengths[0][0]
        return self._examples_of(self.shards.held_out, length)

    def _examples_of(self, documents: Integers, length: int) -> Examples:
        settings = example_settings(self.objective.settings, self.settings.example_options, length)
        return self.objective.examples(self.shards, documents, settings, self.settings.seed)

    def check_text(self) -> None:
        """Refuse text that gives no examples, before the first step."""
        if not len(self.shards.train):
            raise TrainError(
                f"all {self.shards.documents:,} documents are held out, none is left to learn from: "
                "give more, or lower --held-out"
            )
        first = self.settings.lengths[0][0]
        for length in (*{length for length, _ in self.settings.lengths} - {first}, first):
            examples = self.examples(length)
            some = range(min(SAMPLE, examples.count(0)))
            batch = self.objective.batch([examples.example(0, index) for index in some])
            if not any(batch.counts.values()):
                raise TrainError(
                    f"no token is masked in sequences of {length} tokens: the tokenizer knows none "
                    "of them, or whole words are longer than the share to mask (--mask-share)"
                )
        held_out = len(self.shards.held_out)
        try:
            if held_out:
                self.held_out_examples.count(0)
        except TrainError as error:
            raise TrainError(
                f"the held-out text ({held_out:,} of {self.shards.documents:,} documents) is too "
                f"little to evaluate on: {error}; hold out more (--held-out), or none "
                "(--held-out 0)"
            ) from None

    def _phase(self, phase: Phase) -> None:
        examples = self.examples(phase.length)
        feed = Feed(self.objective, examples, self._workers())
        try:
            places: list[Place] = []
            for batches in feed.steps(self._planned(phase, examples, places)):
                self.step(Step(batches, phase, places.pop(0)))
        finally:
            feed.close()

    def _planned(
        self, phase: Phase, examples: Examples, after: list[Place]
    ) -> Iterator[Sequence[Sequence[Numbered]]]:
        """This process' packs of each step left; the place after it is added to `after`."""
        order = Order(examples, self.settings.seed)
        place = Place(self.progress.epoch, self.progress.place)
        for _ in range(self.progress.step, phase.last):
            numbers, place = order.take(place, self.settings.sequences(phase.length))
            after.append(place)
            yield packs(examples, self.processes.share(numbers), self.settings.pack)

    def _gradients(self, step: Step) -> list[float]:
        losses, step.terms, tokens = self.gradients(list(step.batches))
        return [*losses, float(tokens)]

    def _count(self, step: Step, sums: Sequence[float], norm: float) -> None:
        progress, parts = self.progress, self.objective.parts
        progress.add_step(
            dict(zip(parts, sums, strict=False)),
            dict(zip(parts, step.terms, strict=True)),
            norm,
            self._guessing,
        )
        # The next length begins with its own first examples.
        progress.epoch, progress.place = step.after if progress.step < step.phase.last else (0, 0)
        progress.pieces += int(sums[-1])

    def gradients(self, batches: Sequence[Batch]) -> tuple[list[float], list[float], int]:
        """Add up the gradients of a step; each part's summed loss here, its terms everywhere."""
        parts, device = self.objective.parts, self.processes.device
        own = [float(sum(batch.counts[part] for batch in batches)) for part in parts]
        terms = self.processes.total(*own)
        over = {part: int(count) for part, count in zip(parts, terms, strict=True)}
        self.optimizer.zero_grad(set_to_none=True)
        lost = torch.zeros(len(parts), dtype=torch.float64, device=device)
        half = self.settings.precision == "bf16"
        for batch in batches:
            with torch.autocast(device.type, torch.bfloat16) if half else nullcontext():
                losses = self.objective.loss(self.module, batch.to(device), over=over)
            backward: Any = losses.total.backward
            backward()
            lost += torch.stack([losses.parts[part].double() for part in parts])
        return lost.tolist(), terms, sum(batch.tokens for batch in batches)

    def _tell(self, step: Step, lr: float, norm: float) -> None:
        progress, settings = self.progress, self.settings
        rows = settings.log_every or max(1, progress.steps // LOG_ROWS)
        if progress.step % rows == 0 or progress.step == progress.steps:
            length = step.phase.length
            row = {"step": progress.step, "length": length, "lr": lr, "norm": norm}
            row |= progress.log_row()
            if self.processes.leads:
                self.log.add(row)
        every = settings.evaluate_every or max(1, progress.steps // EVALUATIONS)
        if progress.step % every == 0 and progress.step < progress.steps:
            self.evaluate(settings.evaluate_examples)
        self.watch(Tick(progress, step.phase.length, lr, norm))

    def evaluate(self, count: int) -> dict[str, float]:
        """Held-out figures of now, added to the curve; none where nothing is held out."""
        if not len(self.shards.held_out):
            return {}
        figures = evaluate(
            self.objective,
            self.module,
            self.held_out_examples,
            count=count,
            pack=self.settings.pack,
            workers=self.processes,
        )
        row = {"step": self.progress.step, **figures}
        self.progress.curve.append(row)
        if self.processes.leads:
            self.held_out.add(row)
        return figures

    def _workers(self) -> int:
        if self.settings.workers is not None:
            return self.settings.workers
        return 2 if self.processes.device.type == "cuda" else 0


def new_optimizer(module: nn.Module, settings: Settings) -> torch.optim.Optimizer:
    """The optimizer as it begins."""
    return optimizer_of(
        module,
        settings.optimizer,
        lr=settings.lr,
        betas=settings.betas,
        eps=settings.eps,
        weight_decay=settings.weight_decay,
        decay_all=settings.decay_all,
    )


def example_settings(
    settings: ExampleSettings, options: Mapping[str, Any], length: int
) -> ExampleSettings:
    """An objective's own way to make examples, with the user's changes."""
    masking = replace(settings.masking, **options.get("masking", {}))
    others = {name: value for name, value in options.items() if name != "masking"}
    return replace(settings, **others, masking=masking, length=length)
