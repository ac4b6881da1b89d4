"""Slots for clinical words and numbers that must stay unmarked."""

from __future__ import annotations

from random import Random

from generator.capitals import surname_case
from generator.pieces import Pieces
from generator.scene import Scene
from generator.slots.slot import Slot, typed

_DEPARTMENTS = (
    "cardiology", "radiology", "the ICU", "the ED", "oncology", "pediatrics", "PACU", "the OR", "nephrology",
    "orthopedics", "neurology", "urology", "the cath lab", "GI", "ENT", "psychiatry", "social work", "pharmacy",
    "anesthesia", "interventional radiology", "infectious disease", "the wound clinic", "PT/OT", "the NICU",
    "endocrine", "vascular surgery", "palliative care", "case management", "the stroke team", "the blood bank",
)  # fmt: skip
_PROBLEMS = (
    "hypertension", "type 2 diabetes", "CHF", "COPD", "chest pain", "shortness of breath", "pneumonia",
    "atrial fibrillation", "back pain", "abdominal pain", "depression", "anxiety", "a fall", "syncope",
    "cellulitis", "UTI", "hip fracture", "stroke", "seizures", "headache", "asthma", "GERD", "CKD stage 3",
    "hypothyroidism", "cough", "fever", "nausea and vomiting", "dizziness", "breast cancer", "prostate cancer",
    "lung cancer", "colon cancer", "DVT", "sepsis", "knee pain", "gout", "anemia", "migraine", "rash",
)  # fmt: skip
_NOTES = (
    "PROGRESS NOTE", "DISCHARGE SUMMARY", "HISTORY AND PHYSICAL", "CONSULTATION", "OPERATIVE REPORT",
    "EMERGENCY DEPARTMENT NOTE", "CLINIC NOTE", "TELEPHONE ENCOUNTER", "NURSING NOTE", "RADIOLOGY REPORT",
    "PATHOLOGY REPORT", "Office Visit", "Progress Note", "Discharge Summary", "Consult Note", "H&P",
    "Follow-up Visit", "Transfer Summary", "Procedure Note", "Physical Therapy Evaluation", "Home Visit",
    "Psychiatric Evaluation", "OB Triage Note", "Death Summary", "Social Work Assessment", "Care Plan",
)  # fmt: skip


def _choice(*values: str) -> Slot:
    return lambda scene, _: [(scene.rng.choice(values), "")]


def _pressure(rng: Random) -> str:
    return f"{rng.randint(88, 198)}/{rng.randint(44, 110)}"


def _vitals(scene: Scene) -> str:
    rng = scene.rng
    return rng.choice(
        (
            f"BP {_pressure(rng)}, HR {rng.randint(48, 130)}, RR {rng.randint(10, 30)}, T {rng.uniform(96, 103):.1f}, SpO2 {rng.randint(86, 100)}% RA",
            f"T {rng.uniform(36, 40):.1f} P {rng.randint(48, 130)} R {rng.randint(10, 30)} BP {_pressure(rng)} O2 {rng.randint(86, 100)}%",
            f"{_pressure(rng)}, {rng.randint(48, 130)}, {rng.randint(10, 30)}, {rng.uniform(96, 103):.1f}",
            f"BP: {_pressure(rng)}  Pulse: {rng.randint(48, 130)}  Temp: {rng.uniform(96, 103):.1f} F  Resp: {rng.randint(10, 30)}  Wt: {rng.randint(90, 310)} lb",
        )
    )  # fmt: skip


def _labs(scene: Scene) -> str:
    rng = scene.rng
    return rng.choice(
        (
            f"Na {rng.randint(126, 148)} K {rng.uniform(2.9, 5.9):.1f} Cl {rng.randint(92, 112)} CO2 {rng.randint(16, 32)} BUN {rng.randint(6, 70)} Cr {rng.uniform(0.5, 5):.1f} Glu {rng.randint(60, 420)}",
            f"WBC {rng.uniform(2, 22):.1f}, Hgb {rng.uniform(6, 17):.1f}, Hct {rng.randint(20, 50)}, plt {rng.randint(40, 500)}",
            f"INR {rng.uniform(0.9, 4.5):.1f}, troponin <0.0{rng.randint(1, 4)}, BNP {rng.randint(20, 3200)}",
            f"A1c {rng.uniform(5, 13):.1f}, LDL {rng.randint(40, 190)}, TSH {rng.uniform(0.1, 9):.2f}",
        )
    )  # fmt: skip


def _dose(scene: Scene) -> str:
    rng = scene.rng
    drug = scene.lists.drugs.draw(rng)
    amount = rng.choice((2.5, 5, 10, 12.5, 20, 25, 40, 50, 75, 81, 100, 250, 500, 1000))
    how = rng.choice(
        (
            "daily",
            "BID",
            "TID",
            "q8h prn",
            "qHS",
            "PO daily",
            "po bid",
            "q6h",
            "IV q12h",
            "at bedtime",
        )
    )
    return f"{drug} {amount:g} mg {how}"


def _number(scene: Scene, form: str) -> Pieces:
    low, _, high = form.partition("-")
    return [(str(scene.rng.randint(int(low), int(high))), "")]


def _eponym(scene: Scene) -> str:
    """A name that lives on in medicine, or one that might."""
    listing = scene.lists.eponyms if scene.rng.random() < 0.6 else scene.lists.surnames
    return surname_case(listing.draw(scene.rng))


CLINICAL: dict[str, Slot] = {
    "eponym": typed("", _eponym),
    "enoun": typed("", lambda scene: scene.lists.eponym_nouns.draw(scene.rng)),
    "oldname": typed("", lambda scene: scene.lists.eponyms.draw(scene.rng)),
    "Drug": typed("", lambda scene: scene.lists.drugs.draw(scene.rng).capitalize()),
    "dept": _choice(*_DEPARTMENTS),
    "problem": _choice(*_PROBLEMS),
    "notetype": _choice(*_NOTES),
    "drug": typed("", lambda scene: scene.lists.drugs.draw(scene.rng)),
    "dose": typed("", _dose),
    "vitals": typed("", _vitals),
    "labs": typed("", _labs),
    "bp": typed("", lambda scene: _pressure(scene.rng)),
    "num": _number,
}
