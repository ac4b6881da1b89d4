"""Offsets decided elsewhere: every date moves by exactly that many days, and what is amiss closes."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.base.errors import RunError
from incognote.formats.column_plan import ColumnRule
from incognote.formats.fields import Fields
from incognote.replace.surrogate.date_shift import DateSettings
from incognote.replace.surrogate.settings import SurrogateSettings
from incognote.runs import deid
from incognote.runs.audit import Audit
from incognote.runs.patients import Patients
from incognote.runs.plan import plan, rehearse
from incognote.runs.settings import Settings
from incognote.runs.shifts import read_shifts

KEY = b"k" * 32
DAY = date(2019, 3, 14)
NOTE = "Admitted on {} and discharged on {}."
ISO = re.compile(r"\d{4}-\d\d-\d\d")
FIELD = Fields(text=("note",), patient="mrn", shift="days", drop=("days",))
OFFSETS = st.integers(-36_000, 36_000).filter(bool)
ENDINGS = [".csv", ".jsonl", ".parquet"]

Row = Mapping[str, Any]


def asked(**options: Any) -> Settings:
    given = {"replace": "tag,DATE=surrogate", "key": KEY, "find_by": "rules", "workers": 1}
    return Settings(**{**given, **options})


def note(first: date = DAY, nights: int = 3) -> str:
    return NOTE.format(first, first + timedelta(nights))


def write_table(path: Path, rows: Sequence[Row]) -> Path:
    match path.suffix:
        case ".parquet":
            parquet.write_table(pyarrow.Table.from_pylist(list(rows)), path)
        case ".jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        case _:
            with path.open("w", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
    return path


def read_table(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
        return rows
    text = path.read_text()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    return list(csv.DictReader(text.splitlines()))


def run(source: Path, output: Path, options: Settings, **more: Any) -> Audit:
    return plan([str(source)], output, options, **more).run()


def dates(text: str) -> list[date]:
    return [date.fromisoformat(found) for found in ISO.findall(text)]


@pytest.mark.parametrize("ending", ENDINGS)
@settings(max_examples=12)
@given(
    st.lists(
        st.tuples(OFFSETS, st.dates(date(1930, 1, 1), date(2029, 12, 31)), st.integers(0, 9_000)),
        min_size=1,
        max_size=4,
    )
)
def test_every_date_of_a_row_moves_by_the_rows_offset_and_intervals_hold(
    tmp_path_factory: pytest.TempPathFactory, ending: str, stays: list[tuple[int, date, int]]
) -> None:
    folder = tmp_path_factory.mktemp("table")
    rows = [
        {"mrn": f"m{at}", "days": days, "note": note(first, nights)}
        for at, (days, first, nights) in enumerate(stays)
    ]
    source = write_table(folder / f"in{ending}", rows)
    audit = run(source, folder / f"out{ending}", asked(fields=FIELD))
    assert not audit.failures
    for row, (days, first, nights) in zip(read_table(folder / f"out{ending}"), stays, strict=True):
        moved = [first + timedelta(days), first + timedelta(days + nights)]
        assert dates(row["note"]) == moved


@pytest.mark.parametrize("ending", ENDINGS)
def test_columns_of_dates_move_with_the_notes_and_the_offset_is_not_in_the_output(
    tmp_path: Path, ending: str
) -> None:
    rows = [{"mrn": "m", "seen": "2019-03-14", "days": 1_000, "note": note()}] * 2
    source = write_table(tmp_path / f"in{ending}", rows)
    planned = replace(FIELD, column={**FIELD.column, "seen": ColumnRule("DATE")})
    options = asked(fields=planned, surrogates=SurrogateSettings())
    assert not run(source, tmp_path / f"out{ending}", options).failures
    for row in read_table(tmp_path / f"out{ending}"):
        assert row.keys() == {"mrn", "seen", "note"}
        assert date.fromisoformat(row["seen"]) == DAY + timedelta(1_000) == dates(row["note"])[0]


@settings(max_examples=12)
@given(days=OFFSETS, first=st.dates(date(1930, 1, 1), date(2029, 12, 31)))
def test_a_file_of_patients_moves_the_dates_of_folders(
    tmp_path_factory: pytest.TempPathFactory, days: int, first: date
) -> None:
    folder = tmp_path_factory.mktemp("notes")
    for at in (1, 2):
        path = folder / "notes" / "p1" / f"{at}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note(first, at))
    offsets = folder / "offsets.csv"
    offsets.write_text(f"patient,days\np1,{days}\np2,17\n")
    options = asked(patients=Patients(folder=True), shift_file=offsets)
    assert not run(folder / "notes", folder / "out", options).failures
    texts = sorted(path.read_text() for path in (folder / "out").rglob("*.txt"))
    assert sorted(map(dates, texts)) == sorted(
        [first + timedelta(days), first + timedelta(days + at)] for at in (1, 2)
    )


def test_the_range_and_the_weeks_of_the_keyed_shift_do_not_matter(tmp_path: Path) -> None:
    source = write_table(tmp_path / "in.csv", [{"mrn": "m", "days": 4_001, "note": note()}])
    options = asked(fields=FIELD, surrogates=SurrogateSettings(DateSettings(whole_weeks=True)))
    run(source, tmp_path / "out.csv", options)
    assert dates(read_table(tmp_path / "out.csv")[0]["note"])[0] == DAY + timedelta(4_001)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("days", ["", "0", "1.5", "next week", "36001", "9" * 30, None])
def test_a_row_without_a_sound_offset_fails_and_is_not_written(
    tmp_path: Path, ending: str, days: str | None
) -> None:
    rows: list[Row] = [
        {"mrn": "m1", "days": "12", "note": note()},
        {"mrn": "Okafor", "days": days, "note": note()},
    ]
    source = write_table(tmp_path / f"in{ending}", rows)
    audit = run(source, tmp_path / f"out{ending}", asked(fields=FIELD))
    (failure,) = audit.failures
    assert "days" in failure.reason
    assert "Okafor" not in failure.reason
    assert len(read_table(tmp_path / f"out{ending}")) == 1


def test_whole_numbers_of_a_column_with_gaps_are_whole(tmp_path: Path) -> None:
    rows: list[Row] = [
        {"mrn": "m1", "days": -12.0, "note": note()},
        {"mrn": "m2", "days": None, "note": None},
    ]
    source = write_table(tmp_path / "in.parquet", rows)
    assert not run(source, tmp_path / "out.parquet", asked(fields=FIELD)).failures
    assert dates(read_table(tmp_path / "out.parquet")[0]["note"])[0] == DAY - timedelta(12)


def test_a_patient_with_two_offsets_fails_from_the_second_on(tmp_path: Path) -> None:
    rows = [{"mrn": "m", "days": days, "note": note()} for days in (5, 6, 5)]
    source = write_table(tmp_path / "in.csv", rows)
    audit = run(source, tmp_path / "out.csv", asked(fields=FIELD))
    assert [failure.place for failure in audit.failures] == ["line 3"]
    assert "other days" in audit.failures[0].reason


def test_what_an_earlier_run_wrote_still_contradicts_after_resuming(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deid, "CHECKPOINT_SECONDS", 0.0)
    (tmp_path / "in").mkdir()
    first = [{"mrn": "m", "days": 5, "note": note()}, {"mrn": "n", "days": 7, "note": note()}]
    write_table(tmp_path / "in" / "a.csv", first)
    later = [{"mrn": f"x{at}", "days": 9, "note": note()} for at in range(300)]
    write_table(
        tmp_path / "in" / "b.csv",
        [*later, {"mrn": "m", "days": 6, "note": note()}, {"mrn": "x3", "days": 8, "note": note()}],
    )
    seen = 0

    def cut(notes: int, size: int) -> None:
        nonlocal seen
        seen += notes
        if seen > 250:
            raise KeyboardInterrupt

    options = asked(fields=FIELD)
    with pytest.raises(KeyboardInterrupt):
        plan([str(tmp_path / "in")], tmp_path / "out", options).run(cut)
    audit = run(tmp_path / "in", tmp_path / "out", options, resume=True)
    assert audit.files_resumed == 1
    assert [failure.place for failure in audit.failures] == ["line 302", "line 303"]


@pytest.mark.parametrize("workers", [1, 2])
def test_notes_of_unknown_patients_fail_and_the_others_are_written(
    tmp_path: Path, workers: int
) -> None:
    rows = [{"mrn": mrn, "note": note()} for mrn in ("m1", "Okafor", "", "m2")]
    source = write_table(tmp_path / "in.csv", rows)
    offsets = tmp_path / "offsets.csv"
    offsets.write_text("patient,days\nm1,3\nm2,-3\n")
    options = asked(
        fields=Fields(text=("note",), patient="mrn"), shift_file=offsets, workers=workers
    )
    audit = run(source, tmp_path / "out.csv", options)
    assert [failure.place for failure in audit.failures] == ["line 3", "line 4"]
    assert "Okafor" not in str(audit.to_json())
    moved = [dates(row["note"])[0] - DAY for row in read_table(tmp_path / "out.csv")]
    assert moved == [timedelta(3), timedelta(-3)]
    assert len(rehearse_failures(source, options)) == 2


def rehearse_failures(source: Path, options: Settings) -> list[Any]:
    from incognote.runs.plan import checked_inputs

    return rehearse(checked_inputs([str(source)], options), options).failures


def test_the_audit_says_that_offsets_were_given_and_none_of_them(tmp_path: Path) -> None:
    source = write_table(tmp_path / "in.csv", [{"mrn": "m1", "note": note()}])
    described = []
    for days in (1_234, 1_235):
        offsets = tmp_path / "offsets.csv"
        offsets.write_text(f"patient,days\nm1,{days}\n")
        options = asked(
            fields=Fields(text=("note",), patient="mrn"),
            shift_file=offsets,
            surrogates=SurrogateSettings(),
        )
        run(source, tmp_path / "out.csv", options, overwrite=True)
        described.append(json.loads((tmp_path / "out.csv.audit.json").read_text())["settings"])
    assert described[0]["shift_file"] != described[1]["shift_file"]
    assert described[0]["surrogates"]["shift_days"] == "given"
    assert "1234" not in str(described)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("patient,days\nOkafor,5\nOkafor,6\n", 3, "the same patient"),
        ("patient,days\nOkafor,0\n", 2, "0 days"),
        ("patient,days\nOkafor,soon\n", 2, "whole number"),
        ("patient,days\nOkafor,1.5\n", 2, "whole number"),
        ("patient,days\nOkafor,40000\n", 2, "36,000"),
        ("patient,days\nm1,3\nOkafor\n", 3, "1 fields"),
        ("patient,days\nOkafor,\n", 2, "no number of days"),
        ("patient,days\n,5\n", 2, "no patient"),
        ('patient,days\nm1,3\n"Okafor,5\n', 3, "never closed"),
        ("Okafor\n5\n", 1, "two columns"),
    ],
)
def test_a_broken_file_is_refused_by_line_before_anything_is_written(
    tmp_path: Path, text: str, line: int, reason: str
) -> None:
    source = write_table(tmp_path / "in.csv", [{"mrn": "m1", "note": note()}])
    offsets = tmp_path / "offsets.csv"
    offsets.write_text(text)
    options = asked(fields=Fields(text=("note",), patient="mrn"), shift_file=offsets)
    with pytest.raises(RunError, match=re.escape(reason)) as raised:
        run(source, tmp_path / "out.csv", options)
    assert str(raised.value).startswith(f"{offsets}:{line}: ")
    assert "Okafor" not in str(raised.value)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("header", "row"),
    [("patient,days", "m1,5"), ("days;ward;patient", "5;3b;m1"), ("mrn\toffset\tby", "m1\t5\tx")],
)
def test_the_columns_are_patient_and_days_or_the_first_two(
    tmp_path: Path, header: str, row: str
) -> None:
    offsets = tmp_path / "offsets.csv"
    offsets.write_text(f"\ufeff{header}\r\n{row}\r\n\r\n", encoding="utf-8")
    assert read_shifts(offsets) == {"m1": 5}


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"offsets\.csv: the shifts cannot be read"):
        asked(patients=Patients(folder=True), shift_file=tmp_path / "offsets.csv").check()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"replace": "tag"}, "is for dates that move"),
        ({"surrogates": SurrogateSettings(DateSettings(earliest=3, latest=9))}, "--shift-days"),
        ({"surrogates": SurrogateSettings(DateSettings(keep_season=True))}, "--keep-season"),
        ({"surrogates": SurrogateSettings(DateSettings(shift_ages=2))}, "--shift-ages"),
        ({"fields": Fields(text=("note",), shift="days", drop=("days",))}, "--patient-field"),
        ({"fields": Fields(text=("note",), patient="mrn", shift="days")}, "--drop days"),
        ({"shift_file": Path("offsets.csv")}, "choose one of"),
    ],
)
def test_options_that_contradict_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(RunError, match=said):
        asked(**{"fields": FIELD, **options})
