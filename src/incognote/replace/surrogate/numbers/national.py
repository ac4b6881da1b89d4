"""Numbers of national registers: fakes that no register gives out.

Social security numbers get an area that is never issued, with a group that no taxpayer number has;
Canadian ones begin with 0; British ones with the letters QQ; NHS numbers are in the range for tests.
"""

from __future__ import annotations

import re
from functools import partial

from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.numbers.check_digits import nhs_check, with_luhn
from incognote.replace.surrogate.numbers.shape import compact, pour, reshaped
from incognote.replace.surrogate.numbers.value import NumberMention, Value

_SSN = re.compile(r"(?P<ssn>\d{3}\D{0,3}\d\d\D{0,3}\d{4})(?P<suffix>\s?[A-Za-z]\d?)?")
_SIN = re.compile(r"\d{3}[\s.‐-―-]\d{3}[\s.‐-―-]\d{3}")
_NINO = re.compile(r"[a-z]{2}\d{6}[a-d]?")
_NHS_SPACED = re.compile(r"\d{3}[ -]\d{3}[ -]\d{4}")
_NHS_BEFORE = re.compile(r"(?i)\bNHS\b[^.;\n]{0,16}$")
_GROUPS = 49
"""01 to 49: taxpayer numbers, which begin with 9 as well, have 50 and more."""


def read_national(mention: NumberMention) -> Value | None:
    """A national number, if the mention is one."""
    text, plain = mention.text, mention.plain
    if mention.type in ("SSN", "HEALTHPLAN"):
        match = _SSN.fullmatch(text)
        if match and (mention.type == "SSN" or match["suffix"]) and not _SIN.fullmatch(text):
            return Value("ssn", plain[:9], partial(_write_ssn, plain[:9]))
    if mention.type == "SSN":
        if _SIN.fullmatch(text):
            return Value("sin", plain, partial(_write_sin, plain))
        if _NINO.fullmatch(plain):
            return Value("nino", plain, partial(_write_nino, plain))
    if mention.type == "MEDICALRECORD" and len(plain) == 10 and plain.isdigit():
        spaced = _NHS_SPACED.fullmatch(text) and nhs_check(plain[:9]) == plain[9]
        if spaced or _NHS_BEFORE.search(mention.before):
            return Value("nhs", plain, partial(_write_nhs, plain))
    return None


def _write_ssn(core: str, text: str, keyed: Keyed, turn: int) -> str:
    """The last four go with the last four of the number alone."""
    area = 900 + keyed.below(100, "ssn area", core, turn)
    group = 1 + keyed.below(_GROUPS, "ssn group", core, turn)
    fake = f"{area}{group:02}{reshaped(core[-4:], keyed, turn)}"
    return pour(text, fake + compact(text)[9:])


def _write_sin(core: str, text: str, keyed: Keyed, turn: int) -> str:
    fake = "0" + keyed.digits(7, "sin", core, turn) + "0"
    return pour(text, with_luhn(fake, 8))


def _write_nino(core: str, text: str, keyed: Keyed, turn: int) -> str:
    tail = core[8:] and "abcd"[keyed.below(4, "nino", core, turn)]
    return pour(text, "qq" + reshaped(core[2:8], keyed, turn) + tail)


def _write_nhs(core: str, text: str, keyed: Keyed, turn: int) -> str:
    draw = 0
    while True:
        nine = "999" + keyed.digits(6, "nhs", core, turn, draw)
        check = nhs_check(nine)
        if check is not None:
            return pour(text, nine + check)
        draw += 1
