"""Figures that are no identifier: doses, vitals, scores, times, codes, and numbers that are no date."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import CodePattern, FigurePattern, Pattern, WordPattern

_FREE = r"(?<![\w.,/:#-])"
"""Nothing before a figure that would make it a part of a longer one."""

# Doses, vitals, scores and times of the day

_SIGNED = r"(?:(?<![\w.,/:#-])|(?<=-)(?<![\w.,/:#-]-))"
_FIGURES = r"\d{1,5}(?:[.,]\d{1,3})?"
_NUMBER = rf"[<>~≥≤+-]?{_FIGURES}"
_RANGE = rf"{_FIGURES}(?:[ ]?[-–/x×][ ]?\d{{1,4}}(?:\.\d+)?){{0,2}}"
_UNIT = (
    r"mg|mcg|ug|µg|μg|gm?|grams?|kg|lbs?|oz|m[lL]|cc|d[lL]|liters?|litres?|units|iu|IU|m[eE]q|[mµμ]mol|"
    r"mm|cm|mm[ ]?Hg|bpm|ppm|Hz|kcal|cGy|Gy|%|percent|tabs?|tablets?|caps?|capsules?|puffs?|drops?|"
    r"gtts?|tsp|tbsp|ng|pg|fL|mins?|minutes?|secs?|seconds?|°[CF]?|degrees?|[kK]/[uµ]L"
)
_LABEL = (
    r"HR|SpO2|O2[ ]?sats?|Temp|T[mM]ax|Wt|Ht|BMI|LVEF|EF|GCS|NIHSS|INR|PTT|Hgb|Hb|Hct|WBC|[Pp]lts?|BUN|"
    r"[Gg]lucose|A1[cC]|AST|ALT|TSH|PSA|ESR|MAP|CVP|FiO2|PEEP|EBL|APGARs?|Apgars?|MMSE|MoCA|PHQ-?9|"
    r"GAD-7|KPS|ECOG|MELD|[Pp]ulse"
)
_SCORE = (
    r"Hamilton[ ](?:Anxiety|Depression)|ABG|VBG|AUDIT(?:-C)?|Barthel|Berg|Braden|CIWA|COWS|EPDS|FIM|FTND|GDS|HAM-D|IADL|ADL|ISI|KOOS|Lawton|"
    r"Morse|PCL(?:-[5CM])?|PHQ-?[29]|SLUMS|Tinetti|VAS|WHODAS|YMRS|MMSE|MoCA|IOP|[Aa]pgars?|Epworth|TMax|[Pp]ain|[Ss]cale|[Ss]core|SCORE"
)
_IS = r"(?:[ ]?[:=][ ]?|[ ](?:of|is|was)[ ]|[ ])"
MEASURES = (
    FigurePattern(
        rf"{_SIGNED}{_RANGE}[ ]?(?:{_UNIT})(?![^\W_])",
        digits=range(1, 6),
        then=r"[.,]\d|[ ]?[-–/x×muµμgklocdiIbpHG%tnfs°K]",
    ),
    WordPattern(rf"(?<!\w)(?:{_LABEL}){_IS}{_NUMBER}(?:[-–]\d{{1,4}}){{0,4}}(?![\w/-])"),
    WordPattern(rf"(?<!\w)(?:{_SCORE}){_IS}{_NUMBER}(?:/\d{{1,3}}){{0,2}}(?![\w/-])"),
    FigurePattern(
        rf"{_FREE}(?:(?:1\d|2[0-2])\d/(?:[3-9]|1[0-2])\d|9\d/[3-8]\d)(?![\w/.-])",
        digits=[2, 3],
        then="/",
    ),
    FigurePattern(
        rf"{_FREE}(?:1[3-9]|[2-9]\d)/(?:15|2[0148]|30|56|63|100)(?![\w/.-])", digits=[2], then="/"
    ),
    FigurePattern(rf"{_FREE}(?:\d{{1,3}}/){{3,6}}\d{{1,3}}(?![\w/.-])", digits=[1, 2, 3], then="/"),
    FigurePattern(
        rf"{_FREE}(?:\d{{1,3}}\.\d{{1,2}}/\d{{1,3}}(?:\.\d{{1,2}})?|\d{{1,3}}/\d{{1,3}}\.\d{{1,2}})(?:/\d{{1,3}}(?:\.\d)?){{0,3}}(?![\w/])",
        digits=[1, 2, 3],
        then="[./]",
    ),
    FigurePattern(rf"{_FREE}\d{{3}}/\d{{3}}(?![\w/.-])", digits=[3], then="/"),
    FigurePattern(
        rf"{_FREE}(?:1[3-9]|2\d|30)/(?:1[3-9]|[2-9]\d)/(?:\d\d|1\d\d)(?![\w/.-])",
        digits=[2],
        then="/",
    ),
    WordPattern(r"(?<!\w)[Ss]ats?[ ](?:of[ ])?(?:[6-9]\d|100)(?:[-–]\d{2,3})?(?![\w/.-])"),
    FigurePattern(
        rf"{_FREE}(?:20/(?:1[05]|[2-8][05]|[124]00|125|150)|24/7)(?![\w/.-])", digits=[2], then="/"
    ),
    FigurePattern(
        rf"{_FREE}\d{{1,3}}[ -]?(?:pk|pack)[ -]?(?:yrs?|years?)\b|{_FREE}\d{{1,2}}[ ]?(?:Fr|French)\b",
        digits=[1, 2, 3],
        then="[pF]|[ -][pF]",
    ),
    FigurePattern(
        rf"{_FREE}\d{{1,2}}[ -](?:years?|yrs?)[ -](?:history|hx|ago|later|prior|experience)\b",
        digits=[1, 2],
        then="[ -]y",
    ),
    WordPattern(rf"(?<!\w)I/O{_IS}\d{{2,5}}/\d{{2,5}}(?![\w/-])"),
    WordPattern(r"(?<!\w)V[Aa](?=[ ](?:(?:cc|sc|ph)[ :]{1,2})?(?:(?:OD|OS|OU)\b[ :]{0,2})?\d\d/)"),
    WordPattern(rf"(?<!\w)BP{_IS}\d{{2,3}}/\d{{2,3}}(?![\w/-])"),
    FigurePattern(
        r"(?<![\w.:/-])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:[ ]?[ap]\.?m\b\.?)?(?![\w:])",
        re.IGNORECASE,
        digits=[1, 2],
        then=":",
    ),
    FigurePattern(
        r"(?<![\w.:/-])[01]?\d[ ]?[ap]\.?m\b(?!\w)",
        re.IGNORECASE,
        digits=[1, 2],
        then="[apAP]| [apAP]",
    ),
    FigurePattern(
        r"(?<![\w.:/-])(?!(?:19|20)\d\d[-–](?:19|20))(?:[01]\d|2[0-3])[0-5]\d[-–]"
        r"(?:[01]\d|2[0-3])[0-5]\d(?![\w/-])",
        digits=[4],
        then="[-–]",
    ),
    CodePattern(r"(?<![\w.-])[CTLS]\d{1,2}(?:[-/][CTLS]?\d{1,2}){0,2}(?![\w-])"),
    WordPattern(
        r"(?<!\w)(?:cook(?:ed)?|heat(?:ed)?|bak(?:e|ed|ing)|oven|autoclaved?)[ ](?:at|to)[ ]\d{2,3}[ ]?°?[FC](?!\w)",
        re.IGNORECASE,
    ),
    FigurePattern(
        rf"{_FREE}[1-3]?\dF(?=[ ](?:vs|x|×|[Cc]atheter|[Ss]heath|[Pp]igtail|[Cc]hest|[Tt]ube|[Dd]rain|"
        r"[Cc]annula|[Ii]ntroducer|Foley|Argyle|Thal)(?!\w))",
        digits=[1, 2],
        then="F",
    ),
    FigurePattern(rf"{_FREE}[1-3]?\dF[ ](?:Argyle|Thal)(?!\w)", digits=[1, 2], then="F"),
    FigurePattern(
        rf"{_FREE}\d{{3}}[ ](?:Bazett|Fridericia|Framingham|Hodges)(?!\w)",
        digits=[3],
        then=" [BFH]",
    ),
    WordPattern(
        r"(?<!\w)(?:wt|ht|hc|ofc|bmi|weight|height|length|head|percentile)[ :]{1,2}"
        r"\d{1,2}(?:st|nd|rd|th)(?:(?:[-–/,→]|->|[ ]to[ ])\d{1,2}(?:st|nd|rd|th)){0,3}(?!\w)",
        re.IGNORECASE,
    ),
    WordPattern(
        r"(?<!\w)(?:strength|motor|power)[ ](?:is |was )?[0-5][+-]?/5(?![\w/-])", re.IGNORECASE
    ),
)
"""A figure with its unit or its label, a blood pressure, a score, a duration, a time, a level of the
spine, a percentile, a strength.
"""


def measures(note: NoteIndex) -> Iterator[tuple[int, int]]:
    """5 mg, BP 120/80, GDS 5/15, 20/40, 7:10 pm, 1300-1440, L4-5, motor 4/5."""
    for pattern in MEASURES:
        for match in pattern.find(note):
            yield match.span()


# Codes of diagnoses and procedures, and what obstetricians count

_WEEKS = (
    r"[1-4]\d(?:[ ]?w(?:ks?|eeks?)?[ ]?(?:[0-6][ ]?d(?:ays?)?)|[ ]?\+[ ]?[0-6](?:/7)?)(?![\w-])"
)
_CPT = r"\d{5}(?:-\d{2})?"
CODES = (
    CodePattern(rf"{_FREE}[A-TV-Z]\d[\dAB]\.\d[\dA-Z]{{0,3}}(?![\w.-])"),
    WordPattern(
        rf"(?<!\w)(?:CPT|HCPCS|ICD(?:-?(?:9|10))?)(?:[ ]codes?)?:?[ ]?{_CPT}(?:,[ ]?{_CPT}){{0,9}}(?!\w)"
    ),
    WordPattern(
        r"(?<!\w)(?:SNOMED(?:[ -]CT)?|RxNorm|RXNORM|LOINC|NDC|UMLS|RxCUI|DRG|MS-DRG)(?:[ ]codes?)?:?[ ]?"
        r"[\d-]{3,18}(?!\w)"
    ),
    FigurePattern(
        r"(?<![\w.])\d{2,5}(?:_\d{2,5})?(?:ins|del|dup)[ACGT]{0,8}(?!\w)",
        digits=range(2, 6),
        then="[_id]",
    ),
    WordPattern(
        r"(?<![\w.])[cgmn]\.[*-]?\d{1,7}(?:[+-]\d{1,5})?(?:_[*-]?\d{1,7}(?:[+-]\d{1,5})?)?"
        r"(?:[ACGT]{1,9}>[ACGT]{1,9}|(?:delins|del|dup|ins|inv)[ACGT]{0,20})(?!\w)"
    ),
    WordPattern(
        r"(?<![\w.])p\.\(?[A-Z](?:[a-z]{2})?\d{1,5}(?:[A-Z](?:[a-z]{2})?|[*=]|del|dup)?"
        r"(?:fs(?:\*|Ter)?\d{0,4})?(?!\w)"
    ),
    FigurePattern(
        r"(?<![\w.])4[5-8],X[XYO]{0,3}(?:,[+-](?:\d{1,2}|X|Y|mar)"
        r"|,(?:del|dup|inv|der|t|i|r|ins|add)\([^)\s]{1,20}\)(?:\([^)\s]{1,20}\))?){0,4}(?!\w)",
        digits=[2],
        then=",",
    ),
    WordPattern(r"(?<!\w)HLA-[A-Z]{1,3}w?\d{0,2}(?:\*\d{2,3}(?::\d{2,3}){0,3})?(?!\w)"),
    WordPattern(r"(?<!\w)D[RQP][AB]\d?\*\d{2}(?::\d{2,3})?(?!\w)"),
    CodePattern(rf"{_FREE}G0\d{{3}}(?![\w-])"),
    CodePattern(rf"{_FREE}G\d{{1,2}}[ ]?P\d{{1,4}}(?:-\d){{0,3}}(?:A\d)?(?![\w-])"),
    Pattern(
        r"[pcyT](?<![\w.,/:#-].)(?:(?<=T)|(?<!T)T)[0-4x][a-d]?N[0-3x][a-c]?(?:M[0-1x])?(?![\w-])"
    ),
    FigurePattern(rf"{_FREE}{_WEEKS}", digits=[2], then=r"[w+]| [w+]"),
    WordPattern(rf"{_FREE}ex-{_WEEKS}"),
    FigurePattern(
        rf"{_FREE}\d{{1,2}}[ -]?(?:wks?|weeks?)[ -](?:pregnant|gestation|gestational|GA|IUP)\b",
        re.IGNORECASE,
        digits=[1, 2],
        then="[wW]|[ -][wW]",
    ),
)
"""I21.19, c.5266dupC, 46,XY, HLA-A*02:01, CPT 33249, RxNorm 860975, G0439, G3P1011, T2N0M0, 39w4d, 24 weeks pregnant."""


def codes(note: NoteIndex) -> Iterator[tuple[int, int]]:
    """What is written like an identifier and is the same for many patients."""
    for pattern in CODES:
        for match in pattern.find(note):
            yield match.span()


# Figures and words of time that are no date: 7/9, 24/7, last spring, day 3, per MAR.
#
# Rules know every way to write a date in figures and what may stand around it; a model takes scores,
# ratios and ranges for dates. So bare figures are a date where a rule says so, and nowhere else.

TIMES = frozenset(
    "spring summer fall autumn winter last this next early late mid dawn dusk noon midnight morning "
    "afternoon evening night tonight overnight today tomorrow yesterday day days week weeks wk wks "
    "month months mo mos year years yr yrs hour hours hr hrs minute minutes min of the one two three "
    "four five six seven eight nine ten".split()
)
"""Seasons without a year, parts of the day, spans of time."""

HOMOGRAPHS = frozenset("dec mar oct sat sun wed".split())
"""Months and days that mean something else in capitals (a medication record, a scan, saturation),
or in small letters; with one capital they are left to the model.
"""

COUNTED = FigurePattern(
    r"(?<![\w.,/:#-])\d{1,2}(?i:st|nd|rd|th)(?=[ ](?:MTP?|MCP?|PIP|DIP|ICS|(?i:digits?|fingers?|toes?|ribs?|rays?|"
    r"metatars\w+|metacarp\w+|phalan\w+|intercostal|ventricle|nerve|degree|deg|trimester|percentile|%ile|dose|floor|"
    r"grade))\b)",
    digits=[1, 2],
    then="[snrtSNRT]",
)
"""An ordinal that counts something."""


def counted(note: NoteIndex) -> Iterator[tuple[int, int]]:
    """3rd MT, 5th digit, 2nd trimester."""
    for match in COUNTED.find(note):
        yield match.span()


def undated(note: NoteIndex) -> Iterator[tuple[int, int]]:
    """Every number, and the words of time that are a date only with more beside them."""
    for figures, places in note.numbers.items():
        for start in places:
            yield start, start + len(figures)
    for word in note.vocabulary & TIMES:
        for start in note.words[word]:
            yield start, start + len(word)
    for word in note.vocabulary & HOMOGRAPHS:
        for start in note.words[word]:
            if note.text[start : start + len(word)] != word.capitalize():
                yield start, start + len(word)
