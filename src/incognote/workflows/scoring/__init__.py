"""Scoring files: gold and predictions from disk, their figures, the error page and the plot."""

from __future__ import annotations

from incognote.workflows.scoring.outputs import Outputs
from incognote.workflows.scoring.run import Scores, System, score_files

__all__ = ["Outputs", "Scores", "System", "score_files"]
