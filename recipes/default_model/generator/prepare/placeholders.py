"""Stand-ins for the placeholders that open reports have instead of names, places and dates.

`Dr. X` becomes `Dr. Xstand`, marked DOCTOR; the redraw gives it a name. What cannot be told stays,
and the screen drops its sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Found = tuple[int, int, str]

_DOCTOR = re.compile(
    r"\b(?:Dr\.|Drs\.|DR\.|Dr|Doctor) (?P<name>[A-HJ-Z]|[ABCDXYZ]{2,6}|Abcd?|Xyz|Doe)(?![\w'])"
)
_PERSON = re.compile(
    r"\b(?:Mr|Mrs|Ms|MRS)\.? (?P<name>[A-HJ-Z]|[ABCDXYZ]{2,6}|Abcd?|Xyz|Doe)(?![\w'])"
)
_FACILITY = re.compile(
    r"\b(?P<name>(?:ABCD?|XYZ|Abcd?|Xyz|XXXX?)(?: [A-Z][a-z]+)* (?:Hospital|Medical Center|Clinic|Nursing Home|Center))\b"
)
_DATE = re.compile(r"\b(?:MM/DD/YY(?:YY)?|MM-DD-YYYY|XX/XX/XX(?:XX)?|mm/dd/yy(?:yy)?|MM/DD)\b")


def name_placeholders(text: str) -> tuple[str, list[Found]]:
    """The text with stand-ins, and where they stand."""
    parts: list[str] = []
    found: list[Found] = []
    length = last = 0
    for start, end, type, make in sorted(_all(text)):
        if start < last:
            continue
        value = make(text[start:end], start)
        parts += [text[last:start], value]
        begin = length + start - last
        length = begin + len(value)
        found.append((begin, length, type))
        last = end
    parts.append(text[last:])
    return "".join(parts), found


_Maker = Callable[[str, int], str]


def _all(text: str) -> list[tuple[int, int, str, _Maker]]:
    places: list[tuple[int, int, str, _Maker]] = []
    for pattern, type in ((_DOCTOR, "DOCTOR"), (_PERSON, "PATIENT"), (_FACILITY, "HOSPITAL")):
        for match in pattern.finditer(text):
            make = _facility if type == "HOSPITAL" else _person
            places.append((*match.span("name"), type, make))
    places += [(*match.span(), "DATE", _date) for match in _DATE.finditer(text)]
    return places


def _person(value: str, _: int) -> str:
    return f"{value.capitalize()}stand"


def _facility(value: str, _: int) -> str:
    first, rest = value.split(" ", 1)
    return f"{first.capitalize()}stand {rest}"


def _date(value: str, place: int) -> str:
    month, day = place % 12 + 1, place % 28 + 1
    if value.upper() == "MM/DD":
        return f"{month}/{day}"
    year = "2008" if value.upper().endswith(("YYYY", "XXXX")) else "08"
    return f"{month:02}/{day:02}/{year}"
