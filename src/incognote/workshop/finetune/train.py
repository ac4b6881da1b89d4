"""One call from notes to a checkpoint, begun or gone on with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from incognote.align import joined_tokens
from incognote.base.errors import TrainError
from incognote.document import Document
from incognote.workshop.finetune.checkpoint import read_training, shape_settings, write_checkpoint
from incognote.workshop.finetune.loop import Run
from incognote.workshop.finetune.options import Options
from incognote.workshop.finetune.start import Start
from incognote.workshop.training.epochs import Watch
from incognote.workshop.training.processes import processes
from incognote.workshop.training.run_folder import (
    LAST,
    FinishedRun,
    check_folder,
    drop_results,
    finished,
    prepare_folder,
)


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
    already = resume and finished(folder)
    with processes(device) as workers:
        if not already:
            workers.led(lambda: check_folder(folder, resume=resume, overwrite=overwrite))
        start = begin()
        run = Run(start, training, validation, options, folder, processes=workers, watch=watch)
        if already:
            say("the run is finished: nothing is left to do")
            return FinishedRun(folder, _check_same_run(run, start, folder))
        # Nobody looks at the folder before it is prepared.
        workers.led(lambda: prepare_folder(folder, resume=resume, overwrite=overwrite))
        workers.led(lambda: drop_results(folder))
        run.begin(resume=resume, say=say)
        run.train()
        workers.led(lambda: _finish(run, start, folder, len(training)))
    return FinishedRun(folder, read_training(folder))


def _check_same_run(run: Run, start: Start, folder: Path) -> dict[str, Any]:
    """What a finished run left here, if it is this one."""
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
    if reasons:
        raise TrainError(
            f"{folder}: holds a finished run with another {', '.join(reasons)}; choose another "
            "folder, or start over with --overwrite"
        )
    return training


def _finish(run: Run, start: Start, folder: Path, notes: int) -> None:
    """Write the checkpoint; the same again if it was killed on the way."""
    progress, options = run.progress, run.options
    if run.average is not None:
        run.average.swap()
    epoch = run.epoch_to_keep
    settings: dict[str, Any] = {
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
        "speed": {
            "seconds": round(progress.seconds, 1),
            "steps": progress.steps,
            "processes": run.processes.count,
            **{name: round(rate, 3) for name, rate in progress.rates().items()},
        },
        "options": options.to_json(),
    }
    if epoch != progress.epoch:
        last = {**settings, "epoch": progress.epoch, "validation": _figures(progress.curve[-1])}
        write_checkpoint(folder / LAST, run.tagger, start.tokenizer, last)
        run.saved.restore_best(run.tagger)
    write_checkpoint(folder, run.tagger, start.tokenizer, settings)
    run.saved.remove()


def _figures(row: Mapping[str, float]) -> dict[str, float] | None:
    names = ("precision", "recall", "f1")
    return {name: row[name] for name in names} if "f1" in row else None
