"""Taggers that begin with nothing but the notes: the baselines that pretrained encoders are measured by.

`crf` is a linear-chain CRF over features of words, `bilstm-crf` a BiLSTM over words and their letters
with a CRF. Both learn their vocabulary from the training notes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from incognote.base.errors import TrainError
from incognote.workshop.finetune.options import Options

CRF, BILSTM_CRF = "crf", "bilstm-crf"
FROM_NOTES = (CRF, BILSTM_CRF)

USUAL: Mapping[str, Mapping[str, Any]] = {
    CRF: {"crf": True, "shape": True},
    BILSTM_CRF: {
        "crf": True,
        "shape": True,
        "lr": 2e-3,
        "head_lr": 2e-3,
        "batch_tokens": 2048,
        "epochs": 20,
        "window": 64,
    },
}
"""What each does unless something else is asked for."""

_PENALTIES = frozenset({"l1", "l2", "iterations"})
_CRF_TAKES = frozenset({*_PENALTIES, "min_count", "crf", "shape", "window", "overlap", "seed"})
_BILSTM_LEAVES = frozenset(
    {*_PENALTIES, "join", "settle", "units", "attention_dropout", "layer_decay"}
)


def begins_from_notes(encoder: str | Path) -> bool:
    """Whether a name is that of such a tagger; a folder of that name is a checkpoint."""
    return str(encoder) in FROM_NOTES and not Path(encoder).is_dir()


def takes(encoder: str, option: str) -> bool:
    """Whether an option of `train` means something to what starts there."""
    if begins_from_notes(encoder):
        return option in _CRF_TAKES if encoder == CRF else option not in _BILSTM_LEAVES
    return option not in {*_PENALTIES, "min_count"}


def check_options(encoder: str, options: Options) -> None:
    """Refuse options that would do nothing, or that would take away what the name says."""
    usual = Options()
    idle = [
        field.name
        for field in fields(Options)
        if not takes(encoder, field.name)
        and field.name not in Options.free
        and getattr(options, field.name) not in (getattr(usual, field.name), None, 0.0)
    ]
    if idle:
        raise TrainError(f"{encoder} takes no {', '.join(idle)}: leave out what does nothing here")
    if begins_from_notes(encoder) and not options.crf:
        raise TrainError(f"{encoder} has a CRF, as its name says: leave out --no-crf")
    if encoder == CRF and not options.shape:
        raise TrainError("crf sees where lines end by word shapes: leave out --no-shape")
