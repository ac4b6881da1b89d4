"""What is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from incognote.base.errors import CalibrationError
from incognote.calibration.site_file import Method
from incognote.evaluate.guarantee import Bound


@dataclass(frozen=True)
class Promise:
    """What is asked for: at most `risk` of a note's identifiers leak in the mean.

    `ltt` promises it with `confidence`; `crc` in expectation over the notes that calibrate.
    """

    risk: float = 0.01
    confidence: float = 0.95
    method: Method = "ltt"
    bound: Literal["betting", "hoeffding-bentkus"] = "betting"
    per_type: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.risk < 1:
            raise CalibrationError(f"--risk {self.risk}: must lie between 0 and 1")
        if not 0.5 <= self.confidence < 1:
            raise CalibrationError(f"--confidence {self.confidence}: must be 0.5 or more, below 1")

    @property
    def how(self) -> Bound:
        """The bound that the method stands on."""
        return "conformal" if self.method == "crc" else self.bound

    def in_words(self) -> str:
        """For sentences."""
        confidence = f" with {self.confidence:.6g} confidence" if self.method == "ltt" else ""
        return f"a risk of {self.risk:.6g}{confidence}"
