"""What can be wrong with a calibration, or with what is asked of it; each error is one sentence."""

from __future__ import annotations


class CalibrationError(ValueError):
    """A calibration that cannot be used, or a promise that cannot be made."""
