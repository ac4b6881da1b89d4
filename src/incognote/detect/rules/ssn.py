"""Social security numbers and their like: ITIN, SIN (Canada), PPS (Ireland), NINO (UK), TFN.

Only the dashed 3-2-4 form and the spaced NINO speak for themselves; the others need their label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.first_words import first_words
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import DASH, SPACE, FigurePattern, Pattern, WordPattern
from incognote.detect.rules.engine import Family, Finding, Rule
from incognote.detect.rules.labels import names_another_number

TYPE = "SSN"

_S = f"[{SPACE}]"
_D = rf"{_S}?[{DASH}]{_S}?"
_HIDDEN = r"[xX*#\u2022\u25cf]"

_DASHED = FigurePattern(
    rf"[0-9](?<![A-Za-z0-9{DASH}.].)[0-9]{{2}}{_D}[0-9]{{2}}{_D}(?:\r?\n{_S}{{0,8}})?[0-9]{{4}}(?![A-Za-z0-9]|[{DASH}.]\d)",
    digits=[3],
    then=rf"{_S}?[{DASH}]",
)
_MASKED = Pattern(
    rf"[xX*#\u2022\u25cf](?<![A-Za-z0-9*#].){_HIDDEN}{{2}}[{DASH}{SPACE}]?{_HIDDEN}{{2}}[{DASH}{SPACE}]?[0-9]{{4}}(?![A-Za-z0-9{DASH}])"
)
_NINO_SPACED = FigurePattern(
    rf"\d\d(?<=[A-CEGHJ-PQR-TW-Z][A-CEGHJ-NPQR-TW-Z]{_S}..)(?<![A-Za-z0-9].....){_S}\d\d{_S}\d\d{_S}[A-D](?![A-Za-z0-9])",
    digits=[2],
    then=rf"{_S}\d",
)
"""From the first of its numbers, which its two letters stand before."""

_FILLER = (
    rf"(?:{_S}?(?:\#|no|nos|num|number|nbr|id)\b\.?)?(?:{_S}?\([^()\r\n]{{0,30}}\))?"
    rf"(?:{_S}(?:on{_S}file|card|is|was|given|given{_S}as|per{_S}(?:pt|patient)|verified|reads?|ending(?:{_S}in)?|ends(?:{_S}in)?))?"
    rf"[\s:#=.,_(\[\"'{DASH}]{{0,40}}"
)
_NINE = (
    rf"\d{{3}}(?:{_S}?[{DASH}./]{_S}?|{_S})?\d\d(?:{_S}?[{DASH}./]{_S}?|{_S})?\d{{4}}"
    rf"|\d{{3}}[{DASH}{SPACE}.]\d{{3}}[{DASH}{SPACE}.]\d{{3}}"
    rf"|\d(?:{_S}\d){{2}}(?:{_S}[{DASH}./]{_S}|{_S})\d{_S}\d(?:{_S}[{DASH}./]{_S}|{_S})\d(?:{_S}\d){{3}}"
)
_US_LABEL = "|".join(
    [
        "ssn",
        r"s\.s\.n?\.?",
        rf"ss{_S}?\#",
        rf"ss{_S}(?:no|num|number)",
        rf"soc(?:ial|\.)?{_S}?sec(?:urity|\.)?",
        "social",
        "soc",
        r"i\.?t\.?i\.?n",
        rf"taxpayer{_S}id(?:entification)?",
        "ss",
    ]
)
_NO_MORE = rf"(?![0-9]|[{DASH}.]\d|(?<=\d)(?i:[A-CE-Z])\b)"
_LABELLED = tuple(
    WordPattern(
        rf"(?<![A-Za-z])(?i:(?:{label}){_FILLER}(?P<value>{value})){_NO_MORE}",
        words=first_words(f"(?:{label})(?:xxx)?"),
    )
    for label, value in (
        (
            _US_LABEL,
            rf"{_NINE}|{_HIDDEN}{{3}}[{DASH}{SPACE}]?{_HIDDEN}{{2}}[{DASH}{SPACE}]?\d{{4}}",
        ),
        (
            "|".join([r"s\.?i\.?n", rf"social{_S}insurance"]),
            rf"\d{{3}}[{DASH}{SPACE}]?\d{{3}}[{DASH}{SPACE}]?\d{{3}}",
        ),
        ("|".join([rf"pps(?:n|{_S}?(?:no|number|\#))?"]), rf"\d{{7}}{_S}?[A-W][A-IW]?"),
        (
            "|".join(["nino", rf"ni{_S}?(?:no|number|\#)", rf"national{_S}insurance", r"n\.i\."]),
            rf"[A-Z]{{2}}{_S}?\d\d{_S}?\d\d{_S}?\d\d{_S}?[A-D]",
        ),
        ("|".join(["tfn", rf"tax{_S}file"]), rf"\d{{3}}{_S}?\d{{3}}{_S}?\d{{2,3}}"),
    )
)
_LAST_FOUR_WORD = rf"last{_S}?(?:4|four)"
_WHOSE = rf"(?:the|his|her|their|your|pt'?s?|patient'?s){_S}"
_NUMBER_NAME = rf"(?:ssn|ss{_S}?\#|social(?:{_S}security)?(?:{_S}number)?|soc(?:{_S}sec)?)"
_LAST_FOUR = tuple(
    WordPattern(
        rf"(?<![A-Za-z])(?i:(?:{label}){gap}(?P<value>[A-Z]?\d{{4}}))(?![0-9A-Za-z/%]|[{DASH}.:]\d)",
        words=first_words(label),
    )
    for label, gap in (
        (
            "|".join(["ssn", rf"ss{_S}?\#", rf"social(?:{_S}security)?", rf"soc{_S}?sec"]),
            rf"(?:{_S}(?:no|number|\#)\.?)?{_S}?(?:\(?{_S}?(?:{_LAST_FOUR_WORD}|l4)[^()\r\n\d]{{0,24}}\)?"
            rf"|ending(?:{_S}in)?|ends{_S}(?:in|with))[\s:#=.,_{DASH}]{{0,24}}",
        ),
        ("|".join(["ssn", rf"ss{_S}?\#"]), r"[\s:#=.]{0,24}"),
        (
            "|".join([_LAST_FOUR_WORD]),
            rf"(?:{_S}(?:digits?|numbers?))?(?:{_S}(?:of{_S})?(?:{_WHOSE})?{_NUMBER_NAME})?"
            rf"(?:{_S}(?:is|are|was))?[\s:#=.,{DASH}]{{1,6}}",
        ),
    )
)
_CARD = Pattern(
    r"(?:card|visa|acct|account|phone|cell|vin|policy|mrn)\W+(?:ending\W+)?$", re.IGNORECASE
)
_OTHER_LABEL = Pattern(r"#\s?[A-Z]\s?$")


def _unlabelled(text: str, match: re.Match[str]) -> bool:
    start = match.start()
    return not names_another_number(text, start) and not _OTHER_LABEL.search(
        text[max(0, start - 4) : start]
    )


def _own_number(text: str, match: re.Match[str]) -> bool:
    return not names_another_number(text, match.start())


def _no_card(text: str, match: re.Match[str]) -> bool:
    return not _CARD.search(text[max(0, match.start() - 24) : match.start()])


def _spaced_ninos(note: NoteIndex) -> Iterator[Finding]:
    """Their pattern begins after the two letters."""
    for match in _NINO_SPACED.find(note):
        start = match.start() - 3
        if not names_another_number(note.text, start):
            yield Finding(start, match.end(), TYPE, 0.85)


FAMILY = Family(
    "ssn",
    frozenset({TYPE}),
    (
        Rule(_DASHED, TYPE, 0.95, when=_unlabelled),
        Rule(_MASKED, TYPE, 0.95, when=_own_number),
        _spaced_ninos,
        *(Rule(pattern, TYPE, 0.9, "value") for pattern in _LABELLED),
        *(Rule(pattern, TYPE, 0.85, "value", when=_no_card) for pattern in _LAST_FOUR),
    ),
)
