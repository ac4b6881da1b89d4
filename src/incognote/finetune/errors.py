"""What can go wrong with a run: the errors of all training."""

from __future__ import annotations

from incognote.training.errors import DivergedError, TrainError

__all__ = ["DivergedError", "TrainError"]
