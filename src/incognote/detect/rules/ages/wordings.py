"""Ages that their own wording gives away: `54 y/o`, `18-month-old`, `58F`, `mid-40s`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.first_words import first_words
from incognote.detect.pattern import FigurePattern, Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.ages.values import BLANKS, DASHES, SHORT, Finding
from incognote.detect.rules.number_words import DECADES, FIGURES, FREE_FIGURES, TENS, WORDS, said
from incognote.detect.rules.word_trie import heads, trie

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
_YEARS = (
    r"(?i:(?:years?|yrs?\.?|y)[\s\xa0‐-―-]{0,2}(?:olds?\b|young\b|of age\b|o\b)|years?old\b"
    r"|y\.?[/ ]?o(?:\.|(?=[MFmf]?\b)))"
)
_YEARS_OLD = rf"[\s\xa0‐-―-]{{0,3}}{_YEARS}(?!{_THINGS})"
_YEAR_WORDS = first_words(_YEARS) | {"yom", "yof"}
_OTHER = r"(?i:months?|mths?|mos?|weeks?|wks?|days?|hours?|hrs?|[mwdh](?=/o| old|-old))"
_OTHER_UNIT = rf"[ \xa0‐-―-]{{0,2}}{_OTHER}"
_OTHER_OLD = (
    rf"\.?[ \xa0‐-―/-]{{0,2}}(?i:olds?\b|o\b|of age\b|corrected\b(?! (?:age|for)))(?!{_THINGS})"
)
_OTHER_WORDS = first_words(_OTHER + _OTHER_OLD)
YEARS_OLD = FigurePattern(
    rf"(?P<n>{FREE_FIGURES}\+?{_HALF}{_RANGE}){_YEARS_OLD}",
    needs=_YEAR_WORDS,
    digits=SHORT,
    then=rf"[yY½¼¾+]|[{DASHES}{BLANKS}][{DASHES}\syYato\d]",
)
YEARS_OLD_WORDS = Pattern(rf"(?P<n>{WORDS}{_HALF}){_YEARS_OLD}")
OTHER_OLD = FigurePattern(
    rf"(?P<n>{FREE_FIGURES}{_RANGE}{_OTHER_UNIT}){_OTHER_OLD}",
    needs=_OTHER_WORDS,
    digits=SHORT,
    then=rf"[mMwWdDhH½¼¾]|[{DASHES}{BLANKS}][{DASHES} \xa0mMwWdDhHto\d]",
)
OTHER_OLD_WORDS = Pattern(rf"(?P<n>{WORDS}{_OTHER_UNIT}){_OTHER_OLD}")
OTHER_PERSON = FigurePattern(
    rf"(?P<n>{FREE_FIGURES}[ -]?(?i:months?|mths?|mos?|weeks?|wks?))\.?"
    rf"(?=[ ,]{{1,6}}(?:[MF]\b|{_SEX_WORD}\b|(?i:daughter|son|twins?|well[ -](?:child|baby)|wcc)\b)"
    r"|[ ](?i:checks?|check-?up)\b(?! (?:post|s/p|after)))",
    needs=first_words(r"months?|mths?|mos?|weeks?|wks?"),
    digits=SHORT,
    then=r"[mMwW½¼¾]|[ -][mMwW\d]",
)
WELL_CHILD = WordPattern(
    r"(?<![^\W_])(?i:well[ -](?:child|baby)|wcc)(?i: check| visit| exam)?[ :,-]{1,3}(?P<n>\d{1,2} (?i:months?|mos?|weeks?|wks?))\b"
)
OTHER_COLUMN = FigurePattern(
    r"(?P<n>\d(?<=\d[ \t]{2}.)\d? ?(?:mos?|wks?|months?))(?=[ \t]{2,}|[ \t]*\r?$)",
    re.MULTILINE,
    needs=first_words("mos?|wks?|months?"),
    digits=SHORT,
    then="[mw]| [mw]",
)
WEEKS_SLASH = FigurePattern(
    r"(?P<n>\d(?<![\w/.-].)\d?/(?:52|12|7))(?= (?i:old|baby|infant|neonate|child)\b)",
    needs=frozenset({"old", "baby", "infant", "neonate", "child"}),
    digits=SHORT,
    then="/",
)
COMPOUND = FigurePattern(
    r"(?P<n>\d(?<![\w.,/:;$%+-].)(?<!for .)(?<!past .)(?<!last .)(?<!over .)(?<!x .)(?<!about .)\d?[ -]?(?i:y(?:(?:ea)?rs?)?)\.?,?(?: and)?[ ]?\d{1,2}[ -]?(?i:m(?:o(?:nth)?s?)?))\b"
    r"(?! (?i:ago|later|history|of |post|s/p|after|since|prior|duration))",
    needs=first_words("m(?:o(?:nth)?s?)?"),
    digits=SHORT,
    then="[yY]|[ -][yY]",
)
SEMICOLON = FigurePattern(
    r"(?P<n>\d(?:(?<=\b[CM]A[ :=].)|(?<=\b[CM]A: .)|(?<=A\.[ :].)|(?<=[ae]ge[ :].)|(?<=ge: .)|(?<=GE: .))\d?;\d{1,2})(?![\d;])",
    digits=SHORT,
    then=";",
)
YEARS_SEX = FigurePattern(
    rf"(?P<n>{FREE_FIGURES})[ -]?(?i:y|yrs?|years?|y\.)"
    rf"(?=[ /,]{{1,6}}(?:[MFmf]\b|{_SEX_WORD}\b)|[MF]\b|[ ]{{0,2}}(?P<close>\))|[ \t]{{2,}}(?=\S))",
    digits=SHORT,
    then=r"[yY½¼¾]|[ -][yY\d]",
)
_BEFORE_YEARS = Pattern(r"(?:\(|[ \t]{2}|^|, |/ ?|\b[Aa] |\. |: ?|- |[|·] )\Z", re.MULTILINE)
SEX_GLUED = FigurePattern(
    r"(?P<n>\d(?<![\w.,:;$%+#-].)(?<!\d/\d)\d{0,2})(?:(?P<sex>[MF])|(?P<low>[mf]))(?![\w'’%]|/\d|-\w|\.\d)",
    digits=SHORT,
    then="[MFmf]",
)
SEX_APART = FigurePattern(
    r"(?P<n>\d(?:(?<=^.)|(?<=[ \t]{2}.)|(?<=, .)|(?<=[(/].)|(?<=[|·/:a-z] .))\d{0,2})"
    r"(?: ?/ ?[MFmf]|[ \xa0][MF])(?=[ \t]{2}|[ \t]*\r?$|[,.;)|]| (?:with|w/|s/p|here|[|·/])|/)"
    r"|(?P<n2>[1-9](?<![\w.,/:;$%+#-].)\d)(?=/[MFmf]\b(?![/-])| (?:[WBHL]|AA)[MF]\b)",
    re.MULTILINE,
    digits=SHORT,
    then="[ /\xa0][ /MFmfWBHLA]",
)
SEX_FIRST = WordPattern(
    r"[MFmf](?:(?<=^.)|(?<=[ \t]{2}.)|(?<=, .)|(?<=\(.)|(?<=[|·] .))(?:/|(?<=[a-z]  .) (?=\d{1,3}[ \t]{2})|(?=\d\d G\dP))"
    r"(?P<n>\d{1,3})(?![\w/.-])",
    re.MULTILINE,
    words=frozenset("mf"),
)
_DECADE = rf"(?:\d0'?s|{trie(DECADES)})\b"
HIS_DECADE = WordPattern(
    rf"(?<![^\W_])(?i:his|her|their|my|your)\s(?i:early|mid|late|upper|lower)?[ -]?(?P<n>{_DECADE})"
)
PERSON_DECADE = WordPattern(
    rf"(?<![^\W_])(?i:early|mid|late)[ -](?:to[ -]late[ -])?(?P<n>{_DECADE})(?=[ ,]{{1,2}}(?:{_SEX_WORD}|[MF]|yo|y/o)\b)"
)
HEADED_DECADE = WordPattern(r"(?:(?<=[MF] )|(?<=[MF], ))(?i:early|mid|late)[ -](?P<n>\d0'?s)\b")
_NOUNS = [
    *(f"{stem}genarian" for stem in "quinqua quadra sexa septua octo nona".split()),
    "centenarian",
    "supercentenarian",
    *(f"{ten}{end}" for ten in TENS for end in ("something", "-something", "ish")),
]
_NOUNS += [f"{noun}s" for noun in _NOUNS]
NOUN = WordPattern(rf"(?P<n>{trie(_NOUNS)})\b", words=heads(_NOUNS))
ROUGHLY = FigurePattern(
    r"(?P<n>[1-9](?<![\w.].)(?:0-?somethings?\b|\d(?=ish\b)))",
    needs=frozenset({"something", "somethings", "ish"}),
    digits=SHORT,
    then="[-si]",
)
BIRTHDAY = FigurePattern(
    r"(?P<n>\d(?<![\w.].)\d{0,2})(?=(?:st|nd|rd|th)?[ -](?i:birthday|b-?day)\b)",
    needs=frozenset({"birthday", "bday", "b"}),
    digits=SHORT,
    then="[snrt]|[ -][bB]",
)
OVER_89 = FigurePattern(
    r"(?P<n>9(?<![\w.,/:;$%+#<>≥≤~=-].)(?<!(?i:sats) .)(?<!(?i:sat) .)(?<!(?i:o2) .)(?<!(?i:the) .)0\+)"
    r"(?![\w%+/-]|[ ]?(?:%|on\b|mg|cc|ml|pack|min|degrees|beats|bpm|percent))",
    digits=[2],
    then=r"\+",
)
"""As surrogates write the age of the very old."""

_SIZES = Pattern(
    r"(?i:foley|cath|sheath|tube|pigtail|drain|coud|sump|dilator|introducer|argyle|stent|trocar|blake|thal|french"
    r"|bougie|scope|wire|balloon|jp\b|temp|fever|tmax|\bT\b|degrees|oral|axillary|heat|french|salem|peg\b|picc|mos\b)|\d[A-Z] \Z",
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


_EACH: tuple[tuple[Pattern, float], ...] = (
    (YEARS_OLD, 0.97),
    (OTHER_OLD, 0.95),
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
    (OVER_89, 0.8),
)


def find_wordings(note: Reading) -> Iterator[Finding]:
    """Where an age stands, with a score."""
    text = note.text
    for pattern, score in _EACH:
        for match in pattern.find(note):
            yield *match.span("n"), score
    for pattern, score, units in (
        (YEARS_OLD_WORDS, 0.97, _YEAR_WORDS),
        (OTHER_OLD_WORDS, 0.95, _OTHER_WORDS),
    ):
        if note.has(units):
            for match in pattern.at(text, said(note)):
                yield *match.span("n"), score
    for match in YEARS_SEX.find(note):
        before = text[max(0, match.start() - 3) : match.start()]
        opened = match["close"] is None or before.endswith(("(", "; "))
        if opened and _BEFORE_YEARS.search(before):
            yield *match.span("n"), 0.9
    for match in SEX_GLUED.find(note):
        if _measured(text, match.start(), match.end()) or not 0 < int(match["n"]) < 115:
            continue
        header = not text[max(0, match.start() - 2) : match.start()].strip()
        if match["sex"] and len(match["n"]) > 1:
            yield *match.span("n"), 0.85
        elif header or _PRESENTING.match(text, match.end()):
            yield *match.span("n"), 0.75
    for pattern in (SEX_APART, SEX_FIRST):
        for match in pattern.find(note):
            start, end = match.span(match.lastgroup or "n")
            if 0 < int(text[start:end]) < 115 and not _measured(text, start, match.end()):
                yield start, end, 0.85
