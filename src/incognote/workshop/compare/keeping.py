"""Which weights stay: those of each encoder's best cell, laid ready in `best/`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from incognote.workshop.compare.results import (
    BEST,
    FAILED,
    MACHINE,
    TRAINING,
    WEIGHTS,
    CellResult,
    Comparison,
    best_cells,
)
from incognote.workshop.training.run_folder import LAST

# What `train` leaves beside its figures; a cell that was not chosen does without.
_WEIGHTS = (WEIGHTS, "incognote.safetensors", "tokenizer.json", "tokenizer_config.json")


def drop_weights(comparison: Comparison) -> None:
    """Drop the weights of done cells that are not the best of their encoder."""
    best = {cell.id for cell in best_cells(comparison).values()}
    for cell in comparison.cells:
        if cell.state == "done" and cell.id not in best:
            for name in _WEIGHTS:
                (cell.folder / name).unlink(missing_ok=True)
            shutil.rmtree(cell.folder / LAST, ignore_errors=True)


def publish_best(comparison: Comparison) -> None:
    """`best/ENCODER` for each encoder that has a chosen cell: links, or copies where none can be."""
    for name, cell in best_cells(comparison).items():
        target = comparison.folder / BEST / name
        if not _holds(target, cell):
            _publish(cell, target)


def _holds(target: Path, cell: CellResult) -> bool:
    """Whether the folder has this cell's files."""
    mine, theirs = cell.folder / TRAINING, target / TRAINING
    return theirs.is_file() and theirs.read_bytes() == mine.read_bytes()


def _publish(cell: CellResult, target: Path) -> None:
    """All files in a new folder first, then that folder in the place of the old one."""
    new, old = (target.with_name(f".{target.name}.{which}") for which in ("new", "old"))
    for folder in (new, old):
        shutil.rmtree(folder, ignore_errors=True)
    new.mkdir(parents=True)
    for path in sorted(cell.folder.iterdir()):
        if path.is_file() and path.name not in (MACHINE, FAILED):
            try:
                os.link(path, new / path.name)
            except OSError:
                shutil.copy2(path, new / path.name)
    if target.is_dir():
        target.rename(old)
    new.rename(target)
    shutil.rmtree(old, ignore_errors=True)
