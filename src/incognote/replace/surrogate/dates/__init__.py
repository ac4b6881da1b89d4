"""Dates and ages of a patient, changed together so that a note still makes sense.

>>> patient = DateSurrogates(b"a secret of the site", "patient 17")
>>> note = read_note(["3/14/19", "Mar 28", "Monday"], order="mdy")
>>> patient.replace("Monday", note).kind
'coincides'
"""

from incognote.replace.surrogate.dates.ages import AgeReplacement, AgeSurrogates
from incognote.replace.surrogate.dates.context import beside, read_note
from incognote.replace.surrogate.dates.parse import parse
from incognote.replace.surrogate.dates.parsed import Context, ParsedDate
from incognote.replace.surrogate.dates.patient_shift import DateSettings, shift_of
from incognote.replace.surrogate.dates.surrogates import DateSurrogates, Replacement
from incognote.replace.surrogate.dates.writing import shift

__all__ = [
    "AgeReplacement",
    "AgeSurrogates",
    "Context",
    "DateSettings",
    "DateSurrogates",
    "ParsedDate",
    "Replacement",
    "beside",
    "parse",
    "read_note",
    "shift",
    "shift_of",
]
