"""Columns of tables from the command line: plan, replace, join, restore."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Command, Ran

PATIENTS = """\
mrn,name,dob,ssn,zip,sex
0412345,"OKAFOR, NGOZI A",3/14/1958,123-45-6789,04401,F
0998877,"GARCIA, MARIA",1/2/1961,987-65-4321,10001,F
"""
NOTES = """\
note_id,mrn,author_id,seen,note
1,0412345,88120,2019-03-04 10:30,"Ms. Okafor (MRN 0412345, born 3/14/1958) was seen again today by the nurse."
2,0998877,88120,2019-05-06 09:00,"Maria Garcia came for her second dose; Ms. Garcia tolerated the first one well."
3,0412345,88121,2019-03-05 08:15,"Ms. Okafor called about her results, which were normal on both occasions."
"""
Deid = Callable[..., Ran]


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    (tmp_path / "patients.csv").write_text(PATIENTS)
    (tmp_path / "notes.csv").write_text(NOTES)
    key = tmp_path / "key"
    key.write_bytes(b"k" * 32)
    key.chmod(0o600)
    return tmp_path


@pytest.fixture
def deid(incognote: Command, tables: Path) -> Deid:
    def run(name: str, out: str, *more: object) -> Ran:
        options = ("--detector", "rules", *more)
        return incognote("deid", tables / name, "-o", tables / out, *options)

    return run


@pytest.fixture
def surrogates(tables: Path) -> tuple[object, ...]:
    return ("--replace", "surrogate", "--key-file", tables / "key", "--patient-field", "mrn")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


PATIENT_RULES = (
    "--column", "mrn=MEDICALRECORD", "--column", "name=PATIENT", "--column", "dob=DATE",
    "--column", "zip=ZIP", "--drop", "ssn", "--no-text",
)  # fmt: skip
NOTE_RULES = (
    "--text-field", "note", "--id-field", "note_id", "--column", "mrn=MEDICALRECORD",
    "--column", "author_id=IDNUM", "--column", "seen=DATE",
)  # fmt: skip


def test_tables_that_were_joined_still_are(
    tables: Path, deid: Deid, surrogates: tuple[object, ...]
) -> None:
    first = deid("patients.csv", "p.csv", *PATIENT_RULES, *surrogates)
    second = deid("notes.csv", "n.csv", *NOTE_RULES, *surrogates)
    assert (first.status, second.status) == (0, 0), first.err + second.err
    people, notes = rows(tables / "p.csv"), rows(tables / "n.csv")
    assert list(people[0]) == ["mrn", "name", "dob", "zip", "sex"]
    by_mrn = {each["mrn"]: each for each in people}
    assert [note["mrn"] for note in notes] == [people[0]["mrn"], people[1]["mrn"], people[0]["mrn"]]
    assert notes[0]["author_id"] == notes[1]["author_id"] != notes[2]["author_id"]
    for note in notes:
        surname = by_mrn[note["mrn"]]["name"].split(",")[0].title()
        assert surname in note["note"]
    assert people[0]["mrn"] in notes[0]["note"]
    assert people[0]["dob"] in notes[0]["note"]
    said = (tables / "p.csv").read_text() + (tables / "n.csv").read_text()
    for original in ("kafor", "KAFOR", "0412345", "412345", "3/14/1958", "Garcia", "88120", "6789"):
        assert original not in said
    assert "copied as they are" not in first.err


def test_a_plan_is_proposed_written_and_taken(
    tables: Path, incognote: Command, deid: Deid, surrogates: tuple[object, ...]
) -> None:
    plan = tables / "plan.toml"
    looked = incognote("columns", tables / "notes.csv", "-o", plan)
    assert looked.status == 0, looked.err
    assert "3 rows read" in looked.err
    assert "Okafor" not in looked.out.decode() + looked.err + plan.read_text()
    again = incognote("columns", tables / "notes.csv", "-o", plan)
    assert again.status == 2
    assert "exists" in again.err
    ran = deid("notes.csv", "n.csv", "--columns", plan, *surrogates)
    assert ran.status == 0, ran.err
    assert "look identifying" not in ran.err
    assert "Okafor" not in (tables / "n.csv").read_text()
    audit = json.loads((tables / "n.csv.audit.json").read_text())
    assert audit["notes"]["written"] == 3
    assert audit["columns"]["values"] == sum(audit["findings"]["by_detector"]["column"].values())
    assert audit["settings"]["columns"]["seen"] == "DATE"


def test_the_plan_as_json(tables: Path, incognote: Command) -> None:
    found = json.loads(incognote("columns", tables / "patients.csv", "--json").out)
    actions = {each["column"]: each["action"] for each in found["columns"]}
    assert actions["ssn"] == "drop"
    assert found["patient"] == "mrn"


def test_columns_of_which_nobody_said_anything_are_named_once(tables: Path, deid: Deid) -> None:
    rules = ("--no-text", "--column", "mrn=MEDICALRECORD", "--column", "zip=keep")
    ran = deid("patients.csv", "p.csv", *rules)
    assert ran.err.count("look identifying") == 1
    (line,) = [line for line in ran.err.splitlines() if "look identifying" in line]
    assert "'name', 'dob', 'ssn'" in line
    assert "'zip'" not in line
    assert "'sex'" not in line
    quiet = deid("patients.csv", "q.csv", *PATIENT_RULES)
    assert "identifying" not in quiet.err


def test_forgotten_notes_are_not_copied(tables: Path, deid: Deid) -> None:
    ran = deid("notes.csv", "n.csv", "--column", "mrn=MEDICALRECORD")
    assert ran.status == 1
    assert "there is no column 'text'" in ran.err
    assert not (tables / "n.csv").exists()
    ran = deid("notes.csv", "n.csv", "--column", "mrn=MEDICALRECORD", "--no-text")
    assert ran.status == 2
    assert "'note' looks like free text, and no column is searched" in ran.err
    assert not (tables / "n.csv").exists()


def test_a_later_line_without_its_note_fails(tables: Path, deid: Deid, incognote: Command) -> None:
    line = {"text": "Seen.", "ssn": "1"}
    other = {"txt": "Ngozi Okafor MRN 4412345 seen by Dr. Rask", "ssn": "1"}
    lines = "".join(json.dumps(each) + "\n" for each in (*[line] * 300, other))
    (tables / "a.jsonl").write_text(lines)
    ran = deid("a.jsonl", "b.jsonl", "--drop", "ssn")
    assert ran.status == 1
    assert "line 301: there is no field 'text'" in ran.err
    assert "Okafor" not in (tables / "b.jsonl").read_text()
    live = incognote(
        "deid", "--format", "jsonl", "--detector", "rules", "--drop", "ssn", stdin=lines.encode()
    )
    assert live.status == 1
    assert b"Okafor" not in live.out
    assert len(live.out.splitlines()) == 300


def test_a_date_that_moves_betrays_nothing_and_one_that_is_kept_may(
    tables: Path, deid: Deid, surrogates: tuple[object, ...]
) -> None:
    rules = NOTE_RULES[:-2]
    refused = deid("notes.csv", "n.csv", *rules, *surrogates)
    assert refused.status == 2
    assert "has dates beside its notes" in refused.err
    assert deid("notes.csv", "n.csv", *rules, "--column", "seen=keep", *surrogates).status == 0
    assert rows(tables / "n.csv")[0]["seen"] == "2019-03-04 10:30"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--column", "name=PATIENTS"), "--column name=PATIENTS: is no type"),
        (("--column", "name=patient"), "--column name=patient: choose keep, drop or a type"),
        (("--no-text", "--column", "nmae=PATIENT"), "there is no column 'nmae'"),
        (("--column", "name=PATIENT", "--drop", "name"), "--drop name"),
        (("--columns", "gone.toml"), "gone.toml: no such file"),
        (("--no-text",), "--no-text: no column is replaced or dropped either"),
    ],
)
def test_mistakes_are_told_and_nothing_is_written(
    tables: Path, deid: Deid, options: tuple[str, ...], words: str
) -> None:
    ran = deid("patients.csv", "p.csv", *options)
    assert ran.status in (1, 2)
    assert words in ran.err
    assert not (tables / "p.csv").exists()


def test_values_come_back_from_a_vault_and_dropped_columns_do_not(
    tables: Path, incognote: Command, deid: Deid
) -> None:
    key = tables / "vault-key"
    key.write_bytes(b"v" * 32)
    key.chmod(0o600)
    vault = ("--vault", tables / "v.vault", "--vault-key-file", key)
    ran = deid("patients.csv", "out/p.csv", *PATIENT_RULES, *vault)
    assert ran.status == 0, ran.err
    back = incognote("reidentify", tables / "out/p.csv", "-o", tables / "back.csv", *vault)
    assert back.status == 0, back.err
    expected = [
        {k: v for k, v in row.items() if k != "ssn"} for row in rows(tables / "patients.csv")
    ]
    assert rows(tables / "back.csv") == expected
    assert "Columns that deid dropped (--drop) are in no vault, and are not restored." in back.err
    ran = deid("notes.csv", "out/n.csv", *NOTE_RULES, *vault)
    assert ran.status == 0, ran.err
    back = incognote("reidentify", tables / "out/n.csv", "-o", tables / "notes-back.csv", *vault)
    assert (tables / "notes-back.csv").read_bytes() == NOTES.encode(), back.err
    assert "3 notes re-identified byte for byte." in back.err
    assert "dropped" not in back.err
    rules = ("--text-field", "note", "--drop", "seen")
    deid("notes.csv", "out/less.csv", *rules, *vault)
    back = incognote("reidentify", tables / "out/less.csv", "-o", tables / "less.csv", *vault)
    assert back.status == 0
    assert "0 notes re-identified byte for byte, 3 with their text" in back.err
    assert "are not restored" in back.err


def test_several_processes_and_a_first_pass_change_no_join(
    tables: Path, deid: Deid, surrogates: tuple[object, ...]
) -> None:
    deid("notes.csv", "one.csv", *NOTE_RULES, *surrogates, "--workers", 1)
    deid("notes.csv", "two.csv", *NOTE_RULES, *surrogates, "--workers", 2)
    assert (tables / "one.csv").read_bytes() == (tables / "two.csv").read_bytes()
    ran = deid("notes.csv", "scanned.csv", *NOTE_RULES, *surrogates, "--scan-first")
    assert ran.status == 0, ran.err
    scanned = rows(tables / "scanned.csv")
    assert scanned[0]["mrn"] == scanned[2]["mrn"] != scanned[1]["mrn"]


def test_json_lines_as_they_come(
    tables: Path, incognote: Command, surrogates: tuple[object, ...]
) -> None:
    line = {"mrn": 412345, "name": "Okafor, Ngozi", "ssn": "1", "text": "Ms. Okafor"}
    ran = incognote(
        "deid", "--format", "jsonl", "--detector", "rules", *surrogates,
        "--column", "mrn=MEDICALRECORD", "--column", "name=PATIENT", "--drop", "ssn",
        stdin=(json.dumps(line) + "\n").encode(),
    )  # fmt: skip
    answer = json.loads(ran.out)
    assert list(answer) == ["mrn", "name", "text"]
    assert isinstance(answer["mrn"], int)
    assert answer["text"] == f"Ms. {answer['name'].split(',')[0]}"


def test_a_field_that_no_line_has_is_told(tables: Path, deid: Deid) -> None:
    (tables / "a.jsonl").write_text('{"text": "Seen.", "name": "Okafor"}\n')
    ran = deid("a.jsonl", "b.jsonl", "--column", "nmae=PATIENT")
    assert "has the field nmae, which the plan names" in ran.err
    assert "the column 'name' looks identifying" in ran.err


def test_find_searches_notes_alone(tables: Path, incognote: Command) -> None:
    ran = incognote("find", tables / "notes.csv", "--text-field", "note", "--column", "mrn=IDNUM")
    assert ran.status == 2
    assert "No such option" in ran.err


def test_codes_of_their_own_are_named_before_they_are_copied(tables: Path, deid: Deid) -> None:
    rows = "".join(f"MW3318{n * 37 + 1000},seen by the nurse today\n" for n in range(9))
    (tables / "n.csv").write_text("ref,note\n" + rows)
    ran = deid("n.csv", "o.csv", "--text-field", "note")
    assert "the column 'ref' looks identifying and would be copied" in ran.err


def test_a_table_without_notes_is_told_what_to_do_and_called_a_table(
    tables: Path, deid: Deid, incognote: Command
) -> None:
    ran = deid("patients.csv", "o.csv")
    assert ran.status == 1
    assert "with --text-field COLUMN" in ran.err
    assert "incognote columns TABLE -o plan.toml" in ran.err
    incognote("columns", tables / "patients.csv", "-o", tables / "plan.toml")
    plan = (tables / "plan.toml").read_text()
    (tables / "plan.toml").write_text(plan.replace("patient =", "# patient ="))
    surrogate = ("--replace", "surrogate", "--key-file", tables / "key")
    ran = deid("patients.csv", "o.csv", "--columns", tables / "plan.toml", *surrogate)
    assert ran.status == 0
    assert "each row is its own patient: the rows of one person" in ran.err
    assert 'see patient = "COLUMN" in the plan' in ran.err
    assert f"table: {tables / 'o.csv'}" in ran.err
    assert "notes:" not in ran.err


def test_a_site_file_takes_part_in_the_proposal(tables: Path, incognote: Command) -> None:
    pattern = "name = 'study'\ntype = 'STUDYID'\npattern = 'ODL-\\d{4}'\nbefore = ['trial']\n"
    (tables / "site.toml").write_text(
        "[types.STUDYID]\ncategory = 'ID'\n"
        f"[[patterns]]\n{pattern}"
        "[[lists]]\nname = 'wards'\ntype = 'HOSPITAL'\nwords = ['Otterbank', 'Larkspur']\n"
    )
    rows = "".join(f"ODL-{n:04},{'Otterbank' if n % 2 else 'Larkspur'}\n" for n in range(9))
    (tables / "t.csv").write_text("trial_no,place\n" + rows)
    plan = tables / "plan.toml"
    ran = incognote("columns", tables / "t.csv", "-o", plan, "--site", tables / "site.toml")
    assert ran.status == 0
    assert 'trial_no = "STUDYID"' in plan.read_text()
    assert 'place = "HOSPITAL"' in plan.read_text()


def test_no_plan_is_written_of_a_table_without_a_header(incognote: Command, tmp_path: Path) -> None:
    table, plan = tmp_path / "table.csv", tmp_path / "plan.toml"
    table.write_text("078-05-1120,Mary Stoat,1961-02-03\n219-09-9999,Ada Wren,1970-04-05\n")
    ran = incognote("columns", table, "-o", plan)
    assert ran.status == 2
    assert "looks like data" in ran.err.splitlines()[-1]
    assert not plan.exists()
    assert "Stoat" not in ran.out.decode() + ran.err
    assert incognote("columns", table).status == 0
