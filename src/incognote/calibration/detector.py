"""The detector that a promise was made for, at the thresholds that keep it; any other has none."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import incognote.align
import incognote.detect
from incognote.base.errors import CalibrationError
from incognote.calibration.site_file import read_site
from incognote.detect.choice import Choice
from incognote.detect.detector import Detector
from incognote.detect.thresholds import Thresholds
from incognote.onnx.model_folder import SPEEDS


@dataclass(frozen=True)
class Asked:
    """A recall, and the calibration that certifies it; neither is of use without the other.

    `known` are the types that tables tell of a note.
    """

    calibration: Path | None = None
    min_recall: float | None = None
    known: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.calibration is None and self.min_recall is not None:
            raise CalibrationError(
                "--min-recall needs --calibration (in Python, min_recall= needs calibration=): a "
                "recall can be guaranteed only for notes like some that were annotated; make the "
                "file from yours with `incognote calibrate` (docs/guarantee.md)"
            )
        if self.calibration is not None and self.min_recall is None:
            raise CalibrationError("--calibration needs --min-recall, such as --min-recall 0.99")

    def thresholds(self, choice: Choice) -> Thresholds | None:
        """What the calibration certifies for the recall asked for; None without one."""
        if self.calibration is None or self.min_recall is None:
            return None
        site = read_site(self.calibration)
        site.refuse_other(described(choice, self.known))
        return site.thresholds(self.min_recall)

    def detector(self, choice: Choice, *, threads: int = 1, suspects: bool = False) -> Detector:
        """Rules, a model, or both, at the thresholds of the calibration.

        `suspects` asks the model for the words that it did not mark but might have.
        """
        return choice.detector(
            threads=threads, suspects=suspects, thresholds=self.thresholds(choice)
        )


def described(choice: Choice, known: Iterable[str] = ()) -> dict[str, Any]:
    """What decides which words are found; a difference in any of it breaks the promise.

    `known` are the types that tables tell of a note.
    """
    return {
        "detectors": choice.parts,
        "model": choice.fingerprint,
        "speed": None if choice.model is None else choice.speed or SPEEDS[0],
        "rules": rules_version(),
        "known": sorted(set(known)),
    }


@cache
def rules_version() -> str:
    """The version, and a fingerprint of the code and word lists that find identifiers."""
    mixed = hashlib.sha256()
    for package in (incognote.align, incognote.detect):
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                mixed.update(path.relative_to(root).as_posix().encode() + b"\0")
                mixed.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{version('incognote')}-{mixed.hexdigest()[:16]}"
