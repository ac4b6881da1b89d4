"""A column of dates beside moved dates would tell how far they were moved."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pyarrow
import pyarrow.parquet as parquet
import pytest
from commands import Command

from incognote.formats.container import Column
from incognote.runs.date_columns import is_date

DAYS = [datetime.date(2019, 3, 1) + datetime.timedelta(days=11 * n) for n in range(30)]
NOTE = "Seen on {}, BP 120/80."


def table(path: Path, column: str, values: list[object]) -> Path:
    notes = [NOTE.format(day) for day in DAYS]
    rows = [
        {"id": str(n), column: value, "note": note}
        for n, (value, note) in enumerate(zip(values, notes, strict=True))
    ]
    if path.suffix == ".parquet":
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows))
    else:
        lines = [
            ",".join(rows[0]),
            *(",".join(f'"{value}"' for value in row.values()) for row in rows),
        ]
        path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_bytes(b"k" * 32)
    path.chmod(0o600)
    return path


def deid(incognote: Command, source: Path, key: Path, *more: str) -> tuple[int, str]:
    ran = incognote(
        "deid",
        source,
        "-o",
        source.parent / "out" / source.name,
        "--text-field",
        "note",
        "--replace",
        "surrogate",
        "--key-file",
        key,
        "--detector",
        "rules",
        *more,
    )
    return ran.status, ran.err


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("spelling", ["%Y-%m-%d", "%m/%d/%Y %H:%M", "%d-%b-%Y", "%Y%m%d"])
def test_a_table_with_dates_beside_its_notes_is_refused_and_the_column_named(
    incognote: Command, tmp_path: Path, key: Path, ending: str, spelling: str
) -> None:
    source = table(tmp_path / f"t{ending}", "note_date", [day.strftime(spelling) for day in DAYS])
    status, said = deid(incognote, source, key)
    assert status == 2
    assert "the column 'note_date'" in said
    assert "--keep-columns COLUMN" in said
    assert said.count("\n") == 1
    assert not (tmp_path / "out").exists()
    assert deid(incognote, source, key, "--keep-columns", "note_date")[0] == 0


def test_dates_by_the_type_of_a_parquet_column(
    incognote: Command, tmp_path: Path, key: Path
) -> None:
    source = table(tmp_path / "t.parquet", "created", list(DAYS))
    assert deid(incognote, source, key)[0] == 2
    nested = table(tmp_path / "n.parquet", "visit", [{"of": [day]} for day in DAYS])
    assert "has dates beside its notes" in deid(incognote, nested, key)[1]


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_a_name_that_may_be_data_is_not_shown(
    incognote: Command, tmp_path: Path, key: Path, ending: str
) -> None:
    source = table(tmp_path / f"t{ending}", "Okafor", [str(day) for day in DAYS])
    status, said = deid(incognote, source, key)
    assert status == 2
    assert "the column number 2" in said
    assert "Okafor" not in said


def test_other_columns_and_other_ways_to_replace_go_through(
    incognote: Command, tmp_path: Path, key: Path
) -> None:
    numbers = table(tmp_path / "n.csv", "value", [100000 + n for n in range(30)])
    assert deid(incognote, numbers, key)[0] == 0
    dates = table(tmp_path / "d.csv", "note_date", [str(day) for day in DAYS])
    assert (
        incognote(
            "deid",
            dates,
            "-o",
            tmp_path / "tagged.csv",
            "--text-field",
            "note",
            "--detector",
            "rules",
        ).status
        == 0
    )
    assert (
        incognote(
            "deid",
            dates,
            "-o",
            tmp_path / "some.csv",
            "--text-field",
            "note",
            "--detector",
            "rules",
            "--replace",
            "surrogate,DATE=tag",
            "--key-file",
            key,
        ).status
        == 0
    )


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["2019-03-14T08:00:00Z", "2019-04-01T09:00:00Z"], True),
        (["March 3, 2019", "April 4, 2019", ""], True),
        (["1552550400", "1552636800"], True),
        (["4471882", "4471883"], False),
        (["F", "M"], False),
        (["Boston General, seen 3/14/2019 for a cough and a rash on both arms"], False),
        ([], False),
    ],
)
def test_what_counts_as_a_column_of_dates(values: list[str], expected: bool) -> None:
    assert is_date(Column("charttime", "'charttime'", tuple(values))) is expected


def test_a_table_that_cannot_be_read_says_so_as_ever(
    incognote: Command, tmp_path: Path, key: Path
) -> None:
    broken = tmp_path / "t.csv"
    broken.write_text("id,other\n1,2\n")
    status, said = deid(incognote, broken, key)
    assert status in (1, 2)
    assert "there is no column 'note'" in said


def test_the_number_of_a_field_counts_the_text_too(
    incognote: Command, tmp_path: Path, key: Path
) -> None:
    source = tmp_path / "t.jsonl"
    source.write_text('{"id": "1", "note": "Seen on 3/14/2019.", "Okafor": "2019-03-14"}\n')
    assert "the column number 3" in deid(incognote, source, key)[1]


@pytest.mark.parametrize("name", ["note_dt", "note_datetime", "storetime", "service_date"])
def test_usual_names_of_dates_are_shown(
    incognote: Command, tmp_path: Path, key: Path, name: str
) -> None:
    source = table(tmp_path / "t.csv", name, [str(day) for day in DAYS])
    assert f"the column '{name}'" in deid(incognote, source, key)[1]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("note_date", "43538", True),
        ("dt", "43538.75", True),
        ("DT", "1552522200", True),
        ("created_ts", "1552522200000", True),
        ("admission_id", "43538", False),
        ("results", "1552522200", False),
        ("width", "43538", False),
    ],
)
def test_days_and_seconds_as_plain_numbers(name: str, value: str, expected: bool) -> None:
    assert is_date(Column(name, "", (value,) * 3)) is expected


def test_a_caution_is_one_line(incognote: Command, tmp_path: Path, key: Path) -> None:
    source = table(tmp_path / "t.csv", "value", list(range(30)))
    status, said = deid(incognote, source, key, "--quiet")
    assert status == 0
    assert said.startswith("incognote: no patient is named")
    assert said.count("\n") == 1
