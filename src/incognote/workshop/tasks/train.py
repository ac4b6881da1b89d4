"""One call from a task's examples to a checkpoint, begun or gone on with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from incognote.workshop.tasks.card import write_card
from incognote.workshop.tasks.checkpoint import read_training, write_checkpoint
from incognote.workshop.tasks.loop import THRESHOLD, TaskRun
from incognote.workshop.tasks.options import TaskOptions
from incognote.workshop.tasks.start import Start
from incognote.workshop.tasks.task import Example, Task
from incognote.workshop.training.epochs import Watch
from incognote.workshop.training.processes import Processes
from incognote.workshop.training.run_folder import FinishedRun
from incognote.workshop.training.whole_run import run_to_end


def train(
    begin: Callable[[], Start],
    task: Task,
    training: Sequence[Example],
    validation: Sequence[Example],
    options: TaskOptions,
    folder: Path,
    *,
    resume: bool = False,
    overwrite: bool = False,
    device: str | None = None,
    watch: Watch = lambda tick: None,
    say: Callable[[str], None] = lambda line: None,
) -> FinishedRun:
    """Fine-tune for a task, and leave a checkpoint in `folder`: the best epoch's, or the last's.

    The task has its labels (`task.fitted`). Without a validation part there is no best, and the last
    epoch is taken; with one, the threshold of no answer is tuned on it.
    """
    begun: list[Start] = []

    def make(workers: Processes) -> TaskRun:
        begun.append(begin())
        return TaskRun(
            begun[0], task, training, validation, options, folder, processes=workers, watch=watch
        )

    def write(run: TaskRun, place: Path, epoch: int) -> None:
        threshold = run.figures_of(epoch).get(THRESHOLD, 0.0)
        trained = replace(run.trained, rules=replace(run.trained.rules, threshold=threshold))
        write_checkpoint(place, trained, _described(run, begun[0], epoch, len(training)))
        write_card(place, read_training(place))

    run_to_end(
        make,
        folder,
        differences=lambda run: _differences(run, begun[0], folder),
        write=write,
        resume=resume,
        overwrite=overwrite,
        device=device,
        say=say,
    )
    return FinishedRun(folder, read_training(folder))


def _differences(run: TaskRun, start: Start, folder: Path) -> list[str]:
    """By what a finished run is another than this one."""
    training = read_training(folder)
    before = TaskOptions.from_json(training["options"])
    reasons = run.options.differences(before)
    reasons += ["encoder"] if training["encoder"]["name"] != start.name else []
    if training["task"]["name"] != run.task.name:
        reasons.append("task")
    data = training["data"]
    if data["fingerprint"] != run.data:
        reasons.append("training part or tokenizer")
    if data["validation_fingerprint"] != run.validation_data:
        reasons.append("validation part")
    return reasons


def _described(run: TaskRun, start: Start, epoch: int, examples: int) -> dict[str, Any]:
    """What training.json says of the weights of an epoch."""
    progress, options = run.progress, run.options
    return {
        "encoder": {
            "name": start.name,
            "family": start.model.family.name,
            "random": start.random,
            "head": "learned before" if start.learned else "new",
        },
        "seed": options.seed,
        "epoch": epoch,
        "epochs": progress.epoch,
        "stopped_early": progress.stopped,
        "validation": run.figures_of(epoch) or None,
        "data": {
            "examples": examples,
            "items": len(run.items),
            "tokens": sum(item.length for item in run.items),
            "validation_examples": len(run.validation),
            "fingerprint": run.data,
            "validation_fingerprint": run.validation_data,
        },
        "speed": run.speed(),
        "options": options.to_json(),
    }
