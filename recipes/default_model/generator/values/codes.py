"""Record, account, licence, device and other numbers, each drawn from a few shapes.

In a shape `9` is any digit, `1` a digit but zero, `A` a capital, `a` a small letter, `?` a capital
or digit, `Y` the note's year in two digits; everything else stands for itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
_VIN = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"

SHAPES: Mapping[str, tuple[str, ...]] = {
    "mrn": (
        "1999999", "19999999", "199999", "99-99-99", "999-99-99", "A199999", "AA199999",
        "999-999-9999", "99 99 99", "A9999999", "0009999999", "199-999", "9999-9999", "AA-19999",
        "E19999999", "99-9999", "AAA-199999", "9-999-9999", "MR19999", "A 999 999",
        "199999-A", "9999 999 999", "999 999 9999", "19999",
    ),
    "nhs": ("999 999 9999", "9999999999", "999-999-9999", "AAA9999", "9999 99999 9", "A999999", "2999 99999 1"),
    "nino": ("AA 99 99 99 A", "AA999999A", "9999999A", "9999999AA", "999 999 999"),
    "national_id": ("9999 9999 9999", "9999999999999", "99999999", "A99999999", "999999-99-9999", "99-999999-A-99"),
    "registration": ("9999999", "999999", "MP9999999", "MED9999999999", "99A9999A", "12999", "MDCN/R/99999", "A/99999", "NMC 99A9999A"),
    "ssn": ("999-99-9999", "999-99-9999", "999-99-9999", "999 99 9999", "999999999", "xxx-xx-9999", "***-**-9999", "XXX-XX-9999"),
    "ssn4": ("9999", "x9999"),
    "plan": ("AA 99999 A", "AAA9999A", "AA 9999-99", "AA-A9999", "A99 999 99", "999 999 999 AA", "AAA 99 99999", "9999 9999 9A",
        "AAA199999999", "AA999 999 99", "199999999A", "1AA9-AA9-AA99", "AAA 9999 99999 99",
        "W199999999", "AAA-999-99-999", "AAA199999999-01", "9999 999 999", "H9999-999", "19999999",
        "A9999999", "999-99-9999A", "??-199999-9", "1AA9AA9AA99", "U19999999 02",
    ),
    "group": ("199999", "AAA-99", "G-19999", "9999-AAA", "AA1999", "00199999", "AAA9999"),
    "rxbin": ("699999", "019999", "009999"),
    "pcn": ("AAA", "ADV", "A9", "PCN99", "AAAAA", "99999999"),
    "account": (
        "1999999999", "19999999", "A199999999", "99-199999", "199999-9", "AA-19999", "V999999999",
        "9999 9999 9999", "G-1999999", "900999999999", "H99999999", "19999-99",
    ),
    "card4": ("9999",),
    "npi": ("1999999999",),
    "dea": ("BA9999999", "FA9999999", "MA9999999", "AA9999999"),
    "medical_license": ("MD-99999", "A99999", "G99999", "MD999999", "DO-9999", "99-99999", "MD99999999", "RN199999", "PT199999", "D9999999", "19999", "PA-99999"),
    "driver_license": ("A9999999", "A999-999-99-999-9", "99999999", "A99999999", "AAAAA99999A", "999-99-9999", "99AAA99999", "A99-99-9999", "AA999999A"),
    "plate": ("9A9999", "AAA-A99", "9AA 9999", "A99 999", "AAA9 A9A", "999-9999", "99A9999", "AA9 A9A", "9A AA999", "AAA-9999", "AAA 999", "9AAA999", "AAA9999", "999 AAA", "A99-AAA", "99-9999A", "AA9 9999", "AAA 99A", "9AA A99", "AAA-999"),
    "tail": ("N999AA", "N99AA", "N9999A"),
    "vin": (),
    "device": (
        "199999", "AAA199999A", "AA-199999", "A199999999", "9999-999999", "AAA999999", "SN199999",
        "1A9999-99999", "AA99-??99-9999", "AAA999999A", "A-9999999", "??????", "AA99999-9",
        "1999999999", "PJN199999", "A99A99999", "9999999", "AA9999-AAA", "359999999999999",
    ),
    "lot": ("A99999", "AA9999", "99999A", "L?9A99", "199999", "AAA9999", "????99", "99A9999"),
    "biometric": ("AAA-AA-9999", "AA-9999-9-A", "AA-9a9a-9999", "AAA-99-AA-99", "AA-A-99999-9", "AA-99999-AA", "AAAA-99-9999", "AA-9999-9A9A", "9999-999-99", "AAA-A99999", "AA-99-9999-A9", "AA-9999-??", "AAA-99-9999", "AA-199999", "HLA-Y-9999", "FP-9999-??", "AAA-9999-A", "BIO-Y-99999", "TB-Y-9999", "AAAA-99-99", "V?-99999-A"),
    "accession": (
        "SY-9999", "SY-19999", "Y-999-9999", "Y:A9999", "AAY-999999", "AY-99999", "CT-Y-9999999",
        "S-Y-9999", "Y-99999", "1999999", "AA199999", "A99-9999", "9999999999", "AP Y-99999",
        "RAD-9999999", "Y-A-9999", "BY9999", "NP-Y-999",
    ),
    "order": ("199999", "1999999", "ORD-99999", "R199999", "AA-19999", "99-99999", "19999999", "A-Y-99999"),
    "encounter": ("199999999", "V99999999999", "1999999999", "E-999999", "99-999-9999", "CSN199999", "ED-Y-99999"),
    "case": ("Y-99999", "AA-Y-9999", "CR-20Y-99999", "A-Y-99999", "WC-Y-9999", "99-AA-9999", "AAA-99-9999", "20Y-9999"),
    "prescription": ("1999999", "199999", "N-1999999", "6999999", "Rx199999"),
    "study": ("999-9999", "AA-999-99", "NCT09999999", "SUBJ-999", "9999-99", "AAA-999"),
    "room": ("999", "999-9", "999A", "9A99", "99-9", "9W99", "A-99", "999 B", "9999", "AA-99", "12", "9"),
    "wardbed": ("1W-99", "1N99", "1E-19A", "1S-19-2", "1C-19", "1B/19", "T199", "LDR 1", "LDR1", "ICU-19", "ED19", "ED-1", "MICU1", "CV-19", "R1", "H1", "HW-1", "1NE-9", "Resus 1", "OBS-9", "TR1"),
    "bed": ("9", "99", "A", "B", "02", "9A"),
    "passport": ("A99999999", "199999999", "AA999999", "AA-A999999"),
    "badge": ("19999", "199999", "A9999"),
    "job": ("199999", "1999999", "99999", "199-999", "0199999", "J199999"),
    "typist": ("aaa", "aa", "aa9", "AAA", "AA", "AA99", "aaa9", "A9999", "aa/99", "AA9999", "999"),
}  # fmt: skip


def code(kind: str, rng: Random, year: int = 2019) -> str:
    """A number of this kind."""
    if kind == "vin":
        return "1" + "".join(rng.choices(_VIN, k=10)) + f"{rng.randint(0, 999999):06}"
    if kind in _FREE and rng.random() < 0.4:
        return fill(free_shape(rng), rng, year)
    return fill(rng.choice(SHAPES[kind]), rng, year)


_FREE = frozenset(
    (
        "mrn",
        "plan",
        "account",
        "medical_license",
        "driver_license",
        "plate",
        "device",
        "lot",
        "biometric",
        "accession",
        "order",
        "case",
        "study",
        "badge",
        "registration",
        "national_id",
    )
)
"""Kinds whose makers agree on no shape."""


def free_shape(rng: Random) -> str:
    """One to four groups of letters or digits, joined as a maker fancies."""
    groups: list[str] = []
    for _ in range(rng.choice((1, 2, 2, 2, 3, 3, 4))):
        chance = rng.random()
        if chance < 0.62 or (len(groups) == 1 and "9" not in groups[0]):
            groups.append("9" * rng.choice((1, 2, 2, 3, 3, 4, 4, 5, 6, 7)))
        elif chance < 0.9:
            groups.append("A" * rng.choice((1, 1, 2, 2, 3, 3, 4)))
        else:
            groups.append("".join(rng.choices("9A", k=rng.randint(2, 5))))
    shape = rng.choice(("-", "-", "-", " ", " ", "", "", "/", ".", "_")).join(groups)
    return shape if shape.count("9") > 2 else f"{shape}{rng.choice(('-', '', ' '))}9999"


def fill(shape: str, rng: Random, year: int = 2019) -> str:
    """The shape with its places filled."""
    out = []
    for char in shape:
        if char == "9":
            char = str(rng.randrange(10))
        elif char == "1":
            char = str(rng.randint(1, 9))
        elif char == "A":
            char = rng.choice(_LETTERS)
        elif char == "a":
            char = rng.choice(_LETTERS).lower()
        elif char == "?":
            char = rng.choice(_VIN)
        elif char == "Y":
            char = f"{year % 100:02}"
        out.append(char)
    return "".join(out)
