"""The site's calibration as a file: curves, what they were made with, and the promises they hold.

It has numbers only: no text of a note, no id, no name of a file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from incognote.base.errors import CalibrationError
from incognote.base.json_files import JsonError, read_json
from incognote.detect.thresholds import Thresholds
from incognote.detect.uncertain import Scales
from incognote.evaluate.guarantee import Bound, Point, certified

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
class Site:
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
        for what, found in detector.items():
            if self.detector.get(what) != found:
                raise CalibrationError(
                    f"the calibration was made with other {_WORDS[what]} ({self.detector.get(what)}) "
                    f"than are used now ({found}): calibrate again"
                )


_WORDS = {
    "detectors": "detectors",
    "model": "model files",
    "speed": "variants of the model",
    "rules": "rules",
    "known": "--known types",
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


def read_site(path: Path) -> Site:
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
        return Site(
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
