"""A fine-tuning run on disk: its state, the options and data it belongs to, and its curve."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from incognote.finetune.options import Options
from incognote.finetune.progress import Progress
from incognote.finetune.tagger import Tagger
from incognote.training.errors import TrainError
from incognote.training.saved_state import SavedState

CURVE = "curve.jsonl"


class SavedRun(SavedState):
    """The state of a run in the folder where its checkpoint will be."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.curve = folder / CURVE

    def save_run(
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
        told = {
            "progress": progress.to_json(),
            "options": json.dumps(options.to_json()),
            "data": data,
            "scaler": json.dumps(dict(scaler)),
        }
        self.save(tagger, optimizer, told)

    def restore_run(
        self, tagger: Tagger, optimizer: torch.optim.Optimizer, *, options: Options, data: str
    ) -> tuple[Progress, dict[str, Any]]:
        """Put everything back; the progress and the scaler's state."""
        told = self.told()
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
        self.restore(tagger, optimizer)
        return Progress.from_json(told["progress"]), json.loads(told["scaler"])

    def write_curve(self, progress: Progress) -> None:
        """The learning curve, a line for each epoch; it stays when the run is over."""
        part = self.folder / f"{CURVE}.part"
        lines = "".join(json.dumps(row) + "\n" for row in progress.curve)
        part.write_text(lines, encoding="utf-8")
        part.replace(self.curve)
