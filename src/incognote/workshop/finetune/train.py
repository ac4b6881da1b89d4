"""One call from notes to a checkpoint, begun or gone on with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from incognote.align import joined_tokens
from incognote.base.errors import TrainError
from incognote.document import Document
from incognote.workshop.finetune.checkpoint import read_training, shape_settings, write_checkpoint
from incognote.workshop.finetune.feature_crf import run_kind
from incognote.workshop.finetune.loop import Run
from incognote.workshop.finetune.options import Options
from incognote.workshop.finetune.start import Start
from incognote.workshop.training.epochs import Watch
from incognote.workshop.training.processes import Processes
from incognote.workshop.training.run_folder import FinishedRun
from incognote.workshop.training.whole_run import run_to_end


def train(
    begin: Callable[[], Start],
    training: Sequence[Document],
    validation: Sequence[Document],
    options: Options,
    folder: Path,
    *,
    resume: bool = False,
    overwrite: bool = False,
    device: str | None = None,
    watch: Watch = lambda tick: None,
    say: Callable[[str], None] = lambda line: None,
) -> FinishedRun:
    """Fine-tune, and leave a checkpoint in `folder`: the best epoch's, or the last's.

    With `resume` a run that was killed goes on to the weights that it would have had; one that is
    finished is not run again. If both are not the same epoch, the last is kept in `last/`.
    Without validation there is no best, and the last is taken.
    """
    begun: list[Start] = []

    def make(workers: Processes) -> Run:
        begun.append(begin())
        if left_out := begun[0].model.left_out:
            name = begun[0].name
            say(f"left out of {name}, being of no head that is known: {', '.join(left_out)}")
        kind = run_kind(begun[0])
        return kind(begun[0], training, validation, options, folder, processes=workers, watch=watch)

    run_to_end(
        make,
        folder,
        differences=lambda run: _differences(run, begun[0], folder),
        write=lambda run, place, epoch: write_checkpoint(
            place,
            run.tagger,
            begun[0].tokenizer,
            _settings(run, begun[0], epoch, len(training)),
        ),
        resume=resume,
        overwrite=overwrite,
        device=device,
        say=say,
    )
    return FinishedRun(folder, read_training(folder))


def _differences(run: Run, start: Start, folder: Path) -> list[str]:
    """By what a finished run is another than this one."""
    training = read_training(folder)
    if "labels" not in training:
        raise TrainError(
            f"{folder}: holds an encoder of `incognote pretrain`; choose another folder"
        )
    before = Options.from_json(training["options"])
    reasons = run.options.differences(before)
    reasons += ["encoder"] if training["encoder"]["name"] != start.name else []
    if training["labels"] != list(run.tagger.labels.names):
        reasons.append("set of labels")
    data = training["data"]
    if data["fingerprint"] != run.data:
        reasons.append("corpus or tokenizer")
    if data.get("validation_fingerprint", run.validation_data) != run.validation_data:
        reasons.append("validation part")
    return reasons


def _settings(run: Run, start: Start, epoch: int, notes: int) -> dict[str, Any]:
    """What training.json says of the weights of an epoch."""
    progress, options = run.progress, run.options
    return {
        "encoder": {"name": start.name, "random": start.random},
        "labels": list(run.tagger.labels.names),
        "shape": shape_settings(options.shape),
        "crf": options.crf,
        "settle": options.settle,
        "join": joined_tokens.VERSION if options.join else None,
        "window": options.window,
        "overlap": options.overlap,
        "batch_size": run.batch_size,
        "seed": options.seed,
        "epoch": epoch,
        "epochs": progress.epoch,
        "stopped_early": progress.stopped,
        "validation": _figures(progress.curve[epoch - 1]),
        "data": {
            "notes": notes,
            "windows": len(run.examples),
            "pieces": sum(len(example.tags) for example in run.examples),
            "validation_notes": len(run.validation),
            "fingerprint": run.data,
            "validation_fingerprint": run.validation_data,
        },
        "speed": run.speed(),
        "options": options.to_json(),
    }


def _figures(row: Mapping[str, float]) -> dict[str, float] | None:
    names = ("precision", "recall", "f1")
    return {name: row[name] for name in names} if "f1" in row else None
