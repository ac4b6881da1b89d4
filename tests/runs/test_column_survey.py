"""What `incognote columns` makes of a table, and what is said before columns are copied."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from incognote.base.errors import RunError
from incognote.detect.detector import Detection
from incognote.detect.finder import Finder
from incognote.document import Document
from incognote.formats import FormatError
from incognote.formats.column_plan import read_plan
from incognote.formats.container import Column
from incognote.formats.fields import Fields
from incognote.runs.column_contents import contents_of
from incognote.runs.column_survey import plan_text, survey
from incognote.runs.date_columns import is_date

GIVEN_NAMES = "Ngozi John Maria Wei Fatima Carlos Aisha Peter Hannah Tom".split()
SURNAMES = "Okafor Smith Garcia Chen Hassan Romero Novak Keller Walsh Rossi".split()
PLACES = [("Bangor", "ME", "04401"), ("Dunmore", "PA", "18512"), ("Boise", "ID", "83702")]
NOTE = "{} {} was seen in clinic for a cough, and went home with an inhaler after two hours."


def patients(path: Path, rows: int = 60) -> Path:
    """A table as hospitals have it."""
    draw = random.Random(4)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            "row_id,mrn,given,last_name,dob,sex,ssn,contact,mail,street,city,state,zip,pcp,npi,"
            "visit_key,drug_name,status,weight,admitted,death_date,history".split(",")
        )
        for n in range(rows):
            given, last = draw.choice(GIVEN_NAMES), draw.choice(SURNAMES)
            birth = (
                f"{draw.randrange(13, 29)}/{draw.randrange(1, 13):02}/{draw.randrange(1930, 2010)}"
            )
            writer.writerow([
                n + 1, f"{draw.randrange(10**6, 10**7)}", given, last, birth, draw.choice("FM"),
                f"{draw.randrange(100, 899)}-{draw.randrange(10, 99)}-{draw.randrange(1000, 9999)}",
                f"({draw.randrange(201, 900)}) 555-{draw.randrange(1000, 9999)}",
                f"{given.lower()}{n}@mail.com", f"{draw.randrange(1, 999)} Quarry Ln",
                *draw.choice(PLACES), f"Dr. {draw.choice(SURNAMES)}",
                draw.choice(["1234567893", "1245319599"]), f"E{10000 + n}",
                draw.choice(["Metformin", "Lisinopril"]), draw.choice(["active", "done"]),
                f"{draw.randrange(50, 99)}.5", f"2019-0{draw.randrange(1, 9)}-11 10:30:00", "",
                NOTE.format(given, last),
            ])  # fmt: skip
    return path


EXPECTED = {
    "row_id": "id",
    "mrn": "MEDICALRECORD, patient",
    "given": "PATIENT given",
    "last_name": "PATIENT surname",
    "dob": "DATE dmy birth",
    "sex": "as it is",
    "ssn": "drop",
    "contact": "PHONE",
    "mail": "EMAIL",
    "street": "STREET",
    "city": "CITY",
    "state": "STATE",
    "zip": "ZIP",
    "pcp": "DOCTOR",
    "npi": "LICENSE",
    "visit_key": "IDNUM",
    "drug_name": "as it is",
    "status": "as it is",
    "weight": "as it is",
    "admitted": "DATE",
    "death_date": "DATE",
    "history": "notes",
}


def test_a_realistic_table_is_read_as_a_person_would(tmp_path: Path) -> None:
    found = survey(patients(tmp_path / "p.csv"), Fields())
    actions = {found.shown(each): found.action(each) for each in found.proposals}
    assert actions == EXPECTED
    assert found.rows == 60


def test_the_plan_says_the_same_when_it_is_read_again(tmp_path: Path) -> None:
    found = survey(patients(tmp_path / "p.csv"), Fields())
    path = tmp_path / "plan.toml"
    path.write_text(plan_text(found))
    fields = Fields(columns=read_plan(str(path)))
    assert (fields.text, fields.no_text, fields.patient) == (("history",), False, "mrn")
    proposed = {each.key: each.rule for each in found.proposals if each.rule is not None}
    assert {name: rule.words() for name, rule in fields.column.items()} == {
        name: rule.words() for name, rule in proposed.items()
    }


def test_the_plan_of_a_table_without_notes_says_so(tmp_path: Path) -> None:
    table, path = tmp_path / "p.csv", tmp_path / "plan.toml"
    table.write_text("mrn,name 😀\n4412345,Ann\n", encoding="utf-8")
    path.write_text(plan_text(survey(table, Fields())), encoding="utf-8")
    fields = Fields(columns=read_plan(str(path)))
    assert fields.no_text
    assert fields.values.keys() == {"mrn", "name 😀"}


def test_no_value_is_shown(tmp_path: Path) -> None:
    path = patients(tmp_path / "p.csv")
    found = survey(path, Fields())
    said = plan_text(found) + json.dumps(found.to_json())
    with path.open(newline="") as file:
        values = {value for row in list(csv.reader(file))[1:] for value in row if len(value) > 2}
    assert not [value for value in values if f" {value}" in said or f'"{value}"' in said]


def test_only_the_first_rows_are_read(tmp_path: Path) -> None:
    assert survey(patients(tmp_path / "p.csv"), Fields(), rows=7).rows == 7


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_every_kind_of_table(tmp_path: Path, suffix: str) -> None:
    with patients(tmp_path / "p.csv").open(newline="") as file:
        rows = [dict(row) for row in csv.DictReader(file)]
    path = tmp_path / f"p{suffix}"
    if suffix == ".jsonl":
        path.write_text(
            "".join(json.dumps({**row, "x": {"dob": row["dob"]}}) + "\n" for row in rows)
        )
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    found = survey(path, Fields())
    actions = {each.key: found.action(each) for each in found.proposals if not each.column.within}
    for name in ("mrn", "dob", "ssn", "contact", "history", "sex", "npi"):
        assert actions[name] == EXPECTED[name]
    nested = [each for each in found.proposals if each.column.within]
    assert [each.rule for each in nested] == [None] * len(nested)
    assert ("which a plan does not reach" in plan_text(found)) == (suffix == ".jsonl")


def test_a_table_without_a_header_shows_no_names(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("Okafor,1958-03-14,4410\n" + "Smith,1960-01-01,5520\n" * 20)
    found = survey(path, Fields())
    assert not found.has_header
    assert "Okafor" not in json.dumps(found.to_json())


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Seen.")
    with pytest.raises(RunError, match="is no table"):
        survey(path, Fields())
    (tmp_path / "e.csv").write_text("")
    with pytest.raises(FormatError, match="empty"):
        survey(tmp_path / "e.csv", Fields())


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("state", ["active", "done", "new", "open", "closed"], ""),
        ("q1", ["943 476 5919", "401 023 2137"] * 3, "MEDICALRECORD"),
        ("q1", ["GB82WEST12345698765432"] * 5, "ACCOUNT"),
        ("q1", [f"6f1c2b1e-1111-4222-8333-abcdefabcde{n}" for n in range(6)], "IDNUM"),
        ("q1", ["Ngozi Okafor", "Maria Garcia", "John Smith", "Wei Chen", "Tom Walsh"], "PATIENT"),
        ("file_name", ["Garcia", "Smith", "Chen", "Okafor", "Walsh"], "PATIENT"),
        ("drug_name", ["Metformin", "Lisinopril", "Aspirin", "Insulin", "Heparin"], ""),
        ("visits", ["1", "2", "3", "1", "7"], ""),
        ("age", ["61", "95", "3 months", "90+", "7"], "AGE"),
        ("age", ["61 kg", "x", "y", "z", "w"], ""),
        ("update_count", ["1", "2", "3", "4", "5"], ""),
        ("patient_id", [f"P{n}" for n in range(9)], "MEDICALRECORD"),
        ("provider_id", ["4411", "4412"] * 30, "IDNUM"),
        ("diagnosis", ["E11.9", "I10", "J45"] * 20, ""),
        ("crn", ["MW33182049"] * 3, "MEDICALRECORD"),
        ("code", [f"R/10-{417 + n}K" for n in range(9)], "IDNUM"),
        ("ref", [f"AB-{n:04}" for n in range(9)], "IDNUM"),
        ("x", [f"{88417203 + 7919 * n}" for n in range(9)], "IDNUM"),
        ("pressure", ["120/80", "135/85", "118/72", "141/90", "150/95", "99/61"], ""),
        ("dose", ["50 mg", "100 mg", "250mg", "1000 mg", "125 mg", "12.5 mg"], ""),
        ("result", ["1.25", "103.5", "22.75", "1032.1", "0.001", "14"], ""),
        ("diagnosis", ["E11.9", "J45.901", "I25.10", "M54.5", "N18.31"], ""),
        ("author_badge", [f"B{101 + n}" for n in range(12)] * 5, "IDNUM"),
        ("nurse_no", [f"N{101 + n}" for n in range(12)] * 5, "IDNUM"),
        ("author", [f"B{101 + n}" for n in range(20)] * 2, "IDNUM"),
        ("badge_issued", [f"2019-03-{n:02}" for n in range(10, 28)], "DATE"),
        ("consultant_code", ["C3344"] * 6, "IDNUM"),
        ("gp_practice_code", ["M85063", "M85064"] * 8, "IDNUM"),
        ("Hospital No", ["H12/3345"] * 6, "MEDICALRECORD"),
        ("hosp_no", ["33182049"] * 6, "MEDICALRECORD"),
        ("hospital_number", ["3318.204"] * 6, "MEDICALRECORD"),
        ("chart", ["331820"] * 6, "MEDICALRECORD"),
        ("Unit No", ["331820"] * 6, "MEDICALRECORD"),
        ("nhs number", ["9434765919"] * 6, "MEDICALRECORD"),
    ],
)
def test_name_and_values_decide_together(name: str, values: list[str], expected: str) -> None:
    column = Column(name, name, tuple(values), number=1)
    assert contents_of(column, len(values)).type == expected


def test_the_rules_read_each_value_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    detect = Finder.detect

    def counted(finder: Finder, note: Document) -> Detection:
        reads.append(note.text)
        return detect(finder, note)

    monkeypatch.setattr(Finder, "detect", counted)
    values = tuple(f"read {number} once" for number in range(9))
    column = Column("x", "x", values, number=1)
    for _ in range(2):
        assert contents_of(column, 9).kind == "nothing"
        assert not is_date(column)
    assert sorted(reads) == sorted(values)


def test_short_notes_are_told_by_their_name() -> None:
    short = ("Ms. Okafor seen again", "no change since May")
    assert contents_of(Column("note", "note", short), 2).kind == "notes"
    assert contents_of(Column("x", "x", short), 2).kind != "notes"
    assert contents_of(Column("x", "x", (" ".join(["word"] * 20),)), 1).kind == "notes"


@pytest.mark.parametrize(
    "key", ["hosp_no", "hospital_number", "Hospital No", "crn", "chart", "mrn"]
)
def test_a_record_number_by_any_name_says_whose_a_row_is(tmp_path: Path, key: str) -> None:
    path = tmp_path / "p.csv"
    rows = "".join(f"H{300 + n},1950-01-{n + 1:02}\n" for n in range(9))
    path.write_text(f"{key},dob\n{rows}")
    assert survey(path, Fields()).patient == key
    path.write_text(f"{key},result\n" + "H300,12\nH301,14\n" * 5)
    assert survey(path, Fields()).patient == key


def test_a_table_of_staff_has_doctors_and_wards_and_no_patients(tmp_path: Path) -> None:
    names = [f"{last}, {GIVEN_NAMES[n]}" for n, last in enumerate(SURNAMES)] + [
        "(vacant)",
        "n/a",
    ] * 4
    wards = [
        "Ward Snowdrop",
        "Ward Larkspur",
        "Otter Unit",
        "Ward Snowdrop",
        "Hollin",
        "Otter Unit",
    ]
    rows = [f'B{101 + n},"{names[n]}",{wards[n % 6]},Nurse' for n in range(18)]
    path = tmp_path / "staff.csv"
    for head in ("Badge No,Employee,Unit,Role", "Badge No,Who,Where,Role"):
        path.write_text("\n".join([head, *rows]))
        found = survey(path, Fields())
        actions = [found.action(each) for each in found.proposals]
        assert actions[:3] == ["IDNUM", "DOCTOR", "HOSPITAL"]
    path.write_text("lab,unit\n" + "K,mmol/L\nNa,Units\n" * 20)
    assert [each.rule for each in survey(path, Fields()).proposals] == [None, None]
