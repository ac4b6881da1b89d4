"""A trained model as a detector: a model folder, run without torch."""

from __future__ import annotations

from incognote.detect.model.detector import ModelDetector

__all__ = ["ModelDetector"]
