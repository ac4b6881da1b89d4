"""The detector that a guarantee was made for, at the thresholds that keep it; any other has none."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import incognote.align
import incognote.detect
import incognote.knowledge
from incognote.base.errors import CalibrationError
from incognote.calibration.site_file import read_site
from incognote.detect.finder import Choice
from incognote.detect.thresholds import Thresholds
from incognote.onnx.model_folder import SPEEDS


def check_recall(calibration: Path | None, min_recall: float | None) -> None:
    """Refuse a recall without a calibration, or the reverse: neither is of use without the other."""
    if calibration is None and min_recall is not None:
        raise CalibrationError(
            "--min-recall needs --calibration (in Python, min_recall= needs calibration=): a "
            "recall can be guaranteed only for notes like some that were annotated; make the "
            "file from yours with `incognote calibrate` (docs/guarantee.md)"
        )
    if calibration is not None and min_recall is None:
        raise CalibrationError("--calibration needs --min-recall, such as --min-recall 0.99")


def certified_thresholds(
    choice: Choice,
    calibration: Path | None,
    min_recall: float | None,
    known: Iterable[str] = (),
) -> Thresholds | None:
    """What the calibration certifies for a recall of this detector; None without one.

    `known` are the types that tables tell of a note.
    """
    check_recall(calibration, min_recall)
    if calibration is None or min_recall is None:
        return None
    site = read_site(calibration)
    site.refuse_other(described(choice, known))
    return site.thresholds(min_recall)


def described(choice: Choice, known: Iterable[str] = ()) -> dict[str, Any]:
    """What decides which words are found; a difference in any of it breaks the guarantee.

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
    for package in (incognote.align, incognote.detect, incognote.knowledge):
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                mixed.update(path.relative_to(root).as_posix().encode() + b"\0")
                mixed.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{version('incognote')}-{mixed.hexdigest()[:16]}"
