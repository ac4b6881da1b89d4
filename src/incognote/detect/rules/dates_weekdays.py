"""Days of the week, their abbreviations, and schedules such as MWF, T/Th/Sa and M-F."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.rules.dates_calendar import (
    DASH,
    FULL_WEEKDAYS,
    ORDINAL,
    SHORT_WEEKDAYS,
    Hit,
    folded,
)
from incognote.detect.rules.dates_context import TITLES, Around, around, words

_WEEKDAY = folded(
    rf"(?:(?<![^\W_])|(?<=\bq))(?:(?P<full>{FULL_WEEKDAYS})s?|(?P<short>{SHORT_WEEKDAYS})s?\.?)(?![^\W\d_])"
)
_LETTER = r"(?:Mo?n?|Tu?e?s?|We?d?|Th?u?r?s?|Fr?i?|Sa?t?|Su?n?|TU|TH|SA|SU|R)"
_SLASHED = re.compile(
    rf"(?<![\w/.-])(?:{_LETTER}(?P<sep>[/,+&]|-)(?:{_LETTER}(?P=sep)){{1,5}}{_LETTER}"
    rf"|(?:Mo?n?|W|Tu?|Th|F|Sa|Su|Tues?|Wed|Thurs?|Fri)/(?:Th|Tu|Sa|Su|W|Thurs?|Fri|Sat|Sun)"
    rf"|(?:Tu?|W|Th)/F|(?<=\d )M/F(?=[ ][=(]|,))(?![\w/]|-\w)"
)
_RUN = re.compile(
    r"(?<![\w/-])(?:MWF(?:S[aun]{0,2})?|M-?W-?Th|MTW(?:Th|R)?F?|M?TTh(?:S|Sa|F)?|TTHS?|T[RT]S(?:a|at)?|TuTh(?:Sa?)?"
    r"|MTuW\w{1,5}|MTWRF|WThF|TThSa?|Su-Th|M[-–](?:F|Sa|Sat|Th|W)|T[-–](?:F|Th|Sa)|Tu[-–]F|Sa[-/&]Su)(?![\w/-])"
)
_TWO_LETTERS = re.compile(
    r"(?i:\b(?:on|seen|every|each|q|next|this|last|since|and|or)[ ])(?P<day>Tu|Th|Sa|Su)(?![\w'’/-])"
)
_LETTER_LOG = re.compile(
    r"(?<![\w/])(?P<day>Su|M|Tu?|W|Th|F|Sa|S)(?=[ :]{1,2}\d{2,3}(?:/\d{2,3})?(?![\d/]))"
)
_WITH_ORDINAL = re.compile(rf"[ ,]{{1,2}}(?:the[ ])?\d{{1,2}}{ORDINAL}(?!\w)", re.IGNORECASE)

_GOES_ON = re.compile(r"[ ]?[,;:)]|[ ][a-z0-9]")

_CUE = words(
    """
    on since until till til next last this every each by from thru through before after late early
    appt due start starts started begin begins visit booked seen closed open night fri sun sat mon
    wed thurs thu tues tue and or to call tomorrow return recheck mva fell only except avail week back
    """
)
_LOOSE_CUE = _CUE | words("/ - – ( : , ;")
_POSTURE_BEFORE = words("he she they pt patient then who o2 ra room air and again mother father")
_SPEECH_AFTER = words(
    """
    down up with w/ w in on upright by next exposure damage protection screen block avoidance
    at beside outside for quietly still there through again and
    """
)
_SEX_NEXT = words("ratio trans transgender transition sex gender")


def weekdays(text: str) -> Iterator[Hit]:
    """Every weekday and schedule of weekdays."""
    for match in _WEEKDAY.finditer(text):
        if _is_weekday(text, match):
            yield _day(text, match)
    for match in _SLASHED.finditer(text):
        yield Hit(*match.span(), 0.85, "schedule")
    for match in _RUN.finditer(text):
        context = around(text, *match.span())
        if context.next not in _SEX_NEXT and context.previous != "catapres":
            yield Hit(*match.span(), 0.85, "schedule")
    for match in _TWO_LETTERS.finditer(text):
        yield Hit(*match.span("day"), 0.75, "weekday")
    yield from _log(text)


def _day(text: str, match: re.Match[str]) -> Hit:
    """The day with its ordinal; the full stop of an abbreviation counts, that of a sentence not."""
    start, end = match.span()
    ordinal = _WITH_ORDINAL.match(text, end)
    if ordinal:
        return Hit(start, ordinal.end(), 0.9, "day")
    if match[0].endswith("."):
        if not _GOES_ON.match(text, end):
            end -= 1
    return Hit(start, end, 0.95 if match["full"] else 0.8, "weekday")


def _is_weekday(text: str, match: re.Match[str]) -> bool:
    context = around(text, *match.span())
    if context.previous in TITLES:
        return False
    if match["full"]:
        return True
    name = match["short"]
    lower = name.lower()
    if text[match.end() : match.end() + 1] in ("'", "’") or text[match.start() - 1 : match.start()] == "_":
        return False
    if lower not in ("sat", "sun", "mon", "wed"):
        return True
    if lower in ("mon", "wed"):
        return name != lower or context.previous in _LOOSE_CUE
    return _is_saturday_or_sunday(context, name)


def _is_saturday_or_sunday(context: Around, name: str) -> bool:
    """Sat and Sun against saturation, sitting and sunshine."""
    number_next = context.next.isdigit() and context.after[1:2] not in (("/",), ("-",))
    if number_next and not (name.istitle() and context.after[1:2] in ((":",), ("am",), ("pm",))):
        return False
    if context.previous in _CUE and name != name.lower():
        return context.next not in words("exposure % down")
    if name.islower():
        cue = context.previous in _CUE - words("and or to night only late early call")
        return cue and context.next not in _SPEECH_AFTER
    if name.isupper():
        return context.line_start and context.after[1:2] == ("/",)
    if context.next in _SPEECH_AFTER - words("at and in for by with"):
        return False
    if context.line_start or context.previous in words(". ; !"):
        return context.next not in _SPEECH_AFTER
    return context.previous not in _POSTURE_BEFORE


def _log(text: str) -> Iterator[Hit]:
    """Su 142/90 M 138/84 T 150/96: one-letter days, when at least three stand in a line."""
    for line in re.finditer(r"[^\n]+", text):
        if not re.search(r"\bS[ua]?[ :]{1,2}\d{2,3}", line[0]):
            continue
        days = list(_LETTER_LOG.finditer(line[0]))
        order = [day["day"][:2] for day in days]
        if len(days) >= 3 and len(set(order)) == len(order) and {"W", "M"} & set(order):
            for day in days:
                yield Hit(line.start() + day.start(), line.start() + day.end(), 0.7, "weekday")
