"""Scoring files: gold and predictions from disk, their figures, the error page and the plot."""

from __future__ import annotations

from incognote.corpus.scoring.outputs import Outputs
from incognote.corpus.scoring.run import Scores, System, score_files

__all__ = ["Outputs", "Scores", "System", "score_files"]
