"""Days that need no month: weekdays, schedules such as MWF, holidays, "on the 15th"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import FigurePattern, Pattern, WordPattern
from incognote.detect.rules.dates.context import (
    APOSTROPHE,
    GAP,
    MONTH,
    ORDINAL,
    Around,
    around,
    date,
    folded,
    words,
)
from incognote.detect.rules.engine import Finding
from incognote.knowledge.calendar import FULL_WEEKDAYS, SHORT_WEEKDAYS_READ
from incognote.knowledge.holidays import HOLIDAYS
from incognote.knowledge.people import DAY_TITLES

# Days of the week, their abbreviations, and schedules such as T/Th/Sa and M-F.

_FULL = frozenset(map(str.lower, FULL_WEEKDAYS))
_SHORT = frozenset(map(str.lower, SHORT_WEEKDAYS_READ))
WEEKDAY_HEADS = frozenset(
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
_MONTH_NEXT = Pattern(rf"(?:[ ]of)?[ ,]{{1,2}}{MONTH}(?![^\W\d_])", re.IGNORECASE)
_DAY_AND_MONTH_NEXT = Pattern(
    rf"[.,]?[ ]{{1,2}}\d{{1,2}}(?:{ORDINAL})?(?:[ ]of)?[ ]{MONTH}(?![^\W\d_])",
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


def weekday_at(text: str, start: int, end: int) -> Iterator[Finding]:
    """The weekday that this word is, with its ordinal in "Friday the 13th"."""
    word = text[start:end].lower()
    if word[0] == "q":
        start, word = start + 1, word[1:]
    full = word.rstrip("s") in _FULL or word in _FULL
    if not _is_weekday(text, start, end, full, word):
        return
    ordinal = _WITH_ORDINAL.match(text, end)
    if ordinal and not _MONTH_NEXT.match(text, ordinal.end()):
        yield date(start, ordinal.end(), 0.9)
        return
    abbreviated = not full and text[end : end + 1] == "." and _GOES_ON.match(text, end + 1)
    yield date(start, end + 1 if abbreviated else end, 0.95 if full else 0.8, "weekday")


def _is_weekday(text: str, start: int, end: int, full: bool, word: str) -> bool:
    context = around(text, start, end)
    if context.previous in DAY_TITLES:
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


def schedules(note: NoteIndex) -> Iterator[Finding]:
    """Days as letters: MWF, T/Th/Sa, M-F, "seen Tu and Th"."""
    text = note.text
    for pattern in (_SCHEDULE, _PAIR, _RUN):
        for match in pattern.find(note):
            context = around(text, *match.span())
            if context.next not in _SEX_NEXT and "catapres" not in context.before[:2]:
                yield date(*match.span(), 0.85, "schedule")
    for match in _TWO_LETTERS.find(note):
        if _INTRODUCED.search(text, max(0, match.start() - 8), match.start()):
            yield date(*match.span(), 0.75, "weekday")
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


def _log(note: NoteIndex) -> Iterator[Finding]:
    """Su 142/90 M 138/84 T 150/96: one-letter days, when at least three stand in a line."""
    line: list[re.Match[str]] = []
    for match in _LETTER_LOG.find(note):
        if line and (match.start() - line[-1].end() > 24 or match[0] in {day[0] for day in line}):
            yield from _days_of(line)
            line = []
        line.append(match)
    yield from _days_of(line)


def _days_of(line: list[re.Match[str]]) -> Iterator[Finding]:
    letters = {match[0] for match in line}
    if len(line) >= 3 and letters & {"M", "W"} and letters & {"Su", "Sa", "F", "Th", "Tu"}:
        for match in line:
            yield date(*match.span(), 0.7, "weekday")


# Holidays and holy days: Thanksgiving, MLK Day, Eid, St. Patrick's Day, during Lent.

_FIRST_WORD = Pattern(r"[^\W\d_]+")


HOLIDAY_NAMES = tuple(name for row in HOLIDAYS for name in (*row.names, *row.dates))
_IN_CONTEXT = {name.split()[0]: name.title() for row in HOLIDAYS for name in row.in_context}
"""By the first word, which no two of them share."""


def _pattern(phrase: str) -> str:
    return re.escape(phrase).replace(r"\ ", GAP).replace("'", APOSTROPHE + "?")


def _first_word(phrase: str) -> str:
    word = _FIRST_WORD.search(phrase)
    return word[0].lower() if word else ""


def _by_first_word() -> dict[str, Pattern]:
    """The holidays that begin with a word, the longest first."""
    phrases: dict[str, list[str]] = {}
    for phrase in sorted(HOLIDAY_NAMES, key=len, reverse=True):
        phrases.setdefault(_first_word(phrase), []).append(_pattern(phrase))
    return {
        word: Pattern(rf"(?:{'|'.join(patterns)})(?![^\W_])", re.IGNORECASE)
        for word, patterns in phrases.items()
    }


_PHRASES = _by_first_word()
_SAINT = Pattern(
    rf"(?:st\.?|saint){GAP}?[a-z]{{3,12}}(?:{APOSTROPHE}s|s{APOSTROPHE}|s)?{GAP}(?:day|eve)(?!\w)"
    rf"|st\.?{GAP}?(?:paddy|patrick|patty){APOSTROPHE}s(?!\w)",
    re.IGNORECASE,
)
_SUNDAY_OF = Pattern(
    rf"(?:[1-4](?:st|nd|rd|th)){GAP}(?:sunday|week){GAP}(?:of|in){GAP}(?:advent|lent)",
    re.IGNORECASE,
)
_HOLIDAY_CUE = words(
    """
    during of for since until till til before after over in at on through around last this next
    every each the by observes observing observed celebrating celebrate celebrated
    """
)
_CLAUSE_END = words(". , ; : ) and but with w/ she he they we -")
_NOT_A_DAY_AFTER = words(
    "tree trees disease factor seals seal island islands cactus rash pattern lily cruise health"
)

HOLIDAY_HEADS = frozenset(map(_first_word, (*HOLIDAY_NAMES, *_IN_CONTEXT))) | {"st", "saint"}


def holiday_at(text: str, start: int, end: int) -> Iterator[Finding]:
    """The holiday whose first word this is."""
    if text[start - 1 : start] in ("-", "/") and start:
        return
    phrase = _PHRASES.get(text[start:end].lower(), _SAINT)
    match = phrase.match(text, start) or _SAINT.match(text, start)
    if not match:
        name = _IN_CONTEXT.get(text[start:end].lower())
        if name and text.startswith(name, start) and _is_day(text, start, start + len(name)):
            yield date(start, start + len(name), 0.75, "holiday")
        return
    if around(text, start, match.end()).next not in _NOT_A_DAY_AFTER:
        yield date(start, match.end(), 0.9, "holiday")


def sunday_of_season(text: str, start: int) -> Finding | None:
    """3rd Sunday of Advent, from its ordinal on."""
    match = _SUNDAY_OF.match(text, start)
    return date(*match.span(), 0.9, "holiday") if match else None


def _is_day(text: str, start: int, end: int) -> bool:
    context = around(text, start, end)
    if context.previous not in _HOLIDAY_CUE or context.next in _NOT_A_DAY_AFTER:
        return False
    if text[end : end + 1].isalpha():
        return False
    if text[start:end] != "Fourth":
        return True
    return context.previous == "the" and (not context.next or context.next in _CLAUSE_END)


# A day of the month by its number alone: "on the 15th", "dated 30th ult.".

_ORDINAL = FigurePattern(
    r"\d(?<![\w.,/-]\d)\d?(?:st|nd|rd|th|ST|ND|RD|TH)(?!\w)",
    needs=frozenset({"st", "nd", "rd", "th"}),
    digits=[1, 2],
    then="[snrtSNRT]",
)
_ORDINAL_INTRODUCED = folded(
    rf"""
    \b(?:on|by|until|till|til|since|before|after|from|through|thru|to|around|is|be
        |(?:week|wk|morning|night|evening|afternoon|day)[ ]of){GAP}the{GAP}$
    """
)
_DATED = folded(rf"\bdated{GAP}(?:the{GAP})?$")
_WITHOUT_THE = folded(
    rf"\b(?:until|till|til|since|due|from|on|by|before|after|(?:week|wk|email|letter)[ ]of(?:{GAP}the)?){GAP}$"
)
_CLOSES = folded(r"[ ]?(?:[.,;)!?]|$|\r?\n)")
_AFTER_A_BREAK = folded(rf"[;,:-]{GAP}the{GAP}$")
_COMPARED = folded(
    rf"\b(?:compared|relative|adjacent|lateral|medial|distal|next|close){GAP}to{GAP}the{GAP}$"
)
_ORDINAL_CLAUSE_END = folded(
    r"""[ ]?(?:[.,;:)!?]|$|[-–]|\r?\n|w/|(?:and|or|at|but|with|he|she|it|they|we|if|for|pls|please
    |because|after|before|when|as|which|who|unless|so|then|did|is|was|will|in|via|seen)\b)"""
)
_IT_IS = folded(rf"{GAP}(?:it|is|was|at|works)\b")
_LEFT = 24


def day_ordinals(note: NoteIndex) -> Iterator[Finding]:
    """Ordinals that the words around them make days of the month."""
    text = note.text
    for match in _ORDINAL.find(note):
        start, end = match.span()
        sunday = sunday_of_season(text, start)
        if sunday:
            yield sunday
            continue
        if not 1 <= int(match[0][:-2]) <= 31:
            continue
        left = text[max(0, start - _LEFT) : start]
        if (
            _DATED.search(left)
            or (_AFTER_A_BREAK.search(left) and _IT_IS.match(text, end))
            or (_introduced(left) and _ORDINAL_CLAUSE_END.match(text, end))
            or (_WITHOUT_THE.search(left) and _CLOSES.match(text, end))
        ):
            yield date(start, end, 0.7)


def _introduced(left: str) -> bool:
    return _ORDINAL_INTRODUCED.search(left) is not None and _COMPARED.search(left) is None
