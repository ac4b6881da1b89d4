"""Years, months, bands, three digits and shifts: each line of the case files, and what always holds."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import TESTS

from incognote.document import Document, FieldValue, Row, Span
from incognote.formats.inline import parse
from incognote.knowledge.calendar import MONTHS, SHORT_MONTHS, WEEKDAYS
from incognote.phi import TYPES, KnownTypes
from incognote.replace import RewriteResult, parse_operators, rewrite
from incognote.replace.generalise import CoarseDates, Generalise, age_band
from incognote.replace.operators import ReplacementWithRemark
from incognote.replace.zip_areas import ZipAreasError, read_zip_areas, shipped_zip_areas

KEY = b"a key of sufficient length"
CASES = TESTS / "cases" / "policies" / "operators.jsonl"


def cases() -> list[object]:
    rows = map(json.loads, CASES.read_text(encoding="utf-8").splitlines())
    return [pytest.param(row, id=f"{row['operator']}: {row['why']}") for row in rows]


def replaced(marked: str, words: str, patient: str | None = "p") -> RewriteResult:
    text, spans = parse(marked)
    return rewrite(Document("", text, spans, patient), parse_operators(words, key=KEY))


def texts(result: RewriteResult) -> list[str]:
    return [span.text for span in result.document.spans]


@pytest.mark.parametrize("case", cases())
def test_each_case(case: dict[str, object]) -> None:
    result = replaced(str(case["note"]), str(case["operator"]))
    assert texts(result) == case["becomes"]
    remarks = {" ".join(pair): count for pair, count in result.remarks.items()}
    assert remarks == case["remarks"]


FORMATS = (
    "{m}/{d}/{y}", "{m:02}/{d:02}/{y}", "{y}-{m:02}-{d:02}", "{d:02}.{m:02}.{y}", "{d} {M} {y}",
    "{M} {d}, {y}", "{S} {d} {y}", "{d:02}-{S}-{y}", "{W}, {M} {d}, {y}", "{y}{m:02}{d:02}",
    "{m:02}{d:02}{y}", "{m}-{d}-{y} {h:02}:{i:02}", "{y}-{m:02}-{d:02}T{h:02}:{i:02}:00Z",
    "{M} {d}th, {y} at {h:02}:{i:02}", "week of {m}/{d}/{y}", "{d}/{m}/{y}",
)  # fmt: skip
DAYS = st.dates(date(1995, 1, 1), date(2029, 12, 31))


def written(day: date, form: str, hour: int = 10, minute: int = 30) -> str:
    return form.format(
        y=day.year, m=day.month, d=day.day, h=hour, i=minute, M=MONTHS[day.month - 1],
        S=SHORT_MONTHS[day.month - 1], W=WEEKDAYS[day.weekday()],
    )  # fmt: skip


@given(DAYS, st.sampled_from(FORMATS), st.integers(0, 23), st.integers(0, 59))
def test_of_a_date_nothing_but_its_year_is_left(
    day: date, form: str, hour: int, minute: int
) -> None:
    """Not one digit of the day, the month or the time, however it is written."""
    text = written(day, form, hour, minute)
    (new,) = texts(replaced(f"Seen [[DATE|{text}]].", "year"))
    assert new in (str(day.year), "[DATE]")
    (by_month,) = texts(replaced(f"Seen [[DATE|{text}]].", "month"))
    assert re.fullmatch(rf"{day.year}(-\d\d)?|\[DATE\]", by_month)


@given(DAYS, st.sampled_from(FORMATS[:-1]))
def test_the_year_and_the_month_are_the_dates_own(day: date, form: str) -> None:
    note = f"Since [[DATE|1/31/2019]], seen [[DATE|{written(day, form)}]]."  # the month comes first
    if form == "{d:02}.{m:02}.{y}":
        note = note.replace("1/31", "31.1").replace("/", ".")
    assert texts(replaced(note, "year"))[1] == str(day.year)
    assert texts(replaced(note, "month"))[1] == f"{day.year}-{day.month:02}"


@given(DAYS, DAYS, st.sampled_from(FORMATS[:3]))
def test_a_range_shows_its_years_only(one: date, other: date, form: str) -> None:
    first, last = sorted((one, other))
    text = f"{written(first, form)} - {written(last, form)}"
    (new,) = texts(replaced(f"From [[DATE|{text}]].", "year"))
    years = {str(first.year), str(last.year)}
    assert new == "[DATE]" or set(new.split("-")) == years


@given(st.integers(1800, 2030), st.integers(1990, 2030))
def test_no_year_tells_an_age_over_89(born: int, seen: int) -> None:
    note = f"DOB: [[DATE|2/3/{born}]]. Seen [[DATE|3/14/{seen}]]."
    birth, _ = texts(replaced(note, "year"))
    assert (birth == "[DATE]") == (2030 - born > 89)
    event, _ = texts(replaced(note.replace("DOB", "Moved"), "year"))
    assert (event == "[DATE]") == (max(born, seen) - born > 89)


@given(st.integers(0, 130), st.integers(1, 45))
def test_a_band_holds_the_age_and_none_goes_beyond_89(age: int, width: int) -> None:
    new = age_band(Span(0, len(str(age)), "AGE", str(age)), width)
    if age > 89:
        assert getattr(new, "text", "") == "90+"
        return
    low, _, high = str(new).partition("-")
    assert int(low) <= age <= int(high or low) <= 89
    assert int(high or low) - int(low) < width


WORDS = (
    "1 7 45 63 88 91 60s eighty ninety-three 2½ 7/12 years yrs months mos m y/o - old of and to aged late + ; M"
).split()


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), st.sampled_from(["", " "]))
def test_of_an_age_no_number_but_its_band_is_left(words: list[str], between: str) -> None:
    text = between.join(words)
    new = age_band(Span(0, len(text), "AGE", text), 5)
    shown = new if isinstance(new, str) else new.text
    ranges = re.findall(r"\d+-\d+|\d+\+|\d+", shown)
    assert shown == "[AGE]" or len(ranges) == 1
    for each in ranges:
        low, _, high = each.rstrip("+").partition("-")
        assert int(low) % 5 == 0
        assert int(high) % 5 == 4 if high else each.endswith("+")
    assert not re.search("eighty|ninety|½|late", shown)


@given(
    st.text(max_size=20), st.sampled_from(TYPES), st.sampled_from(("year", "month", "generalise"))
)
def test_nothing_unread_stays(value: str, type: str, operator: str) -> None:
    """Whatever a span says, what is left of it says no more than a year, a band or three digits."""
    text = f"a {value} b"
    span = Span.of(text, 2, 2 + len(value), type)
    result = rewrite(Document("", text, (span,)), parse_operators(operator))
    (new,) = texts(result)
    assert result.document.text == f"a {new} b"
    if type not in ("DATE", "AGE", "ZIP"):
        assert new == f"[{type}]"
        assert result.remarks == Counter({(type, "tagged"): 1})
    elif new == value:
        assert new == f"[{type}]" or re.fullmatch(r"\d{3}|\d{4}s?|\d{4}(-\d\d)?|90\+", new)


@given(DAYS, st.sampled_from(FORMATS))
def test_shift_moves_dates_as_surrogates_do(day: date, form: str) -> None:
    note = (
        f"[[PATIENT|Okafor]], [[AGE|93]], daughter [[AGE|63]], seen [[DATE|{written(day, form)}]]."
    )
    shifted = replaced(note, "shift")
    surrogate = replaced(note, "surrogate")
    assert texts(shifted)[1:] == texts(surrogate)[1:]
    assert texts(shifted)[0] == "[PATIENT]"
    assert texts(shifted)[1:3] == ["90+", "63"]
    mixed = replaced(note, "surrogate,DATE=shift")
    assert mixed.document.text == surrogate.document.text


def test_an_operator_does_not_depend_on_the_notes_before() -> None:
    operators = parse_operators("year")
    old, new = (
        Document("", text, spans)
        for text, spans in map(parse, ("[[DATE|1950]] [[DATE|3/4/2019]]", "[[DATE|1929]]"))
    )
    alone = rewrite(new, operators).document.text
    rewrite(old, operators)
    assert rewrite(new, operators).document.text == alone == "[DATE]"


def test_a_types_category_says_how_a_type_of_a_site_is_read() -> None:
    types = KnownTypes({"VISIT": "DATE", "GESTATION": "AGE", "STUDYID": "ID"})
    text, spans = parse("[[VISIT|3/14/2019]] [[GESTATION|63]] [[STUDYID|ODL-1]]")
    document = Document("", text, spans, "p")
    found = rewrite(document, parse_operators("generalise", types=types)).document.text
    assert found == "2019 60-64 [STUDYID]"
    moved = rewrite(document, parse_operators("shift", key=KEY, types=types)).document
    assert moved.spans[0].text == texts(replaced("[[DATE|3/14/2019]]", "surrogate"))[0]
    assert [span.type for span in moved.spans] == ["VISIT", "GESTATION", "STUDYID"]


def test_as_of_is_later_than_the_notes_latest_year_or_does_not_count() -> None:
    text, spans = parse("DOB [[DATE|2/3/1958]]. Seen [[DATE|3/14/2019]].")
    at = {
        year: rewrite(Document("", text, spans), operators).document.spans[0].text
        for year in (2000, 2047, 2048)
        for operators in [parse_operators("tag,DATE=year")]
        for operators in [type(operators)(operators.default, {"DATE": CoarseDates(as_of=year)})]
    }
    assert at == {2000: "1958", 2047: "1958", 2048: "[DATE]"}


@pytest.mark.parametrize("known", [True, False])
def test_a_birth_date_of_the_table_is_one_in_the_note(known: bool) -> None:
    text, spans = parse("Re: [[DATE|5/30/26]]. Seen [[DATE|4/17/2027]], [[DATE|5/1/27]].")
    row = Row("1", (FieldValue("DATE", "5/30/26", birth=True),), "")
    given = Document("", text, spans, known=(("DATE", "1926-05-30"),))
    document = given if known else Document("", text, spans, row=row)
    years = [span.text for span in rewrite(document, parse_operators("year")).document.spans]
    assert years == ["[DATE]", "2027", "2027"]


def test_the_order_of_dates_is_taken_from_the_settings() -> None:
    from incognote.replace.surrogate.date_shift import DateSettings
    from incognote.replace.surrogate.settings import SurrogateSettings

    settings = SurrogateSettings(DateSettings(order="dmy", force_order=True))
    text, spans = parse("[[DATE|3/4/2019]]")
    for surrogates, month in ((None, "2019-03"), (settings, "2019-04")):
        operators = parse_operators("month", surrogates=surrogates)
        assert rewrite(Document("", text, spans), operators).document.text == month


# ZIP areas


def test_the_shipped_areas_are_the_union_of_three_censuses() -> None:
    rows = [
        line.split("\t")
        for line in (TESTS.parent / "src/incognote/replace/policies/zip3.tsv")
        .read_text()
        .splitlines()
        if line[:1].isdigit()
    ]
    by_census = {
        year: [zip3 for zip3, census, why in rows if year in census.split() and why != "no area"]
        for year in ("2000", "2010", "2020")
    }
    assert {year: len(areas) for year, areas in by_census.items()} == {
        "2000": 17, "2010": 14, "2020": 18,
    }  # fmt: skip
    assert by_census["2000"] == (
        "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split()
    )
    assert len(shipped_zip_areas().sparse) == len(rows) == 129
    assert shipped_zip_areas().census == "2000, 2010, 2020"


@given(st.integers(0, 99999), st.sampled_from(["", "-1234", " 1234", "1234"]))
def test_a_zip_code_shows_three_digits_at_most(number: int, more: str) -> None:
    zip5 = f"{number:05}"
    shown = shipped_zip_areas().shown(zip5 + more)
    assert shown == ("000" if zip5[:3] in shipped_zip_areas().sparse else zip5[:3])


@given(st.integers(100, 9999), st.sampled_from(["", ".0", ".00", "-1234", " 1234"]))
def test_a_zip_code_that_lost_its_zeros_is_one_of_five_digits(number: int, more: str) -> None:
    areas = shipped_zip_areas()
    assert areas.shown(f"{number}{more}") == areas.shown(f"{number:05}")
    assert areas.shown(f" {number}1234 ") == areas.shown(f"{number:05}-1234")
    assert areas.shown(f"{number}{more}", value=False) is None


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        ("731", True, "007"),
        ("731.0", True, "007"),
        ("501", True, "000"),
        ("1001", True, "010"),
        ("2138.0", True, "021"),
        ("02138.0", True, "021"),
        ("02138.0", False, None),
        ("021**", False, "021"),
        ("021xx", True, "021"),
        ("036**", False, "000"),
        ("021", False, "021"),
        ("036", True, "000"),
        ("731**", True, "731"),
        ("2138", False, None),
        ("12", True, None),
        ("731.5", True, None),
        ("123456", True, None),
    ],
)
def test_what_is_shown_of_a_zip_code(text: str, value: bool, shown: str | None) -> None:
    assert shipped_zip_areas().shown(text, value=value) == shown


def test_a_value_that_lost_its_zeros_is_no_prefix() -> None:
    operators = parse_operators("generalise")
    spans = (Span(0, 3, "ZIP", "731"),)
    note = Document("", "731", spans)
    assert rewrite(note, operators).document.text == "[ZIP]"
    assert rewrite(replace(note, value_type="ZIP"), operators).document.text == "007"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("044\n", "does not say of which census"),
        ("# census: 2030\n", "names no area"),
        ("# census: 2030\n044\n44\n", r"zip3\.tsv:3: a row begins with"),
        ("# census: 2030\n04401\n", r"zip3\.tsv:2: a row begins with"),
    ],
)
def test_a_list_that_is_no_list_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "zip3.tsv"
    path.write_text(content)
    with pytest.raises(ZipAreasError, match=message):
        read_zip_areas(path)


@pytest.mark.parametrize("width", [1, 5])
@pytest.mark.parametrize(
    "text", ["1,116 months", "93 and 4 months", "93, 4 months", "93 (1116 months)"]
)
def test_no_part_of_an_age_over_89_is_left(width: int, text: str) -> None:
    replace = Generalise(width=width).begin(Document("", text, ()))
    new = replace(Span(0, len(text), "AGE", text))
    assert isinstance(new, ReplacementWithRemark)
    assert (new.text, new.remark) in (("90+ years", "capped"), ("[AGE]", "tagged"))
