"""The plan for the columns of a table: from options and from a file, and what is wrong with either."""

from __future__ import annotations

from pathlib import Path

import pytest

from incognote.base.errors import RunError
from incognote.formats.column_plan import (
    ColumnRule,
    RuledValue,
    known_of,
    parse_rules,
    read_plan,
)
from incognote.formats.fields import Fields

PLAN = """\
text = ["note"]
patient = "mrn"

[columns]
name = "PATIENT"
dob = { type = "DATE", order = "dmy" }
last = { type = "PATIENT", part = "surname" }
"home zip" = "ZIP"
ssn = "drop"
visit = "keep"

[known]
kin = "PATIENT"
"""


def plan(folder: Path, text: str) -> str:
    path = folder / "plan.toml"
    path.write_text(text)
    return str(path)


def value(name: str, rule: str, text: str, **more: object) -> RuledValue:
    return RuledValue(name, ColumnRule.of(name, rule, **more), text)  # type: ignore[arg-type]


def test_a_file_says_all_of_a_table(tmp_path: Path) -> None:
    fields = Fields(columns=read_plan(plan(tmp_path, PLAN)))
    assert (fields.text, fields.patient, fields.known) == (("note",), "mrn", {"kin": "PATIENT"})
    assert fields.dropped == {"ssn"}
    assert fields.kept == {"visit"}
    assert {name: rule.words() for name, rule in fields.values.items()} == {
        "name": "PATIENT",
        "dob": "DATE dmy birth",
        "last": "PATIENT surname",
        "home zip": "ZIP",
    }


def test_options_go_before_the_file(tmp_path: Path) -> None:
    fields = Fields(
        patient="person",
        column=parse_rules(["ssn=SSN", "note=keep"]),
        drop=("name",),
        columns=read_plan(plan(tmp_path, PLAN)),
    )
    assert fields.values["ssn"].type == "SSN"
    assert fields.dropped == {"name"}
    assert (fields.text, fields.patient) == ((), "person")


def test_a_plan_says_that_there_are_no_notes(tmp_path: Path) -> None:
    none = read_plan(plan(tmp_path, 'text = []\n[columns]\nname = "PATIENT"\n'))
    assert Fields(columns=none).no_text
    assert not Fields(("note",), columns=none).no_text
    for text in ("", 'text = ["name"]\n'):
        said = read_plan(plan(tmp_path, f'{text}[columns]\nssn = "drop"\n'))
        assert not Fields(columns=said, column=parse_rules(["name=PATIENT"])).no_text


def test_a_name_says_which_part_it_is_and_what_a_birth_is() -> None:
    assert ColumnRule.of("PatientLast", "PATIENT").part == "surname"
    assert ColumnRule.of("fname", "DOCTOR").part == "given"
    assert ColumnRule.of("first", "DATE").part is None
    assert ColumnRule.of("date_of_birth", "DATE").birth
    assert not ColumnRule.of("dobutamine", "DATE").birth


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('[columns]\nname = "patient"', 2, "columns.name: 'patient' is none: choose keep, drop or"),
        ("[columns]\ndob = 3", 2, "columns.dob: must be a type, or a table with a type"),
        ('[columns]\ndob = { type = "DATE", order = "dym" }', 2, "'dym' is none of mdy, dmy, ymd"),
        ('[columns]\ndob = { type = "DATE", oder = "dmy" }', 2, "no such key"),
        ('texts = ["a"]', 1, "no such key (did you mean text?)"),
        ('text = ["a"]\n\n[columns]\na = "keep"', 1, "'a' is in [columns] too"),
        ('[known]\nx = "person"', 2, "known.x: 'person' is none of"),
        ("[columns\n", 1, "expected"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = plan(tmp_path, text)
    with pytest.raises(RunError) as error:
        read_plan(path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert words in str(error.value)


def test_a_type_of_a_site_is_left_to_whoever_knows_the_site(tmp_path: Path) -> None:
    assert parse_rules(["study=STUDYID"])["study"].type == "STUDYID"
    path = plan(tmp_path, '[known]\nstudy = "STUDYID"\n')
    assert read_plan(path).known == {"study": "STUDYID"}


def test_options_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(RunError, match="choose one"):
        Fields(column=parse_rules(["a=DATE"]), drop=("a",))
    with pytest.raises(RunError, match="holds notes"):
        Fields(("a",), column=parse_rules(["a=DATE"]))
    with pytest.raises(RunError, match="'text' holds notes"):
        Fields(drop=("text",))
    with pytest.raises(RunError, match="--no-text: a field of notes is named too"):
        Fields(("a",), no_text=True)
    with pytest.raises(ValueError, match="write FIELD=TYPE"):
        parse_rules(["DATE"])
    with pytest.raises(ValueError, match="choose keep, drop or a type"):
        parse_rules(["a=person"])


def test_parts_of_a_name_make_one_known_name() -> None:
    values = [
        value("first", "PATIENT", "NGOZI "),
        value("middle", "PATIENT", "A"),
        value("last", "PATIENT", "OKAFOR"),
        value("kin_last", "PATIENT", "Eze"),
        value("kin_first", "PATIENT", "Ada"),
        value("pcp_last", "DOCTOR", "Lund"),
    ]
    known = known_of(values)
    assert known[:2] == (("PATIENT", "NGOZI A OKAFOR"), ("PATIENT", "Ada Eze"))
    assert ("DOCTOR", "Lund") in known


def test_a_date_of_a_known_order_is_known_as_the_day_that_it_is() -> None:
    assert known_of([value("d", "DATE", "3/4/1958", order="dmy")]) == (("DATE", "1958-04-03"),)
    assert known_of([value("d", "DATE", "3/4/1958")]) == (("DATE", "3/4/1958"),)
    assert known_of([value("d", "DATE", "13/14/1958", order="dmy")]) == (("DATE", "13/14/1958"),)
