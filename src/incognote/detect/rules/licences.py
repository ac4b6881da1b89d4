"""Licence and registration numbers of professionals, drivers and laboratories."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import CodePattern, FigurePattern, WordPattern
from incognote.detect.rules.engine import LAST, Family, Finding, Rule, value
from incognote.detect.rules.labels import Labels, any_value, coded, digits_of, labelled, like_date
from incognote.knowledge import check_digits

TYPE = "LICENSE"

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


def _licence(number: str) -> bool:
    """Licences may be as short as `16.402` or `Q0326`."""
    return coded(number) or (digits_of(number) >= 4 and not like_date(number))


def _ten_digits(number: str) -> bool:
    return number.isdigit() and len(number) == 10


_labelled = labelled(
    Labels(TYPE, REGISTERS, any_value, 0.92),
    Labels(TYPE, COUNCILS, any_value, 0.92, capitals=True),
    Labels(TYPE, NUMBERED, any_value, 0.85, numbered=True),
    Labels(TYPE, "prescriber", _ten_digits, 0.85),
    Labels(TYPE, LICENCES, _licence, 0.88, region=_STATE),
    Labels(TYPE, CAPITAL_LICENCES, _licence, 0.9, capitals=True, region=_STATE),
)


def _by_label(note: NoteIndex) -> Iterator[Finding]:
    """A valid check digit raises the score."""
    for finding in _labelled(note):
        proven = check_digits.is_npi(note.text[finding.start : finding.end])
        yield finding._replace(score=0.99) if proven else finding


def _dea_score(_: str, match: re.Match[str]) -> float:
    return 0.99 if check_digits.is_dea(match["value"]) else 0.9


FAMILY = Family(
    "licences",
    frozenset({TYPE}),
    (
        _by_label,
        Rule(_RENEWED, TYPE, 0.85, LAST),
        Rule(_DEA_LABEL, TYPE, _dea_score, "value"),
        Rule(_DEA_FORM, TYPE, 0.8, when=value(check_digits.is_dea)),
        Rule(_CLIA_FORM, TYPE, 0.95),
    ),
)
