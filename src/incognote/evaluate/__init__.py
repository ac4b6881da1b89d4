"""Scoring: how well predictions agree with gold, by every definition in use, with intervals."""

from __future__ import annotations

from incognote.evaluate.pairing import Mark, Marks, PairingError
from incognote.evaluate.report import Report, score

__all__ = ["Mark", "Marks", "PairingError", "Report", "score"]
