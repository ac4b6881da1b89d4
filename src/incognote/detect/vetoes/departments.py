"""Departments, services and wards without a name of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.vetoes.veto import Place

UNITS = frozenset(
    "ed er icu micu sicu ccu cvicu nicu picu pacu csicu msicu tsicu neuroicu obgyn pcp snf ltac irf "
    "asc pt ot slp".split()
)
"""Written in capitals, they are places of any hospital."""

_SPECIALTY = (
    "allergy|anesthesia|anesthesiology|cardiac surgery|cardiology|cardiothoracic surgery|dental|"
    "dermatology|ear nose and throat|emergency|emergency medicine|endocrinology|ent|family medicine|"
    "family practice|gastroenterology|general medicine|general surgery|genetics|geriatrics|gi|"
    "gynecology|hematology|hematology/oncology|hepatology|hospitalist|infectious diseases?|"
    "infusion|intensive care|interventional radiology|internal medicine|labor and delivery|"
    "medical oncology|neonatal intensive care|nephrology|neurology|neurosurgery|nuclear medicine|"
    "obstetrics|occupational therapy|oncology|ophthalmology|ortho|orthopaedics|orthopedics|"
    "orthopedic surgery|outpatient|otolaryngology|pain|palliative care|pathology|pediatrics|"
    "physical therapy|plastic surgery|podiatry|primary care|psychiatry|pulmonary|pulmonology|"
    "radiation oncology|radiology|renal|rheumatology|social work|speech therapy|surgery|"
    "thoracic surgery|transplant|trauma|trauma surgery|urgent care|urology|vascular|"
    "vascular surgery|wound|wound care"
)
PLACE = WordPattern(
    rf"(?<![\w&-])(?:{_SPECIALTY})(?:[ ](?:clinic|department|dept|service|services|center|unit|ward|"
    r"team|room|consult|consults|office|floor|suite))?(?![\w&-])",
    re.IGNORECASE,
)
NAMED = Pattern(r"[^\W\d_]*[A-Z][^\W_]*['’]?s?[ ]$")
"""A capital before it: a clinic with a name."""


def departments(note: NoteIndex) -> Iterator[Place]:
    """ICU, cardiology clinic, Labor and Delivery; not "Hudson Valley Cardiology"."""
    text = note.text
    for start in note.at(UNITS):
        end = start
        while text[end : end + 1].isalpha():
            end += 1
        if text[start:end].isupper() and not NAMED.search(text, max(0, start - 20), start):
            yield start, end
    for match in PLACE.find(note):
        start, end = match.span()
        if not NAMED.search(text, max(0, start - 20), start) and not _goes_on(text, end):
            yield start, end


def _goes_on(text: str, end: int) -> bool:
    """A capital after it: "Cardiology Associates", "Surgery Center of Tulsa"."""
    return (text[end : end + 1] == " " and text[end + 1 : end + 2].isupper()) or (
        text[end : end + 4] == " of "
    )
