"""Numbers with check digits: fakes pass the check, in ranges that nobody was given.

Payment cards get an issuer that does not exist, NPIs begin with 2, which is not in use, DEA numbers
with a letter that no kind of registrant has, VINs have a model year that is never written, IBANs a
bank of zeros, IMEIs the prefix of test devices. Aircraft have no check, but a range of their own.
"""

from __future__ import annotations

import re
from functools import partial

from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.numbers.check_digits import (
    dea_check,
    gs1_check,
    iban_check,
    like_card,
    vin_check,
    with_luhn,
)
from incognote.replace.surrogate.numbers.shape import compact, pour, reshaped
from incognote.replace.surrogate.numbers.value import NumberMention, Value

_ISSUERS = {"3": "31", "4": "69", "5": "59", "6": "69"}
_VIN_LETTERS = "abcdefghjklmnprstuvwxyz"
_VIN = re.compile(rf"[{_VIN_LETTERS}0-9]{{17}}")
_TAIL = re.compile(r"n\d{2,5}[a-z]{0,2}")
_DEA = re.compile(r"[a-z][a-z9]\d{7}")
_DEA_BEFORE = re.compile(r"(?i)\bD\.?E\.?A\b[^.;\n]{0,12}$")
_IBAN = re.compile(r"(?P<country>[a-z]{2})(?P<check>\d\d)(?P<account>[a-z0-9]{11,30})")
_IBAN_BEFORE = re.compile(r"(?i)\bIBAN\b[^.;\n]{0,12}$")
_UDI = re.compile(r"\((\d{2,4})\)([^()]+)")


def read_checked(mention: NumberMention) -> Value | None:
    """A number that has a check digit, if the mention is one."""
    type, plain = mention.type, mention.plain
    if type == "DEVICE" and _UDI.match(mention.text):
        return Value("udi", plain, _write_udi)
    if plain.isdigit():
        if type != "DEVICE" and like_card(plain):
            return Value("card", plain, partial(_write_card, plain))
        if len(plain) == 15 and type == "DEVICE":
            return Value("imei", plain, partial(_write_imei, plain))
        if len(plain) == 10 and type == "LICENSE" and plain[0] in "12":
            return Value("npi", plain, partial(_write_npi, plain))
        return None
    if type == "LICENSE" and _DEA.fullmatch(plain):
        if _DEA_BEFORE.search(mention.before) or dea_check(plain[2:8]) == plain[8]:
            return Value("dea", plain, partial(_write_dea, plain))
    elif type == "VEHICLE" and _VIN.fullmatch(plain):
        return Value("vin", plain, partial(_write_vin, plain))
    elif type == "VEHICLE" and _TAIL.fullmatch(plain):
        return Value("tail", plain, partial(_write_tail, plain))
    elif type == "ACCOUNT" and (match := _IBAN.fullmatch(plain)):
        told = _IBAN_BEFORE.search(mention.before)
        if told or iban_check(match["country"], match["account"]) == match["check"]:
            return Value("iban", plain, partial(_write_iban, plain))
    return None


def _write_card(core: str, text: str, keyed: Keyed, turn: int) -> str:
    """The last four go with the last four of the card alone."""
    middle = keyed.digits(len(core) - 6, "card", core, turn)
    fake = _ISSUERS[core[0]] + middle + reshaped(core[-4:], keyed, turn)
    return pour(text, with_luhn(fake, len(fake) - 5))


def _write_imei(core: str, text: str, keyed: Keyed, turn: int) -> str:
    return pour(text, with_luhn("00" + keyed.digits(12, "imei", core, turn) + "0", 14))


def _write_npi(core: str, text: str, keyed: Keyed, turn: int) -> str:
    fake = "808402" + keyed.digits(8, "npi", core, turn) + "0"
    return pour(text, with_luhn(fake, 14)[5:])


def _write_dea(core: str, text: str, keyed: Keyed, turn: int) -> str:
    six = reshaped(core[2:8], keyed, turn)
    second = core[1] if core[1] == "9" else reshaped(core[1], keyed, turn)
    return pour(text, f"z{second}{six}{dea_check(six)}")


def _write_vin(core: str, text: str, keyed: Keyed, turn: int) -> str:
    """The year's place has a zero or a z, which stand for no year."""
    whole = reshaped(core[:8] + core[9:], keyed, turn, _VIN_LETTERS)
    year = "0" if core[9].isdigit() else "z"
    fake = whole[:8] + "0" + year + whole[9:]
    written = pour(text, fake[:8] + vin_check(fake) + fake[9:])
    return written.upper() if text.isupper() else written


def _write_tail(core: str, text: str, keyed: Keyed, turn: int) -> str:
    """American aircraft begin with N, and none with N0."""
    return pour(text, "n0" + reshaped(core[2:], keyed, turn))


def _write_iban(core: str, text: str, keyed: Keyed, turn: int) -> str:
    country, account = core[:2], reshaped(core[4:], keyed, turn)
    bank = "".join("0" if each.isdigit() else "x" for each in account[:4])
    account = bank + account[4:]
    return pour(text, country + iban_check(country, account) + account)


def _write_udi(text: str, keyed: Keyed, turn: int) -> str:
    """The marks in brackets stay; each part has the fake that it has by itself."""

    def part(match: re.Match[str]) -> str:
        fake = reshaped(compact(match[2]), keyed, turn)
        if match[1] == "01" and fake.isdigit():
            fake = fake[:-1] + gs1_check(fake[:-1])
        return f"({match[1]}){pour(match[2], fake)}"

    return _UDI.sub(part, text)
