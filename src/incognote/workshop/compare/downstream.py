"""Comparing on a downstream task: a cell is trained as `incognote task train` does, and scored.

Seeds of one setting belong together: an encoder's setting is chosen by the mean of the task's first
figure on the validation part (`results.chosen_seeds`). A test part is scored if there is one.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from incognote.base.errors import RunError
from incognote.evaluate import Resampling
from incognote.workshop.compare.encoder_facts import Examination, examine_for_task
from incognote.workshop.compare.grid import GridEncoder
from incognote.workshop.compare.plan import Cell
from incognote.workshop.compare.results import PARTS, PREDICTIONS, VALIDATION, Part, Select
from incognote.workshop.compare.subject import (
    Afterwork,
    Enough,
    PassCounts,
    Say,
    Speed,
    StepTimes,
    spread_sample,
)
from incognote.workshop.fine_tuning import checked
from incognote.workshop.finetune.from_notes import begins_from_notes
from incognote.workshop.task_training import Parts, opened, task_options, train_task, write_report
from incognote.workshop.tasks.card import write_card
from incognote.workshop.tasks.evaluate import evaluation, write_predictions
from incognote.workshop.tasks.options import TaskOptions
from incognote.workshop.tasks.predict import predictions, value_of
from incognote.workshop.tasks.task import (
    ChoiceExample,
    Example,
    Figures,
    QuestionExample,
    SentenceExample,
    Task,
    fitted,
)
from incognote.workshop.training.run_options import EpochOptions

if TYPE_CHECKING:
    from incognote.workshop.compare.results import Comparison
    from incognote.workshop.tasks.torch_task import TorchTask
    from incognote.workshop.training.epochs import Watch

# Characters of examples that are enough for a few steps of any size, and to time prediction on.
_TRAINING_SAMPLE, _PREDICTION_SAMPLE = 400_000, 30_000
_CHARACTERS_A_TOKEN = 4.0
_NO_ANSWER = "no answer"


@dataclass(frozen=True)
class Downstream:
    """The examples of a task, which has the labels of its training part (`downstream`)."""

    task: Task
    parts: Parts
    configs: dict[tuple[str, str], Any] = field(default_factory=dict, repr=False)
    """The sizes of the encoders that were looked at."""

    sources: Sequence[str] = ()
    folds: Sequence[str] = ()

    @property
    def metric(self) -> str:
        """The task's first figure."""
        return self.task.metrics[0]

    def fold(self, source: str | None) -> Downstream:
        """Itself: examples have no sources."""
        return self

    def characters(self, part: Part) -> int:
        """Of all texts that are read for its examples."""
        return sum(map(_length, getattr(self.parts, part)))

    def passes(self, options: EpochOptions) -> float:
        """As many as there are epochs, or as the steps make."""
        assert isinstance(options, TaskOptions)
        if options.steps is None:
            return options.epochs
        batches = options.steps * options.accumulate
        if isinstance(options.batch_size, int):
            return batches * options.batch_size / len(self.parts.train)
        tokens = self.characters("train") / _CHARACTERS_A_TOKEN
        return batches * (options.batch_tokens or 1) / max(1.0, tokens)

    def options_of(self, encoder: GridEncoder, **chosen: Any) -> TaskOptions:
        """The options of a cell: what the grid says, and for the rest the papers' for this encoder."""
        from incognote.workshop.encoders.families import family_of
        from incognote.workshop.tasks.start import config_of
        from incognote.workshop.tasks.torch_task import HEADS

        if begins_from_notes(encoder.start):
            raise RunError(f"{encoder.start} finds identifiers in notes, and does no task")
        key = (encoder.start, repr(encoder.sizes))
        if key not in self.configs:
            with checked():
                config = config_of(encoder.start, encoder.sizes)
            family = family_of(config)
            if HEADS[self.task.kind] not in family.heads:
                raise RunError(
                    f"{encoder.start}: {family.name} has no head for {self.task.title}, and cannot do it"
                )
            self.configs[key] = config
        return task_options(chosen, self.task, self.configs[key])

    def deciding(self, say: Say) -> dict[str, Any]:
        """The task, a fingerprint of its examples, and its labels."""
        digest = hashlib.sha256(repr(asdict(self.task)).encode())
        for part in PARTS:
            for example in getattr(self.parts, part):
                digest.update(repr((part, example)).encode("utf-8", "surrogatepass"))
        return {
            "task": self.task.name,
            "data": digest.hexdigest()[:16],
            "labels": list(self.task.labels),
        }

    def described(self) -> dict[str, Any]:
        """The figure that chooses, and what each part has."""
        return {
            "title": self.task.title,
            "metric": self.metric,
            "parts": {
                part: _counts(examples) for part in PARTS if (examples := getattr(self.parts, part))
            },
        }

    def examine(self, encoder: GridEncoder, cells: Sequence[EpochOptions]) -> Examination:
        """Start once with the task's head."""
        return examine_for_task(encoder, self.task)

    def check_cell(
        self, encoder: GridEncoder, options: EpochOptions, examination: Examination
    ) -> None:
        """Refuse sequences that are longer than the encoder takes, or as long as their stride."""
        assert isinstance(options, TaskOptions)
        if options.longest > examination.longest:
            raise RunError(
                f"{encoder.name}: longest must be at most {examination.longest}, which is what the "
                f"encoder takes, not {options.longest}"
            )
        if self.task.kind == "span" and options.stride >= options.longest:
            raise RunError(
                f"{encoder.name}: stride must be less than longest ({options.longest}), not "
                f"{options.stride}"
            )

    def option_values(self, options: EpochOptions) -> dict[str, Any]:
        """All that changes a weight."""
        return {k: v for k, v in options.to_json().items() if k not in TaskOptions.free}

    def check_choice(self, folder: Path, before: Mapping[str, Any], select: Select) -> None:
        """There is one figure to choose by."""

    def run(self, cell: Cell, threads: int, watch: Watch) -> dict[str, Any]:
        """Train it, predict validation and test, and score both; the rates are those of the last part."""
        trained = train_task(
            self.task,
            Parts(train=self.parts.train, validation=self.parts.validation),
            cell.encoder.origin,
            cell.folder,
            cell.options.to_json(),
            threads=threads,
            resume=True,
            watch=watch,
        ).trained
        model: Any = opened(cell.folder)
        rates, _ = self._score(model, cell.folder, "validation", VALIDATION)
        if self.parts.test:
            rates, figures = self._score(model, cell.folder, "test", "test.json")
            write_card(cell.folder, trained.training, figures)
        return {"training": trained.training["speed"], "prediction": rates}

    def _score(
        self, model: TorchTask, folder: Path, part: Part, report: str
    ) -> tuple[dict[str, float], Figures]:
        """Write the predictions of a part in the task's own format, and its figures with intervals.

        Gives how fast it went, and the figures.
        """
        examples: Sequence[Example] = getattr(self.parts, part)
        counts = PassCounts()
        with checked(), counts.of(model.model):
            found = list(predictions(model, examples))
        write_predictions(model.task, found, folder / PREDICTIONS / part)
        values = [value_of(each) for each in found]
        with checked():
            scored = evaluation(model.task, examples, values, Resampling())
        write_report(folder / report, model.task, {"": scored}, len(examples))
        return counts.rates("examples", len(examples)), scored.figures

    def measure(self, cell: Cell, threads: int) -> Speed:
        """Time some steps, and the predictions of some examples."""
        import torch

        from incognote.workshop.tasks.loop import TaskRun
        from incognote.workshop.tasks.start import start

        torch.set_num_threads(threads)
        assert isinstance(cell.options, TaskOptions)
        learned = spread_sample(self.parts.train, _length, _TRAINING_SAMPLE)
        asked = spread_sample(self.parts.validation, _length, _PREDICTION_SAMPLE)
        times = StepTimes()
        with checked(), TemporaryDirectory() as place:
            begun = start(
                cell.encoder.start,
                self.task,
                tokenizer=cell.encoder.tokenizer,
                sizes=cell.encoder.sizes,
                random=cell.encoder.random,
                encoder_only=cell.encoder.encoder_only,
            )
            run = TaskRun(
                begun, self.task, learned, (), cell.options, Path(place), watch=times.watch
            )
            with suppress(Enough):
                run.train()
            began = time.perf_counter()
            for _ in predictions(run.trained, asked):
                pass
            prediction_seconds = time.perf_counter() - began
        tokens = sum(item.length for item in run.items)
        return Speed(
            times.seconds_a_token * tokens / max(1, sum(map(_length, learned))),
            prediction_seconds / max(1, sum(map(_length, asked))),
        )

    def afterwards(
        self, comparison: Comparison, *, with_rules: bool, say: Say
    ) -> Iterator[Afterwork]:
        """Nothing is left to do."""
        return iter(())

    def write_report(self, folder: Path, comparison: Comparison) -> None:
        """The page of a task."""
        from incognote.workshop.compare.report.downstream import write_report

        write_report(folder, comparison, self.task)


def downstream(task: Task, parts: Parts) -> Downstream:
    """The subject of a task with its examples; refused where there is nothing to choose by."""
    if not parts.validation:
        raise RunError(
            f"nothing is there to choose by: give --validation or --split, or a folder of {task.title} "
            "as published, which has a dev part"
        )
    with checked():
        task = fitted(task, parts.train)
    for name in ("validation", "test"):
        _check_labels(task, name, getattr(parts, name))
    return Downstream(task, parts)


def _check_labels(task: Task, part: str, examples: Sequence[Example]) -> None:
    """Refuse labels that training does not have, before anything is trained."""
    for example in examples if task.labels else ():
        if isinstance(example, SentenceExample) and example.label not in task.labels:
            raise RunError(
                f"the {part} part, example {example.id}: the label {example.label!r} is none of "
                f"the training part's ({', '.join(task.labels)})"
            )


def _length(example: Example) -> int:
    """Characters that are read; of a question with options, the article once for each."""
    if isinstance(example, SentenceExample):
        return len(example.first) + len(example.second or "")
    if isinstance(example, ChoiceExample):
        shared = len(example.context) + len(example.question)
        return len(example.options) * shared + sum(map(len, example.options))
    return len(example.context) + len(example.question)


def _counts(examples: Sequence[Example]) -> dict[str, Any]:
    """How many there are, how long they are, and how often each label, or no answer, is right."""
    labels = Counter[str]()
    for example in examples:
        if isinstance(example, SentenceExample) and isinstance(example.label, str):
            labels[example.label] += 1
        elif isinstance(example, ChoiceExample) and example.group:
            labels[example.group] += 1
        elif isinstance(example, QuestionExample) and example.impossible:
            labels[_NO_ANSWER] += 1
    return {
        "examples": len(examples),
        "characters": sum(map(_length, examples)),
        "labels": dict(sorted(labels.items())),
    }
