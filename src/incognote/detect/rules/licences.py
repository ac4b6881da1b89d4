"""Licence and registration numbers of professionals, drivers and laboratories."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.rules import checksums
from incognote.detect.rules.family import Family
from incognote.detect.rules.identifier_value import any_value, coded, digits_of, like_date
from incognote.detect.rules.labelled import Labels, labelled
from incognote.document import Span

TYPE = "LICENSE"
SOURCE = "rules.licences"

_STATE = (
    r"(?:[\x20\t\xa0:.#(_]{0,24}+(?-i:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[AEINOST]|N[CDEHJMVY]"
    r"|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]|ON|QC|BC|AB|SK|MB|NS|NB|NL|NSW|VIC|QLD|TAS|ACT)"
    r"(?=[\x20\t\xa0:#-]{1,3}[A-Z0-9]))?"
)
_NUMBER = r"(?: ?(?:#|n(?:o|um|r)\b\.?|numbers?\b|id\b))"

REGISTERS = (
    r"npi",
    r"n\.p\.i\.",
    r"(?-i:GMC|NMC|GDC|HCPC|GPhC|GOC|AHPRA|CPSO|CPSBC|CPSA|CPSNS|CMQ|MCRN|IMC|MCNZ|NCNZ|NZNC|HPCSA"
    r"|SANC|MMC|MDCN|PMDC|UPIN|NCPDP|NABP|PTAN|CLIA|NPPES|PIN(?= ?\d\d[A-Z]))(?: pin| reg(?:istration)?)?",
    r"ahpra|clia|upin",
    r"(?:state )?(?:medical council|registration|registry|regn|reg)" + _NUMBER,
    r"national registry" + _NUMBER + "?",
    r"(?:provider|prescriber|supplier|prov)" + _NUMBER,
    r"(?:medicaid|medicare) (?:provider|prov|supplier)" + _NUMBER + "?",
    r"prescriber(?= ?:? ?\d{10}\b)",
)
"""Registers of professionals, prescribers, suppliers, pharmacies and laboratories."""

LICENCES = (
    r"(?:driver'?s?’?s?|drivers|medical|state|nursing|pharmacy|professional|board|md|rn|class [a-d])? ?"
    r"licen[cs]es?(?: of agency)?" + _STATE,
    r"(?:state )?lic" + _STATE,
    r"(?:[A-Z]{2}[\x20-])?(?-i:CDL|DL|D\.L\.|OLN|DLN)(?:/(?:CDL|DL))?(?: in [a-z]{3,8})?" + _STATE,
    r"\bdl(?= ?\.{3,})" + _STATE,
    r"permit",
    r"photo id" + _STATE,
    r"(?<!birth\x20)(?:hha |cna |board )?cert(?:ificate|ification)?" + _NUMBER,
    r"licen[cs]e (?:renewed|expires|exp) [\d/]{4,10} \(" + _STATE,
)
"""Licences to drive and to practise. A state's letters before the number stay outside."""

_DEA_LABEL = re.compile(
    r"(?<![^\W_])d\.?e\.?a\.?(?![a-z])[ \t:#.]{0,12}+(?:n(?:o|um|umber)\b[ \t:#.]{0,6}+)?"
    r"(?P<value>[a-z][a-z9][ -]?\d(?:[ -]?\d){6})(?!\d)",
    re.IGNORECASE,
)
_DEA_FORM = re.compile(r"(?<![A-Za-z0-9-])(?!SN)[A-HJ-MPRSTUX][A-Z9]\d{7}(?![A-Za-z0-9-])")
_CLIA_FORM = re.compile(r"(?<![A-Za-z0-9-])\d\dD\d{7}(?![A-Za-z0-9-])")

_FIND_LABELLED = labelled(
    (
        Labels(TYPE, REGISTERS, any_value, 0.92),
        Labels(TYPE, LICENCES, lambda value: coded(value) or _old_licence(value), 0.88),
    ),
    SOURCE,
)


def _old_licence(value: str) -> bool:
    """Licences such as `16.402` or `Q0326`, shorter than other identifiers."""
    return digits_of(value) >= 4 and not like_date(value)


def find(text: str) -> Iterator[Span]:
    """Licence numbers in a note. A valid check digit raises the score."""
    for span in _FIND_LABELLED(text):
        proven = checksums.npi(span.text)
        yield (
            Span.of(text, span.start, span.end, TYPE, score=0.99, source=SOURCE) if proven else span
        )
    for match in _DEA_LABEL.finditer(text):
        score = 0.99 if checksums.dea(match["value"]) else 0.9
        yield Span.of(text, *match.span("value"), TYPE, score=score, source=SOURCE)
    for match in _DEA_FORM.finditer(text):
        if checksums.dea(match[0]):
            yield Span.of(text, *match.span(), TYPE, score=0.8, source=SOURCE)
    for match in _CLIA_FORM.finditer(text):
        yield Span.of(text, *match.span(), TYPE, score=0.95, source=SOURCE)


FAMILY = Family("licences", frozenset({TYPE}), find)
