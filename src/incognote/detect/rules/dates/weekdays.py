"""Days of the week, their abbreviations, and schedules such as MWF, T/Th/Sa and M-F."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.dates.calendar import (
    FULL_MONTHS,
    FULL_WEEKDAYS,
    ORDINAL,
    SHORT_MONTHS,
    SHORT_WEEKDAYS,
    Hit,
    folded,
)
from incognote.detect.rules.dates.context import TITLES, Around, around, words

_FULL = frozenset(FULL_WEEKDAYS.lower().split("|"))
_SHORT = frozenset(SHORT_WEEKDAYS.lower().split("|"))
HEADS = frozenset(
    prefix + word + plural
    for word in _FULL | _SHORT
    for plural in ("", "s")
    for prefix in ("", "q")
)
_LETTER = r"(?:Mo?n?|Tu?e?s?|We?d?|Th?u?r?s?|Fr?i?|Sa?t?|Su?n?|TU|TH|SA|SU|R)"
_SCHEDULE = WordPattern(
    r"(?<![\w/.-])(?:M(?:on?|n)?|T(?:ues?|u|h|hurs?|U|H)?|W(?:ed|e)?|F(?:ri?)?|S(?:at?|un?|A|U)|R)"
    rf"(?P<sep>[/,+&-])(?:{_LETTER}(?P=sep)){{1,5}}{_LETTER}(?![\w/]|-\w)"
)
_PAIR = WordPattern(
    r"(?<![\w/.-])(?:(?:M(?:on|o)?|W(?:ed)?|T(?:ues?|u|hurs?|h)?|F(?:ri)?|S[au])"
    r"/(?:Thurs?|Th|Tu|Sat|Sa|Sun|Su|W|Fri)|(?:T(?:u|h)?|W)/F|(?<=\d )M/F(?=[ ][=(]|,))"
    r"(?![\w/]|-\w)"
)
_RUN = WordPattern(
    r"(?<![\w/-])(?:M(?:WF(?:Sa|Su|Sn|Sun|S)?|-?W-?Th|TW(?:Th|R)?F?|TThF?|TuW(?:Th|ThF|F|R|RF)"
    r"|[-–](?:F|Sa|Sat|Th|W|S))|T(?:Th(?:S|Sa|F)?|THS?|[RT]S(?:a|at)?|uTh(?:Sa?)?|Tha?(?:Sa?)?"
    r"|[-–](?:F|Th|Sa|S)|u[-–]F)|WThF|S(?:u-Th|a[-/&]Su))(?![\w/-])"
)
_TWO_LETTERS = WordPattern(r"(?<![\w'’/-])[TS][uha](?![\w'’/.-])")
_INTRODUCED = folded(r"\b(?:on|seen|every|each|q|next|this|last|since|and|or)[ ]$")
_LETTER_LOG = WordPattern(r"(?<![\w/])[SMTWF][uha]?(?=[ :]{1,2}\d{2,3}(?:/\d{2,3})?(?![\d/]))")
_WITH_ORDINAL = Pattern(rf"[ ,]{{1,2}}(?:the[ ])?\d{{1,2}}{ORDINAL}(?!\w)", re.IGNORECASE)
_MONTH_NEXT = Pattern(
    rf"(?:[ ]of)?[ ,]{{1,2}}(?:{FULL_MONTHS}|{SHORT_MONTHS})(?![^\W\d_])", re.IGNORECASE
)
_DAY_AND_MONTH_NEXT = Pattern(
    rf"[.,]?[ ]{{1,2}}\d{{1,2}}(?:{ORDINAL})?(?:[ ]of)?[ ](?:{FULL_MONTHS}|{SHORT_MONTHS})(?![^\W\d_])",
    re.IGNORECASE,
)

_GOES_ON = Pattern(r"[ ]?[,;:)]|[ ][a-z0-9]")

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


def weekday_at(text: str, start: int, end: int) -> Iterator[Hit]:
    """The weekday that this word is, with its ordinal in "Friday the 13th"."""
    word = text[start:end].lower()
    if word[0] == "q":
        start, word = start + 1, word[1:]
    full = word.rstrip("s") in _FULL or word in _FULL
    if not _is_weekday(text, start, end, full, word):
        return
    ordinal = _WITH_ORDINAL.match(text, end)
    if ordinal and not _MONTH_NEXT.match(text, ordinal.end()):
        yield Hit(start, ordinal.end(), 0.9, "day")
        return
    abbreviated = not full and text[end : end + 1] == "." and _GOES_ON.match(text, end + 1)
    yield Hit(start, end + 1 if abbreviated else end, 0.95 if full else 0.8, "weekday")


def _is_weekday(text: str, start: int, end: int, full: bool, word: str) -> bool:
    context = around(text, start, end)
    if context.previous in TITLES:
        return False
    if full:
        return True
    if text[end : end + 1] in ("'", "’") or text[start - 1 : start] == "_":
        return False
    if _DAY_AND_MONTH_NEXT.match(text, end):
        return True
    short = word if word in _SHORT else word[:-1]
    if short in ("sat", "sun"):
        return _is_saturday_or_sunday(context, text[start:end])
    if short in ("mon", "wed"):
        return not text[start:end].islower() or context.previous in _LOOSE_CUE
    return True


def schedules(note: Reading) -> Iterator[Hit]:
    """Days as letters: MWF, T/Th/Sa, M-F, "seen Tu and Th"."""
    text = note.text
    for pattern in (_SCHEDULE, _PAIR, _RUN):
        for match in pattern.find(note):
            context = around(text, *match.span())
            if context.next not in _SEX_NEXT and "catapres" not in context.before[:2]:
                yield Hit(*match.span(), 0.85, "schedule")
    for match in _TWO_LETTERS.find(note):
        if _INTRODUCED.search(text, max(0, match.start() - 8), match.start()):
            yield Hit(*match.span(), 0.75, "weekday")
    yield from _log(note)


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


def _log(note: Reading) -> Iterator[Hit]:
    """Su 142/90 M 138/84 T 150/96: one-letter days, when at least three stand in a line."""
    line: list[re.Match[str]] = []
    for match in _LETTER_LOG.find(note):
        if line and (match.start() - line[-1].end() > 24 or match[0] in {day[0] for day in line}):
            yield from _days_of(line)
            line = []
        line.append(match)
    yield from _days_of(line)


def _days_of(line: list[re.Match[str]]) -> Iterator[Hit]:
    letters = {match[0] for match in line}
    if len(line) >= 3 and letters & {"M", "W"} and letters & {"Su", "Sa", "F", "Th", "Tu"}:
        for match in line:
            yield Hit(*match.span(), 0.7, "weekday")
