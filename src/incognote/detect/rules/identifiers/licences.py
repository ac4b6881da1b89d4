"""Licence and registration numbers of professionals, drivers and laboratories."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.pattern import CodePattern, FigurePattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.family import Family
from incognote.detect.rules.identifiers import checksums
from incognote.detect.rules.identifiers.labelled import Labels, labelled
from incognote.detect.rules.identifiers.value import any_value, coded, digits_of, like_date
from incognote.document import Span

TYPE = "LICENSE"
SOURCE = "rules.licences"

_STATE = (
    r"(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[AEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT"
    r"|V[AT]|W[AIVY]|ON|QC|BC|AB|SK|MB|NS|NB|NL|NSW|VIC|QLD|TAS|ACT)[ \t\xa0:#-]{1,3}(?=[A-Z0-9])"
)

REGISTERS = (
    "npi,n.p.i.,ahpra,clia,upin,ncpdp,nabp,ptan,nmc pin,gmc reg,gmc registration,nmc registration,"
    "ahpra registration,hpcsa,cpso,gphc,national registry,medicaid provider,medicaid prov,medicare provider,"
    "medicare supplier,medicaid supplier"
)
"""Registers of professionals, prescribers, suppliers, pharmacies and laboratories."""

COUNCILS = "gmc,nmc,gdc,hcpc,goc,cpsbc,cpsa,cpsns,cmq,mcrn,imc,mcnz,ncnz,nznc,sanc,mmc,mdcn,pmdc,slmc,bmdc,kmpdc,mbtt,apmc,nmcn"
"""Councils whose letters must be capitals."""

NUMBERED = (
    "registration,registry,regn,reg,medical council,state registration,provider,prescriber,supplier,prov,cert,"
    "certificate,certification,hha cert,cna cert,board cert"
)
"""Labels when a number sign follows."""

LICENCES = (
    "license,licence,licenses,licences,lic,state lic,permit,photo id,license of agency,licence of agency,"
    "driver license,driver licence,driver lic,drivers license,drivers licence,driver's license,driver's licence,"
    "driver’s license,driver’s licence,medical license,medical licence,state license,nursing license,dl,dl/cdl"
)
CAPITAL_LICENCES = "cdl,d.l.,oln,dln,cdl/dl"
"""Licences to drive and to practise. A state's letters before the number stay outside."""

_DEA_LABEL = WordPattern(
    r"(?<![A-Za-z0-9])[Dd]\.?[Ee]\.?[Aa]\.?(?![A-Za-z])[ \t:#.]{0,12}+(?:(?i:no|num|number)\b[ \t:#.]{0,6}+)?"
    r"(?P<value>[A-Za-z][A-Za-z9][ -]?\d(?:[ -]?\d){6})(?!\d)"
)
_DEA_FORM = CodePattern(r"[A-HJ-MPRSTUX](?<![A-Za-z0-9-].)(?<!S(?=N))[A-Z9]\d{7}(?![A-Za-z0-9-])")
_CLIA_FORM = FigurePattern(r"\d(?<![A-Za-z0-9-].)\dD\d{7}(?![A-Za-z0-9-])", digits=[2], then="D")

_RENEWED = WordPattern(
    r"(?<![A-Za-z])[Ll]icen[cs]e (?:renewed|expires|exp\.?) [\d/]{4,10} \((?:[A-Z]{2} )?(?P<value>[A-Z]?\d{6,13})\)"
    r"|(?<![A-Za-z])DL in [a-z]{3,8} # ?(?P<purse>[A-Z0-9-]{6,20})\b"
)


def _licence(value: str) -> bool:
    """Licences may be as short as `16.402` or `Q0326`."""
    return coded(value) or (digits_of(value) >= 4 and not like_date(value))


def _ten_digits(value: str) -> bool:
    return value.isdigit() and len(value) == 10


_FIND_LABELLED = labelled(
    (
        Labels(TYPE, REGISTERS, any_value, 0.92),
        Labels(TYPE, COUNCILS, any_value, 0.92, capitals=True),
        Labels(TYPE, NUMBERED, any_value, 0.85, numbered=True),
        Labels(TYPE, "prescriber", _ten_digits, 0.85),
        Labels(TYPE, LICENCES, _licence, 0.88, region=_STATE),
        Labels(TYPE, CAPITAL_LICENCES, _licence, 0.9, capitals=True, region=_STATE),
    ),
    SOURCE,
)


def find(note: Reading) -> Iterator[Span]:
    """Licence numbers in a note. A valid check digit raises the score."""
    text = note.text
    for span in _FIND_LABELLED(note):
        proven = checksums.npi(span.text)
        yield (
            Span.of(text, span.start, span.end, TYPE, score=0.99, source=SOURCE) if proven else span
        )
    for match in _RENEWED.find(note):
        yield Span.of(text, *match.span(match.lastgroup or 0), TYPE, score=0.85, source=SOURCE)
    for match in _DEA_LABEL.find(note):
        score = 0.99 if checksums.dea(match["value"]) else 0.9
        yield Span.of(text, *match.span("value"), TYPE, score=score, source=SOURCE)
    for match in _DEA_FORM.find(note):
        if checksums.dea(match[0]):
            yield Span.of(text, *match.span(), TYPE, score=0.8, source=SOURCE)
    for match in _CLIA_FORM.find(note):
        yield Span.of(text, *match.span(), TYPE, score=0.95, source=SOURCE)


FAMILY = Family("licences", frozenset({TYPE}), find)
