"""What `calibrate` wrote, read again: the thresholds that it certified, and for which detector.

The site's calibration is a file of numbers only: curves, what they were made with, and the guarantees
they hold; no text of a note, no id, no name of a file. A guarantee is for one detector; any other has none.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, get_args

import incognote.align
import incognote.detect
import incognote.knowledge
from incognote.base.errors import CalibrationError
from incognote.base.files import JsonError, files_below, read_json
from incognote.detect.finder import Choice
from incognote.detect.thresholds import Thresholds
from incognote.detect.uncertain import Scales
from incognote.evaluate.guarantee import Bound, Point, certified
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
    site: str | None = None,
) -> Thresholds | None:
    """What the calibration certifies for a recall of this detector; None without one.

    `known` are the types that tables tell of a note, `site` is the digest of the site file.
    """
    check_recall(calibration, min_recall)
    if calibration is None or min_recall is None:
        return None
    certificate = read_calibration(calibration)
    certificate.refuse_other(detector_settings(choice, known, site))
    return certificate.thresholds(min_recall)


def detector_settings(
    choice: Choice, known: Iterable[str] = (), site: str | None = None
) -> dict[str, Any]:
    """What decides which words are found; a difference in any of it breaks the guarantee.

    `known` are the types that tables tell of a note, `site` is the digest of the site file.
    """
    return {
        "detectors": choice.parts,
        "model": choice.fingerprint,
        "speed": None if choice.model is None else choice.speed or SPEEDS[0],
        "rules": rules_version(),
        "known": sorted(set(known)),
        "site": site,
    }


@cache
def rules_version() -> str:
    """The version, and a fingerprint of the code and word lists that find identifiers."""
    mixed = hashlib.sha256()
    for package in (incognote.align, incognote.detect, incognote.knowledge):
        root = Path(package.__path__[0])
        for path in sorted(files_below(root)):
            if path.is_file() and path.suffix != ".pyc":
                mixed.update(path.relative_to(root).as_posix().encode() + b"\0")
                mixed.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{version('incognote')}-{mixed.hexdigest()[:16]}"


# The file


SCHEMA = 1
KIND = "incognote calibration"
Method = Literal["ltt", "crc"]


@dataclass(frozen=True)
class Curve:
    """What was measured at each threshold, on how many notes, and the confidence of its bounds."""

    notes: int
    confidence: float
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Calibration:
    """A calibration. `curve` is of all identifiers; `types` has a curve of each type instead.

    `risk` is what it was made for; `unsupported` names types of which there were too few notes.
    `scales` turn the model's probabilities into this site's, for figures to read, never to decide.
    """

    method: Method
    bound: Bound
    confidence: float
    risk: float
    notes: int
    notes_without_identifiers: int
    identifiers: int
    detector: Mapping[str, Any]
    curve: Curve | None
    types: Mapping[str, Curve]
    unsupported: tuple[str, ...]
    scales: Scales

    def thresholds(self, min_recall: float) -> Thresholds:
        """The certified thresholds for a recall, or an error that says what can be had."""
        if not 0 < min_recall < 1:
            raise CalibrationError(f"a recall of {min_recall}: must lie between 0 and 1")
        risk = round(1 - min_recall, 12)
        if self.curve is not None:
            return Thresholds(_threshold(self.curve, risk, ""))
        return Thresholds(
            by_type={
                type: _threshold(curve, risk, f" of {type}") for type, curve in self.types.items()
            }
        )

    def refuse_other(self, detector: Mapping[str, Any]) -> None:
        """Nothing was shown of another detector."""
        for what, setting in detector.items():
            if self.detector.get(what) != setting:
                raise CalibrationError(
                    f"the calibration was made with other {_WORDS[what]} ({self.detector.get(what)}) "
                    f"than are used now ({setting}): {_ADVICE.get(what, _AGAIN)}"
                )


_WORDS = {
    "detectors": "detectors",
    "model": "model files",
    "speed": "variants of the model",
    "rules": "rules",
    "known": "--known types",
    "site": "site files",
}
_AGAIN = "run `incognote calibrate` again with the settings of this run"
_ADVICE = {
    "site": "a guarantee holds only for the lists and patterns that it was measured with; give "
    "--site with the file of then, unchanged, or run `incognote calibrate` again with that of now",
    "rules": "incognote has changed since, and a guarantee holds only for the rules that it was "
    "measured with; run `incognote calibrate` again on the same annotated notes",
}


def _threshold(curve: Curve, risk: float, of: str) -> float:
    point = certified(curve.points, risk)
    if point is None:
        best = curve.points[0].bound
        raise CalibrationError(
            f"the {curve.notes:,} notes of the calibration do not support a recall{of} of "
            f"{1 - risk:.6g}: at most {math.floor((1 - best) * 1e4) / 1e4:.4f}; calibrate with more notes"
        )
    return point.threshold


def read_calibration(path: Path) -> Calibration:
    """Read and check a file that `calibrate` wrote."""
    try:
        values = read_json(path)
    except OSError:
        raise CalibrationError(
            f"{path}: no calibration here; make one with `incognote calibrate`"
        ) from None
    except JsonError:
        raise CalibrationError(
            f"{path}: not a calibration; make one with `incognote calibrate`"
        ) from None
    if not isinstance(values, dict) or values.pop("kind", None) != KIND:
        raise CalibrationError(f"{path}: not a calibration; make one with `incognote calibrate`")
    version = values.pop("schema", None)
    if version != SCHEMA:
        raise CalibrationError(
            f"{path}: has schema version {version!r}, and this incognote reads {SCHEMA}; calibrate again"
        )
    try:
        _check(values)
        curve = values.pop("curve")
        types = values.pop("types")
        scales = {
            type: (_number(a, above=0), _number(b)) for type, (a, b) in values.pop("scales").items()
        }
        return Calibration(
            curve=None if curve is None else _curve(curve),
            types={type: _curve(each) for type, each in types.items()},
            unsupported=tuple(values.pop("unsupported")),
            scales=Scales(scales),
            **values,
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise CalibrationError(f"{path}: damaged; calibrate again") from None


def _curve(values: Any) -> Curve:
    points = tuple(
        Point(
            math.inf if point["threshold"] is None else _number(point["threshold"]),
            _number(point["loss"]),
            _number(point["bound"]),
            _number(point["over_redaction"]),
        )
        for point in values["points"]
    )
    if not points or list(points) != sorted(points, key=lambda point: point.threshold):
        raise ValueError("the points are not in order")
    return Curve(int(values["notes"]), _number(values["confidence"]), points)


def _check(values: dict[str, Any]) -> None:
    """What is read later on must be of its kind."""
    if values["method"] not in get_args(Method) or not isinstance(values["detector"], dict):
        raise ValueError("no method or no detector")
    for name in ("confidence", "risk"):
        _number(values[name], above=0)


def _number(value: Any, *, above: float = -math.inf) -> float:
    """A finite number; one that is none would let everything or nothing through."""
    if isinstance(value, bool) or not above < value < math.inf:
        raise ValueError("not a finite number")
    return float(value)
