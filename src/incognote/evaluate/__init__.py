"""Scoring: how well predictions agree with gold, by every definition in use, with intervals.

`score` judges one prediction, `compare` two of them on the same notes.
"""

from __future__ import annotations

from incognote.evaluate.pairing import Mark, Marks, PairingError
from incognote.evaluate.report import BLOCKS, Figure, Report, compare, score
from incognote.evaluate.resampling import Difference, Resampling

__all__ = [
    "BLOCKS",
    "Difference",
    "Figure",
    "Mark",
    "Marks",
    "PairingError",
    "Report",
    "Resampling",
    "compare",
    "score",
]
