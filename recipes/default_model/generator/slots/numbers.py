"""Slots for numbers that identify."""

from __future__ import annotations

from generator.scene import Scene
from generator.slots.slot import Slot, typed

_KINDS = {
    "ssn": ("SSN", "ssn"), "ssn4": ("SSN", "ssn4"), "mrn": ("MEDICALRECORD", "mrn"),
    "plan": ("HEALTHPLAN", "plan"), "group": ("HEALTHPLAN", "group"), "rxbin": ("HEALTHPLAN", "rxbin"),
    "pcn": ("HEALTHPLAN", "pcn"), "acct": ("ACCOUNT", "account"), "card4": ("ACCOUNT", "card4"),
    "npi": ("LICENSE", "npi"), "dea": ("LICENSE", "dea"), "medlic": ("LICENSE", "medical_license"),
    "dl": ("LICENSE", "driver_license"), "plate": ("VEHICLE", "plate"), "vin": ("VEHICLE", "vin"),
    "tail": ("VEHICLE", "tail"), "device": ("DEVICE", "device"), "lot": ("DEVICE", "lot"),
    "bioid": ("BIOID", "biometric"), "acc": ("IDNUM", "accession"), "order": ("IDNUM", "order"),
    "csn": ("IDNUM", "encounter"), "case": ("IDNUM", "case"), "rx": ("IDNUM", "prescription"),
    "study": ("IDNUM", "study"), "room": ("IDNUM", "room"), "bed": ("IDNUM", "bed"),
    "wardbed": ("IDNUM", "wardbed"),
    "passport": ("IDNUM", "passport"), "badge": ("IDNUM", "badge"), "jobno": ("IDNUM", "job"),
    "nhs": ("MEDICALRECORD", "nhs"), "nino": ("SSN", "nino"), "natid": ("IDNUM", "national_id"),
    "reg": ("LICENSE", "registration"),
    "typistcode": ("USERNAME", "typist"),
}  # fmt: skip
_ONE_A_NOTE = frozenset(("mrn", "ssn", "acct", "csn", "nhs"))


def _number(name: str, type: str, kind: str) -> Slot:
    def draw(scene: Scene) -> str:
        value = scene.code(kind)
        if name in _ONE_A_NOTE:
            return scene.kept(name, value)
        return value

    return typed(type, draw)


NUMBERS: dict[str, Slot] = {
    name: _number(name, type, kind) for name, (type, kind) in _KINDS.items()
} | {"mrn2": typed("MEDICALRECORD", lambda scene: scene.code("mrn"))}
