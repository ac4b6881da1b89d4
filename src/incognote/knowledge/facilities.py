"""Words in the names of hospitals and other organisations, and beside them (facilities.tsv)."""

from __future__ import annotations

from incognote.knowledge.calendar import MONTHS, SHORT_WEEKDAYS, WEEKDAYS
from incognote.knowledge.tables import WordTable

_TABLE = WordTable("facilities")
_WEEKDAYS = frozenset(day.lower() for day in WEEKDAYS)
_CALENDAR = _WEEKDAYS | {name.lower() for name in MONTHS + SHORT_WEEKDAYS}

# What ends the name of a hospital or an organisation, and what must go with it.

HOSPITAL_HEADS = _TABLE.words("hospital")
HOSPITAL_TAILS = _TABLE.values("hospital-tail")
MEDICAL_WORDS = _TABLE.words("medical")
KIND_BEFORE = _TABLE.values("before")
"""Words that stand just before a tail of the kind `kind`, and before which."""
ORGANIZATION_HEADS = _TABLE.words("organization")
ORGANIZATION_TAILS = _TABLE.values("organization-tail")

# What is no name, and does not begin one.

GENERIC_WORDS = _TABLE.words("generic") | MEDICAL_WORDS | _CALENDAR
STARTERS = _TABLE.words("starter") | _WEEKDAYS
LABELS = _TABLE.words("label")
OF_HEADS = _TABLE.words("before-of")
MAKERS = _TABLE.words("maker")
NOT_FACILITIES = _TABLE.words("nobody")
AFTER_PERSON = _TABLE.words("after-person")

# What stays in the fake of an institution.

KINDS = _TABLE.words("stays")
FUNCTION_WORDS = _TABLE.words("function")
LEGAL = _TABLE.words("legal")
LETTERS_KEPT = _TABLE.words("letters")
"""Letters that stay within a longer name. Alone they are the name, and change."""
DEVOUT = _TABLE.words("devout")
DENOMINATIONS = _TABLE.words("denomination")
SAINT_WORDS = _TABLE.words("saint")
WOMEN_SAINTS = _TABLE.words("woman-saint")
SPANISH = _TABLE.words("spanish")
GENERIC = KINDS | FUNCTION_WORDS | LEGAL | LETTERS_KEPT | DENOMINATIONS | SAINT_WORDS
