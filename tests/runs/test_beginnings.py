"""What `--resume` and `--overwrite` each do and refuse; docs/reliability.md says the same in words."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from incognote.base.errors import RunError
from incognote.base.lock import InUseError
from incognote.runs import deid
from incognote.runs.audit import Audit
from incognote.runs.plan import Plan, plan
from incognote.runs.settings import Settings

RULES = Settings(find_by="rules")


class Cut(BaseException):
    """The power goes out."""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in "abcd":
        (folder / f"{name}.txt").write_text(f"{name}: seen by Dr. Okafor.")
    return folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def planned(notes: Path, out: Path, **how: Any) -> Plan:
    settings = how.pop("settings", RULES)
    return plan([str(notes)], out, settings, **how)


def cut_after(count: int) -> Callable[[int, int], None]:
    left = count

    def advance(done: int, size: int) -> None:
        nonlocal left
        left -= done
        if left < 0:
            raise Cut

    return advance


def stop_half_way(notes: Path, out: Path, **how: Any) -> None:
    with pytest.raises(Cut):
        planned(notes, out, **how).run(cut_after(2))


def resumed(notes: Path, out: Path, **how: Any) -> tuple[Audit, str]:
    lines: list[str] = []
    audit = planned(notes, out, resume=True, **how).run(say=lines.append)
    return audit, "\n".join(lines)


def texts(out: Path) -> list[str]:
    return sorted(path.read_text()[0] for path in out.rglob("*.txt"))


def listed(out: Path) -> dict[str, str]:
    rows = csv.DictReader(out.with_name("out.names.csv").read_text().splitlines())
    return {row["original"]: row["output"] for row in rows}


# --- resume


def test_a_run_that_goes_on_says_from_where(notes: Path, out: Path) -> None:
    stop_half_way(notes, out)
    audit, told = resumed(notes, out)
    assert told == "continuing: 2 of 4 files done"
    assert audit.files_resumed == 2
    assert texts(out) == ["a", "b", "c", "d"]


def test_without_an_unfinished_run_it_begins_anew_and_says_so(notes: Path, out: Path) -> None:
    _, told = resumed(notes, out)
    assert told == "no unfinished run is here: starting from the beginning"
    assert texts(out) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("single", [False, True])
def test_without_an_unfinished_run_it_writes_over_nothing(
    notes: Path, out: Path, single: bool
) -> None:
    if single:
        notes = notes / "a.txt"
    planned(notes, out).run()
    before = {path: path.read_bytes() for path in [out, *out.rglob("*")] if path.is_file()}
    with pytest.raises(RunError, match="no unfinished run is here to resume"):
        resumed(notes, out)
    assert {path: path.read_bytes() for path in before} == before


def test_it_does_not_replace_the_list_of_names_of_a_release_that_was_moved(
    notes: Path, out: Path
) -> None:
    planned(notes, out).run()
    before = listed(out)
    out.rename(out.with_name("shipped"))
    (notes / "a.txt").unlink()
    with pytest.raises(RunError, match=r"(names\.csv|audit\.json): exists"):
        resumed(notes, out)
    assert listed(out) == before


@pytest.mark.parametrize("names", ["number", "keep"])
def test_foreign_files_are_never_left_in_a_release(notes: Path, out: Path, names: Any) -> None:
    settings = Settings(find_by="rules", names=names)
    stop_half_way(notes, out, settings=settings)
    (out / "raw.txt").write_text("Mrs Smith")
    with pytest.raises(RunError, match="holds 1 file that this run would not replace"):
        resumed(notes, out, settings=settings)
    with pytest.raises(RunError, match="holds 1 file"):
        planned(notes, out, settings=settings, overwrite=True).run()
    assert (out / "raw.txt").read_text() == "Mrs Smith"


def test_a_raw_note_in_the_place_of_an_output_is_done_again(notes: Path, out: Path) -> None:
    settings = Settings(find_by="rules", names="keep")
    stop_half_way(notes, out, settings=settings)
    (out / "a.txt").write_text("a: raw, seen by Dr. Okafor.")
    resumed(notes, out, settings=settings)
    assert all("Okafor" not in path.read_text() for path in out.iterdir())


@pytest.mark.parametrize("names", ["number", "keep"])
def test_the_output_of_an_input_that_was_removed_goes_and_is_said(
    notes: Path, out: Path, names: Any
) -> None:
    settings = Settings(find_by="rules", names=names)
    stop_half_way(notes, out, settings=settings)
    assert "a" in texts(out)
    (notes / "a.txt").unlink()  # the patient withdrew
    _, told = resumed(notes, out, settings=settings)
    assert "1 input of the earlier run no longer here" in told
    assert texts(out) == ["b", "c", "d"]
    if names == "number":
        assert "a.txt" not in listed(out)
        assert len(listed(out)) == 3


def test_the_output_of_a_removed_input_goes_even_if_the_journal_lost_its_line(
    notes: Path, out: Path
) -> None:
    stop_half_way(notes, out)
    lines = journal(out).read_bytes().splitlines()
    lines[1] = b"damaged"
    journal(out).write_bytes(b"\n".join(lines) + b"\n")
    (notes / "a.txt").unlink()
    _, told = resumed(notes, out)
    assert "1 input of the earlier run no longer here" in told
    assert texts(out) == ["b", "c", "d"]


def test_outputs_keep_their_names_when_an_input_was_removed(notes: Path, out: Path) -> None:
    stop_half_way(notes, out)
    before = listed(out)
    (notes / "a.txt").unlink()
    resumed(notes, out)
    assert listed(out) == {name: before[name] for name in ("b.txt", "c.txt", "d.txt")}
    for name, output in listed(out).items():
        assert (out / output).read_text()[0] == name[0]


def test_a_list_of_names_that_is_gone_is_not_guessed(notes: Path, out: Path) -> None:
    stop_half_way(notes, out)
    out.with_name("out.names.csv").unlink()
    with pytest.raises(RunError, match="the list of names is gone"):
        resumed(notes, out)


@pytest.mark.parametrize(
    "path",
    [
        "../escaped.txt",
        "folder-0001/../../escaped.txt",
        "{tmp}/escaped.txt",
        "note-000003.txt/../x",
        ".incognote-run/journal.jsonl",
        "thesis.txt",
        "note-000001.txt",
        "",
    ],
)
@pytest.mark.parametrize("how", ["resume", "overwrite"])
def test_an_edited_list_of_names_leads_nowhere(
    notes: Path, out: Path, tmp_path: Path, path: str, how: str
) -> None:
    stop_half_way(notes, out)
    before = sorted(tmp_path.iterdir())
    names = out.with_name("out.names.csv")
    edited = names.read_text().replace("note-000003.txt", path.format(tmp=tmp_path))
    names.write_text(edited)
    with pytest.raises(RunError, match="list of names cannot be used") as refused:
        planned(notes, out, **{how: True}).run()
    assert "escaped" not in str(refused.value)
    assert names.read_text() == edited
    assert sorted(tmp_path.iterdir()) == before


def test_a_link_in_the_output_leads_nowhere(notes: Path, out: Path, tmp_path: Path) -> None:
    (notes / "p").mkdir()
    (notes / "p" / "e.txt").write_text("e: Dr. Okafor")
    (tmp_path / "elsewhere").mkdir()
    stop_half_way(notes, out)
    (out / "folder-0001").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunError, match="holds 1 file"):
        resumed(notes, out)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_link_made_during_the_run_leads_nowhere(notes: Path, out: Path, tmp_path: Path) -> None:
    (notes / "p").mkdir()
    (notes / "p" / "e.txt").write_text("e: Dr. Okafor")
    (tmp_path / "elsewhere").mkdir()

    def link(done: int, size: int) -> None:
        if not (out / "folder-0001").is_symlink():
            (out / "folder-0001").symlink_to(tmp_path / "elsewhere")

    audit = planned(notes, out).run(link)
    assert [failure.reason for failure in audit.failures] == [
        "a link leads out of the output folder"
    ]
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_file_beside_a_single_output_is_nobodys_list_of_names(notes: Path, out: Path) -> None:
    beside = out.with_name("out.names.csv")
    beside.write_text("mine")
    planned(notes / "a.txt", out).run()
    assert (beside.read_text(), out.read_text()[0]) == ("mine", "a")


# --- overwrite


def test_both_at_once_are_refused(notes: Path, out: Path) -> None:
    with pytest.raises(RunError, match="choose one of the two"):
        planned(notes, out, resume=True, overwrite=True)


def test_overwrite_begins_anew_where_a_run_stopped(notes: Path, out: Path) -> None:
    settings = Settings(find_by="rules", names="keep")
    stop_half_way(notes, out, settings=settings)
    (notes / "a.txt").unlink()
    planned(notes, out, overwrite=True, settings=settings).run()
    assert texts(out) == ["b", "c", "d"]
    assert not list(out.glob(".*"))


# --- what cannot begin leaves no trace


def broken_model(*given: object, **named: object) -> None:
    raise RunError("the model cannot be loaded")


@pytest.mark.parametrize("single", [False, True])
def test_a_model_that_cannot_be_loaded_leaves_nothing(
    notes: Path, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, single: bool
) -> None:
    monkeypatch.setattr(Settings, "detector", broken_model)
    with pytest.raises(RunError, match="cannot be loaded"):
        planned(notes / "a.txt" if single else notes, out).run()
    assert list(tmp_path.iterdir()) == [notes]


def test_a_model_that_cannot_be_loaded_leaves_an_earlier_release(
    notes: Path, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(notes, out).run()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    monkeypatch.setattr(Settings, "detector", broken_model)
    with pytest.raises(RunError, match="cannot be loaded"):
        planned(notes, out, overwrite=True).run()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_model_that_cannot_be_loaded_leaves_an_unfinished_run(
    notes: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_half_way(notes, out)
    for how in ("resume", "overwrite"):
        with monkeypatch.context() as patch:
            patch.setattr(Settings, "detector", broken_model)
            with pytest.raises(RunError, match="cannot be loaded"):
                planned(notes, out, **{how: True}).run()
    _, told = resumed(notes, out)
    assert told == "continuing: 2 of 4 files done"


def test_a_run_stopped_before_its_first_file_leaves_nothing(
    notes: Path, out: Path, tmp_path: Path
) -> None:
    with pytest.raises(Cut):
        planned(notes, out).run(cut_after(0))
    assert list(tmp_path.iterdir()) == [notes]


# --- one at a time


@pytest.mark.parametrize("how", ["", "resume", "overwrite"])
def test_no_second_run_while_the_first_lives(notes: Path, out: Path, how: str) -> None:
    refused: list[str] = []

    def second(done: int, size: int) -> None:
        with pytest.raises(InUseError) as error:
            planned(notes, out, **({how: True} if how else {})).run()
        refused.append(str(error.value))

    planned(notes, out).run(second)
    assert "another run is writing here (deid, process" in refused[0]
    assert texts(out) == ["a", "b", "c", "d"]


# --- a damaged record of the run


def journal(out: Path) -> Path:
    return out / ".incognote-run" / "journal.jsonl"


@pytest.mark.parametrize("line", [0, 1, 2, -1])
@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\xff\xfe",
        b"00000000 {}",
        b"null",
        b"\0" * 100,
        b"[" * 100_000,
        b'{"output": "note-000001.txt"}',
        "flip",
    ],
    ids=["empty", "bytes", "checksum", "null", "zeros", "deep", "no checksum", "flip"],
)
def test_a_damaged_journal_loses_only_what_its_lines_told(
    notes: Path, out: Path, line: int, damage: Any
) -> None:
    stop_half_way(notes, out)
    lines = journal(out).read_bytes().splitlines()
    old = lines[line]
    lines[line] = old[:40] + bytes([old[40] ^ 1]) + old[41:] if damage == "flip" else damage
    journal(out).write_bytes(b"\n".join(lines) + b"\n")
    if line == 0:
        with pytest.raises(RunError, match="start over with --overwrite"):
            resumed(notes, out)
        planned(notes, out, overwrite=True).run()
    else:
        audit, told = resumed(notes, out)
        assert "1 damaged line in the record of the run" in told
        assert audit.files_resumed == 1
        assert audit.tally.notes == 4
    assert texts(out) == ["a", "b", "c", "d"]


def test_an_empty_journal_begins_anew(notes: Path, out: Path) -> None:
    stop_half_way(notes, out)
    journal(out).write_bytes(b"")
    audit, _ = resumed(notes, out)
    assert (audit.files_resumed, texts(out)) == (0, ["a", "b", "c", "d"])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("left", [0, 10, None])
def test_a_half_table_that_is_shorter_than_was_told_is_done_again(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch, left: int | None
) -> None:
    monkeypatch.setattr(deid, "CHECKPOINT_SECONDS", 0.0)
    table = tmp_path / "table.jsonl"
    rows = [{"id": n, "text": f"{n}: Dr. Okafor"} for n in range(9)]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    planned(table, tmp_path / "whole.jsonl").run()
    target = tmp_path / "out.jsonl"
    with pytest.raises(Cut):
        planned(table, target).run(cut_after(5))
    half = tmp_path / ".out.jsonl.incognote-run" / "partial" / "out.jsonl"
    if left is None:
        half.unlink()
    else:
        half.write_bytes(half.read_bytes()[:left])
    audit, _ = resumed(table, target)
    assert target.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert audit.tally.notes == 9
