"""What can go wrong with a run; each error is one sentence and never quotes a text."""

from __future__ import annotations


class TrainError(ValueError):
    """Options, data or a folder that a run cannot use."""


class DivergedError(TrainError):
    """A run whose loss left all bounds; its last saved state is from before."""
