"""Scoring: how well predictions agree with gold, by every definition in use, with intervals.

`score` judges one prediction, `compare` two of them on the same notes.
"""

from __future__ import annotations

from incognote.evaluate.blocks import BLOCKS
from incognote.evaluate.bootstrap import Resampling
from incognote.evaluate.comparison import Difference, compare
from incognote.evaluate.pairing import Mark, Marks, PairingError
from incognote.evaluate.report import Figure, Report, score

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
