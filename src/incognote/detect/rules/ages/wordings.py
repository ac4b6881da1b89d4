"""Ages that their own wording gives away: `54 y/o`, `18-month-old`, `58F`, `mid-40s`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.pattern import Pattern
from incognote.detect.rules.ages.values import Finding
from incognote.detect.rules.number_words import DECADES, FIGURES, FREE_FIGURES, TENS, WORDS
from incognote.detect.rules.word_trie import trie

_RANGE = rf"(?:(?:-|–| ?to | or ){FIGURES})?"
_SEX_WORD = (
    r"(?i:males?|females?|man|woman|boy|girl|gentleman|lady|infant|baby|child|toddler|newborn)"
)
_THINGS = (
    r"(?i: (?:[a-z-]{3,14} )?(?:fracture|fx|graft|infarcts?|stents?|valves?|pacemaker|pacer|battery|device|implants?|"
    r"prosthesis|scar|films?|study|ct|mri|notes?|injury|lesion|house|home|car|truck|mattress|wound|hardware|"
    r"crown|denture|generator|lead|repair|photos?|images?|records?|report|prescription|results?)\b)"
)
_HALF = r"(?: and a half)?"
_YEARS_OLD = (
    r"[\s\xa0‐-―-]{0,3}"
    r"(?i:(?:years?|yrs?\.?|y)[\s\xa0‐-―-]{0,2}(?:olds?\b|young\b|of age\b|o\b)|years?old\b|y\.?[/ ]?o(?:\.|(?=[MFmf]?\b)))"
    rf"(?!{_THINGS})"
)
_OTHER_UNIT = (
    r"[ \xa0‐-―-]{0,2}(?i:months?|mths?|mos?|weeks?|wks?|days?|hours?|hrs?|[mwdh](?=/o| old|-old))"
)
_OTHER_OLD = (
    rf"\.?[ \xa0‐-―/-]{{0,2}}(?i:olds?\b|o\b|of age\b|corrected\b(?! (?:age|for)))(?!{_THINGS})"
)
YEARS_OLD = Pattern(rf"(?P<n>{FREE_FIGURES}{_HALF}{_RANGE}){_YEARS_OLD}")
YEARS_OLD_WORDS = Pattern(rf"(?P<n>{WORDS}{_HALF}){_YEARS_OLD}")
OTHER_OLD = Pattern(rf"(?P<n>{FREE_FIGURES}{_RANGE}{_OTHER_UNIT}){_OTHER_OLD}")
OTHER_OLD_WORDS = Pattern(rf"(?P<n>{WORDS}{_OTHER_UNIT}){_OTHER_OLD}")
OTHER_PERSON = Pattern(
    rf"(?P<n>{FREE_FIGURES}[ -]?(?i:months?|mths?|mos?|weeks?|wks?))\.?"
    rf"(?=[ ,]{{1,6}}(?:[MF]\b|{_SEX_WORD}\b|(?i:daughter|son|twins?|well[ -](?:child|baby)|wcc)\b)"
    r"|[ ](?i:checks?|check-?up)\b(?! (?:post|s/p|after)))"
)
WELL_CHILD = Pattern(
    trie(["well child", "well baby", "well-child", "well-baby", "wcc"])
    + r"(?i: check| visit| exam)?[ :,-]{1,3}(?P<n>\d{1,2} (?i:months?|mos?|weeks?|wks?))\b"
)
OTHER_COLUMN = Pattern(
    r"(?P<n>\d(?<=\d[ \t]{2}.)\d? ?(?:mos?|wks?|months?))(?=[ \t]{2,}|[ \t]*\r?$)", re.MULTILINE
)
WEEKS_SLASH = Pattern(
    r"(?P<n>\d(?<![\w/.-].)\d?/(?:52|12|7))(?= (?i:old|baby|infant|neonate|child)\b)"
)
COMPOUND = Pattern(
    r"(?P<n>\d(?<![\w.,/:;$%+-].)(?<!for .)(?<!past .)(?<!last .)(?<!over .)(?<!x .)(?<!about .)\d?[ -]?(?i:y(?:(?:ea)?rs?)?)\.?,?(?: and)?[ ]?\d{1,2}[ -]?(?i:m(?:o(?:nth)?s?)?))\b"
    r"(?! (?i:ago|later|history|of |post|s/p|after|since|prior|duration))"
)
SEMICOLON = Pattern(
    r"(?P<n>\d(?:(?<=\b[CM]A[ :=].)|(?<=\b[CM]A: .)|(?<=A\.[ :].)|(?<=[ae]ge[ :].)|(?<=ge: .)|(?<=GE: .))\d?;\d{1,2})(?![\d;])"
)
YEARS_SEX = Pattern(
    rf"(?P<n>{FREE_FIGURES})[ -]?(?i:y|yrs?|years?|y\.)"
    rf"(?=[ /,]{{1,6}}(?:[MFmf]\b|{_SEX_WORD}\b)|[MF]\b|[ ]{{0,2}}(?P<close>\))|[ \t]{{2,}}(?=\S))"
)
_BEFORE_YEARS = Pattern(r"(?:\(|[ \t]{2}|^|, |/ ?|\b[Aa] |\. |: ?|- |[|·] )\Z", re.MULTILINE)
SEX_GLUED = Pattern(
    r"(?P<n>\d(?<![\w.,:;$%+#-].)(?<!\d/\d)\d{0,2})(?:(?P<sex>[MF])|(?P<low>[mf]))(?![\w'’%]|/\d|-\w|\.\d)"
)
SEX_APART = Pattern(
    r"(?P<n>\d(?:(?<=^.)|(?<=[ \t]{2}.)|(?<=, .)|(?<=[(/].)|(?<=[|·/:a-z] .))\d{0,2})"
    r"(?: ?/ ?[MFmf]|[ \xa0][MF])(?=[ \t]{2}|[ \t]*\r?$|[,.;)|]| (?:with|w/|s/p|here|[|·/])|/)"
    r"|(?P<n2>[1-9](?<![\w.,/:;$%+#-].)\d)(?=/[MFmf]\b(?![/-])| (?:[WBHL]|AA)[MF]\b)",
    re.MULTILINE,
)
SEX_FIRST = Pattern(
    r"[MFmf](?:(?<=^.)|(?<=[ \t]{2}.)|(?<=, .)|(?<=\(.)|(?<=[|·] .))(?:/|(?<=[a-z]  .) (?=\d{1,3}[ \t]{2})|(?=\d\d G\dP))"
    r"(?P<n>\d{1,3})(?![\w/.-])",
    re.MULTILINE,
)
_DECADE = rf"(?:\d0'?s|{trie(DECADES)})\b"
HIS_DECADE = Pattern(
    trie("his her their my your".split())
    + rf"\s(?i:early|mid|late|upper|lower)?[ -]?(?P<n>{_DECADE})"
)
PERSON_DECADE = Pattern(
    trie("early mid late".split())
    + rf"[ -](?:to[ -]late[ -])?(?P<n>{_DECADE})(?=[ ,]{{1,2}}(?:{_SEX_WORD}|[MF]|yo|y/o)\b)"
)
HEADED_DECADE = Pattern(
    r"[EeMmLl](?:(?<=[MF] .)|(?<=[MF], .))(?i:(?<=e)arly|(?<=m)id|(?<=l)ate)[ -](?P<n>\d0'?s)\b"
)
NOUN = Pattern(
    "(?P<n>"
    + trie(
        [f"{stem}genarian" for stem in "quinqua quadra sexa septua octo nona".split()]
        + ["centenarian", "supercentenarian"]
        + [f"{ten}{end}" for ten in TENS for end in ("something", "-something", "ish")]
    )
    + r"s?)\b"
)
ROUGHLY = Pattern(r"(?P<n>[1-9](?<![\w.].)(?:0-?somethings?\b|\d(?=ish\b)))")
BIRTHDAY = Pattern(r"(?P<n>\d(?<![\w.].)\d{0,2})(?=(?:st|nd|rd|th)?[ -](?i:birthday|b-?day)\b)")

_SIZES = Pattern(
    r"(?i:foley|cath|sheath|tube|pigtail|drain|coud|sump|dilator|introducer|argyle|stent|trocar|blake|thal|french"
    r"|bougie|scope|wire|balloon|jp\b|temp|fever|tmax|\bT\b|degrees|oral|axillary|heat|french|salem|peg\b|picc|mos\b)|\d[A-Z] \Z"
)
_PRESENTING = Pattern(r" (?:bib|biba|with|w/|here|c/o|s/p|hx|pmh|presents?|dob)\b")
_NOT_PERSON = Pattern(
    r" ?(?i:walk|sprint|run\b|away|race|x\b|units?|cells|copies|iu\b|swim|dash|tall)"
)


def _measured(text: str, start: int, end: int) -> bool:
    """Whether `14F` is the size of a catheter or `101 F` a temperature."""
    near = text[max(0, start - 24) : start].rpartition("\n")[2]
    after = text[end : end + 16].partition("\n")[0]
    return bool(_SIZES.search(near) or _SIZES.search(after) or _NOT_PERSON.match(text, end))


def _all(pattern: Pattern, text: str, score: float) -> Iterator[Finding]:
    for match in pattern.finditer(text):
        start, end = match.span(match.lastgroup or "n")
        yield start, end, score


def find_wordings(text: str) -> Iterator[Finding]:
    """Where an age stands, with a score."""
    for pattern, score in (
        (YEARS_OLD, 0.97),
        (YEARS_OLD_WORDS, 0.97),
        (OTHER_OLD, 0.95),
        (OTHER_OLD_WORDS, 0.95),
        (OTHER_PERSON, 0.85),
        (WELL_CHILD, 0.85),
        (OTHER_COLUMN, 0.7),
        (WEEKS_SLASH, 0.9),
        (COMPOUND, 0.85),
        (SEMICOLON, 0.95),
        (HIS_DECADE, 0.85),
        (PERSON_DECADE, 0.85),
        (HEADED_DECADE, 0.8),
        (NOUN, 0.95),
        (ROUGHLY, 0.85),
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
