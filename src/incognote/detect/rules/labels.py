"""Numbers by the label before them: `MRN: 307-74-18`, `acct UQ-553190`.

Families write their labels as rows (`Labels`). The values are read here: where one ends, what it
looks like, and whether the label before it belongs to another number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from incognote.detect.first_words import first_words
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern, WordPattern, heads, trie
from incognote.detect.rules.engine import Finding, Parser

_CHUNK = Pattern(
    r"[A-Za-z0-9]++"
    r"(?:(?:[-‐-―−]|[./](?=[A-Za-z]{0,3}\d)(?!\d{1,3} ?[MFmf]\b)|-[ \t]?\r?\n[ \t]{0,20}(?=\d))"
    r"(?:(?=[A-Za-z]{0,5}\d)[A-Za-z0-9]++|[A-Z]{1,6}(?![A-Za-z0-9])|[a-z]{1,2}(?![A-Za-z0-9]))"
    r"){0,8}"
)
_PREFIX = Pattern(
    r"([A-Z]{1,4})(?:-[A-Z])?[ \xa0](?:[A-Z][ \xa0])?(?=\d{3}|\d\d[ \xa0/-]\d|[A-Z0-9]{3,8}[ -]\d)"
)
_GROUP = Pattern(r"[ \xa0](?:(\d{1,8})|\d[A-Z0-9]{1,7}|([A-Z]{1,2}))(?![A-Za-z0-9/:%'’]|[-.,]\d)")
_NOT_PREFIXES = frozenset(
    "DOB SSN MRN MR CSN FIN HAR AGE SEX DOS LOS PT PID ACC ACCT ADM ED ER ICU OR RM BED NPI DEA "
    "AM PM AT ON IN BY TO OF IS AS MD DO RN NP PA AND FOR THE BP HR RR WT HT POD HD "
    "EXP PH TEL FAX CELL EXT PG MON TUE WED THU FRI SAT SUN JAN FEB MAR APR MAY JUN JUL AUG SEP "
    "OCT NOV DEC BMI TID QD BID GRP REF DL CDL LIC CPSO GMC NMC UPIN CLIA CPT ICD NDC "
    "BIN PCN RX ID NO".split()
)
_NOT_SUFFIXES = frozenset("M F X MD DO RN NP PA PT OT ED OR AM PM ON AT BY TO IN IS OF".split())
_UNIT = Pattern(
    r"[ \xa0-]?(?:y/?o\b|y\.o|yrs?\b|years?\b|mo(?:nth)?s?\b|w(?:ee)?ks?\b|days?\b|hours?\b|hrs?\b|min"
    r"|sec|mg|mcg|µg|g\b|kg|lbs?\b|oz|m[lL]\b|cc\b|[dm]L\b|L\b|units?\b|iu\b|mEq|mmol|mm\b|cm\b|m\b|M\b|F\b"
    r"|fr\b|ga\b|gauge|%|percent|degrees?|°|x\b|times|tabs?\b|caps?\b|puffs?|pm\b|am\b|a\.m|p\.m"
    r"|bpm|mmhg|hz\b|male|female|pages?\b|pp\b|of\b)",
    re.IGNORECASE,
)
_DATE = Pattern(
    r"(?:0?[1-9]|[12]\d|3[01])([-/.‐-―])(?:0?[1-9]|[12]\d|3[01])(?:\1(?:19|20)?\d\d)?"
    r"|(?:19|20)\d\d(?:[-/.](?:0?[1-9]|1[0-2])(?:[-/.][0-3]?\d)?)?"
    r"|\d{1,2}[-/ ]?(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}[-/ ]?\d{2,4}"
    r"|(?:0?[1-9]|1[0-2])[-/](?:19|20)\d\d"
)
_DECIMAL = Pattern(r"\d+[.,]\d+|\d{1,2}[-–][1-9]\d{0,2}")
"""A decimal number, or a range."""

_PHONE = Pattern(r"(?:1[-.])?\d{3}[-.‐-―]\d{3}[-.‐-―]\d{4}|\d{3}[-.]\d{4}")
_CODE = Pattern(
    r"[A-TV-Z]\d[0-9A-B](?:\.[0-9A-Z]{1,4})?|[A-V]\d{4}|[CTLS]\d{1,2}-[CTLS]?\d{1,2}"
    r"|p?T[0-4isx][a-d]?N[0-3x][a-c]?(?:M[01x])?|[A-Z]\d{1,2}"
)
_DIGIT = Pattern(r"\d")
_LIST = Pattern(
    r"(?:[ \t\xa0]{0,2}(?:[,;&/+]|\band\b|\bor\b|\bthrough\b|\bthru\b|\binto\b|\bto\b|\bdup of\b)"
    r"[ \t\xa0]{0,2}|[ \t]{2,20})(?=[A-Za-z0-9])"
)
_LETTER_OR_DIGIT = str.maketrans(
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "9" * 10 + "a" * 26 + "A" * 26
)


def value_end(text: str, start: int, *, spaced: bool = False) -> int:
    """Where the identifier that begins at `start` ends; `start` itself when there is none.

    An identifier is a run of letters and digits with hyphens, dots or slashes inside, and at
    least one digit. `spaced` also takes groups set apart by single spaces: `XQH 884 20 1173`.
    """
    at = start
    if spaced:
        prefix = _PREFIX.match(text, at)
        if prefix and prefix[1] not in _NOT_PREFIXES:
            at = prefix.end()
    chunk = _CHUNK.match(text, at)
    if not chunk or not digits_of(chunk[0]):
        return start
    end = chunk.end()
    if spaced and not _complete(chunk[0]):
        end = _spaced_end(text, at, end)
    return end


def _complete(chunk: str) -> bool:
    digits = digits_of(chunk)
    return digits >= 6 or ("-" in chunk and digits >= 4)


def _spaced_end(text: str, start: int, end: int) -> int:
    for _ in range(6):
        group = _GROUP.match(text, end)
        if not group:
            return end
        short = len(group[0]) < 5 and digits_of(text[start:end]) > 4
        if short and _UNIT.match(text, group.end()):
            return end
        letters = group[2]
        if letters:
            last = text[group.end() : group.end() + 2]
            closed = not last or last[0] in "\r\n,;.)/|_" or last == "  " or last[1:].isdigit()
            if letters in _NOT_SUFFIXES or not closed:
                return end
        end = group.end()
    return end


def digits_of(value: str) -> int:
    """How many digits it has."""
    return len(_DIGIT.findall(value))


def quantity(text: str, start: int, end: int) -> bool:
    """Whether a short number is followed by a unit, an age or a count."""
    return digits_of(text[start:end]) < 6 and _UNIT.match(text, end) is not None


def like_date(value: str) -> bool:
    """A day, month or year in figures."""
    return _DATE.fullmatch(value) is not None


def like_phone(value: str) -> bool:
    """A North American telephone number, with or without its area code."""
    return _PHONE.fullmatch(value) is not None


def any_value(value: str) -> bool:
    """Enough after a label that can mean nothing else."""
    digits = digits_of(value)
    if digits == 2:
        return len(value) >= 6 and value.isupper()
    return digits >= 3 and not (like_date(value) and ("/" in value or len(value) < 6))


def short_value(value: str) -> bool:
    """For labels whose values may be two digits, such as an insurance group."""
    return digits_of(value) >= 2 and not like_date(value) and not _DECIMAL.fullmatch(value)


def long_number(value: str) -> bool:
    """At least six digits and neither a date nor figures with a decimal point."""
    return digits_of(value) >= 6 and not like_date(value) and "." not in value


def ten_digits(value: str) -> bool:
    """The length of a British national health number."""
    return digits_of(value) == 10


def coded(value: str) -> bool:
    """A value that looks like an identifier by itself, for labels that are also plain words."""
    digits = digits_of(value)
    if like_date(value) or like_phone(value) or _DECIMAL.fullmatch(value) or _CODE.fullmatch(value):
        return False
    if value.isdigit():
        return digits >= 5
    letters = any(c.isalpha() for c in value)
    return digits >= 4 or (digits >= 3 and letters and value[0].isupper())


def lettered(value: str) -> bool:
    """An identifier that begins with a capital."""
    return value[0].isupper() and coded(value)


def donation(value: str) -> bool:
    """The number of a blood donation: `W0795 18 297051`."""
    return digits_of(value) >= 12 and value[0].isupper()


def repeats(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Further identifiers of the same shape in a list: `24-033-1107, 24-040-0988`."""
    shape = text[start:end].translate(_LETTER_OR_DIGIT)
    if len(shape) < 5:
        return
    for _ in range(20):
        link = _LIST.match(text, end)
        if not link:
            return
        start, end = link.end(), link.end() + len(shape)
        if text[start:end].translate(_LETTER_OR_DIGIT) != shape or text[end : end + 1].isalnum():
            return
        yield start, end


_NUMBER_WORD = (
    r"[Nn][OoRr]s?\b(?!-)|[Nn]um(?:bers?)?\b|NUM(?:BERS?)?\b|[Ii][Dd]s?\b(?!/)|[Cc]ode\b|CODE\b"
)
_LINK = (
    r"(?:[ \t\xa0._*]{0,60}+(?:\((?:[^\W\d_]{2,10} ?){1,2}\)|[#:=|~^]|/(?=[ \d])|-{1,2}|[–—(\[\"]"
    rf"|'(?=[A-Z\d])|{_NUMBER_WORD}|i\.d\.|is\b|was\b|ends\b|ending\b|in\b(?= ))){{0,5}}"
    r"[ \t\xa0._*]{0,60}+(?:(?<=[:.#])\r?\n[ \t]{0,40}+)?"
)
_NUMBERED = Pattern(rf"#|{_NUMBER_WORD}")
_BLANKS = Pattern(r"[ \t\xa0.]+")


@dataclass(frozen=True)
class Labels:
    """Phrases that announce an identifier, and which values they announce.

    `phrases` are separated by commas; a space in one stands for any blanks. `numbered` labels
    need a number sign (`#`, `no.`, `id`) before the value, `capitals` must be written so.
    `spaced` takes values in groups set apart by spaces. `region` is a pattern that may stand
    before the value and stays outside, such as a state's letters.
    """

    type: str
    phrases: str
    accepts: Callable[[str], bool] = any_value
    score: float = 0.9
    spaced: bool = False
    numbered: bool = False
    capitals: bool = False
    region: str = ""


def _key(phrase: str) -> str:
    return _BLANKS.compiled.sub(" ", phrase.lower()).strip()


def labelled(*groups: Labels) -> Parser:
    """A parser for several groups of labels in one pass; of a phrase's groups the first wins."""
    groups_of: dict[str, list[Labels]] = {}
    for group in groups:
        for phrase in group.phrases.split(","):
            groups_of.setdefault(_key(phrase), []).append(group)
    pattern = WordPattern(
        lambda: (
            rf"(?P<label>{trie(groups_of)})(?:(?<=#)|(?![A-Za-z]))(?P<link>{_LINK})(?=[A-Za-z0-9])"
        ),
        words=heads(groups_of),
    )
    regions = {group: Pattern(group.region) for group in groups if group.region}

    def read_value(text: str, match: re.Match[str], group: Labels) -> tuple[int, int] | None:
        if group.numbered and not _NUMBERED.search(match["link"]):
            return None
        if not match["link"] and len(match["label"]) < 3 and not match["label"].endswith("#"):
            return None
        if group.capitals and not match["label"].isupper():
            return None
        start = match.end()
        region = regions[group].match(text, start) if group.region else None
        if region:
            start = region.end()
        end = value_end(text, start, spaced=group.spaced)
        if end == start or not group.accepts(text[start:end]) or quantity(text, start, end):
            return None
        return start, end

    def parse(note: NoteIndex) -> Iterator[Finding]:
        text = note.text
        reached = 0
        for match in pattern.find(note):
            if match.start() < reached:
                continue
            for group in groups_of[_key(match["label"])]:
                place = read_value(text, match, group)
                if place:
                    reached = place[1]
                    for start, end in (place, *repeats(text, *place)):
                        yield Finding(start, end, group.type, group.score)
                    break

    return parse


_REACH = 40

_OTHER_NUMBER_WORD = (
    r"(?:[ ]?(?:no|nr|nos|num|number|nbr|id)\b\.?)?(?:[ ](?:is|ends?|ending)\b(?:[ ]in\b)?)?"
)

_LABELS = r"""
        mrn | med(?:ical)?\.?[ ]rec(?:ord)?s? | record | chart | nhs | chi | nhi | npi | dea | upin
      | acct | account | claim | policy | member | subscriber | medicare | medicaid | hicn | mbi | icn
      | ref(?:erence)? | order | accession | acc | encounter | enc | csn | fin | har | mr
      | lic(?:en[cs]e)? | reg(?:istration)? | s/?n | serial | lot | batch | imei | udi | ein | tin
      | auth(?:orization)? | confirmation | ticket | invoice | passport | pin | passcode | meeting
      | ndc | upc | gtin | loinc | snomed | rxnorm | cpt | hcpcs | cas | catalog(?:ue)? | cat | model
      | iban | routing | sort[ ]code | card | visa | mastercard | isbn | doi | pmid | nct | rxbin
      | specimen | donor | unit[ ](?:no|number|\#) | hosp(?:ital)?\.?[ ](?:no\b|number|\#)
      | case[ ](?:no|number|\#) | group | grp | guarantor | barcode | docket | supplier | file[ ](?:no|number|\#) | ur
      | (?<!pager[ ])(?<!page[ ])(?<!beeper[ ])id
"""
_OTHER = Pattern(
    rf"""(?:^|[^a-z])(?:{_LABELS})\b\.?{_OTHER_NUMBER_WORD}[ \t\u00a0]*[-:\#=.]{{0,2}}[ \t\u00a0]*(?-i:[A-Z]{{1,4}}[ -]?)?$""",
    re.VERBOSE | re.IGNORECASE,
)


_WORDS = first_words(re.sub(r"\s(?!\])", "", _LABELS))
_LETTERS = Pattern(r"[a-z]+")


def names_another_number(text: str, start: int) -> bool:
    """Whether a label of a record, claim, order or other number ends right before `start`.

    A telephone, a social security number and a plate can have the shape of such a number.
    """
    before = text[max(0, start - _REACH) : start]
    if _WORDS.isdisjoint(_LETTERS.findall(before.lower())):
        return False
    return _OTHER.search(before) is not None
