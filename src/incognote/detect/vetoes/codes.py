"""Codes of diagnoses and procedures, and what obstetricians count."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import CodePattern, FigurePattern, Pattern, WordPattern
from incognote.detect.vetoes.veto import Place

_FREE = r"(?<![\w.,/:#-])"
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


def codes(note: NoteIndex) -> Iterator[Place]:
    """What is written like an identifier and is the same for many patients."""
    for pattern in CODES:
        for match in pattern.find(note):
            yield match.span()
