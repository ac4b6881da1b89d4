"""What the journal and the audit say of the settings of a run."""

from __future__ import annotations

import hmac
from pathlib import Path
from typing import Any

from incognote import __version__
from incognote.onnx.model_folder import digest
from incognote.replace.rewrite import OPERATOR_PLUGINS, OPERATORS
from incognote.replace.surrogate.settings import SurrogateSettings
from incognote.runs.settings import Settings
from incognote.runs.shifts import fingerprint


def describe(settings: Settings) -> dict[str, Any]:
    """Everything but the key, which is shown by a fingerprint, and how the run is divided, which
    changes nothing.
    """
    return {
        "incognote": __version__,
        "replace": settings.replace or (None if settings.policy else "tag"),
        "policy": settings.policy
        and {**settings.policy.describe(), "replaced_otherwise": list(settings.replaced_otherwise)},
        "own_operators": _origins_of_own_operators(settings),
        "number": settings.number,
        "names": settings.names or "number",
        "format": settings.format,
        "encoding": settings.fields.encoding,
        "with_spans": settings.with_spans,
        "text_fields": list(settings.fields.text),
        "no_text": settings.fields.no_text,
        "id_field": settings.fields.id,
        "patient_field": settings.fields.patient,
        "patient_pattern": settings.patients.pattern or None,
        "patient_folder": settings.patients.folder,
        "patient_level": settings.patients.level,
        "shift_field": settings.fields.shift,
        "shift_file": settings.shift_file and fingerprint(settings.shift_file, settings.key),
        "known": dict(settings.fields.known),
        "columns": {name: rule.words() for name, rule in settings.fields.column.items()},
        "surrogates": None
        if settings.surrogates is None
        else _described(
            settings.surrogates, scanned=settings.scan_first, given=settings.shifts_are_given
        ),
        "scan_first": settings.scan_first,
        "key": _fingerprint(settings.key),
        "vault": settings.vault,
        "detectors": settings.choice.parts,
        "model": settings.choice.fingerprint,
        "model_is_shipped": settings.choice.is_shipped,
        "speed": settings.choice.speed,
        "calibration": settings.calibration and _digest(settings.calibration),
        "min_recall": settings.min_recall,
        "site": settings.site_digest,
        "decisions": settings.decisions and settings.decisions.digest,
    }


def _origins_of_own_operators(settings: Settings) -> dict[str, str]:
    """From each operator of a user's own to the package that brings it, and its version."""
    own = set(settings.operator_names.values()).difference(OPERATORS)
    return {name: OPERATOR_PLUGINS.find(name).origin for name in sorted(own)}


def _described(surrogates: SurrogateSettings, *, scanned: bool, given: bool) -> dict[str, Any]:
    dates = surrogates.dates
    return {
        "date_order_by": "forced" if dates.force_order else "patient" if scanned else "note",
        "consistent": surrogates.consistent,
        "shift_days": "given" if given else list(dates.range),
        "whole_weeks": None if given else dates.whole_weeks,
        "keep_season": dates.keep_season,
        "date_order": dates.order,
        "shift_ages": dates.shift_ages,
    }


def _digest(path: Path) -> str:
    return digest(path)[:16]


def _fingerprint(key: bytes | None) -> str | None:
    return hmac.digest(key, b"incognote fingerprint", "sha256").hex()[:16] if key else None
