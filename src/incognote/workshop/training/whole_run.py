"""A run over epochs from its folder to its results: begun, gone on with, or found finished."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from incognote.base.errors import TrainError
from incognote.workshop.training.epochs import EpochLoop
from incognote.workshop.training.processes import Processes, processes
from incognote.workshop.training.run_folder import (
    LAST,
    check_folder,
    drop_results,
    finished,
    prepare_folder,
)

Run = TypeVar("Run", bound=EpochLoop[Any])


def run_to_end(
    make: Callable[[Processes], Run],
    folder: Path,
    *,
    differences: Callable[[Run], list[str]],
    write: Callable[[Run, Path, int], None],
    resume: bool,
    overwrite: bool,
    device: str | None,
    say: Callable[[str], None],
) -> None:
    """Train, and leave the best epoch's results in `folder`, or the last's.

    With `resume` a run that was killed goes on to the weights that it would have had; one that is
    finished is not run again, and refused where `differences` says by what it is another. `write`
    writes an epoch's results into a folder. If best and last are not the same epoch, the last is kept in
    `last/`.
    """
    already = resume and finished(folder)
    with processes(device) as workers:
        if not already:
            workers.led(lambda: check_folder(folder, resume=resume, overwrite=overwrite))
        run = make(workers)
        if already:
            say("the run is finished: nothing is left to do")
            if reasons := differences(run):
                raise TrainError(
                    f"{folder}: holds a finished run with another {', '.join(reasons)}; choose "
                    "another folder, or start over with --overwrite"
                )
            return
        # Nobody looks at the folder before it is prepared.
        workers.led(lambda: prepare_folder(folder, resume=resume, overwrite=overwrite))
        workers.led(lambda: drop_results(folder))
        run.begin(resume=resume, say=say)
        run.train()
        workers.led(lambda: _finish(run, folder, write))


def _finish(run: Run, folder: Path, write: Callable[[Run, Path, int], None]) -> None:
    """Write the results; the same again if it was killed on the way."""
    if run.average is not None:
        run.average.swap()
    last = run.progress.epoch
    if run.epoch_to_keep != last:
        write(run, folder / LAST, last)
        run.saved.restore_best(run.module)
    write(run, folder, run.epoch_to_keep)
    run.saved.remove()
