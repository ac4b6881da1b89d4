"""An operator: who it was instead of the name."""

from __future__ import annotations

_ROLES = {"PATIENT": "the patient", "DOCTOR": "a clinician"}


def role(text: str, type: str) -> str:
    """`Dr. Okafor` becomes `Dr. a clinician`; what is no person becomes a tag."""
    return _ROLES.get(type, f"[{type}]")
