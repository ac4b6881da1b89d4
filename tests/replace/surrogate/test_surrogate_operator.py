"""The surrogate operator on notes: coherent, never the original, and a function of the key."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.document import Document, FieldValue, Row, Span
from incognote.formats.inline import parse
from incognote.phi import TYPES, KnownTypes
from incognote.pipeline import Deidentifier
from incognote.replace import OperatorError, RewriteResult, parse_operators, rewrite
from incognote.replace.surrogate.date_shift import DateSettings
from incognote.replace.surrogate.settings import Avoided, SurrogateSettings

KEY = b"0123456789abcdef"
NOTE = (
    "[[PATIENT|OKAFOR, NGOZI]] [[AGE|93]] y/o, DOB [[DATE|2/3/1926]], MRN [[MEDICALRECORD|307-74-18]]. "
    "Seen [[DATE|3/14/2019]] and [[DATE|3/28/2019]] by Dr. [[DOCTOR|Brandt]]. Ms. [[PATIENT|Okafor]] "
    "lives at [[STREET|18 Quarry Ln]], [[CITY|Bangor]], [[STATE|ME]] [[ZIP|04401]]; call "
    "[[PHONE|207-947-4410]], [[EMAIL|nokafor@tundrapost.com]]. [[DATE|Monday]] clinic."
)


def surrogates(
    note: str, patient: str | None = "p", operators: str = "surrogate", key: bytes = KEY
) -> RewriteResult:
    text, spans = parse(note)
    return rewrite(Document("", text, spans, patient), parse_operators(operators, key=key))


def texts(result: RewriteResult) -> list[str]:
    return [span.text for span in result.document.spans]


def days(texts: list[str]) -> list[date]:
    found = [re.fullmatch(r"(\d+)/(\d+)/(\d{4})", text) for text in texts]
    return [date(int(match[3]), int(match[1]), int(match[2])) for match in found if match]


def test_a_note_becomes_another_of_the_same_form() -> None:
    result = surrogates(NOTE)
    name, age, _, record, *_ = texts(result)
    assert re.fullmatch(r"[A-Z'-]+, [A-Z'-]+", name)
    assert age == "90+"
    assert re.fullmatch(r"\d{3}-\d\d-\d\d", record)
    assert [span.type for span in result.document.spans] == [span.type for span in parse(NOTE)[1]]
    assert result.remarks == Counter({("AGE", "capped"): 1, ("DATE", "coincides"): 1})


def test_an_address_shows_the_fake_name() -> None:
    found = texts(surrogates(NOTE))
    surname, given = found[0].lower().split(", ")
    email = next(text for text in found if "@" in text)
    assert email.startswith(given[0] + surname.replace("'", "") + "@")


def test_the_text_between_stays() -> None:
    text, spans = parse(NOTE)
    output = surrogates(NOTE).document
    ends = zip(spans, output.spans, strict=True)
    read = new = 0
    for before, after in ends:
        assert text[read : before.start] == output.text[new : after.start]
        read, new = before.end, after.end
    assert text[read:] == output.text[new:]


@pytest.mark.parametrize("type", TYPES)
def test_every_type_changes_or_becomes_a_tag(type: str) -> None:
    value = {"DATE": "3/14/2019", "AGE": "97", "STATE": "Maine", "COUNTRY": "France"}.get(
        type, "Quenby 4471"
    )
    result = surrogates(f"x [[{type}|{value}]] y")
    (new,) = texts(result)
    assert new != value
    assert (new == f"[{type}]") == (result.remarks[type, "tagged"] == 1)


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("value", ["???", "—", "…", "***"])
def test_what_cannot_be_read_becomes_a_tag(type: str, value: str) -> None:
    result = surrogates(f"x [[{type}|{value}]] y")
    assert texts(result) == [f"[{type}]"]
    assert result.remarks == Counter({(type, "tagged"): 1})


def test_a_type_of_another_scheme_becomes_a_tag() -> None:
    assert texts(surrogates("x [[SEXO|mujer]]")) == ["[SEXO]"]


def test_policies_choose_by_type() -> None:
    found = texts(surrogates(NOTE, operators="surrogate,DATE=tag,CONTACT=redact"))
    assert found.count("[DATE]") == 4
    assert found.count("") == 2
    found = texts(surrogates(NOTE, operators="tag,DATE=surrogate"))
    assert found[0] == "[PATIENT]"
    assert days(found)


def test_a_key_is_needed() -> None:
    with pytest.raises(OperatorError, match="'surrogate' needs a key"):
        parse_operators("surrogate")


@given(
    st.lists(st.dates(date(1990, 1, 1), date(2024, 12, 31)), min_size=2, max_size=6, unique=True)
)
@settings(max_examples=60)
def test_distances_between_a_patients_dates_stay(real: list[date]) -> None:
    notes = [f"Seen [[DATE|{day.month}/{day.day}/{day.year}]]." for day in real]
    together = days(texts(surrogates(" ".join(notes))))
    apart = [days(texts(surrogates(note)))[0] for note in notes]
    assert together == apart
    assert len({new - old for new, old in zip(together, real, strict=True)}) == 1
    assert together != real


def test_a_patients_notes_agree_and_another_patients_do_not() -> None:
    first = texts(surrogates("[[PATIENT|Ngozi Okafor]] MRN [[MEDICALRECORD|4471902]]", "one"))
    later = texts(surrogates("MRN: [[MEDICALRECORD|447-1902]], [[PATIENT|Ngozi Okafor]]", "one"))
    other = texts(surrogates("[[PATIENT|Ngozi Okafor]] MRN [[MEDICALRECORD|4471902]]", "two"))
    assert later[1] == first[0]
    assert later[0].replace("-", "") == first[1]
    assert not set(first) & set(other)


def test_a_note_without_a_patient_is_its_own() -> None:
    one = surrogates("A: [[DATE|3/14/2019]] [[IDNUM|A-7718204]]", None)
    same = surrogates("A: [[DATE|3/14/2019]] [[IDNUM|A-7718204]]", None)
    other = surrogates("B: [[DATE|3/14/2019]] [[IDNUM|A-7718204]]", None)
    assert texts(one) == texts(same)
    assert texts(one)[1] != texts(other)[1]


def test_consistent_over_the_corpus_but_for_dates() -> None:
    operators = parse_operators(
        "surrogate", key=KEY, surrogates=SurrogateSettings(consistent="corpus")
    )
    text, spans = parse("[[DOCTOR|Ama Brandt]] [[PHONE|207-947-4410]] [[DATE|3/14/2019]]")
    found = [
        [span.text for span in rewrite(Document("", text, spans, name), operators).document.spans]
        for name in map(str, range(5))
    ]
    assert len({(name, phone) for name, phone, _ in found}) == 1
    assert len({day for _, _, day in found}) > 1


def test_the_settings_of_dates_are_kept() -> None:
    dates = DateSettings(7, 28, shift_ages=3, order="dmy")
    operators = parse_operators("surrogate", key=KEY, surrogates=SurrogateSettings(dates))
    text, spans = parse("[[AGE|54]] seen [[DATE|3/4/2019]]")
    age, day = [s.text for s in rewrite(Document("", text, spans), operators).document.spans]
    assert age != "54"
    assert day in {"10/4/2019", "17/4/2019", "24/4/2019", "1/5/2019"}


def test_the_year_first() -> None:
    dates = DateSettings(7, 7, order="ymd")
    operators = parse_operators("surrogate", key=KEY, surrogates=SurrogateSettings(dates))
    text, spans = parse("[[DATE|19/03/04]] [[DATE|3/4]] [[DATE|2019-03-04]]")
    found = [s.text for s in rewrite(Document("", text, spans), operators).document.spans]
    assert found == ["19/03/11", "3/11", "2019-03-11"]


def test_a_birth_date_over_89_is_of_someone_who_is_90() -> None:
    found = texts(surrogates(NOTE))
    born, seen, _ = days(found)
    assert seen.year - born.year - ((seen.month, seen.day) < (born.month, born.day)) == 90


def test_names_and_numbers_to_avoid() -> None:
    note = "[[PATIENT|Ngozi Okafor]] [[MEDICALRECORD|4471902]]"
    name, number = texts(surrogates(note))
    words = frozenset(name.lower().split())
    operators = parse_operators("surrogate", key=KEY, avoided=Avoided(words, frozenset({number})))
    text, spans = parse(note)
    found = [s.text for s in rewrite(Document("", text, spans, "p"), operators).document.spans]
    assert not words & set(found[0].lower().split())
    assert found[1] != number


def test_what_a_table_tells_changes_no_fake_of_another() -> None:
    """A doctor who were called otherwise in the notes of one patient would betray that patient."""
    text, spans = parse("Seen by [[DOCTOR|Ama Brandt]]")
    plain = rewrite(Document("", text, spans, "p"), parse_operators("surrogate", key=KEY))
    fake = plain.document.spans[0].text
    known = Document("", text, spans, "p", (("PATIENT", fake),))
    assert rewrite(known, parse_operators("surrogate", key=KEY)).document.spans[0].text == fake


def test_from_python() -> None:
    result = Deidentifier("surrogate", key=KEY, detector="rules")(
        "Seen by Dr. Okafor on 3/14/2019."
    )
    assert re.fullmatch(r"Seen by Dr\. [A-Z][\w'-]+ on \d+/\d+/\d{4}\.", result.text)
    assert "Okafor" not in result.text
    assert "3/14/2019" not in result.text


def test_dates_and_ages_of_a_sites_own_types_move_with_ours_and_its_other_values_are_codes() -> (
    None
):
    types = KnownTypes({"VISIT": "DATE", "GESTATION": "AGE", "STUDYID": "ID", "WARD": "LOCATION"})
    text, spans = parse(
        "[[DATE|3/14/2019]] [[VISIT|3/28/2019]] [[VISIT|soon]] [[GESTATION|93]] [[STUDYID|ODL-123]] "
        "[[WARD|Ward 4B]]"
    )
    operators = parse_operators("surrogate", key=KEY, types=types)
    result = rewrite(Document("", text, spans, "p"), operators)
    visits, others = texts(result)[:3], texts(result)[3:]
    first, second = days(visits)
    assert first != date(2019, 3, 14)
    assert (second - first).days == 14
    assert (visits[2], others[0]) == ("[VISIT]", "90+")
    assert re.fullmatch(r"[A-Z]{3}-\d{3} [A-Z][a-z]{3} \d[A-Z]", " ".join(others[1:]))
    assert result.remarks["VISIT", "tagged"] == 1
    assert result.remarks["GESTATION", "capped"] == 1


def test_a_column_of_a_sites_own_dates_moves_as_the_note_does() -> None:
    types = KnownTypes({"VISIT": "DATE"})
    row = Row("1", (FieldValue("VISIT", "2019-03-28"),), "row 1")
    value = Document("", "2019-03-28", (Span.of("2019-03-28", 0, 10, "VISIT"),), "p", row=row)
    text, spans = parse("Seen [[DATE|3/28/2019]].")
    moved = [
        rewrite(each, parse_operators("surrogate", key=KEY, types=types)).document.spans[0].text
        for each in (replace(value, value_type="VISIT"), Document("", text, spans, "p", row=row))
    ]
    assert days(moved[1:]) == [date.fromisoformat(moved[0])]
