"""The values of a row fit each other and the row's notes, and ids are the same everywhere."""

from __future__ import annotations

import datetime as dt
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote import Deidentifier, Document
from incognote.formats.column_plan import ColumnRule, RuledValue
from incognote.formats.columns import documents_of
from incognote.knowledge.check_digits import is_nhs, nhs_check
from incognote.replace.surrogate.date_shift import DateSettings
from incognote.replace.surrogate.settings import SurrogateSettings

KEY = b"k" * 32
RULES = Deidentifier("surrogate", key=KEY, detector="rules")


def row(
    note: str,
    *values: tuple[str, str, str] | tuple[str, str, str, dict[str, Any]],
    patient: str | None = None,
    deidentifier: Deidentifier = RULES,
) -> dict[str, str]:
    """The note and the values of a row after replacement, by their columns."""
    ruled = [
        RuledValue(name, ColumnRule.of(name, type, **(more[0] if more else {})), text)
        for name, type, text, *more in values
    ]
    base = Document("1", "", (), patient)
    documents = documents_of(base, [("note", note)], ruled, named=True)
    return {each.found.id[2:]: each.text for each in deidentifier.pipe(list(documents))}


def test_the_name_in_the_column_is_the_one_in_the_note() -> None:
    found = row(
        "Ms. Okafor came. Ngozi Okafor sat. N. Okafor left.", ("name", "PATIENT", "OKAFOR, NGOZI A")
    )
    surname, given_name, _ = found["name"].replace(",", "").title().split()
    assert "Okafor" not in found["note"]
    assert found["note"] == (
        f"Ms. {surname} came. {given_name} {surname} sat. {given_name[0]}. {surname} left."
    )


def test_first_and_last_are_one_person_also_of_names_in_no_list() -> None:
    found = row(
        "Mr. Zyrblatt came. Quentelle Zyrblatt sat.",
        ("first", "PATIENT", "QUENTELLE"),
        ("last", "PATIENT", "ZYRBLATT"),
    )
    assert found["note"] == (
        f"Mr. {found['last'].title()} came. {found['first'].title()} {found['last'].title()} sat."
    )


def test_ids_are_the_same_with_and_without_a_patient_and_in_notes() -> None:
    alone = row("", ("mrn", "MEDICALRECORD", "0412345"))
    named = row(
        "MRN: 0412345, also 412345. Account 778899.",
        ("patient_mrn", "MEDICALRECORD", "412345"),
        patient="7",
    )
    other = row("", ("provider", "IDNUM", "412345.0"), patient="8")
    fake = named["patient_mrn"]
    assert alone["mrn"] == f"0{fake}"
    assert other["provider"] == f"{fake}.0"
    assert f"MRN: 0{fake}, also {fake}." in named["note"]
    assert fake != "412345"


@settings(deadline=None, max_examples=20)
@given(st.sets(st.from_regex(r"[1-9]\d{3,7}", fullmatch=True), min_size=2, max_size=12))
def test_ids_of_different_values_stay_different(ids: set[str]) -> None:
    fakes = {id: row("", ("id", "IDNUM", id))["id"] for id in ids}
    assert len(set(fakes.values())) == len(ids)
    assert all(id != fake for id, fake in fakes.items())


@settings(deadline=None, max_examples=40)
@given(st.sets(st.from_regex(r"[0-9ЖДÉéß李½①🄰]{1,5}", fullmatch=True), min_size=2, max_size=12))
def test_ids_beyond_plain_letters_and_digits_stay_different(ids: set[str]) -> None:
    fakes = {fold(id): row("", ("id", "MEDICALRECORD", id))["id"] for id in sorted(ids)}
    assert len(set(fakes.values())) == len(fakes)
    assert not any(set(fake) & set("ЖДÉéß李½①🄰") for fake in fakes.values())


def fold(id: str) -> str:
    return unicodedata.normalize("NFKC", id).casefold()


@pytest.mark.parametrize("ids", [[f"{n:03}" for n in range(1000)], [f"{n:04}" for n in range(300)]])
def test_numbers_of_zeros_take_part(ids: list[str]) -> None:
    values = [RuledValue(id, ColumnRule("MEDICALRECORD"), id) for id in ids]
    fakes = RULES.pipe(list(documents_of(Document("1", ""), [], values, named=True)))
    assert len({fake.text for fake in fakes}) == len(ids)


@pytest.mark.parametrize(
    ("type", "whole", "bare"),
    [
        ("SSN", "012-34-5678", "12345678"),
        ("SSN", "001 23 4567", "1234567"),
        ("MEDICALRECORD", "943 476 5919", "9434765919"),
        ("MEDICALRECORD", "010 476 5919", "104765919"),
        ("ACCOUNT", "4111 1111 1111 1111", "04111111111111111"),
        ("LICENSE", "123-456-7893", "01234567893"),
        ("DEVICE", "01-245500-123456-3", "12455001234563"),
        ("IDNUM", "611-1", "06111"),
    ],
)
def test_an_id_is_the_same_without_its_separators_and_zeros(
    type: str, whole: str, bare: str
) -> None:
    fakes = [row("", ("id", type, text))["id"] for text in (whole, bare)]
    digits = ["".join(filter(str.isdigit, fake)).lstrip("0") for fake in fakes]
    assert digits[0] == digits[1]
    shape = "".join("0" if each.isdigit() else each for each in whole)
    assert "".join("0" if each.isdigit() else each for each in fakes[0]) == shape
    assert digits[0] != bare.lstrip("0")


@settings(deadline=None, max_examples=20)
@given(st.from_regex(r"[1-9]\d{8}", fullmatch=True))
def test_the_fake_of_an_nhs_number_in_a_column_is_nobodys(nine: str) -> None:
    check = nhs_check(nine)
    if check is not None:
        assert not is_nhs(row("", ("nhs", "MEDICALRECORD", nine + check))["nhs"])


@settings(deadline=None, max_examples=60)
@given(
    st.dates(dt.date(1950, 1, 1), dt.date(2020, 12, 31)),
    st.dates(dt.date(1950, 1, 1), dt.date(2020, 12, 31)),
    st.sampled_from(["dmy", "mdy"]),
    st.text(min_size=1, max_size=5),
)
def test_dates_of_a_row_move_together(
    one: dt.date, other: dt.date, order: str, patient: str
) -> None:
    form = "%d/%m/%Y" if order == "dmy" else "%m/%d/%Y"
    found = row(
        "",
        ("a", "DATE", one.strftime(form), {"order": order}),
        ("b", "DATE", f"{other.isoformat()}T10:30:00"),
        patient=patient,
    )
    moved = dt.datetime.strptime(found["a"], form).date()
    day, _, time = found["b"].partition("T")
    assert moved != one
    assert moved - one == dt.date.fromisoformat(day) - other
    assert time == "10:30:00"


def test_a_day_of_the_row_is_read_in_the_note_as_in_its_column() -> None:
    column = ("dob", "DATE", "3/4/1958", {"order": "mdy"})
    found = row("Born 3/4/1958, seen on 14/3/2019 and 28/3/2019.", column, patient="p")
    assert f"Born {found['dob']}," in found["note"]
    elsewhere = row("", column, patient="p")
    assert elsewhere["dob"] == found["dob"]


def test_a_birth_makes_nobody_older_than_90_and_agrees_with_the_note() -> None:
    found = row("Seen 3/1/2019, born Jan 2, 1912.", ("dob", "DATE", "1912-01-02"), patient="p")
    moved = dt.date.fromisoformat(found["dob"])
    assert moved.year > 1935
    assert f"{moved:%b} {moved.day}, {moved.year}" in found["note"]


def test_a_birth_with_two_figures_of_its_year_is_not_to_come() -> None:
    with_year = row("", ("dob", "DATE", "3/14/1948"), patient="p")["dob"]
    assert row("", ("dob", "DATE", "3/14/48"), patient="p")["dob"] == (
        with_year[: -len("1948")] + with_year[-2:]
    )


def test_the_order_of_the_settings_holds_where_the_plan_says_none() -> None:
    day_first = Deidentifier(
        "surrogate",
        key=KEY,
        detector="rules",
        surrogates=SurrogateSettings(DateSettings(order="dmy")),
    )
    planned = row("", ("d", "DATE", "3/4/1998", {"order": "dmy"}), patient="p")
    assert row("", ("d", "DATE", "3/4/1998"), patient="p", deidentifier=day_first) == planned


def test_places_of_a_row_fit_each_other_and_the_note() -> None:
    found = row(
        "Lives in Bangor, moved from Bangor, ME 04401.",
        ("city", "CITY", "Bangor"),
        ("state", "STATE", "ME"),
        ("zip", "ZIP", "04401"),
    )
    assert found["note"].endswith(f"{found['city']}, {found['state']} {found['zip']}.")
    assert found["note"].startswith(f"Lives in {found['city']},")
    assert "Bangor" not in str(found)


def test_an_address_of_a_person_shows_the_fake_name() -> None:
    found = row(
        "Mail nokafor@mail.com.",
        ("first", "PATIENT", "Ngozi"),
        ("last", "PATIENT", "Okafor"),
        ("email", "EMAIL", "nokafor@mail.com"),
    )
    assert found["last"].lower() in found["email"]
    assert f"Mail {found['email']}." == found["note"]


def test_rows_that_name_no_patient_are_apart() -> None:
    days = {row("", ("x", "CITY", str(n)), ("d", "DATE", "2001-05-05"))["d"] for n in range(12)}
    assert len(days) > 6


@pytest.mark.parametrize(
    ("operators", "text", "type", "expected"),
    [
        ("tag", " Okafor ", "PATIENT", " [PATIENT] "),
        ("redact", "Okafor", "PATIENT", ""),
        ("mask", "Okafor 1", "PATIENT", "Xxxxxx 0"),
        ("tag,PATIENT=keep", "Okafor", "PATIENT", "Okafor"),
        ("tag", "  ", "PATIENT", "  "),
        ("tag", "seen by Dr. Ito on Monday", "IDNUM", "[IDNUM]"),
    ],
)
def test_a_value_by_itself_is_replaced_as_a_whole(
    operators: str, text: str, type: str, expected: str
) -> None:
    result = Deidentifier(operators, detector="rules")(Document("1", text, value_type=type))
    assert result.text == expected
    assert {span.source for span in result.spans} <= {"column"}


@pytest.mark.parametrize(
    ("text", "surrogate", "generalised"),
    [
        ("101.0", "90+", "90+"),
        (" 90.0", " 90+", " 90+"),
        ("63.0", "63.0", "60-64"),
        ("1,101", "[AGE]", "[AGE]"),
        ("1 101", "[AGE]", "[AGE]"),
        ("93,5", "[AGE]", "[AGE]"),
        ("93 1/2", "90+", "90+"),
    ],
)
def test_an_age_in_a_column_is_read_wholly_or_not_at_all(
    text: str, surrogate: str, generalised: str
) -> None:
    document = Document("1", text, value_type="AGE")
    assert RULES(document).text == surrogate
    assert Deidentifier("generalise", detector="rules")(document).text == generalised


def test_values_are_not_searched_by_a_model_that_gains_by_company() -> None:
    notes = [
        Document("1", "Dr. Ito came."),
        Document("2", "Ann", value_type="PATIENT"),
        Document("3", "Dr. Lund came."),
    ]
    found = Deidentifier("tag").pipe(notes)
    assert [each.text for each in found] == [
        "Dr. [DOCTOR] came.",
        "[PATIENT]",
        "Dr. [DOCTOR] came.",
    ]


def test_nothing_of_a_row_is_left_in_its_results() -> None:
    for result in RULES.pipe(
        list(
            documents_of(
                Document("1", ""),
                [("note", "Ms. Okafor")],
                [RuledValue("n", ColumnRule("PATIENT"), "Okafor")],
                named=False,
            )
        )
    ):
        assert result.output.row is None
        assert result.output.known == ()
        assert "Okafor" not in repr(result)


def test_a_column_keeps_the_width_of_its_dates() -> None:
    days = [f"{day}/11/1957" for day in range(10, 29)]
    found = [row("", ("d", "DATE", day, {"order": "dmy"}), patient="p")["d"] for day in days]
    assert {len(day) for day in found} == {10}


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("28/6 T/C", "{0.day}/{0.month} T/C"),
        ("28.06. T/C", "{0.day:02}.{0.month:02}. T/C"),
        ("28-Jun T/C", "{0.day}-{0:%b} T/C"),
    ],
)
def test_a_day_of_a_column_moves_alike_where_the_note_leaves_out_its_year(
    written: str, form: str
) -> None:
    found = row(f"{written} to her daughter.", ("note_date", "DATE", "28/06/2019"))
    moved = dt.datetime.strptime(found["note_date"], "%d/%m/%Y").date()
    assert moved != dt.date(2019, 6, 28)
    assert found["note"] == f"{form.format(moved)} to her daughter."


@pytest.mark.parametrize("text", ["(vacant)", "(locum)", "n/a", "Unknown", "-", "none", " N/A "])
def test_what_says_that_there_is_nobody_stays_and_is_counted(text: str) -> None:
    found = Deidentifier("surrogate", key=KEY)(Document("1", text, value_type="DOCTOR"))
    assert found.text == text
    assert found.remarks == {("DOCTOR", "kept"): 1}
    note = "The post is vacant, the locum unknown."
    assert row(note, ("who", "PATIENT", text), ("at", "CITY", "Bangor"))["note"] == note


def test_a_town_and_a_zip_fit_each_other_where_no_column_has_the_state() -> None:
    from incognote.replace.surrogate.banks.place_bank import place_bank
    from incognote.replace.surrogate.regions_towns_zips import zip_region

    bank = place_bank("en_US")
    towns = ("Greenville", "04441"), ("Bangor", "04401"), ("Dunmore", "18512"), ("Boise", "83702")
    for town, code in towns:
        values = [("town", "CITY", town), ("zip", "ZIP", code)]
        for columns in (values, values[::-1]):
            found = row(f"Lives in {town}.", *columns, patient="p")
            states = {each.region for each in bank.town(found["town"].lower())}
            assert zip_region(found["zip"], bank) in states
            assert found["note"] == f"Lives in {found['town']}."
        state = ("state", "STATE", bank.regions[zip_region(code, bank)].letters)
        with_state = row("", *values, state, patient="p")
        assert (with_state["town"], with_state["zip"]) == (found["town"], found["zip"])
