"""What detection reads, surrogates read too, and the reverse.

Each side is asked for its own words, not for the tables: a word that one of them got otherwise, or
lost, fails. The exceptions are rows of the tables with a flag, and stand here by name.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.detect.note_index import NoteIndex
from incognote.detect.rules import FAMILIES
from incognote.detect.rules.dates.days import HOLIDAY_NAMES, WEEKDAY_HEADS
from incognote.detect.rules.dates.months import MONTH_HEADS
from incognote.knowledge import calendar, check_digits, places, streets
from incognote.knowledge.calendar import MONTH_NAMES, WEEKDAY_NAMES
from incognote.knowledge.holidays import HOLIDAYS, holiday_named
from incognote.knowledge.letters import key_of
from incognote.knowledge.number_words import write_ordinal
from incognote.replace.surrogate.banks.place_bank import place_bank
from incognote.replace.surrogate.date_readings import Context
from incognote.replace.surrogate.dates import DateSurrogates
from incognote.replace.surrogate.kernel import Mention
from incognote.replace.surrogate.number_shapes import NumberMention
from incognote.replace.surrogate.numbers import NumberSurrogates
from incognote.replace.surrogate.places import PlaceSurrogates

KEY = b"a secret that is only for tests!"
UNREAD_MONTHS = {"mars", "mai", "mayo", "ene", "abr", "ago", "dic"}
UNREAD_WEEKDAYS = {"mardi", "mardis", "domingo", "domingos", "thr", "thrs"}
UNREAD_HOLIDAYS = {"mlk", "the holidays"}
LONGER_HOLIDAYS = {"memorial day weekend", "labor day weekend", "thanksgiving weekend"}
LONGER_HOLIDAYS |= {"christmas weekend", "easter weekend", "bank holiday weekend"}
"""Rules read these without their last word."""
NUMBERED_ROADS = {"route", "rte", "rt", "interstate"}
"""Read with their number, as in "12 Route 9"."""
BUILDINGS = {"hall", "village", "park", "tower", "towers", "house", "apartments", "apts"}
FRENCH_FIRST = {"avenue", "boulevard"}
"""Types that mostly stand last."""
UNREAD_UNITS = {"no"}


def found(family: str, text: str) -> list[str]:
    rules = next(each for each in FAMILIES if each.name == family)
    return [text[finding.start : finding.end] for finding in rules.find(NoteIndex(text))]


def covered(family: str, text: str, value: str) -> bool:
    return any(value in finding for finding in found(family, text))


def moved(text: str) -> str | None:
    """The date in another's place; None for a tag, which stands for what could not be read."""
    new = DateSurrogates(KEY, "patient 17").replace(text, Context())
    return None if new.kind == "tag" else new.text


# Months and weekdays.


@pytest.mark.parametrize("name", sorted(MONTH_HEADS))
def test_a_month_that_rules_read_moves(name: str) -> None:
    assert moved(f"{name.capitalize()} 3, 2019") not in (None, f"{name.capitalize()} 3, 2019")


@pytest.mark.parametrize("name", sorted(MONTH_NAMES))
def test_a_month_that_surrogates_move_is_read(name: str) -> None:
    text = f"{name.capitalize()} 3, 2019"
    assert covered("dates", f"Seen on {text} in clinic.", text) == (name not in UNREAD_MONTHS)


@pytest.mark.parametrize("name", sorted(WEEKDAY_HEADS))
def test_a_weekday_that_rules_read_moves(name: str) -> None:
    day = f"q{name[1:].capitalize()}" if name[0] == "q" else name.capitalize()
    findings = found("dates", f"Seen every {day}, in clinic.")
    assert findings
    assert all(moved(finding) is not None for finding in findings)


@pytest.mark.parametrize("name", sorted(WEEKDAY_NAMES))
def test_a_weekday_that_surrogates_move_is_read(name: str) -> None:
    day = name.capitalize()
    text = f"Dialysis every {day}, then home."
    assert covered("dates", text, day) == (name not in UNREAD_WEEKDAYS)


SCHEDULES = """
MWF MWFSa MWFSun MWTh M-W-Th MTWThF MTWRF MTTh MTThF MTuWTh M-F M-Sat M-Th M-W TTh TThS TThSa TTHS TRS
TTS TTSa TTSat TuTh TuThSa T-F T-Th Tu-F WThF Su-Th Sa/Su Sa&Su M/W/F T/Th/Sa Mon/Wed/Fri Mn/Wed/Fri
Tu/Th M/Th Mon/Thurs T/F W/F M,W,F M+W+F T&Th&Sa M/Tu/W/Th/F
"""


@pytest.mark.parametrize("days", SCHEDULES.split())
def test_days_as_letters_are_read_by_both(days: str) -> None:
    findings = found("dates", f"Dialysis {days} at noon.")
    assert findings
    assert all(moved(finding) is not None for finding in findings)


def test_the_unread_names_are_the_flagged_ones() -> None:
    flagged = {word.name.lower() for word in calendar.WORDS if "unread" in word.flags}
    decades = {"naughts", "teens"}
    assert flagged == UNREAD_MONTHS | decades | {"mardi", "domingo", "thr"}


@pytest.mark.parametrize("name", sorted(calendar.SEASON_NAMES))
def test_a_season_is_read_by_both(name: str) -> None:
    assert covered("dates", f"Surgery in {name} of 2018.", f"{name} of 2018")
    assert moved(f"{name} of 2018") is not None


@pytest.mark.parametrize("name", sorted(calendar.DECADE_NAMES))
def test_a_decade_is_read_by_both(name: str) -> None:
    read = covered("dates", f"He smoked during the {name}.", name)
    assert read == (name not in {"naughts", "teens"})
    assert moved(name) is not None


@pytest.mark.parametrize("day", range(1, 32))
def test_a_day_in_words_is_read_by_both(day: int) -> None:
    text = f"{write_ordinal(day, 'first')} of March"
    assert covered("dates", f"Seen on the {text} again.", text)
    assert moved(text) is not None


# Holidays.


def capitals(name: str) -> str:
    """As a title: Fathers' Day, Tisha B'av."""
    return " ".join(word[:1].upper() + word[1:] for word in name.split())


@pytest.mark.parametrize("name", sorted(HOLIDAY_NAMES))
def test_a_holiday_that_rules_read_moves(name: str) -> None:
    assert moved(capitals(name)) is not None
    if name not in {"fourth of july"}:
        assert holiday_named(name) is not None


@pytest.mark.parametrize(
    "name", sorted({name for row in HOLIDAYS for name in row.holiday.names} - LONGER_HOLIDAYS)
)
def test_a_holiday_that_surrogates_move_is_read(name: str) -> None:
    written = capitals(name)
    cue = "the " if name == "fourth" else ""
    text = f"She was well during {cue}{written}."
    assert covered("dates", text, written) == (name not in UNREAD_HOLIDAYS)


@pytest.mark.parametrize("name", sorted(LONGER_HOLIDAYS))
def test_a_weekend_is_read_up_to_its_last_word(name: str) -> None:
    day = capitals(name.removesuffix(" weekend"))
    assert covered("dates", f"He fell on {capitals(name)}.", day)
    assert holiday_named(name) is not None


def test_the_unread_holidays_are_the_flagged_ones() -> None:
    assert {name for row in HOLIDAYS for name in row.unread} == UNREAD_HOLIDAYS | LONGER_HOLIDAYS


# Streets.


def fake_street(address: str) -> str:
    return PlaceSurrogates(KEY, "patient 17").replace_all([Mention(address, "STREET")])[0]


@pytest.mark.parametrize("type", sorted({*streets.STRONG_TYPES, *streets.WEAK_TYPES}))
def test_a_street_type_that_rules_read_stays_in_the_fake(type: str) -> None:
    address = f"1432 Marrowick {type.capitalize()}"
    fake = fake_street(address)
    assert fake.split()[-1] == type.capitalize()
    assert "Marrowick" not in fake


@pytest.mark.parametrize("type", sorted(streets.STREET_TYPES))
def test_a_street_type_that_surrogates_keep_is_read(type: str) -> None:
    address = f"1432 Marrowick {type.capitalize()}"
    read = covered("streets", f"Address: 1432 Marrowick {type.capitalize()}\n", address)
    labelled = covered("streets", f"Lives at {address}, Reno, NV 89501.", address)
    assert read
    assert labelled == (type not in NUMBERED_ROADS | BUILDINGS)


@pytest.mark.parametrize("type", sorted(streets.FOREIGN_FIRST))
def test_a_type_before_the_name_that_rules_read_stays_in_the_fake(type: str) -> None:
    first = type if type == "ul" else type.capitalize()
    fake = fake_street(f"1432 {first} Marrowick")
    assert first in fake.split()
    assert "Marrowick" not in fake


@pytest.mark.parametrize("type", sorted(streets.STREET_TYPES_FIRST))
def test_a_type_before_the_name_that_surrogates_keep_is_read(type: str) -> None:
    address = f"1432 {type if type == 'ul' else type.capitalize()} Marrowick"
    read = covered("streets", f"Lives at {address}, Reno, NV 89501.", address)
    assert read == (type not in FRENCH_FIRST)


@pytest.mark.parametrize("unit", sorted(streets.UNIT_WORDS))
def test_a_unit_that_rules_read_stays_in_the_fake(unit: str) -> None:
    assert unit.capitalize() in fake_street(f"1432 Marrowick Street, {unit.capitalize()} 4").split()


@pytest.mark.parametrize("unit", sorted(streets.UNITS))
def test_a_unit_that_surrogates_keep_is_read(unit: str) -> None:
    address = f"1432 Marrowick Street, {unit.capitalize()} 4"
    assert covered("streets", f"Lives at {address}, Reno.", address) == (unit not in UNREAD_UNITS)


# States and countries.

FORMER_OR_PART = {"Antigua", "Congo", "East Germany", "St. Kitts", "St. Vincent", "Tibet"}
FORMER_OR_PART |= {"W. Germany", "West Germany"}
"""Rules read these, and surrogates invent a name: no region of the bank bears the name alone."""
NAMES_TOO = {"Jersey", "Monaco", "Palau", "Montserrat", "Macao", "Reunion", "Vatican", "Pitcairn"}
NAMES_TOO |= {"Saint Martin", "Saint Helena", "Saint Barthelemy", "Norfolk Island"}
NAMES_TOO |= {"Christmas Island"}
HARDLY_INHABITED = {"Antarctica", "Aland Islands", "Bonaire, Saint Eustatius and Saba"}
HARDLY_INHABITED |= {"Bouvet Island", "South Georgia and the South Sandwich Islands"}
HARDLY_INHABITED |= {"Heard Island and McDonald Islands", "British Indian Ocean Territory"}
HARDLY_INHABITED |= {"Saint Pierre and Miquelon", "Svalbard and Jan Mayen"}
HARDLY_INHABITED |= {"French Southern Territories", "United States Minor Outlying Islands"}


def test_a_state_that_rules_read_is_one_of_the_bank() -> None:
    regions = place_bank("en_US").region_names
    assert {
        name for name in places.STATES | places.STATE_CODES if key_of(name) not in regions
    } == set()


def test_a_country_that_rules_read_is_one_of_the_bank() -> None:
    countries = place_bank("en_US").country_names
    names = places.COUNTRIES | places.SMALL_COUNTRIES
    assert {name for name in names if key_of(name) not in countries} == FORMER_OR_PART


def test_a_country_of_the_bank_is_read_by_rules() -> None:
    read = {*map(key_of, places.COUNTRIES | places.SMALL_COUNTRIES | places.STATES)}
    names = {region.names[0] for region in place_bank("en_US").countries.values()}
    unread = {name for name in names if key_of(name) not in read}
    assert unread == NAMES_TOO | HARDLY_INHABITED | {"U.S. Virgin Islands"}


# Numbers with a check digit: what proves itself to the rules has a fake that does.

DIGITS = st.text("0123456789", min_size=9, max_size=9)


def check_number(
    number: str, text: str, family: str, type: str, holds: Callable[[str], bool]
) -> None:
    note = text.format(number)
    assert number in found(family, note)
    before = note[: note.index(number)]
    [fake] = NumberSurrogates(KEY, "patient 17").replace_all([NumberMention(number, type, before)])
    assert fake is not None
    assert fake != number
    assert holds(fake)
    assert [len(part) for part in fake.split()] == [len(part) for part in number.split()]


@given(digits=DIGITS)
def test_a_card(digits: str) -> None:
    card = check_digits.with_luhn(f"4{digits}000000", 15)
    check_number(card, "Paid with {} today.", "accounts", "ACCOUNT", check_digits.is_card)


@given(digits=DIGITS)
def test_an_account(digits: str) -> None:
    account = f"WEST{digits}00000"
    iban = f"GB{check_digits.iban_check('GB', account)}{account}"
    check_number(iban, "Refund to {} please.", "accounts", "ACCOUNT", check_digits.is_iban)


@given(digits=DIGITS)
def test_a_provider(digits: str) -> None:
    npi = check_digits.with_luhn(f"808401{digits[:8]}0", 14)[5:]
    check_number(npi, "NPI {}", "licences", "LICENSE", check_digits.is_npi)


@given(digits=DIGITS)
def test_a_prescriber(digits: str) -> None:
    dea = f"BF{digits[:6]}{check_digits.dea_check(digits[:6])}"
    check_number(dea, "Signed, {} above.", "licences", "LICENSE", check_digits.is_dea)


@given(digits=DIGITS)
def test_a_vehicle(digits: str) -> None:
    vin = f"1M8GDM9A0{digits[:8]}"
    vin = vin[:8] + check_digits.vin_check(vin.lower()).upper() + vin[9:]
    check_number(vin, "Towed: {} from the lot.", "vehicles", "VEHICLE", check_digits.is_vin)


@given(digits=DIGITS)
def test_a_patient_of_the_nhs(digits: str) -> None:
    check = check_digits.nhs_check(digits)
    if check is not None:
        number = digits + check
        text = "NHS number {} on file."
        check_number(number, text, "records", "MEDICALRECORD", check_digits.is_nhs)
