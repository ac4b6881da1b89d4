"""Doses, vitals, scores and times of the day."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import CodePattern, FigurePattern, WordPattern
from incognote.detect.vetoes.veto import Place

_FREE = r"(?<![\w.,/:#-])"
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


def measures(note: NoteIndex) -> Iterator[Place]:
    """5 mg, BP 120/80, GDS 5/15, 20/40, 7:10 pm, 1300-1440, L4-5, motor 4/5."""
    for pattern in MEASURES:
        for match in pattern.find(note):
            yield match.span()
