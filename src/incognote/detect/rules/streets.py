"""Street addresses: house number and street, units, boxes and rural routes, streets in prose.

Each pattern begins with a digit or a rare literal, to be fast.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import UPPER, FigurePattern, Pattern, WordPattern
from incognote.detect.rules.engine import Family, Finding, Rule, cut_overlaps, keep_distinct
from incognote.knowledge.number_words import SMALL
from incognote.knowledge.streets import (
    FOREIGN_FIRST,
    PROSE_TYPES,
    SMALL_TYPES,
    STRONG_TYPES,
    UNIT_WORDS,
    WEAK_TYPES,
)

TYPE = "STREET"


def _both_cases(words: tuple[str, ...]) -> str:
    """The words with a capital and in capitals: the patterns tell cases apart."""
    return f"(?:{'|'.join([*map(str.capitalize, words), *map(str.upper, words)])})"


_SPACE = r"[ \t\u00a0]{1,3}"
_GAP = r"(?:[ \t\u00a0]{1,3}|[ \t\u00a0]?\r?\n[ \t\u00a0]{0,4})"
_DIGIT = r"\d(?:(?<![^\W_]\d)|(?<=[NSEW]\d)(?<![^\W_][NSEW]\d))(?<![$#.,/\-–:]\d)"
_STRONG = _both_cases(STRONG_TYPES)
_WEAK = _both_cases(WEAK_TYPES)
_DIRECTION = (
    "(?:North(?:east|west)?|South(?:east|west)?|East|West|[NS]\\.?[EW]\\.?|[NSEW]\\.?"
    "|NORTH(?:EAST|WEST)?|SOUTH(?:EAST|WEST)?|EAST|WEST)"
)
_FOREIGN_FIRST = "|".join(word if word == "ul" else word.capitalize() for word in FOREIGN_FIRST)
_SMALL = "|".join(SMALL_TYPES)
_ORDINAL = r"\d{1,3}(?:st|nd|rd|th|ST|ND|RD|TH)\b"
_CAPITAL = rf"[{UPPER}][^\W_]*+(?:['’ʻ\-][^\W_]++){{0,3}}+\.?"
_WORD = rf"(?:{_CAPITAL}|{_ORDINAL}|(?:of|the|de|la|del|los|las|le|du|and|&)(?=[ \u00a0]))"
_FIRST = rf"(?:{_CAPITAL}|{_ORDINAL})"
_NUMBER = rf"{_DIGIT}\d{{0,5}}(?:[\-–]\d{{1,5}})?[A-Za-z]?(?:½|[ ]1/2)?"

_VALUE = r"(?:\d{1,5}(?:[ ]?-?[A-Za-z]\b|\b)|[A-Za-z]-?\d{0,4}\b)"
_UNIT = (
    rf"(?:(?i:{'|'.join(UNIT_WORDS)})\b\.?[ ]?\#?[ ]?{_VALUE}"
    r"|\#[ ]?[A-Za-z]?-?\d{1,5}(?:-\d{1,5})?-?[A-Za-z]?\b|\#[A-Za-z]\b"
    r"|(?i:\d{1,2}(?:st|nd|rd|th)[ ](?:floor|flr|fl)\b\.?(?:[ ](?:rear|front)\b)?|rear\b)"
    r"|\d{1,3}-?[A-Z]\b(?![ ]?[:=]))"
)
_UNITS = rf"(?:,?{_SPACE}{_UNIT}){{1,3}}"


def _house(following: str) -> FigurePattern:
    """A number that a street may follow: the one place where most patterns begin."""
    return FigurePattern(
        rf"{_NUMBER},?[ \t\u00a0\r\n]{following}",
        digits=range(1, 7),
        then=r"[ \t\xa0\r\n½]|,[ \t\xa0\r\n]|[-–]\d|[A-Za-z][½, \t\xa0\r\n]",
    )


_HOUSE = _house("")
_HOUSE_BEFORE_NAME = _house(rf"[ \t\u00a0\r\n]{{0,6}}(?:(?=[{UPPER}\d])|ul\b)")
"""Most streets begin with a capital, a digit (5th) or a small "ul."; most numbers go before others."""
_NUMBERED = Pattern(
    rf"(?P<number>{_NUMBER}),?{_GAP}(?:{_DIRECTION}{_GAP})?"
    rf"(?:(?P<name>{_FIRST}{_GAP}(?:{_WORD}{_GAP}){{0,4}}?)"
    rf"(?:(?P<strong>{_STRONG})|(?P<weak>{_WEAK}))\b(?:{_SPACE}(?P<second>{_STRONG})\b)?\.?"
    rf"|(?P<foreign>(?:{_FOREIGN_FIRST})\b\.?{_SPACE}(?:{_WORD}{_SPACE}){{0,2}}{_FIRST})"
    rf"|(?P<bare>Broadway|BROADWAY|Boulevard|The[ ](?:Avenue|Street|Parade|Crescent|Square))\b)"
    rf"(?:{_SPACE}{_DIRECTION}(?![\w']))?(?P<units>{_UNITS})?"
)
_LEADING = Pattern(
    r"(?:(?P<unit>(?i:\b(?:flat|unit|apt|apartment|suite|shop|lot|space|plot|door|house|blk|block"
    r"|rr|r\.r\.)\.?[ ]?(?:no\.?[ ]?)?\#?[ ]?(?:\d{1,4}[A-Za-z]?|[A-Za-z])(?:,[ ]|/|[ ])))"
    r"|(?<![^\W_])[NSEW]{1,2}[ ]?)$"
)
_GOES_ON = Pattern(
    rf"[.,]?(?:[ \t•*^]{{0,3}},?[ \t•*]{{0,30}}|[ \t]*\r?\n[ \t]*)"
    rf"[{UPPER}][\w'’.]+(?:[ ][{UPPER}][\w'’.]+){{0,2}}"
    rf"(?:,?[ \t^]{{1,3}}(?:[A-Z]{{2}}\b(?!,)|\d{{5}}\b)|,[ ](?:[A-Z]{{2}}\b|[{UPPER}][a-z]+[ ]\d))"
)
_LED = Pattern(
    r"(?i:(?:\b(?:at|address|addr|lives|living|home|house|office|to|of|resides|residence|street"
    r"|located|location)[ \t:.,=]{1,26})|[|^\"]|(?:^|\n)[ \t]*)$"
)
_STOPS = Pattern(rf"[.,;)|^]?[ \t]*(?:\r?\n|$|,[ ][{UPPER}]|[ ]{{3}}|[;)|^])|[,;)^|]")
_TITLE = Pattern(rf"\.?[ \t]{{1,2}}[{UPPER}]")
_NOT_A_NAME = Pattern(
    r"\b(?i:mg|ml|mcg|tabs?|caps?|patient|pt|weeks?|days?|hours?|minutes?|months?|years?|yo"
    r"|units?|po|bid|tid|qid|prn|vessel|leads?|miles?|doses?|mm|cm|stage|grade|was|is|by|seen|bp|hr"
    r"|rr|temp|per|with|from|physician|pcp|attending)\b|\b(?:THE|IN|AT|TO|FOR|ON)\b"
)

_PROSE_TYPE = WordPattern(
    rf"(?<=[ ])({_both_cases(PROSE_TYPES)}(?:[ ]{_DIRECTION})?)\b"
    rf"(?!['’\-]|[ ](?!(?:IN|AND|AT|WITH|NEAR|BY|TO|FOR|ON|WHERE|SINCE)\b)[{UPPER}])",
    words=frozenset(PROSE_TYPES),
)
_PROSE_NAME = Pattern(
    r"(?:(?<=\s)|^)(?i:on|off|onto|near|at|from|along|of|up|down|to|and|&|the|across|via)[ ]{1,2}"
    rf"(?P<name>(?:{_DIRECTION}[ ])?(?:(?!(?:The|His|Her|Our|A|An|ON|AT|OF|AND|TO|THE)\b){_FIRST}[ ]){{1,3}}?)$"
)
_CORNER = WordPattern(
    r"(?<![^\W_])(?i:(?:corner|intersection|junction)[ ]of|found[ ](?:down[ ])?on)[ ]"
    rf"((?:{_FIRST}[ ]){{0,2}}{_FIRST})[ ](?:and|&|/)[ ]((?:{_FIRST}[ ]){{0,2}}{_FIRST})"
)

_HIGHWAY = (
    r"(?i:(?:county|co\.?|state|us|old)[ ](?:road|rd|route|rte|rt|hwy|highway)|highway|hwy|route|rte"
    r"|farm[ ]to[ ]market[ ](?:road|rd)|rural[ ]route)"
)
_ROUTE = Pattern(
    rf"{_NUMBER}{_SPACE}(?:{_DIRECTION}{_SPACE})?"
    rf"(?:{_HIGHWAY}\.?{_SPACE}\#?(?:\d{{1,4}}[A-Z]?|[A-Z]{{1,2}})\b|(?:FM|RM|CR){_SPACE}\d{{3,4}}\b)"
    rf"(?:{_SPACE}(?:{_DIRECTION}|Bypass|Business)\b)?(?:{_UNITS})?",
    needs=frozenset("county co state us old highway hwy route rte farm rural fm rm cr".split()),
)
_WORDED = WordPattern(
    rf"(?<![^\W_])(?=[A-Z])(?i:{'|'.join(SMALL[1:11])}){_SPACE}{_FIRST}{_SPACE}"
    rf"(?:{_FIRST}{_SPACE}){{0,2}}?(?:{_STRONG}|{_WEAK})\b\.?(?:{_UNITS}|(?={_GOES_ON.source}))"
)
_GRID = Pattern(
    rf"{_DIGIT}\d{{0,4}}{_SPACE}{_DIRECTION}{_SPACE}\d{{2,5}}{_SPACE}{_DIRECTION}(?![\w'])(?:{_UNITS})?"
)
_NO_TYPE = Pattern(rf"{_NUMBER}{_SPACE}{_DIRECTION}{_SPACE}{_FIRST}(?:{_SPACE}{_FIRST})?{_UNITS}")
_BOX = Pattern(
    r"[pPgGhHrRsSuUcC](?<![^\W_].)(?:(?<=[pPgG])\.?[ ]?"
    r"(?i:p?\.?o\.?[ ]{0,2}(?:box|bx|drawer|bin)|ost[ ]office[ ]box)"
    r"[ ]{0,2}\#?[ ]?[A-Za-z]?-?\d[\d\-]{0,6}[A-Za-z]?"
    r"|(?i:(?<=h)cr?|(?<=r)(?:r|\.r\.|te?|oute|ural[ ]route|fd|d)|(?<=s)tar[ ]route|(?<=p)sc|(?<=u)nit|(?<=c)mr)"
    r"\.?[ ]{0,2}\#?[ ]?\d{1,5}[A-Za-z]?,?[ ]{1,2}(?i:box)[ ]\#?\d{1,6}(?:-?[A-Za-z])?)\b",
    needs=frozenset("box bx drawer bin pobox pobx podrawer pobin gpobox".split()),
    in_line=True,
)
_RURAL = WordPattern(
    r"[RS](?<![^\W_].)(?:(?:\.R\.|R|FD|\.D\.)[ ]?\#[ ]?\d{1,2}"
    r"|(?i:ural[ ](?:route|delivery)|tar[ ]route|fd)[ ]\#?[ ]?\d{1,2}"
    rf"|R[ ]?\d{{1,2}}(?=,?[ ][{UPPER}][a-z]+,?[ ](?:[A-Z]{{2}}|Ont|Sask|Que|Man|Alta)\b))(?![\w%])",
    words=frozenset("r s rr sr rfd sfd rural sural rtar star".split()),
)
_BARE_BOX = Pattern(
    rf"(?P<address>B(?<![^\W_].)(?:ox|OX)[ ]\d{{1,5}}[A-Z]?)(?=,[ ][{UPPER}][a-z]+,?[ ][A-Z]{{2}}\b|[ ]?\r?\n[{UPPER}]{{2}})",
    needs=frozenset({"box"}),
)
_LOT = WordPattern(
    r"(?<![^\W_])[LSTPFH](?:ot|pace|railer|lot|lat|\.)[ ](?:No\.?[ ])?\#?\d{1,4}(?:[\-/]\w{1,4})?[A-Z]?,?[ ]"
    rf"(?:{_FIRST}[ ]){{1,2}}(?:Village|Park|Court|Estates|Firs|Pines|Oaks|Acres|Road|Rd|Street|St"
    r"|Lane|Ln|Avenue|Ave|Drive|Nagar|Colony|Apartments|Towers|Residency|Society)\b"
)
_APARTMENT = WordPattern(
    r"(?<![^\W_])[aA](?:pt|PT|partment)\b\.?[ ](?:no\.?[ ])?(?:\#[ ]?[\w\-]{1,5}|\d{1,4}-?[A-Z]?)\b(?![/:.%\-]|[ ](?i:am|pm|min|w|d|m))"
)
_LOWER = FigurePattern(
    rf"{_DIGIT}\d{{0,4}}[ ](?:[nsew]\.?[ ])?(?:(?!(?:miles?|mins?|minutes?|hours?|hrs?|blocks?|days?"
    r"|weeks?|wk|tabs?|mg|ml|a|the|in|to|of|on|per|and|more|times|for|pm|am|way|long|short)\b)[a-z']{3,14}[ ]){1,2}"
    rf"(?:{_SMALL})\b\.?"
    rf"(?:(?:{_UNITS})|(?=,[ ][a-zA-Z]|[ ]?\r?\n|$))",
    needs=frozenset(SMALL_TYPES),
    digits=range(1, 6),
    then=r" [a-z']",
)
_LABELLED = WordPattern(
    r"(?<![^\W_])[aArRsS](?i:ddress(?:[ ]?1|[ ]line[ ]1)?|ddr|esidence|treet)\b"
    r"[ \t]*[:.=_]{0,24}[ \t]{0,24}"
    rf"(?P<address>\#?\d{{1,6}}[A-Za-z½]?[ ](?:[^\W_][\w'’.\-]*+[ ]){{0,4}}[^\W_][\w'’\-]*+\.?(?:{_UNITS})?)"
    r"(?=,|[ ]{2}|\t|[ ]?\r?\n|;|$)"
)
_ABROAD = WordPattern(
    r"(?<![^\W_])(?:(?:C(?:alle|amino|arrera)|A(?:venida|vda|v\.)|Ru[ae]|Paseo|J(?:alan|ln)|ul\.|Via(?:le)?)"
    rf"[ ](?:(?:da|das|do|dos|de|del|la|los){{0,1}}[ ]?{_CAPITAL}[ ]?){{1,3}}(?:,[ ]|(?<=[ ]))\d{{1,5}}[A-Za-z]?"
    r"(?:[ ]m\.[ ]\d{1,4}|,[ ]int[ ]\d{1,4})?"
    r"|Carr\.?[ ]\d{1,4}[ ]Km\.?[ ]?\d{1,3}(?:\.\d)?)\b"
)
_GERMAN = Pattern(
    rf"[{UPPER}](?<![^\W_].)[a-zäöüß]{{2,20}}(?:str\.|straße|strasse|gasse|weg|platz)[ ]\d{{1,4}}[a-z]?\b"
)

_SLASHED = WordPattern(
    r"(?<![^\W_])[UuFfAaSs](?i:nit|lat|pt|hop)[ ]\d{1,4}[A-Za-z]?/\d{1,5}[A-Za-z]?"
    rf"{_SPACE}{_FIRST}{_SPACE}(?:{_FIRST}{_SPACE}){{0,2}}?(?:{_STRONG}|{_WEAK})\b"
)


def _houses(note: NoteIndex) -> list[int]:
    return [match.start() for match in _HOUSE.find(note)]


def _houses_before_names(note: NoteIndex) -> list[int]:
    return [match.start() for match in _HOUSE_BEFORE_NAME.find(note)]


def _numbered(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    for match in _NUMBERED.at(text, note.once(_houses_before_names)):
        name = match["name"] or ""
        if _NOT_A_NAME.search(name) or name.count("\n") > 1:
            continue
        end = match.end()
        before = _LEADING.search(text, max(0, match.start() - 26), match.start())
        start = before.start() if before else match.start()
        goes_on = _GOES_ON.match(text, end)
        certain = bool(match["units"] or goes_on or (before and before["unit"]))
        if not certain and _is_title(text, match):
            continue
        if (match["weak"] and not match["second"]) or match["foreign"] or match["bare"]:
            led = _LED.search(text, max(0, start - 45), start)
            stops = _STOPS.match(text, end)
            if not certain and not (stops and (led or len(match["number"]) > 1)):
                continue
        yield Finding(start, end, TYPE, 0.95 if certain else 0.85)


def _is_title(text: str, match: re.Match[str]) -> bool:
    """Whether "Dr" or "St" after the number begins a person's or a saint's name, or is a unit."""
    kind = match["strong"]
    if not kind or kind.lower() not in {"dr", "st", "ct", "av", "ter"} or match["second"]:
        return False
    if "\n" in match[0][: match.end("strong") - match.start()]:
        return True
    if _TITLE.match(text, match.end("strong")):
        return True
    return kind.isupper() and not _STOPS.match(text, match.end())


def _in_prose(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    for kind in _PROSE_TYPE.find(note):
        if kind[1] in {"St", "ST"} and _TITLE.match(text, kind.end(1)):
            continue
        name = _PROSE_NAME.search(text, max(0, kind.start() - 61), kind.start())
        if name and not _NOT_A_NAME.search(name["name"]):
            yield Finding(name.start("name"), kind.end(), TYPE, 0.8)


def _resolve(text: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Of several readings of one address the longest, with the direction glued to its number."""
    reached = 0
    for finding in cut_overlaps(text, keep_distinct(text, findings)):
        start = finding.start
        if start > reached and text[start - 1] in "NSEW" and text[start].isdigit():
            finding = finding._replace(start=start - 1)
        reached = finding.end
        yield finding


FAMILY = Family(
    "streets",
    frozenset({TYPE}),
    (
        _numbered,
        _in_prose,
        Rule(_CORNER, TYPE, 0.75, 1),
        Rule(_CORNER, TYPE, 0.75, 2),
        Rule(_ROUTE, TYPE, 0.9, at=_houses),
        Rule(_GRID, TYPE, 0.9, at=_houses_before_names),
        Rule(_NO_TYPE, TYPE, 0.85, at=_houses_before_names),
        Rule(_LOWER, TYPE, 0.75),
        Rule(_SLASHED, TYPE, 0.95),
        Rule(_WORDED, TYPE, 0.85),
        Rule(_BOX, TYPE, 0.97),
        Rule(_RURAL, TYPE, 0.85),
        Rule(_BARE_BOX, TYPE, 0.85, "address"),
        Rule(_LOT, TYPE, 0.85),
        Rule(_APARTMENT, TYPE, 0.8),
        Rule(_LABELLED, TYPE, 0.85, "address"),
        Rule(_ABROAD, TYPE, 0.8),
        Rule(
            _GERMAN, TYPE, 0.8, signs=("str. ", "straße ", "strasse ", "gasse ", "weg ", "platz ")
        ),
    ),
    _resolve,
)
