"""A run on disk: what it needs to go on, each file whole or not at all.

`run.safetensors` has the weights, the optimizer's moments and the progress of one moment in one
file, so they cannot disagree; `best.safetensors` the weights of the best epoch. Both are of no
use when the run is over, and go.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from incognote.finetune.errors import TrainError
from incognote.finetune.options import Options
from incognote.finetune.progress import Progress
from incognote.finetune.tagger import Tagger

STATE = ".training"
CURVE = "curve.jsonl"
_MOMENTS = ("step", "exp_avg", "exp_avg_sq")
_WEIGHT = "weight/"


class SavedRun:
    """The state of a run in the folder where its checkpoint will be."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / STATE
        self.run = self.folder / "run.safetensors"
        self.best = self.folder / "best.safetensors"
        self.curve = folder / CURVE

    @property
    def exists(self) -> bool:
        """Whether there is something to go on from."""
        return self.run.is_file()

    def save(
        self,
        tagger: Tagger,
        optimizer: torch.optim.Optimizer,
        progress: Progress,
        *,
        options: Options,
        data: str,
        scaler: Mapping[str, Any],
    ) -> None:
        """Everything, in one file."""
        tensors = {f"{_WEIGHT}{name}": value for name, value in tagger.state_dict().items()}
        for name, parameter in tagger.named_parameters():
            for moment, value in optimizer.state[parameter].items():
                tensors[f"{moment}/{name}"] = value
        told = {
            "progress": progress.to_json(),
            "options": json.dumps(options.to_json()),
            "data": data,
            "scaler": json.dumps(dict(scaler)),
        }
        _write(self.run, tensors, told)

    def restore(
        self, tagger: Tagger, optimizer: torch.optim.Optimizer, *, options: Options, data: str
    ) -> tuple[Progress, dict[str, Any]]:
        """Put everything back; the progress and the scaler's state."""
        tensors, told = _read(self.run)
        before = Options.from_json(json.loads(told["options"]))
        if changed := options.differences(before):
            raise TrainError(
                f"{self.folder.parent}: this run was started with another {', '.join(changed)}; "
                "continue it as it was, or begin anew with --overwrite"
            )
        if told["data"] != data:
            raise TrainError(
                f"{self.folder.parent}: this run was started on other notes or with another "
                "tokenizer; continue it as it was, or begin anew with --overwrite"
            )
        _load_weights(tagger, tensors)
        for name, parameter in tagger.named_parameters():
            moments = {
                moment: tensors[f"{moment}/{name}"].to(parameter.device)
                for moment in _MOMENTS
                if f"{moment}/{name}" in tensors
            }
            if moments:
                optimizer.state[parameter] = moments
        return Progress.from_json(told["progress"]), json.loads(told["scaler"])

    def write_curve(self, progress: Progress) -> None:
        """The learning curve, a line for each epoch; it stays when the run is over."""
        part = self.folder / f"{CURVE}.part"
        lines = "".join(json.dumps(row) + "\n" for row in progress.curve)
        part.write_text(lines, encoding="utf-8")
        part.replace(self.curve)

    def save_best(self, tagger: Tagger) -> None:
        """The weights of now, as the best."""
        tensors = {f"{_WEIGHT}{name}": value for name, value in tagger.state_dict().items()}
        _write(self.best, tensors, {})

    def restore_best(self, tagger: Tagger) -> None:
        """The weights of the best epoch."""
        _load_weights(tagger, _read(self.best)[0])

    def remove(self) -> None:
        """When the run is over, or to begin anew."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _load_weights(tagger: Tagger, tensors: Mapping[str, Tensor]) -> None:
    tagger.load_state_dict(
        {
            name.removeprefix(_WEIGHT): value
            for name, value in tensors.items()
            if name.startswith(_WEIGHT)
        }
    )


def _write(path: Path, tensors: Mapping[str, Tensor], told: Mapping[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    flat = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    save_file(_apart(flat), part, metadata=dict(told))
    with part.open("rb+") as written:
        os.fsync(written.fileno())
    part.replace(path)


def _apart(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Tied tensors under two names need memory of their own in the file."""
    places: set[int] = set()
    for name, value in tensors.items():
        if value.data_ptr() in places:
            tensors[name] = value.clone()
        places.add(value.data_ptr())
    return tensors


def _read(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    try:
        with safe_open(path, "pt") as file:
            # Cloned: the file may be replaced while its pages are still mapped.
            tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118
            return tensors, dict(file.metadata() or {})
    except (SafetensorError, OSError):
        raise TrainError(f"{path}: the saved state is damaged; begin anew") from None
