"""Ages that their own wording gives away: `54 y/o`, `18-month-old`, `58F`, `mid-40s`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.rules.number_words import DECADES, FIGURES, NUMBER, TENS

Finding = tuple[int, int, float]

_START = r"(?<![\w.,/:;$%+])(?<!\d-)(?<!ex-)(?<!ex )"
_RANGE = rf"(?:(?:-|–| ?to | or ){FIGURES})?"
_SEX_WORD = r"(?i:males?|females?|man|woman|boy|girl|gentleman|lady|infant|baby|child|toddler|newborn)"
_THINGS = (
    r"(?i: (?:[a-z-]{3,14} )?(?:fracture|fx|graft|infarcts?|stents?|valves?|pacemaker|pacer|battery|device|implants?|"
    r"prosthesis|scar|films?|study|ct|mri|notes?|injury|lesion|house|home|car|truck|mattress|wound|hardware|"
    r"crown|denture|generator|lead|repair|photos?|images?|records?|report|prescription|results?)\b)"
)
YEARS_OLD = re.compile(
    rf"{_START}(?P<n>{NUMBER}{_RANGE})[\s\xa0‐-―-]{{0,3}}"
    r"(?i:(?:years?|yrs?\.?|y)[\s\xa0‐-―-]{0,2}(?:olds?\b|of age\b|o\b)|years?old\b|y\.?[/ ]?o(?:\.|(?=[MFmf]?\b)))"
    rf"(?!{_THINGS})"
)
OTHER_OLD = re.compile(
    rf"{_START}(?P<n>{NUMBER}{_RANGE}[ \xa0‐-―-]{{0,2}}"
    r"(?i:months?|mths?|mos?|weeks?|wks?|days?|hours?|hrs?|[mwdh](?=/o| old|-old)))"
    rf"\.?[ \xa0‐-―/-]{{0,2}}(?i:olds?\b|o\b|of age\b|corrected\b(?! (?:age|for)))(?!{_THINGS})"
)
OTHER_PERSON = re.compile(
    rf"{_START}(?P<n>{FIGURES}[ -]?(?i:months?|mths?|mos?|weeks?|wks?))\.?"
    rf"(?=[ ,]{{1,6}}(?:[MF]\b|{_SEX_WORD}\b|(?i:daughter|son|twins?|well[ -](?:child|baby)|wcc)\b)"
    r"|[ ](?i:checks?|check-?up)\b)"
    r"|\b(?i:well[ -](?:child|baby)(?: check| visit| exam)?|wcc)[ :,-]{1,3}(?P<n2>\d{1,2} (?i:months?|mos?|weeks?|wks?))\b"
)
OTHER_COLUMN = re.compile(
    r"(?<=\d[ \t]{2})(?P<n>\d{1,2} ?(?:mos?|wks?|months?))(?=[ \t]{2,}|[ \t]*\r?$)", re.MULTILINE
)
WEEKS_SLASH = re.compile(r"(?<![\w/.-])(?P<n>\d{1,2}/(?:52|12|7))(?= (?i:old|baby|infant|neonate|child)\b)")
COMPOUND = re.compile(
    rf"{_START}(?<!for )(?<!past )(?<!last )(?<!over )(?<!x )(?<!about )"
    r"(?P<n>\d{1,2}[ -]?(?i:y(?:(?:ea)?rs?)?)\.?,?(?: and)?[ ]?\d{1,2}[ -]?(?i:m(?:o(?:nth)?s?)?))\b"
    r"(?! (?i:ago|later|history|of |post|s/p|after|since|prior|duration))"
)
SEMICOLON = re.compile(r"\b(?:CA|MA|C\.A\.|M\.A\.|(?i:ages?|aged))[ :=]{1,3}(?P<n>\d{1,2};\d{1,2})(?![\d;])")
YEARS_SEX = re.compile(
    rf"{_START}(?P<n>{NUMBER})[ -]?(?i:y|yrs?|years?|y\.)"
    rf"(?=[ /,]{{1,6}}(?:[MFmf]\b|{_SEX_WORD}\b)|[MF]\b|[ ]{{0,2}}(?P<close>\))|[ \t]{{2,}}(?=\S)|[ \t]*\r?\Z)"
)
_BEFORE_YEARS = re.compile(r"(?:\(|[ \t]{2}|^|, |/ ?|\b[Aa] |\. |: ?|- |[|·] )\Z", re.MULTILINE)
SEX_GLUED = re.compile(
    r"(?<![\w.,:;$%+#-])(?<!\d/)(?P<n>\d{1,3})(?:(?P<sex>[MF])|(?P<low>[mf]))(?![\w'’%]|/\d|-\w|\.\d)"
)
SEX_APART = re.compile(
    r"(?:^|(?<=[ \t]{2})|(?<=, )|(?<=\()|(?<=[|·/] )|(?<=/)|(?<=: )|(?<=[a-z] ))(?P<n>\d{1,3})"
    r"(?: ?/ ?[MFmf]|[ \xa0](?:[MF]))(?=[ \t]{2}|[ \t]*\r?$|[,.;)|]| (?:with|w/|s/p|here|[|·/])|/)"
    r"|(?<![\w.,/:;$%+#-])(?P<n2>[1-9]\d)(?=/[MFmf]\b(?![/-])| (?:[WBHL]|AA)[MF]\b)",
    re.MULTILINE,
)
SEX_FIRST = re.compile(
    r"(?:^|(?<=[ \t]{2})|(?<=, )|(?<=\()|(?<=[|·] ))(?:[MFmf]/|(?<=[a-z]  )[MFmf] (?=\d{1,3}[ \t]{2})|[MF](?=\d\d G\dP))"
    r"(?P<n>\d{1,3})(?![\w/.-])",
    re.MULTILINE,
)
DECADE = re.compile(
    rf"\b(?i:his|her|their|my|your)\s(?i:early|mid|late|upper|lower)?[ -]?(?P<n>\d0(?='?s)'?s|(?i:{DECADES}))\b"
    rf"|(?<![\w-])(?i:early|mid|late)[ -](?:to[ -]late[ -])?(?P<n2>\d0'?s|(?i:{DECADES}))(?=[ ,]{{1,2}}{_SEX_WORD}\b"
    r"|[ ,]{1,2}(?:[MF]|yo|y/o)\b)"
    r"|(?:^|(?<=[,:] )|(?<=[MF] ))(?i:early|mid|late)[ -](?P<n3>\d0'?s)\b"
)
NOUN = re.compile(
    rf"\b(?P<n>(?i:(?:quinqua|quadra|sexa|septua|octo|nona)genarians?|(?:super)?centenarians?"
    rf"|(?:{TENS})-?(?:somethings?|ish)|\d0-?somethings?))\b|(?<![\w.])(?P<n2>[1-9]\d)(?=ish\b)"
)
BIRTHDAY = re.compile(rf"(?<![\w.])(?P<n>\d{{1,3}}|{NUMBER})(?=(?:st|nd|rd|th)?[ -](?i:birthday|b-?day)\b)")

_SIZES = re.compile(
    r"(?i:foley|cath|sheath|tube|pigtail|drain|coud|sump|dilator|introducer|argyle|stent|trocar|blake|thal|french"
    r"|bougie|scope|wire|balloon|jp\b|temp|fever|tmax|\bT\b|degrees|oral|axillary|heat|french|salem|peg\b|picc|mos\b)|\d[A-Z] \Z"
)
_PRESENTING = re.compile(r" (?:bib|biba|with|w/|here|c/o|s/p|hx|pmh|presents?|dob)\b")
_NOT_PERSON = re.compile(r" ?(?i:walk|sprint|run\b|away|race|x\b|units?|cells|copies|iu\b|swim|dash|tall)")


def _measured(text: str, start: int, end: int) -> bool:
    """Whether `14F` is the size of a catheter or `101 F` a temperature."""
    near = text[max(0, start - 24) : start].rpartition("\n")[2]
    after = text[end : end + 16].partition("\n")[0]
    return bool(_SIZES.search(near) or _SIZES.search(after) or _NOT_PERSON.match(text, end))


def _all(pattern: re.Pattern[str], text: str, score: float) -> Iterator[Finding]:
    for match in pattern.finditer(text):
        start, end = match.span(match.lastgroup or "n")
        yield start, end, score


def find_wordings(text: str) -> Iterator[Finding]:
    """Where an age stands, with a score."""
    for pattern, score in (
        (YEARS_OLD, 0.97),
        (OTHER_OLD, 0.95),
        (OTHER_PERSON, 0.85),
        (OTHER_COLUMN, 0.7),
        (WEEKS_SLASH, 0.9),
        (COMPOUND, 0.85),
        (SEMICOLON, 0.95),
        (DECADE, 0.85),
        (NOUN, 0.95),
        (BIRTHDAY, 0.9),
    ):
        yield from _all(pattern, text, score)
    for match in YEARS_SEX.finditer(text):
        before = text[max(0, match.start() - 3) : match.start()]
        opened = match["close"] is None or before.endswith(("(", "; "))
        if opened and _BEFORE_YEARS.search(before):
            yield *match.span("n"), 0.9
    for match in SEX_GLUED.finditer(text):
        if _measured(text, match.start(), match.end()) or not 0 < int(match["n"]) < 115:
            continue
        header = not text[max(0, match.start() - 2) : match.start()].strip()
        if match["sex"] and len(match["n"]) > 1:
            yield *match.span("n"), 0.85
        elif header or _PRESENTING.match(text, match.end()):
            yield *match.span("n"), 0.75
    for pattern in (SEX_APART, SEX_FIRST):
        for match in pattern.finditer(text):
            start, end = match.span(match.lastgroup or "n")
            if 0 < int(text[start:end]) < 115 and not _measured(text, start, match.end()):
                yield start, end, 0.85
