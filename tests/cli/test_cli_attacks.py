"""Bad luck and bad will at the command line: nothing real leaves, nothing is lost, nothing hangs."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Command

NOTE = "Patient: John Quixxalby, MRN 77301946, seen on 3/4/2019.\n"
RULES = ("--detector", "rules", "-j", "1")


@pytest.fixture
def moved(tmp_path: Path) -> tuple[str, ...]:
    """Dates are moved."""
    key = tmp_path / "key"
    key.write_bytes(b"k" * 32)
    key.chmod(0o600)
    return (*RULES, "--replace", "surrogate", "--key-file", str(key), "--patient-field", "p")


def folder_of_patients(folder: Path, *patients: str) -> Path:
    for patient in patients:
        (folder / patient).mkdir(parents=True, exist_ok=True)
        (folder / patient / f"{patient}.txt").write_text(NOTE)
    return folder


@pytest.mark.parametrize("table", [False, True])
def test_utf16_that_goes_on_in_ascii_is_refused_however_late(
    incognote: Command, tmp_path: Path, table: bool
) -> None:
    line = '{"text": "Doing well."}\n' if table else "Doing well.\n"
    more = '{"text": "Mr. John Quixxalby"} \n' if table else NOTE + " "
    path = tmp_path / ("a.jsonl" if table else "a.txt")
    path.write_bytes((line * 9000).encode("utf-16") + more.encode()[: len(more) // 2 * 2])
    out = tmp_path / f"out{path.suffix}"
    ran = incognote("deid", path, "-o", out, *RULES)
    assert ran.status == 1
    assert "goes on in another encoding" in ran.err
    assert not out.exists()


def test_a_new_patient_never_gets_the_folder_of_another(incognote: Command, tmp_path: Path) -> None:
    notes, out = folder_of_patients(tmp_path / "n", "a", "b", "c"), tmp_path / "out"
    assert incognote("deid", notes, "-o", out, *RULES).status == 0
    shutil.rmtree(notes / "b")
    assert incognote("deid", notes, "-o", out, *RULES, "--overwrite").status == 0
    folder_of_patients(notes, "d")
    assert incognote("deid", notes, "-o", out, *RULES, "--overwrite").status == 0
    rows = list(csv.DictReader((tmp_path / "out.names.csv").read_text().splitlines()))
    folders = [row["output"].split("/")[0] for row in rows]
    assert len(set(folders)) == 3


@pytest.mark.parametrize(
    "content", ["", "a,b\n1,2\n", f"input,original,output\n1,x.txt,note-{'9' * 5000}.txt\n"]
)
def test_a_list_of_names_that_is_none_is_refused(
    incognote: Command, tmp_path: Path, content: str
) -> None:
    notes, names = folder_of_patients(tmp_path / "n", "a"), tmp_path / "names.csv"
    names.write_text(content)
    ran = incognote("deid", notes, "-o", tmp_path / "out", *RULES, "--names-from", names)
    assert ran.status == 2
    assert "the list of names cannot be used" in ran.err
    assert not (tmp_path / "out").exists()


def physionet(folder: Path) -> Path:
    folder.mkdir()
    text = f"START_OF_RECORD=1||||1||||\n{NOTE}||||END_OF_RECORD\n"
    (folder / "id.text").write_text(text)
    (folder / "id-phi.phrase").write_text("1 1 14 23 PATIENT Quixxalby\n")
    return folder


def test_locations_of_physionet_are_a_runs_own(incognote: Command, tmp_path: Path) -> None:
    notes, out = physionet(tmp_path / "n"), tmp_path / "out"
    assert incognote("deid", notes, "-o", out, *RULES, "--with-spans").status == 0
    before = (out / "note-000001-phi.phrase").read_bytes()
    assert incognote("deid", notes, "-o", out, *RULES, "--overwrite").status == 0
    assert (out / "note-000001-phi.phrase").read_bytes() != before
    (notes / "bad.txt").write_bytes(b"\xff\x00\x01")
    assert incognote("deid", notes, "-o", out, *RULES, "--overwrite").status == 1
    (notes / "bad.txt").write_text(NOTE)
    ran = incognote("deid", notes, "-o", out, *RULES, "--resume")
    assert ran.status == 0, ran.err
    assert "no longer here" not in ran.err
    assert (out / "note-000001-phi.phrase").exists()
    assert "Quixxalby" not in (out / "note-000001.text").read_text()


def test_what_stands_beside_a_single_output_is_not_replaced_unasked(
    incognote: Command, tmp_path: Path
) -> None:
    notes = physionet(tmp_path / "n")
    mine = tmp_path / "out-phi.phrase"
    mine.write_text("mine")
    ran = incognote("deid", notes / "id.text", "-o", tmp_path / "out.text", *RULES)
    assert ran.status == 2
    assert mine.read_text() == "mine"
    assert not (tmp_path / "out.text").exists()


PLACES = ("/proc/incognote-out", "/dev/null", "/dev/zero")


@pytest.mark.parametrize("place", [place for place in PLACES if Path(place).parent.is_dir()])
def test_a_place_where_nothing_can_be_is_refused_at_once(
    incognote: Command, tmp_path: Path, place: str
) -> None:
    note = tmp_path / "a.txt"
    note.write_text(NOTE)
    ran = incognote("deid", note.parent, "-o", place, "--overwrite", *RULES)
    assert ran.status == 2
    assert place in ran.err
    ran = incognote("deid", note, "-o", tmp_path / "out.txt", "--audit", "/dev/zero", *RULES)
    assert ran.status == 2
    assert not (tmp_path / "out.txt").exists()


DAYS = [f"2019-{month:02d}-{day:02d}" for month in range(1, 13) for day in (3, 17)]
HIDDEN: dict[str, Callable[[str], object]] = {
    "in an object": lambda day: {"ward": "ICU", "bed": "B", "unit": "x", "admitted": day},
    "in a list of objects": lambda day: [{"a": "x", "b": "y", "c": "z"}, {"d": [day]}],
    "in seconds, in an object": lambda day: {
        "admit_time": 1_550_000_000 + 86_400 * DAYS.index(day)
    },
    "in JSON in a string": lambda day: json.dumps({"when": day, "who": "a nurse " * 20}),
    "in names of fields": lambda day: {day: "120/80"},
}


@pytest.mark.parametrize("how", HIDDEN)
@pytest.mark.parametrize("live", [False, True])
def test_dates_hidden_beside_the_notes_are_found(
    incognote: Command, tmp_path: Path, moved: tuple[str, ...], how: str, live: bool
) -> None:
    rows = [{"p": "1", "text": f"Seen on {day}.", "more": HIDDEN[how](day)} for day in DAYS]
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    if live:
        ran = incognote("deid", "--format", "jsonl", *moved, stdin=lines)
        assert (ran.status, ran.out) == (1, b"")
        kept = incognote("deid", "--format", "jsonl", *moved, "--keep-columns", "more", stdin=lines)
    else:
        table = tmp_path / "t.jsonl"
        table.write_bytes(lines)
        ran = incognote("deid", table, "-o", tmp_path / "o.jsonl", *moved)
        assert ran.status == 2
        kept = incognote(
            "deid", table, "-o", tmp_path / "o.jsonl", *moved, "--keep-columns", "more"
        )
    assert "--keep-columns" in ran.err
    assert "2019" not in ran.err
    assert kept.status == 0


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_dates_that_begin_late_in_a_table_are_found(
    incognote: Command, tmp_path: Path, moved: tuple[str, ...], ending: str
) -> None:
    rows = [
        {"p": "1", "text": "Seen on 3/4/2019.", "died": "2019-03-05" if at > 600 else ""}
        for at in range(610)
    ]
    table = tmp_path / f"t.{ending}"
    if ending == "parquet":
        import pyarrow
        import pyarrow.parquet as parquet

        parquet.write_table(pyarrow.Table.from_pylist(rows), table)
    elif ending == "jsonl":
        table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        table.write_text("p,text,died\n" + "".join(",".join(row.values()) + "\n" for row in rows))
    ran = incognote("deid", table, "-o", tmp_path / f"o.{ending}", *moved)
    assert ran.status == 2
    assert "--keep-columns" in ran.err


def test_a_date_behind_a_field_of_the_same_name_is_found(
    incognote: Command, tmp_path: Path, moved: tuple[str, ...]
) -> None:
    table = tmp_path / "t.jsonl"
    table.write_text('{"p": "1", "text": "Seen 3/4/2019.", "x": "2019-03-04", "x": "2019-03-04"}\n')
    assert incognote("deid", table, "-o", tmp_path / "o.jsonl", *moved).status == 2


def test_a_stream_is_not_refused_for_a_number_that_looks_like_a_date_once(
    incognote: Command, moved: tuple[str, ...]
) -> None:
    beds = ["A-1", "B-2", "C-7", "3/14", "D-9"]
    lines = "".join(json.dumps({"p": "1", "text": "Well.", "bed": bed}) + "\n" for bed in beds)
    ran = incognote("deid", "--format", "jsonl", *moved, stdin=lines.encode())
    assert (ran.status, ran.out.count(b"\n")) == (0, 5)


def test_a_stream_may_begin_with_a_mark(incognote: Command) -> None:
    line = b'\xef\xbb\xbf{"text": "Seen by Dr. Okafor."}\n'
    ran = incognote("deid", "--format", "jsonl", *RULES, stdin=line)
    assert (ran.status, ran.out) == (0, b'\xef\xbb\xbf{"text": "Seen by Dr. [DOCTOR]."}\n')


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"])
def test_a_table_of_a_mark_alone_comes_out_as_it_was(
    incognote: Command, tmp_path: Path, mark: bytes
) -> None:
    table = tmp_path / "t.jsonl"
    table.write_bytes(mark)
    assert incognote("deid", table, "-o", tmp_path / "o.jsonl", *RULES).status == 0
    assert (tmp_path / "o.jsonl").read_bytes() == mark


@pytest.mark.parametrize("every", [True, False])
def test_a_parquet_file_with_a_damaged_name_of_a_column_is_refused(
    incognote: Command, tmp_path: Path, every: bool
) -> None:
    import pyarrow
    import pyarrow.parquet as parquet

    table = tmp_path / "t.parquet"
    parquet.write_table(pyarrow.table({"text": [NOTE], "zzmark": ["a"]}), table, store_schema=False)
    content = table.read_bytes()
    at = content.rindex(b"zzmark") if not every else -1
    content = content.replace(b"zzmark", b"zz\xe9ark") if every else content
    if at >= 0:
        content = content[:at] + b"zz\xe9ark" + content[at + 6 :]
    table.write_bytes(content)
    ran = incognote("deid", table, "-o", tmp_path / "o.parquet", *RULES)
    assert ran.status == 1
    assert "damaged" in ran.err
    assert not (tmp_path / "o.parquet").exists()
