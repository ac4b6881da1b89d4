"""Names in page headers, in the boxes of forms, and where a sentence introduces the patient.

A page header needs no label: `LAST, FIRST M` at the start of a line with a record number, birth
date or age beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.lexicon import NEVER_NAMES, fold, is_ordinary
from incognote.detect.pattern import LinePattern, Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.names.reader import Name, read_name
from incognote.detect.rules.names.titles import Found
from incognote.detect.rules.names.words import PARTICLES, WORD, Trust

BESIDE = Pattern(
    r"(?:[,.]?[ \t]{1,60}|[ \t]{0,60}\|[ \t]{0,30}|[ \t]{0,60}\r?\n[ \t]{0,60})(?:[(#\[]|"
    r"(?:mrn?|mr ?(?:#|no)|dob|d\.o\.b\.?|med(?:ical)? rec|hosp|unit|chart|acct|csn|har|ssn|visit|"
    r"id|age|pid|nhs|patient (?:id|no)|born|date of birth|account|fin|record|rm|room)\b|"
    r"\d{1,3} ?(?:y|yo|y/o|yrs?|year|m|f|mo|male|female)\b|[A-Z]{0,3}-?\d{4,}|\d{2,}[-/ ]\d|"
    r"[mf] ?/ ?\d|\d{1,3}[ /]?[MF]\b|[mf][ \t]+\d|[mf][ \t]{2}|(?:mother|father|sister|brother|son|daughter|"
    r"wife|husband|spouse|friend|clergy|partner|niece|nephew|cousin|guardian|self)\b)",
    re.IGNORECASE,
)
LINE_START = LinePattern(
    r"^[ \t]{0,80}(?:\d{1,2}[.)]?[ \t]{1,4})?(?:(?:pg|page)\.?[ \t]{1,3}\d{1,3}(?:[ \t]?(?:of|/)[ \t]?\d{1,3})?[ \t]{1,60})?"
    r"(?=[^\W\d_])",
    re.MULTILINE | re.IGNORECASE,
)
NAME_AHEAD = Pattern(
    r"[^\W\d_](?:[\w\u0300-\u036f'’ʻ`´‐‑-]|\.(?!\s)){0,60}+\.?(?:[ \t]?,|[ \t]*\r?\n"
    rf"|[ \t\xa0](?:[^\sa-z]|(?:{'|'.join(sorted(PARTICLES))})\b))"
)
"""A first word that another may follow in a name; most lines begin with a sentence."""
NUMBER = Pattern(r"(?:[ \t]{2,60}|[ \t]{0,4}[|·•^~][ \t]{0,4})[(#A-Za-z]{0,3}\d")
STATE = Pattern(r"[A-Z]{2}\b")
STATE_NAMES = frozenset(
    "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii "
    "idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan "
    "minnesota mississippi missouri montana nebraska nevada ohio oklahoma oregon pennsylvania "
    "tennessee texas utah vermont virginia washington wisconsin wyoming ontario alberta".split()
)
PLACEHOLDER = WordPattern(r"(?<!\w)(?:LNU|FNU),?[ ](?=[^\W\d_])")


def by_page_header(note: Reading) -> Iterator[Found]:
    """LAST, FIRST at the start of a line, or First Last before a record number or birth date."""
    text = note.text
    for match in LINE_START.find(note):
        start = match.end()
        small = text[start].islower()
        if not small and not NAME_AHEAD.match(text, start):
            continue
        comma = "," in text[start : start + 60]
        name = read_name(text, start, Trust.STRONG, last_first=comma, lower=small)
        if name is None or (name.words < 2 and not name.comma):
            continue
        if not name.comma and not _long_word(text, name):
            continue
        beside = BESIDE.match(text, name.end) or (name.comma and NUMBER.match(text, name.end))
        if name.comma and _is_state(text[start : name.end].rpartition(", ")[2]):
            continue
        if beside and (name.comma or name.words >= 2) and not _heading(text, name):
            yield name.start, name.end, "PATIENT", 0.9 if name.comma else 0.8
        elif (
            name.comma
            and text.find("\n", start, start + 120) == name.end
            and BESIDE.match(text, name.end)
        ):
            yield name.start, name.end, "PATIENT", 0.8
    for match in PLACEHOLDER.find(note):
        name = read_name(text, match.end(), Trust.WEAK)
        if name:
            yield name.start, name.end, "PATIENT", 0.8


FORM = WordPattern(
    r"\b(?:Last|LAST)(?:[ _][Nn]ame|[ _]NAME)?[ \t:]{1,20}(?P<last>[^\W\d_][\w'’ .-]{0,30}?)[ \t]{1,20}"
    r"(?:First|FIRST)(?:[ _][Nn]ame|[ _]NAME)?[ \t:]{1,20}(?P<first>[^\W\d_][\w'’.-]{0,30})"
    r"(?:[ \t]{1,20}MI?[ \t:]{1,10}(?P<mi>[A-Z])\b)?"
)
FORM_FIRST = WordPattern(
    r"\b(?:First|FIRST)(?:[ _][Nn]ame|[ _]NAME)?[ \t:]{1,20}(?P<first>[^\W\d_][\w'’.-]{0,30})"
    r"(?:[ \t]{1,20}MI?[ \t:]{1,10}(?P<mi>[A-Z])\b)?[ \t]{1,20}(?:Last|LAST)(?:[ _][Nn]ame|[ _]NAME)?"
    r"[ \t:]{1,20}(?P<last>[^\W\d_][\w'’.-]{0,30})"
)


def by_form(note: Reading) -> Iterator[Found]:
    """Last, first and middle initial in the boxes of a form."""
    for pattern in (FORM, FORM_FIRST):
        for match in pattern.find(note):
            for part in ("last", "first", "mi"):
                value = match[part]
                if value and fold(value) not in NEVER_NAMES:
                    yield *match.span(part), "PATIENT", 0.88


NARRATIVE = Pattern(
    r" (?:is|IS|was|WAS) (?:an?|AN?|the|our) (?:[\w-]{1,16} ){0,3}?(?:\d{1,3}|[a-z]{3,7}(?:ty)?)"
    r"[- ]?(?:y(?:ea)?rs?|YEARS?|YR|y/?o|Y/?O|month|MONTH|week|wk|mo|day)\b"
)
LONGEST = 160
SENTENCE = Pattern(r"(?:^[ \t]{0,40}|(?<=[.:] )|(?<=[.:]  ))(?=[^\W\d_a-z])", re.MULTILINE)


def by_narrative(note: Reading) -> Iterator[Found]:
    """Sumaya is a 7 month old: a sentence that introduces the patient by name."""
    text = note.text
    for verb in note.at({"is", "was"}):
        end = verb - 1
        if not NARRATIVE.match(text, max(0, end)):
            continue
        for sentence in SENTENCE.finditer(text, max(0, end - LONGEST), end):
            name = read_name(text, sentence.end(), Trust.WEAK)
            if name and name.end == end:
                yield name.start, name.end, "PATIENT", 0.8


def _is_state(given: str) -> bool:
    """Toledo, OH and Savannah, Georgia open an address, not a note."""
    return STATE.fullmatch(given) is not None or given.lower() in STATE_NAMES


def _long_word(text: str, name: Name) -> bool:
    """Short words in capitals alone are abbreviations: DBS IPG 55187."""
    return any(
        len(word) > 4 or not word.isupper() for word in WORD.findall(text, name.start, name.end)
    )


def _heading(text: str, name: Name) -> bool:
    """A heading in capitals above a numbered list is not a page header."""
    words = [fold(word) for word in WORD.findall(text, name.start, name.end)]
    return not name.comma and any(is_ordinary(word) for word in words)
