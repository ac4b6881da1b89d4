"""Numbers and names of places where English is written outside the United States."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from generator.capitals import surname_case
from generator.gazetteer import Gazetteers
from generator.values.codes import fill


@dataclass(frozen=True)
class Locale:
    """Shapes of telephones and postcodes, and provinces if addresses have them."""

    phones: tuple[str, ...]
    postcodes: tuple[str, ...]
    provinces: tuple[str, ...] = ()


LOCALES: Mapping[str, Locale] = {
    "GB": Locale(
        ("020 7999 9999", "0131 999 9999", "01999 999999", "07999 999999", "+44 7999 999999", "0161 999 9999", "01999-999999", "07999 999 999"),
        ("AA9 9AA", "A99 9AA", "AA99 9AA", "A9 9AA", "AA9A 9AA"),
    ),
    "IE": Locale(
        ("01 999 9999", "021 999 9999", "087 999 9999", "+353 87 999 9999", "(01) 999 9999", "086-9999999"),
        ("A99 A999", "A99 AA99", "T99 A9A9"),
    ),
    "AU": Locale(
        ("02 9999 9999", "(03) 9999 9999", "0499 999 999", "07 9999 9999", "+61 4 9999 9999", "1300 999 999"),
        ("2999", "3999", "4999", "6999"),
        ("NSW", "VIC", "QLD", "WA", "SA", "TAS", "NT", "ACT", "Queensland", "Victoria", "Tasmania", "New South Wales"),
    ),
    "IN": Locale(
        ("98999 99999", "+91 98999 99999", "0484 2999999", "022-29999999", "9899999999", "080 2999 9999", "+91-99999-99999"),
        ("699 999", "499999", "599 999", "1999 99"),
        ("Kerala", "Tamil Nadu", "Maharashtra", "Karnataka", "Punjab", "Gujarat", "West Bengal", "Bihar", "Rajasthan", "Telangana", "UP", "Uttar Pradesh"),
    ),
    "ZA": Locale(
        ("011 999 9999", "082 999 9999", "+27 82 999 9999", "(021) 999-9999", "083 999 9999"),
        ("2999", "7999", "4999", "0999"),
        ("Gauteng", "KwaZulu-Natal", "Western Cape", "Eastern Cape", "Limpopo", "Mpumalanga", "KZN", "Free State"),
    ),
    "NG": Locale(
        ("0809 999 9999", "+234 803 999 9999", "08099999999", "0703 999 9999"),
        ("199999", "999999"),
        ("Lagos State", "Kano State", "Rivers State", "Enugu State", "Oyo State", "Kaduna", "Anambra", "Ogun State"),
    ),
    "KE": Locale(("0722 999 999", "+254 722 999999", "020 2999999", "0733-999999"), ("00199", "19999", "20199")),
    "GH": Locale(("024 999 9999", "+233 24 999 9999", "0209 999 999"), ("AA-999-9999",), ("Ashanti", "Greater Accra", "Volta Region")),
    "JM": Locale(("876-999-9999", "(876) 999-9999", "1-876-999-9999"), ("JMAAW99",)),
    "TT": Locale(("868-999-9999", "(868) 999-9999", "868 999 9999"), ("999999",)),
    "NZ": Locale(("09 999 9999", "021 999 999", "+64 21 999 9999", "03 999 9999", "0800 999 999"), ("1099", "6099", "8099", "2999")),
    "CA": Locale(
        ("416-999-9999", "(604) 999-9999", "514 999-9999", "902-999-9999", "1-800-999-9999", "705.999.9999"),
        ("A9A 9A9", "A9A 9A9", "A9A9A9"),
        ("ON", "QC", "BC", "AB", "NS", "MB", "NB", "SK", "NL", "PEI", "Ontario", "Nova Scotia", "British Columbia", "Newfoundland"),
    ),
    "UG": Locale(("0772 999999", "+256 772 999999", "0414 999999"), ("19999",)),
    "PK": Locale(("0300 9999999", "042-39999999", "+92 300 9999999"), ("59999", "79999"), ("Punjab", "Sindh", "KPK", "Balochistan")),
    "LK": Locale(("077 999 9999", "011 2999999", "+94 77 999 9999"), ("09999", "29999")),
    "PH": Locale(("0917 999 9999", "(02) 8999 9999", "+63 917 999 9999"), ("1999", "69999"), ("Cebu", "Laguna", "Batangas", "Iloilo")),
}  # fmt: skip

_HOSPITALS = (
    "{} Royal Infirmary", "Royal {} Hospital", "{} General Hospital", "{} District Hospital", "{} Infirmary",
    "{} and District Hospital", "St {}'s Hospital", "{} University Hospital", "{} Teaching Hospital",
    "{} Mission Hospital", "{} Cottage Hospital", "{} Base Hospital", "{} Regional Hospital", "Our Lady of {} Hospital",
    "Queen {} Hospital", "{} NHS Trust", "{} Health Board", "{} Provincial Hospital", "Mater {}", "The {} Hospital",
    "{} Memorial", "{} Private Hospital", "{} Medical College", "{} Referral Hospital", "{} County Hospital",
)  # fmt: skip
_CLINICS = (
    "{} Surgery", "{} Medical Practice", "{} Health Centre", "{} Medical Centre", "{} Road Surgery", "{} Polyclinic",
    "{} Clinic", "{} House Surgery", "{} Community Health Centre", "{} Day Hospital", "{} Primary Health Centre",
    "{} Nursing Home", "{} Care Home", "{} Physiotherapy", "{} Wellness Centre", "{} Family Practice", "{} Dispensary",
    "{} Community Mental Health Team", "{} CMHT", "{} Lodge", "{} Court Care Home", "{} Hospice", "{} Treatment Centre",
)  # fmt: skip
_STREETS = (
    "{n} {w} Road", "{n} {w} Street", "{n} {w} Close", "{n} {w} Crescent", "{n} {w} Lane", "Flat {m}, {n} {w} Road",
    "{n} {w} Gardens", "{w} House, {w2} Lane", "{w} Cottage, {w2} Road", "{n} {w} Avenue", "{n}a {w} Terrace",
    "{m}/{n} {w} St", "Unit {m}, {n} {w} Parade", "Plot {n}, {w} Layout", "House No. {n}, {w} Nagar", "{n} {w} Way",
    "Stand {n} {w} Section", "{n} {w} Drive", "P.O. Box {n}", "PO Box {n}", "Private Bag {n}", "{n}, {w} Colony",
    "{n} {w} Grove", "{w} Farm", "{n}/{m} {w} Main Road", "Lot {m} {w} District", "{n} {w} Mews", "{n} The {w}",
)  # fmt: skip


def phone(rng: Random, country: str) -> str:
    """A telephone number as the country writes it."""
    return fill(rng.choice(LOCALES[country].phones), rng)


def postcode(rng: Random, country: str) -> str:
    """A postal code of the country."""
    return fill(rng.choice(LOCALES[country].postcodes), rng)


def facility_name(rng: Random, lists: Gazetteers, country: str, hospital: bool) -> tuple[str, str]:
    """The full name of a facility and its naming word."""
    towns = lists.abroad[country]
    word = towns.draw(rng) if rng.random() < 0.6 else surname_case(lists.surnames.draw(rng))
    return rng.choice(_HOSPITALS if hospital else _CLINICS).format(word), word


def street(rng: Random, lists: Gazetteers, country: str) -> str:
    """A street and house."""
    words = [
        lists.abroad[country].draw(rng)
        if rng.random() < 0.4
        else surname_case(lists.surnames.draw(rng))
        for _ in range(2)
    ]
    form = rng.choice(_STREETS)
    return form.format(n=rng.randint(1, 300), m=rng.randint(1, 40), w=words[0], w2=words[1])
