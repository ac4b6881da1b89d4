"""A pretraining run on disk: its state, and the settings and text that it belongs to."""

from __future__ import annotations

import json

import torch
from torch import nn

from incognote.pretrain.corpus.shards import Shards
from incognote.pretrain.progress import Progress
from incognote.pretrain.settings import Settings
from incognote.training.errors import TrainError
from incognote.training.saved_state import SavedState


class SavedRun(SavedState):
    """The state of a run in the folder where its encoder will be."""

    def save_run(
        self,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        progress: Progress,
        settings: Settings,
        shards: Shards,
    ) -> None:
        """Everything, in one file."""
        told = {
            "progress": progress.to_json(),
            "settings": json.dumps(settings.to_json()),
            "data": shards.manifest["fingerprint"],
        }
        self.save(module, optimizer, told)

    def restore_run(
        self,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        settings: Settings,
        shards: Shards,
    ) -> Progress:
        """Put everything back; the progress."""
        told = self.told()
        before = Settings.from_json(json.loads(told["settings"]))
        again = Settings.from_json(json.loads(json.dumps(settings.to_json())))
        what = again.differences(before)
        if told["data"] != shards.manifest["fingerprint"]:
            what.append("text or tokenizer")
        if what:
            raise TrainError(
                f"{self.folder.parent}: this run was started with another {', '.join(what)}; "
                "continue it as it was, or begin anew with --overwrite"
            )
        self.restore(module, optimizer)
        return Progress.from_json(told["progress"])
