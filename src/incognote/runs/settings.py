"""What a run was asked to do."""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote import __version__
from incognote.base.errors import RunError
from incognote.detect.finder import Choice, DetectorName, choose
from incognote.document import Document
from incognote.formats.container import Fields
from incognote.pipeline import Deidentifier
from incognote.replace import Policy, parse_policy
from incognote.runs.division import Division, choose_division, equal_division
from incognote.runs.inputs import Input
from incognote.runs.outputs import Names
from incognote.runs.patients import Patients

if TYPE_CHECKING:
    from incognote.detect.detector import Detector
    from incognote.detect.thresholds import Thresholds
    from incognote.replace.surrogate.settings import Avoided, SurrogateSettings


@dataclass(frozen=True)
class Cleaned:
    """A note that may leave, and how many characters of its original every detector saw."""

    output: Document
    seen: int
    remarks: Counter[tuple[str, str]]
    """What the replacements had to say, by type."""
    lengths: tuple[int, ...] = ()
    """How long the originals of the output's spans were, in order."""


@dataclass(frozen=True)
class Settings:
    """The settings that decide what comes out; two runs with the same ones give the same."""

    replace: str = "tag"
    number: bool = False
    names: Names | None = None
    """None: numbers for folders, the given name for a single file."""
    format: str | None = None
    with_spans: bool = False
    """Whether formats that can mark the replacements do."""
    fields: Fields = field(default_factory=Fields)
    key: bytes | None = field(default=None, repr=False)
    surrogates: SurrogateSettings | None = None
    patients: Patients = field(default_factory=Patients)
    scan_first: bool = False
    scanned: Path | None = None
    """What the first pass found; set by the run."""
    model: Path | None = None
    """A model folder; None: the shipped one, if any."""
    find_by: DetectorName | None = None
    """None: both, if there is a model."""
    speed: str | None = None
    """A variant of the model; None: the most careful one."""
    calibration: Path | None = None
    """What `calibrate` wrote."""
    min_recall: float | None = None
    keep_columns: tuple[str, ...] = ()
    """Columns of dates that may stay beside moved dates."""
    vault: str | None = None
    """The id of the vault that keeps the originals; set by the plan."""
    workers: int = 1
    """0: as many as the inputs are worth."""
    chosen: Division | None = None
    """How the run is divided, if nobody said into how many; set by `settled`."""

    def __post_init__(self) -> None:
        if self.choice.name == "model" and self.fields.known:
            raise RunError("--known is the work of rules: use --detector both")
        if self.calibration is not None or self.min_recall is not None:
            from incognote.calibration import check_recall

            check_recall(self.calibration, self.min_recall)
        if self.fields.patient and self.patients != Patients():
            raise RunError("choose one of --patient-field, --patient-pattern and --patient-folder")
        if self.scan_first and "surrogate" not in self.replace:
            raise RunError("--scan-first is for surrogates: use it with --replace surrogate")

    @property
    def choice(self) -> Choice:
        """The detector that is meant."""
        return choose(self.find_by, self.model, self.speed)

    def thresholds(self) -> Thresholds | None:
        """Those that the calibration certifies for the recall, if there is one."""
        from incognote.calibration import certified_thresholds

        known = self.fields.known.values()
        return certified_thresholds(self.choice, self.calibration, self.min_recall, known)

    def check(self) -> None:
        """Refuse what cannot work, before any note is read."""
        self.policy()
        if self.choice.model is not None:
            from incognote.onnx.model_folder import read_model

            read_model(self.choice.model).variant(self.speed)
        self.thresholds()

    @property
    def uses_surrogates(self) -> bool:
        """Whether anything becomes a realistic fake."""
        from incognote.replace.policy import operator_names

        return "surrogate" in operator_names(self.replace).values()

    @property
    def names_patients(self) -> bool:
        """Whether an option says whose a note is."""
        return self.patients != Patients() or self.fields.patient is not None

    @property
    def moves_dates(self) -> bool:
        """Whether dates become other dates."""
        from incognote.replace.policy import operator_names

        return operator_names(self.replace)["DATE"] == "surrogate"

    def settled(self, inputs: Iterable[Input]) -> Settings:
        """With a number of workers, if none was given."""
        if self.workers:
            return self
        chosen = choose_division(inputs, self.choice)
        return replace(self, workers=chosen.workers, chosen=chosen)

    @property
    def division(self) -> Division:
        """The processes and their threads."""
        return self.chosen or equal_division(self.workers, model=self.choice.model is not None)

    def detector(self, *, uncertain: bool = False) -> Detector:
        """What finds, in each of the processes."""
        return self.choice.detector(
            threads=self.division.threads, uncertain=uncertain, thresholds=self.thresholds()
        )

    def policy(self) -> Policy:
        """How to replace."""
        return parse_policy(
            self.replace,
            key=self.key,
            number=self.number,
            surrogates=self.surrogates,
            avoided=self._avoided(),
        )

    def _avoided(self) -> Avoided | None:
        if self.scanned is None or self.key is None:
            return None
        from incognote.runs.scan import open_scan

        return open_scan(self.scanned, self.key)

    def deidentifier(self) -> Deidentifier:
        """What does the work."""
        return Deidentifier(self.policy(), detector=self.detector())

    def cleaner(self) -> Callable[[Sequence[Document]], Iterator[Cleaned]]:
        """Built once in each process: from notes to the notes that may leave."""
        deidentifier = self.deidentifier()

        def clean(documents: Sequence[Document]) -> Iterator[Cleaned]:
            for result in deidentifier.pipe(list(documents)):
                lengths = tuple(map(len, result.spans))
                yield Cleaned(result.output, result.seen, result.remarks, lengths)

        return clean

    def describe(self) -> dict[str, Any]:
        """For the journal and the audit: everything but the key, which is shown by a fingerprint,
        and how the run is divided, which changes nothing.
        """
        return {
            "incognote": __version__,
            "replace": self.replace,
            "number": self.number,
            "names": self.names or "number",
            "format": self.format,
            "encoding": self.fields.encoding,
            "with_spans": self.with_spans,
            "text_fields": list(self.fields.text),
            "id_field": self.fields.id,
            "patient_field": self.fields.patient,
            "patient_pattern": self.patients.pattern or None,
            "patient_folder": self.patients.folder,
            "patient_level": self.patients.level,
            "known": dict(self.fields.known),
            "surrogates": None
            if self.surrogates is None
            else _described(self.surrogates, scanned=self.scan_first),
            "scan_first": self.scan_first,
            "key": _fingerprint(self.key),
            "vault": self.vault,
            "detectors": self.choice.parts,
            "model": self.choice.fingerprint,
            "model_is_shipped": self.choice.is_shipped,
            "speed": self.choice.speed,
            "calibration": self.calibration and _digest(self.calibration),
            "min_recall": self.min_recall,
        }


def _described(surrogates: SurrogateSettings, *, scanned: bool) -> dict[str, Any]:
    dates = surrogates.dates
    return {
        "date_order_by": "forced" if dates.force_order else "patient" if scanned else "note",
        "consistent": surrogates.consistent,
        "shift_days": list(dates.range),
        "whole_weeks": dates.whole_weeks,
        "keep_season": dates.keep_season,
        "date_order": dates.order,
        "shift_ages": dates.shift_ages,
    }


def _digest(path: Path) -> str:
    from incognote.onnx.model_folder import digest

    return digest(path)[:16]


def _fingerprint(key: bytes | None) -> str | None:
    return hmac.digest(key, b"incognote fingerprint", "sha256").hex()[:16] if key else None
