"""What is proposed for a site file: names that stand where names stand, codes that recur, columns."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.base.errors import RunError
from incognote.corpus.site_phrases import NotePhrases, Phrases, is_code, note_phrases, shape_of
from incognote.corpus.site_suggest import Suggestions, site_file, suggest, write_suggestions
from incognote.corpus.site_tables import pattern_of, proposals, read_columns, without_shape
from incognote.detect.finder import choose
from incognote.detect.site import read_site
from incognote.document import Document, Span
from incognote.runs.inputs import list_inputs
from incognote.runs.settings import Settings

RULES = choose("rules").detector()


def phrases(text: str) -> NotePhrases:
    return note_phrases(text, RULES.detect(Document("a", text)).spans)


def suggestions(folder: Path, **options: object) -> Suggestions:
    settings = Settings(find_by="rules", workers=1)
    return suggest(list_inputs([str(folder)]), settings, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "phrase", "type"),
    [
        ("She was transferred to Hollin overnight.", "Hollin", "HOSPITAL"),
        ("Seen on the Hollin ward again.", "Hollin", "HOSPITAL"),
        ("He lives on Tallowmere with a dog.", "Tallowmere", "STREET"),
        ("He works at Penhallow, nights.", "Penhallow", "ORGANIZATION"),
        ("The plan was discussed with Okonjo at noon.", "Okonjo", "DOCTOR"),
        ("Her sister Junko brings tea.", "Junko", "PATIENT"),
        ("Grew up in Lower Dask, four siblings.", "Lower Dask", "CITY"),
        ("Moved to Slate Bay at six.", "Slate Bay", "HOSPITAL"),
    ],
)
def test_a_phrase_is_known_by_the_words_around_it(text: str, phrase: str, type: str) -> None:
    found = note_phrases(text, ()).phrases
    assert list(found) == [phrase]
    assert max(found[phrase].types, key=lambda each: each[1])[0] == type


@pytest.mark.parametrize(
    "text",
    [
        "Treated with Zosyn and then Keflex.",
        "Parkinson disease, Foley catheter, Babinski negative.",
        "PAST MEDICAL HISTORY\nNone.",
        "Past Medical History:\nNone.",
        "Seen in January and on Monday.",
        "Grew Klebsiella in urine; Spanish speaking.",
        "Cardiology saw him. Continue Lasix.",
        "I've asked. I'm well.",
        "Rise in HbA1c and HBsAg, on NaCl, with 3 IgM.",
        "moved to hollin overnight",
    ],
)
def test_the_words_of_medicine_are_not_proposed(text: str) -> None:
    assert not note_phrases(text, ()).phrases


def test_what_the_detector_marks_is_not_proposed() -> None:
    text = "Dr. Okafor went to Hollin."
    assert list(phrases(text).phrases) == ["Hollin"]


def test_a_tool_that_is_marked_is_known_by_the_word_after_it() -> None:
    assert phrases("Prep was good, Boston Bowel Prep Scale 8.").tools == {"Boston Bowel Prep Scale"}
    assert not phrases("Seen by Dr. Okafor, on a trial basis.").tools


@pytest.mark.parametrize("word", ["ODL-0417", "MW33182049", "26-078-1142", "LK07123"])
def test_codes(word: str) -> None:
    assert is_code(word)


@pytest.mark.parametrize(
    "word",
    [
        "T2N0",
        "L4-5",
        "COVID-19",
        "100-200",
        "B12",
        "2026",
        "E4V5M6",
        "R079",
        "G0123",
        "1400H",
        "500MG",
    ],
)
def test_no_codes(word: str) -> None:
    assert not is_code(word)


@given(st.from_regex(r"[A-Z]{1,3}-?\d{3,6}(-[A-Z]\d)?", fullmatch=True))
def test_the_pattern_of_a_shape_finds_the_code(code: str) -> None:
    import re

    assert re.search(pattern_of(shape_of(code)), f"no {code}, seen") is not None


def test_many_notes_take_no_more_memory_than_few() -> None:
    counts = Phrases(most=50)
    for number in range(400):
        name = "".join(chr(ord("a") + int(digit)) for digit in str(number))
        text = f"He was moved to X{name}ville. Then to Hollin, no {number:04}-AB{number:03}."
        counts.add(note_phrases(text, ()))
    assert len(counts.phrases) <= 50
    assert counts.phrases["Hollin"].notes == 400
    assert counts.notes == 400


@pytest.fixture
def staff(tmp_path: Path) -> Path:
    path = tmp_path / "staff.csv"
    rows = [
        ["badge", "name", "ward", "town", "role"],
        ["1001", "Okonjo-Reyes, Talia", "Larkspur", "Quernby", "physician"],
        ["1002", "Whitlock, Ngaire", "Emergency", "Quernby", "resident"],
        ["1003", "Raman, Priya", "Otterbank", "", "nurse"],
    ]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def test_a_table_of_staff_gives_lists_and_a_pattern(staff: Path) -> None:
    lists, patterns = proposals(staff)
    by_name = {each.name: each for each in lists}
    assert {name: (each.type, each.mode) for name, each in by_name.items()} == {
        "staff-name": ("DOCTOR", "name"),
        "staff-ward": ("HOSPITAL", "any-case"),
        "staff-town": ("CITY", "any-case"),
    }
    assert by_name["staff-ward"].entries == ("Larkspur", "Otterbank")
    assert by_name["staff-ward"].doubtful == ("Emergency",)
    (badge,) = patterns
    assert (badge.pattern, badge.before, badge.type) == (r"\b\d{4}\b", ("badge",), "IDNUM")


def test_a_table_of_patients_gives_names_streets_and_a_check_digit(tmp_path: Path) -> None:
    from incognote.knowledge.check_digits import with_luhn

    path = tmp_path / "patients.csv"
    rows = "".join(
        f"MW{with_luhn(f'{number:07}0', 7)},Ada{number},Oyelaran,{number} Tallow Hill\n"
        for number in range(1000, 1012)
    )
    path.write_text("mrn,first_name,last_name,street\n" + rows)
    lists, (record,) = proposals(path, ["name"])
    names, streets = lists
    assert (names.type, names.entries[0]) == ("PATIENT", "Oyelaran, Ada1000")
    assert (streets.type, streets.entries) == ("STREET", ("Tallow Hill",))
    assert (record.type, record.pattern, record.check) == ("MEDICALRECORD", r"\bMW\d{8}\b", "luhn")


@pytest.mark.parametrize("key", ["hosp_no", "Hospital Number", "patient_id", "crn", "mrn"])
@pytest.mark.parametrize(
    ("first", "pattern"),
    [
        ("H12/334", r"\bH\d{2}/\d{4}\b"),
        ("12.334", r"\b\d{2}\.\d{4}\b"),
        ("MW_334", r"\bMW_\d{4}\b"),
    ],
)
def test_record_numbers_with_signs_in_them(
    tmp_path: Path, key: str, first: str, pattern: str
) -> None:
    path = tmp_path / "patients.csv"
    path.write_text(f"{key},dob\n" + "".join(f"{first}{n},1950-01-0{n}\n" for n in range(1, 9)))
    _, (record,) = proposals(path)
    assert (record.type, record.pattern) == ("MEDICALRECORD", pattern)
    assert without_shape(path) == []


def test_a_column_of_numbers_without_a_shape_is_named(tmp_path: Path) -> None:
    path = tmp_path / "patients.csv"
    path.write_text("mrn,dob\n" + "".join(f"{'x' * n}~{n},1950-01-0{n}\n" for n in range(1, 9)))
    assert proposals(path) == ([], [])
    assert without_shape(path) == ["'mrn'"]


def test_a_column_that_no_table_has_is_refused(staff: Path) -> None:
    with pytest.raises(RunError, match="--name-field clinicien: no --table has a column"):
        suggest([], Settings(find_by="rules"), tables=[staff], name_fields=["clinicien"])


def test_a_table_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "staff.xlsx"
    path.write_bytes(b"PK")
    with pytest.raises(RunError, match=r"reads \.csv and \.tsv"):
        read_columns(path)


def notes_of(folder: Path, texts: list[str]) -> Path:
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"n{number}.txt").write_text(text)
    return folder


def test_the_file_is_ranked_counted_and_valid(tmp_path: Path, staff: Path) -> None:
    texts = [
        f"A bed on Hollin at {n}. Trial no ODL-04{n}. Saw a Blenner once." for n in range(10, 16)
    ]
    folder = notes_of(tmp_path / "notes", [*texts, "Given a Blenner.", 'Moved to Quo"te\\ville.'])
    result = suggestions(folder, tables=[staff])
    assert result.notes == 8
    assert [(each.phrase, each.notes, each.is_likely) for each in result.phrases] == [
        ("Hollin", 6, True),
        ("Blenner", 7, False),
    ]
    output = tmp_path / "out" / "site.toml"
    output.parent.mkdir()
    files = write_suggestions(result, output, sources=[staff, folder], overwrite=False)
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    site = read_site(output)
    assert {row.name: row.entries for row in site.rows()} == {
        "staff-name": 3,
        "staff-ward": 2,
        "staff-town": 1,
        "found-wards": 1,
        "staff-badge": 0,
        "shape-odl-0000": 0,
    }
    assert '"Hollin",  # 6 notes, 6 times' in output.read_text()
    with pytest.raises(RunError, match="exists"):
        write_suggestions(result, output, sources=[staff, folder], overwrite=False)


def test_without_files_beside_it_the_lists_stand_in_the_file(tmp_path: Path, staff: Path) -> None:
    result = suggest([], Settings(find_by="rules"), tables=[staff])
    values = tomllib.loads(site_file(result, None))
    assert values["lists"][0]["words"][0] == "Okonjo-Reyes, Talia"


@given(st.lists(st.text(min_size=2, max_size=20).filter(str.strip), min_size=1, max_size=5))
def test_any_entry_can_be_written(entries: list[str]) -> None:
    from incognote.corpus.site_tables import ProposedList

    proposed = ProposedList("a", "CITY", "exact", "t.csv, column a", tuple(entries))
    try:
        "".join(entries).encode()
    except UnicodeEncodeError:
        return
    assert (
        tomllib.loads(site_file(Suggestions(lists=[proposed]), None))["lists"][0]["words"]
        == entries
    )


def test_ordinary_words_of_these_notes_are_not_names(tmp_path: Path) -> None:
    texts = ["We went to Zorbing. Then zorbing again."] * 3
    assert not suggestions(notes_of(tmp_path / "notes", texts)).phrases


def test_spans_cut_phrases() -> None:
    text = "Moved to Hollin East today."
    span = Span.of(text, text.index("East"), text.index("East") + 4, "HOSPITAL")
    assert "Hollin East" not in note_phrases(text, (span,)).phrases
