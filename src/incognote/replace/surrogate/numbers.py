"""The numbers of one patient's notes: the same shape, valid where a check digit is, and nobody's.

>>> numbers = NumberSurrogates(b"a secret of the site", "patient 17")
>>> numbers.replace_all(
...     [NumberMention("(410) 627-3389", "PHONE"), NumberMention("627-3389", "PHONE")]
... )
['(757) 555-0107', '555-0107']
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from incognote.knowledge.check_digits import (
    VIN,
    VIN_LETTERS,
    dea_check,
    gs1_check,
    iban_check,
    is_card,
    is_dea,
    is_iban,
    is_nhs,
    nhs_check,
    vin_check,
    with_luhn,
)
from incognote.replace.surrogate.internet import Renamed, RenamedPeople, read_internet
from incognote.replace.surrogate.kernel import Keyed, apart
from incognote.replace.surrogate.number_shapes import (
    NumberMention,
    Value,
    compact,
    pour,
    reshaped,
)
from incognote.replace.surrogate.phones import read_phone

_TURNS = 48
_BED = re.compile(r"(?P<room>\d{3,4}[A-Z]?-)(?P<bed>[A-D1-4])")
_BEDS = ("ABCD", "1234")
_ROOM = re.compile(r"(?P<word>[A-Za-z]{3,} )(?P<number>\d{1,3}[A-Za-z]?)")


@dataclass(frozen=True)
class NumberSurrogates:
    """One patient's numbers. The same key, patient and number give the same fake, in any order.

    `avoid` is anything that says whether it holds a value in small letters and digits, such as an
    index of a whole corpus: no fake is one of them. `people` are the note's persons under both
    names, for logins and e-mail addresses that show them.

    A fake is a function of key, patient and number alone, but for a login that shows a person of
    the note. Different numbers of one shape have different fakes; in ranges that are kept for
    fiction, such as 555-01xx, there are fewer fakes than numbers, and of two numbers of a call
    that would share one, one has its next. None stands for what no fake can be found for: a value without letters and digits, or one of which nothing can change.
    """

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    avoid: Container[str] = field(default=(), repr=False)
    people: Sequence[Renamed] = field(default=(), repr=False)

    def replace_all(self, mentions: Sequence[NumberMention]) -> list[str | None]:
        """What stands in each mention's place."""
        keyed = Keyed.of(self.key, "numbers", self.patient)
        people = RenamedPeople(self.people)
        values = {mention: read_value(mention, people) for mention in dict.fromkeys(mentions)}
        texts: dict[Value, dict[str, str]] = defaultdict(dict)
        for mention, value in values.items():
            if value.core:
                texts[value][mention.text] = mention.plain

        def wish(value: Value) -> Callable[[int], _Fake | None]:
            return lambda turn: self._fake(value, texts[value], keyed, turn)

        def rank(value: Value) -> int:
            return keyed.number("rank", value.kind, value.core)

        wishes = {value: wish(value) for value in texts}
        fakes = apart(wishes, rank, lambda fake: fake.plain, _TURNS)
        return [
            fakes[values[mention]].texts[mention.text] if values[mention] in fakes else None
            for mention in mentions
        ]

    def fakes_of(self, value: Value, spellings: Sequence[NumberMention]) -> dict[str, str]:
        """One value's fake in each spelling, by its text; no other value has a part in it."""
        keyed = Keyed.of(self.key, "numbers", self.patient)
        texts = {mention.text: mention.plain for mention in spellings}
        for turn in range(_TURNS if value.core else 0):
            if fake := self._fake(value, texts, keyed, turn):
                return dict(fake.texts)
        return {}

    def _fake(
        self, value: Value, texts: Mapping[str, str], keyed: Keyed, turn: int
    ) -> _Fake | None:
        """What a turn makes of a value, if in no spelling it is the value itself or to be avoided."""
        fakes = {text: value.write(text, keyed, turn) for text in sorted(texts)}
        plain = {text: compact(fake) for text, fake in fakes.items()}
        if any(fake == texts[text] or fake in self.avoid for text, fake in plain.items()):
            return None
        return _Fake(next(iter(plain.values())), fakes)


class _Fake(NamedTuple):
    """The letters and digits of a fake, and how each spelling of the original is written with it."""

    plain: str
    texts: Mapping[str, str]


def read_value(mention: NumberMention, people: RenamedPeople) -> Value:
    """What a mention is of."""
    return (
        read_phone(mention)
        or read_internet(mention, people)
        or read_national(mention)
        or read_checked(mention)
        or _plain_value(mention)
    )


def _plain_value(mention: NumberMention) -> Value:
    core = mention.plain
    room = _ROOM.fullmatch(mention.text) if mention.type == "IDNUM" else None
    if room:
        return Value("room", core, _write_room)
    if mention.type == "IDNUM" and _BED.fullmatch(mention.text):
        return Value("bed", core, _write_bed)

    def write(text: str, keyed: Keyed, turn: int) -> str:
        return pour(text, reshaped(compact(text), keyed, turn))

    return Value("number", core, write)


def _write_room(text: str, keyed: Keyed, turn: int) -> str:
    """The word of a room stays: Resus 1, LDR 7."""
    room = _ROOM.fullmatch(text)
    assert room is not None
    return room["word"] + pour(room["number"], reshaped(compact(room["number"]), keyed, turn))


def _write_bed(text: str, keyed: Keyed, turn: int) -> str:
    """A room has four beds at most: 611-B becomes 586-D, and 611-A another of 586."""
    bed = _BED.fullmatch(text)
    if bed is None:
        return pour(text, reshaped(compact(text), keyed, turn))
    room = pour(bed["room"], reshaped(compact(bed["room"]), keyed, turn))
    beds = _BEDS[bed["bed"].isdigit()]
    return room + beds[(beds.index(bed["bed"]) + keyed.below(4, "bed", bed["room"], turn)) % 4]


# Numbers of national registers: fakes that no register gives out.
#
# Social security numbers get an area that is never issued, with a group that no taxpayer number has;
# Canadian ones begin with 0; British ones with the letters QQ; NHS numbers are in the range for tests.

_SSN = re.compile(r"(?P<ssn>\d{3}\D{0,3}\d\d\D{0,3}\d{4})(?P<suffix>\s?[A-Za-z]\d?)?")
_SIN = re.compile(r"\d{3}[\s.‐-―-]\d{3}[\s.‐-―-]\d{3}")
_NINO = re.compile(r"[a-z]{2}\d{6}[a-d]?")
_NHS_SPACED = re.compile(r"\d{3}[ -]\d{3}[ -]\d{4}")
_NHS_BEFORE = re.compile(r"(?i)\bNHS\b[^.;\n]{0,16}$")
_GROUPS = 49
"""01 to 49: taxpayer numbers, which begin with 9 as well, have 50 and more."""


def is_canadian(text: str) -> bool:
    """Whether a number is written as Canadian social insurance numbers are."""
    return _SIN.fullmatch(text) is not None


def read_national(mention: NumberMention) -> Value | None:
    """A national number, if the mention is one."""
    text, plain = mention.text, mention.plain
    if mention.type in ("SSN", "HEALTHPLAN"):
        match = _SSN.fullmatch(text)
        if match and (mention.type == "SSN" or match["suffix"]) and not is_canadian(text):
            return Value("ssn", plain[:9], partial(_write_ssn, plain[:9]))
    if mention.type == "SSN":
        if is_canadian(text):
            return Value("sin", plain, partial(_write_sin, plain))
        if _NINO.fullmatch(plain):
            return Value("nino", plain, partial(_write_nino, plain))
    if mention.type == "MEDICALRECORD" and len(plain) == 10 and plain.isdigit():
        spaced = _NHS_SPACED.fullmatch(text) and is_nhs(plain)
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


# Numbers with check digits: fakes pass the check, in ranges that nobody was given.
#
# Payment cards get an issuer that does not exist, NPIs begin with 2, which is not in use, DEA numbers
# with a letter that no kind of registrant has, VINs have a model year that is never written, IBANs a
# bank of zeros, IMEIs the prefix of test devices. Aircraft have no check, but a range of their own.

_ISSUERS = {"3": "31", "4": "69", "5": "59", "6": "69"}
_TAIL = re.compile(r"n\d{2,5}[a-z]{0,2}")
_DEA = re.compile(r"[a-z][a-z9]\d{7}")
_DEA_BEFORE = re.compile(r"(?i)\bD\.?E\.?A\b[^.;\n]{0,12}$")
_IBAN = re.compile(r"[a-z]{2}\d\d[a-z0-9]{11,30}")
_IBAN_BEFORE = re.compile(r"(?i)\bIBAN\b[^.;\n]{0,12}$")
_UDI = re.compile(r"\((\d{2,4})\)([^()]+)")


def read_checked(mention: NumberMention) -> Value | None:
    """A number that has a check digit, if the mention is one."""
    type, plain = mention.type, mention.plain
    if type == "DEVICE" and _UDI.match(mention.text):
        return Value("udi", plain, _write_udi)
    if plain.isdigit():
        if type != "DEVICE" and is_card(plain):
            return Value("card", plain, partial(_write_card, plain))
        if len(plain) == 15 and type == "DEVICE":
            return Value("imei", plain, partial(_write_imei, plain))
        if len(plain) == 10 and type == "LICENSE" and plain[0] in "12":
            return Value("npi", plain, partial(_write_npi, plain))
        return None
    if type == "LICENSE" and _DEA.fullmatch(plain):
        if _DEA_BEFORE.search(mention.before) or is_dea(plain):
            return Value("dea", plain, partial(_write_dea, plain))
    elif type == "VEHICLE" and VIN.fullmatch(plain):
        return Value("vin", plain, partial(_write_vin, plain))
    elif type == "VEHICLE" and _TAIL.fullmatch(plain):
        return Value("tail", plain, partial(_write_tail, plain))
    elif type == "ACCOUNT" and (
        is_iban(plain) or (_IBAN.fullmatch(plain) and _IBAN_BEFORE.search(mention.before))
    ):
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
    whole = reshaped(core[:8] + core[9:], keyed, turn, VIN_LETTERS)
    year = "0" if core[9].isdigit() else "z"
    fake = whole[:8] + "0" + year + whole[9:]
    vin = pour(text, fake[:8] + vin_check(fake) + fake[9:])
    return vin.upper() if text.isupper() else vin


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
