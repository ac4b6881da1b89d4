"""Ages of patients, relatives and others, in every wording.

Inside the span is the number alone when it counts plain years, and the number with its unit
otherwise. Gestational age, day of life and durations are no ages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from string import ascii_uppercase

from incognote.detect.first_words import first_words
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import FigurePattern, LinePattern, Pattern, WordPattern, heads, trie
from incognote.detect.rules.engine import LAST, Family, Finding, Parser, Rule, keep_longest
from incognote.knowledge.calendar import DECADES
from incognote.knowledge.number_words import SMALL, TENS

TYPE = "AGE"

# Numbers as they are said: figures, halves, and English words up to a hundred and some.

_UNITS, _TEENS = SMALL[1:10], SMALL[10:]

STARTS = frozenset([*_UNITS, *_TEENS, *TENS])
"""The words that a number in words begins with."""

_BLANK = r"[ \t\xa0.]{1,3}+"
_JOINT = rf"(?:-(?:\r?\n)?|{_BLANK}|\r?\n)"
_UNIT = f"(?:{'|'.join(_UNITS)})"

WORDS = (
    rf"(?<![A-Za-z0-9])(?i:(?:{'|'.join(TENS)})(?:{_JOINT}{_UNIT})?"
    rf"|(?:one|a){_BLANK}hundred(?:{_BLANK}(?:and{_BLANK})?{_UNIT})?|{'|'.join(_TEENS)}|{_UNIT})\b"
)
"""A number in words; a line may break inside it."""

_PART = r"(?:½|¼|¾|[ -]?1/2| \d{1,2}/12)?"

FIGURES = rf"(?:(?:1[01]\d|0?\d{{1,2}}){_PART}(?!\d))"
"""A number of years or months in figures, at most 119."""

FREE_FIGURES = (
    rf"\d(?<![\w.,/:;$%+].)(?<!\d-\d)(?<!ex[ -]\d)(?:(?<=1)[01]\d|(?<=0)\d\d|\d?){_PART}(?!\d)"
)
"""Figures that are no part of a larger number; starts with a digit, so that searches are quick."""

NUMBER = rf"(?:(?:{FIGURES}|{WORDS})(?: and a half)?)"


def number_word_places(note: NoteIndex) -> list[int]:
    """Where a number in words may begin."""
    return note.at(STARTS | {"a"} if "hundred" in note.words else STARTS)


# What an age looks like, and what may not follow it.

DECADE = rf"(?:[1-9]0'?s\b|{trie(DECADES[1:])}\b)"
UNIT = r"(?:[ -]?(?i:months?|mths?|mos?|weeks?|wks?|days?|hours?|hrs?)\b(?! (?i:ago|later|post|s/p|gest|pregnan|prior)))"
AGE = rf"(?:{DECADE}|(?:{NUMBER})(?:-{FIGURES})?{UNIT}?)"
_VALUE_UNITS = (
    r"[ -]?(?i:am|pm|a\.m|p\.m|a\b(?= )|p\b(?= )|o'clock|oclock|percent|degrees?|mg|mcg|ml|cc|cm|mm|kg|lbs?|oz|feet|"
    r"ft|inch(?:es)?|in\.|units?|times|x\b|days?|d\b|weeks?|wks?|w\b|months?|mos?|hours?|hrs?|h\b|min(?:utes)?|mins|"
    r"sec(?:onds)?|years? (?:ago|later|of (?!age)|post|after|prior|before|duration|hist|now)|yrs? ago|y ago|"
    r"years?,? (?:with|w/)|pack|ppd|packs?|cig|beers?|drinks?|episodes?|of (?:\d|the|which|them)|out of|more|other|"
    r"children|kids|sons?|daughters?|brothers?|sisters?|siblings?|people|dogs?|cats?|doses?|tabs?|pills?|visits?|"
    r"admissions?|bpm|mmhg|hz|st\b|nd\b|rd\b|th\b|minute|steps?|stairs|blocks|miles?|km|meters?|grade|trips?)\b"
)
NOT_AFTER = rf"(?![\w½°%'’$]|[-/:.,]\d|-[a-z]|{_VALUE_UNITS})"
"""After an age stands neither a unit nor a thing that is counted, nor more of a larger number."""

NOT_AFTER_IN_LIST = rf"(?![\w½°%'’$]|[:.]\d|-[a-z]|{_VALUE_UNITS})"

_MORE = Pattern(
    rf"(?:,? ?(?:and|&|or|to|->|(?:→|->) actual)|,|/|-|–| (?=\())[ ]?\(?(?P<n>{AGE}){NOT_AFTER_IN_LIST}"
    r"(?=[.,;)/\n–-]|\Z|[ ]{2}| (?:and|&|or|to|all|both|who|with|w/|years|yrs|yo|y/o|in|here|respectively|\()\b| \()"
)


def further_ages(text: str, end: int) -> Iterator[tuple[int, int]]:
    """The other numbers of a list of ages: `ages 2, 5 and 9`."""
    for _ in range(8):
        more = _MORE.match(text, end)
        if not more:
            return
        yield more.span("n")
        end = more.end("n")


SHORT = (1, 2, 3)
"""How many digits an age has."""

BLANKS = " \t\r\n\xa0"
DASHES = "-‐‑‒–—―"
"""For use at the head of a character class."""


# Ages that their own wording gives away: `54 y/o`, `18-month-old`, `58F`, `mid-40s`.

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
_DECADE = rf"(?:\d0'?s|{trie(DECADES[1:])})\b"
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


def _in_words(units: Set[str]) -> Callable[[NoteIndex], list[int]]:
    """Where a number in words may begin, in a note that holds one of the units."""
    return lambda note: number_word_places(note) if note.has(units) else []


def _set_apart(text: str, match: re.Match[str]) -> object:
    """`54 y` with a sex after it, where a field or a sentence begins."""
    before = text[max(0, match.start() - 3) : match.start()]
    opened = match["close"] is None or before.endswith(("(", "; "))
    return opened and _BEFORE_YEARS.search(before)


def _glued_score(text: str, match: re.Match[str]) -> float:
    """How surely `58F` is an age and a sex."""
    if _measured(text, match.start(), match.end()) or not 0 < int(match["n"]) < 115:
        return 0.0
    if match["sex"] and len(match["n"]) > 1:
        return 0.85
    header = not text[max(0, match.start() - 2) : match.start()].strip()
    return 0.75 if header or _PRESENTING.match(text, match.end()) else 0.0


def _beside_sex(text: str, match: re.Match[str]) -> bool:
    start, end = match.span(match.lastgroup or "n")
    return 0 < int(text[start:end]) < 115 and not _measured(text, start, match.end())


# Ages that the words around them give away: `Age: 54`, `he is 58`, `DOB 1/2/1970 (54)`.

_SEP = r"[ \t\xa0:./_=~)|-]{0,40}+"
_DATE = r"(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}[- ]?[A-Za-z]{3,9}[- ,]{0,2}\d{2,4}|[A-Z][a-z]{2,8} \d{1,2}, \d{4})"

LABEL = WordPattern(
    r"[Aa](?<![A-Za-z-].)(?<!gestational .)(?<!Gestational .)(?<!GESTATIONAL .)(?<!gest .)(?<!menstrual .)"
    r"(?<!conceptional .)(?<!fetal .)[Gg][Ee](?i:[sd]|[ ]?/[ ]?(?:sex|gender|race)|[ ]\(y(?:rs|ears)?\))?"
    rf"(?![A-Za-z-]){_SEP}(?:[MFmf] ?/ ?)?(?:{_DATE}[ \t]{{0,6}}+[/(,;]?[ \t]?)?"
    r"(?i:(?:of|is|was|approx(?:imately)?|about|around|est|at|over|under|above|below|near|almost|early|mid|late)"
    r"[ .:-]{1,2}|[<>≥≤~]=? ?){0,2}(?:(?i:approx) )?"
    rf"(?P<n>{AGE})(?![\d½°%]|[.,]\d|w\d|[ -]?w(?:ee)?ks? (?i:gest)|[ ]?[Ww]\d)"
)
_AND = Pattern(r",? (?:and|&|or|to|->|→|\()")
BORN = WordPattern(
    rf"(?<![^\W_])(?i:dob|d\.o\.b\.|born|birth[ .]{{0,2}}date|date[ .]{{1,2}}of[ .]{{1,2}}birth)(?![A-Za-z])[^\n\d]{{0,16}}{_DATE}"
    rf"[ \t]{{0,6}}+[(/;][ \t]?(?P<n>{FIGURES})(?=[ ]?(?i:y(?:(?:ea)?rs?)?|yo|ans)?(?: old)?(?:[ ]?[MFmf])?[) \t\r\n,]|\Z)"
)
_DIRECT = (
    "died,dies,deceased,dec'd,decd,alive,living,menarche,menopause,menses,first birth,first drink,first child,"
    "first pregnancy,a&w,unaffected,turns,turned,turning,will turn,pushing,lived to,coitarche,thelarche"
).split(",")
_THEN_AT = (
    "died,dies,dead,deceased,passed,killed,expired,lost,alive,od'd,living,unaffected,menarche,menopause,first use"
).split(",")
DIRECT = WordPattern(
    rf"{trie(_DIRECT)}\b[ @:~(]{{0,2}}(?P<n>{AGE}){NOT_AFTER}", words=heads(_DIRECT)
)
THEN_AT = WordPattern(
    rf"{trie(_THEN_AT)}\b[^.;\n\d()]{{0,40}}?[ ,@](?:at|age|AT|AGE|in (?i:his|her|their))[ ]"
    rf"(?:about |only |just |the age of )?(?:early |mid[- ]|late )?(?P<n>{AGE}){NOT_AFTER}",
    words=heads(_THEN_AT),
)
DEATH_MARK = WordPattern(rf"d(?<![\w].)(?<!\d .)\. ?(?P<n>\d{{1,3}}|[1-9]0'?s){NOT_AFTER}")
DEATH_ARROW = Pattern(rf"↓(?P<n>\d{{1,3}}|[1-9]0'?s){NOT_AFTER}")
_MILESTONES = (
    "walked,walks,talked,crawled,rolled over,smiled,toilet trained,potty trained,first word,"
    "first words,sentences"
).split(",")
MILESTONE = WordPattern(
    rf"{trie(_MILESTONES)}(?: at| by| since|@)?[ ](?P<n>\d{{1,2}}{UNIT}?)(?=[,.;)\n]|\Z)",
    words=heads(_MILESTONES),
)
_AT_AGE = (
    rf"(?P<n>[1-9]\d|{WORDS}){NOT_AFTER}(?=[.,;):\n]|\Z| (?:for|in|and|with|on|w/|\(|behind|or so))"
)
AT_AGE = WordPattern(rf"(?<= )(?:at|until|till) {_AT_AGE}")
AT_SIGN_AGE = Pattern(rf"@{_AT_AGE}")
_DIGIT = Pattern(r"\d")
_HAPPENED = Pattern(
    r"\b(?i:onset|diagnosed|dx'?d?|started|began|quit|smoking|stopped|retired?|eligible|off|menarche|colonoscopy|"
    r"mammo(?:gram)?s?|dexa|hid|came|married|school|aged out|wisc-\w|adm|rai|use[ds]?|tested|raised|ended|"
    r"\w{3,14}(?:ectomy|plasty|otomy))\b"
)
_SUBJECTS = (
    "he,she,pt,patient,who,i,you,they,husband,wife,mother,father,client,brother,sister,son,daughter,child,baby,"
    "mr,mrs,ms,miss"
).split(",")
SUBJECT = WordPattern(
    trie(_SUBJECTS, after="[A-Za-z0-9'’]")
    + r"(?![A-Za-z])(?:(?<=[RrSs])\.? [A-Z][\w'’-]{1,24}+)?(?:, [A-Z][\w'’-]{1,20}+,)?"
    r"(?i:(?:['’]s| is| was| are| were)(?: now| only| just| almost| nearly| about| not young but)?"
    rf"|['’]ll be| will be| just turned| turned)[ ](?P<n>{AGE}){NOT_AFTER}"
    r"(?=[.,;)\n\"]|\Z| (?i:and|now|next|when|with|years? old|y/?o|on the|but|at the time)\b)",
    words=frozenset(_SUBJECTS),
)
HE_OR_SHE = WordPattern(r"(?<![\w'’])[HhSs]h?e (?P<n>\d\d)(?=[,.;]|\Z)")
NEXT = Pattern(
    rf"(?P<n>\d(?:(?<=be .)|(?<=is .))\d|{WORDS})(?= next (?:\w+day|week|month|year|[A-Z]))"
)
STATED = WordPattern(
    r"(?<![^\W_])(?i:stated|states|looks|claims)(?: age)?(?: of| about| to be)? (?P<n>\d{1,3})(?=[,.;)\n]|\Z)"
)
HEADER = WordPattern(
    r"(?<![^\W_])(?i:pt|patient|re|name|mother|client|child)(?![A-Za-z]):?[ \t]{1,10}+[A-Z][\w'’.-]{0,24}+"
    r"(?:[, ]{1,2}[\"(]?[A-Z][\w'’.-]{0,24}+[\")]?){0,4}(?:,[ ]|[ \t]{2,20}+)"
    rf"(?P<n>\d{{1,3}}(?:{UNIT})?)(?=,| / |[ \t]{{2}}|[ ]?$)",
    re.MULTILINE,
)
COLUMN = FigurePattern(
    r"(?P<n>\d(?:(?<=/ .)\d{0,2}(?= / (?:[MF]\b|MRN|MR\b|bed))"
    r"|(?<=[ \t]{2}.)\d{0,2}(?=[ \t]{2,12}(?:MRN?\b|DOB\b|EDC\b|EDD\b|PHI?N\b|Acct\b|G\dP))"
    r"|(?:(?<=Pt .)|(?<=Client .)|(?<=Patient .))\d(?=, )))",
    digits=SHORT,
    then="[ \t][ \t/]|, ",
)
IN_BRACKETS = Pattern(
    r"\((?:[A-Z][\w.'’-]{1,20}+ ){0,2}[A-Z][\w'’-]{1,24}+,(?: [A-Z][\w'’-]{1,24}+,)? (?P<n>\d{1,3})\)"
    r"|\((?<=[a-z] .)(?P<n2>\d{1,3})\)(?=[ ]{0,8}\r?$)",
    re.MULTILINE,
)
_NAME_BEFORE = Pattern(r"[A-Z][\w'’-]{1,24}, [A-Z][\w'’-]{1,24} \Z")
LINE_NAME = LinePattern(
    r"^[A-Z][a-z'’]{2,20}+ [A-Z][\w'’-]{3,20}+, (?P<n>\d\d)(?=, )",
    re.MULTILINE,
    first=ascii_uppercase,
)
THRESHOLD = Pattern(r"\((?:(?P<n>[1-9]\d)(?=\+\))|(?:now|now age) (?P<n2>\d{1,3})(?=\)))")


def _by_label(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    for match in LABEL.find(note):
        end = match.end("n")
        yield Finding(match.start("n"), end, TYPE, 0.93)
        if text.startswith(("s", "S"), match.start() + 3) or _AND.match(text, end):
            for first, last in further_ages(text, end):
                yield Finding(first, last, TYPE, 0.8)


def _at_age(note: NoteIndex) -> Iterator[Finding]:
    """`quit smoking at fifty`, `cholecystectomy at 12`."""
    for match in (*AT_AGE.find(note), *AT_SIGN_AGE.find(note)):
        start = match.start("n")
        clause = note.text[max(0, start - 30) : start].rpartition("\n")[2]
        happened = _HAPPENED.search(clause)
        if happened and not _DIGIT.search(clause, happened.end()):
            yield Finding(*match.span("n"), TYPE, 0.75)


def _and_others(pattern: Pattern) -> Parser:
    """`died at 70 and 81`."""

    def parse(note: NoteIndex) -> Iterator[Finding]:
        for match in pattern.find(note):
            end = match.end("n")
            yield Finding(match.start("n"), end, TYPE, 0.85)
            if note.text.startswith(" and ", end):
                for first, last in further_ages(note.text, end):
                    yield Finding(first, last, TYPE, 0.7)

    return parse


def _before_next(note: NoteIndex) -> list[int]:
    return (
        sorted((*note.figures_of({2}), *number_word_places(note))) if "next" in note.words else []
    )


def _after_name(text: str, match: re.Match[str]) -> bool:
    """A number in brackets at the end of a line is an age when a name stands before it."""
    if match.lastgroup != "n2":
        return True
    start = match.start("n2")
    return _NAME_BEFORE.search(text, max(0, start - 60), start - 1) is not None


# Ages of relatives: `mother died at 81`, `aunt breast ca 39`, `sons Kai (20) and Makoa (16)`.

KIN = (
    "mother father mom mum mama dad daddy brother sister son daughter dtr wife husband aunt uncle cousin "
    "grandmother grandfather grandson granddaughter grandma grandpa gma gpa niece nephew spouse partner "
    "girlfriend boyfriend gf bf fiance fiancee ex-wife ex-husband mgm mgf pgm pgf sib sibling twin half-sister "
    "half-brother stepson stepdaughter stepmother stepfather child parents sons daughters brothers sisters sibs "
    "siblings kids children twins great-uncle great-aunt proband foster-mother youngest eldest oldest"
).split()
"""Relatives, in whose clause a bare number may be an age."""

CONDITIONS = (
    "ca cancer breast colon ovarian ovary uterine endometrial prostate pancreas pancreatic lung gastric renal "
    "melanoma leukemia lymphoma glioblastoma gbm sarcoma tcc mi cva stroke cad chd cabg pci dvt pe aaa sca scd "
    "chf dm dm2 t1d t2d suicide sepsis death cirrhosis dementia copd aneurysm dialysis esrd accident mvc mva od "
    "overdose drowning polyps colectomy hysterectomy mastectomy menopause arrest aids hiv tb"
).split()
"""Illnesses and causes of death, after which a relative's age follows without a word."""

_RELATIVE = WordPattern(trie(KIN, after=r"[\w-]") + r"(?![\w-])", words=heads(KIN))
_CLAUSE = Pattern(r"(?:[^;\n.]|\.(?![ \n\r]{1,3}[A-Z]|[ ]{2}|\r?\n|\Z)){0,100}+")
_IN_CLAUSE = Pattern(
    rf"(?:{trie([*CONDITIONS, 'at', 'age', 'aged', 'died', 'alive', 'living', 'deceased', 'decd'])}(?![A-Za-z])[ ,(:@~]{{1,2}}|@ ?)"
    rf"(?P<n>{AGE}){NOT_AFTER_IN_LIST}(?=[,;.)/\n]|\Z|[ \t]{{2}}| \(| (?i:and|of|from|with|w/|in|after|healthy|MI|on|here|[a-z]{{4,}})\b)"
)
_BESIDE_KIN = Pattern(
    r"(?:[ ,:(]{0,2}[\"(]?(?:[A-Z][\w'’.\"-]{0,20}+|is an? [a-z]{3,12}|now)[\")]?){0,3}(?:, ?|: ?|[ ]?\(|[ ])(?:now |age |~)?"
    rf"(?P<n>(?:\d{{1,3}}|{WORDS}){UNIT}?){NOT_AFTER}(?=[),;.]|[ \t]{{2}}|\Z| (?:healthy|well|has|alive)\b)"
)
_NEXT_NAME = Pattern(
    r"\)?,? ?(?:and |& )?(?i:(?:son|daughter|brother|sister) )?[A-Z][\w'’-]{1,20}+ \(?(?P<n>\d{1,3})(?=[),;.]|\Z)"
)
_LIST = Pattern(
    rf"(?i: aged| ages)?[ :(]{{1,3}}(?P<n>\d{{1,2}})(?=(?:, ?| and | & | to |/|-)\d{{1,2}}{NOT_AFTER_IN_LIST})"
)
_PLURAL = Pattern(
    r"(?i:sons|daughters|brothers|sisters|sibs|siblings|kids|children|twins|parents)\Z"
)
_ERRAND = Pattern(
    r"(?i:\b(?:call|arriv|visit|pick|brought|bring|drop(?! dead|ped dead)|leav|left|return|meet|phon|reach|bedside|appointment|"
    r"today|tomorrow|number|cell|ext|beeper|arrive|spoke|paged|text|message|works?|home|updated|coming)\w*)"
)


def _of_relatives(note: NoteIndex) -> Iterator[Finding]:
    """Numbers in a relative's clause: `aunt w/ panc ca at 70`, `sons Kai (20) and Makoa (16)`."""
    text = note.text
    for match in _RELATIVE.find(note):
        clause = _CLAUSE.match(text, match.end())
        if not clause:
            continue
        start, end = clause.span()
        plural = _PLURAL.search(text, match.start(), start) is not None
        numbers = _LIST.match(text, start, end) if plural else None
        if numbers:
            yield Finding(*numbers.span("n"), TYPE, 0.8)
            for first, last in further_ages(text, numbers.end("n")):
                yield Finding(first, last, TYPE, 0.8)
            continue
        beside = _BESIDE_KIN.match(text, start, end)
        if beside and not (plural and beside.start("n") - start < 3):
            yield Finding(*beside.span("n"), TYPE, 0.8)
            at = beside.end("n")
            while (following := _NEXT_NAME.match(text, at, end)) is not None:
                yield Finding(*following.span("n"), TYPE, 0.75)
                at = following.end("n")
        for age in _IN_CLAUSE.finditer(text, start, end):
            if not _ERRAND.search(text, start, age.start()):
                yield Finding(*age.span("n"), TYPE, 0.8)
                for first, last in further_ages(text, age.end("n")):
                    yield Finding(first, last, TYPE, 0.7)


_WORDINGS = (
    Rule(YEARS_OLD, TYPE, 0.97, "n"),
    Rule(OTHER_OLD, TYPE, 0.95, "n"),
    Rule(OTHER_PERSON, TYPE, 0.85, "n"),
    Rule(WELL_CHILD, TYPE, 0.85, "n"),
    Rule(OTHER_COLUMN, TYPE, 0.7, "n"),
    Rule(WEEKS_SLASH, TYPE, 0.9, "n"),
    Rule(COMPOUND, TYPE, 0.85, "n"),
    Rule(SEMICOLON, TYPE, 0.95, "n"),
    Rule(HIS_DECADE, TYPE, 0.85, "n"),
    Rule(PERSON_DECADE, TYPE, 0.85, "n"),
    Rule(HEADED_DECADE, TYPE, 0.8, "n"),
    Rule(NOUN, TYPE, 0.95, "n"),
    Rule(ROUGHLY, TYPE, 0.85, "n"),
    Rule(BIRTHDAY, TYPE, 0.9, "n"),
    Rule(OVER_89, TYPE, 0.8, "n"),
    Rule(YEARS_OLD_WORDS, TYPE, 0.97, "n", at=_in_words(_YEAR_WORDS)),
    Rule(OTHER_OLD_WORDS, TYPE, 0.95, "n", at=_in_words(_OTHER_WORDS)),
    Rule(YEARS_SEX, TYPE, 0.9, "n", when=_set_apart),
    Rule(SEX_GLUED, TYPE, _glued_score, "n"),
    Rule(SEX_APART, TYPE, 0.85, LAST, when=_beside_sex),
    Rule(SEX_FIRST, TYPE, 0.85, LAST, when=_beside_sex),
)
_CONTEXTS: tuple[Parser, ...] = (
    _by_label,
    _at_age,
    Rule(NEXT, TYPE, 0.7, "n", at=_before_next),
    Rule(BORN, TYPE, 0.93, "n"),
    _and_others(DIRECT),
    _and_others(THEN_AT),
    Rule(DEATH_MARK, TYPE, 0.8, "n"),
    Rule(DEATH_ARROW, TYPE, 0.8, "n"),
    Rule(MILESTONE, TYPE, 0.75, "n"),
    Rule(SUBJECT, TYPE, 0.85, "n"),
    Rule(HE_OR_SHE, TYPE, 0.75, "n"),
    Rule(STATED, TYPE, 0.8, "n"),
    Rule(HEADER, TYPE, 0.8, "n"),
    Rule(COLUMN, TYPE, 0.8, "n"),
    Rule(IN_BRACKETS, TYPE, 0.75, LAST, when=_after_name),
    Rule(LINE_NAME, TYPE, 0.65, "n"),
    Rule(THRESHOLD, TYPE, 0.6, LAST),
    _of_relatives,
)
_GESTATION = Pattern(r"(?:[23]\d|4[0-4])[ -]?(?i:w(?:ee)?ks?)")


def _in_contexts(note: NoteIndex) -> Iterator[Finding]:
    """In a context, this many weeks are those of a pregnancy."""
    for parse in _CONTEXTS:
        for finding in parse(note):
            if not _GESTATION.fullmatch(note.text, finding.start, finding.end):
                yield finding


FAMILY = Family("ages", frozenset({TYPE}), (*_WORDINGS, _in_contexts), keep_longest)
