"""What a run was asked to do."""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from incognote import __version__
from incognote.detect.detector import Detector, default_detector
from incognote.document import Document
from incognote.formats.container import Fields
from incognote.pipeline import Deidentifier
from incognote.replace import parse_policy
from incognote.workflows.run.inputs import RunError
from incognote.workflows.run.naming import Names

if TYPE_CHECKING:
    from incognote.detect.thresholds import Thresholds

DetectorName = Literal["rules", "model", "both"]


@dataclass(frozen=True)
class Cleaned:
    """A note that may leave, and how many characters of its original every detector saw."""

    output: Document
    seen: int


@dataclass(frozen=True)
class Settings:
    """The settings that decide what comes out; two runs with the same ones give the same."""

    replace: str = "tag"
    number: bool = False
    names: Names | None = None
    """None: numbers for folders, the given name for a single file."""
    format: str | None = None
    fields: Fields = field(default_factory=Fields)
    key: bytes | None = field(default=None, repr=False)
    model: Path | None = None
    """A model folder."""
    find_by: DetectorName = "rules"
    calibration: Path | None = None
    """What `calibrate` wrote."""
    min_recall: float | None = None
    workers: int = 1

    def __post_init__(self) -> None:
        if (self.find_by == "rules") != (self.model is None):
            needs = "needs a model" if self.model is None else "makes no use of the model"
            raise RunError(f"--detector {self.find_by} {needs}: see --model")
        if self.find_by == "model" and self.fields.known:
            raise RunError("--known is the work of rules: use --detector both")
        if self.calibration is None and self.min_recall is not None:
            raise RunError(
                "--min-recall needs --calibration: recall is promised for notes like some that were "
                "annotated; make the file from yours with `incognote calibrate` (docs/guarantee.md)"
            )
        if self.calibration is not None and self.min_recall is None:
            raise RunError("--calibration needs --min-recall, such as --min-recall 0.99")

    def check(self) -> None:
        """Refuse what cannot work, before any note is read."""
        parse_policy(self.replace, key=self.key, number=self.number)
        if self.model is not None:
            from incognote.onnx.model_folder import read_model

            read_model(self.model)
        self.thresholds()

    def thresholds(self) -> Thresholds | None:
        """What the calibration certifies for the recall asked for; None without one."""
        if self.calibration is None or self.min_recall is None:
            return None
        from incognote.workflows.calibrate.detector import described
        from incognote.workflows.calibrate.site_file import read_site

        site = read_site(self.calibration)
        site.refuse_other(described(self))
        return site.thresholds(self.min_recall)

    def detector(self, *, suspects: bool = False) -> Detector:
        """Rules, a model, or both, at the thresholds of the calibration.

        `suspects` asks the model for the words that it did not mark but might have.
        """
        thresholds = self.thresholds()
        if thresholds is None:
            return self._default_point(suspects)
        from incognote.detect.thresholds import ThresholdDetector

        return ThresholdDetector(self._default_point(suspects=True), thresholds)

    def _default_point(self, suspects: bool) -> Detector:
        """The processes share the machine's cores."""
        if self.model is None:
            return default_detector()
        from incognote.detect.joined import JoinedDetector
        from incognote.detect.model import ModelDetector

        threads = max(1, (os.cpu_count() or 1) // self.workers)
        model = ModelDetector(self.model, threads=threads, suspects=suspects)
        return model if self.find_by == "model" else JoinedDetector(default_detector(), model)

    def deidentifier(self) -> Deidentifier:
        """What does the work."""
        return Deidentifier(
            self.replace, key=self.key, number=self.number, detector=self.detector()
        )

    def cleaner(self) -> Callable[[Document], Cleaned]:
        """Built once in each process: from a note to the note that may leave."""
        deidentifier = self.deidentifier()

        def clean(document: Document) -> Cleaned:
            result = deidentifier(document)
            return Cleaned(result.output, result.seen)

        return clean

    def describe(self) -> dict[str, Any]:
        """For the journal and the audit: everything but the key, which is shown by a fingerprint,
        and the number of workers, which changes nothing.
        """
        return {
            "incognote": __version__,
            "replace": self.replace,
            "number": self.number,
            "names": self.names or "number",
            "format": self.format,
            "text_fields": list(self.fields.text),
            "id_field": self.fields.id,
            "patient_field": self.fields.patient,
            "known": dict(self.fields.known),
            "key": _fingerprint(self.key),
            "detectors": _DETECTORS[self.find_by],
            "model": _model(self.model),
            "calibration": self.calibration and _digest(self.calibration),
            "min_recall": self.min_recall,
        }


_DETECTORS = {
    "rules": ["rules", "known", "propagated"],
    "model": ["model"],
    "both": ["rules", "known", "model", "propagated"],
}


def _model(folder: Path | None) -> str | None:
    """Which model it is, wherever it lies."""
    if folder is None:
        return None
    from incognote.onnx.model_folder import FILE

    return _digest(folder / FILE)


def _digest(path: Path) -> str:
    from incognote.onnx.model_folder import digest

    return digest(path)[:16]


def _fingerprint(key: bytes | None) -> str | None:
    return hmac.digest(key, b"incognote fingerprint", "sha256").hex()[:16] if key else None
