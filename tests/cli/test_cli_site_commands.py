"""`incognote site check` and `incognote site suggest`: what they show, write and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Command

SITE = '[[lists]]\nname = "wards"\ntype = "HOSPITAL"\nwords = ["Hollin"]\n'
STAFF = 'badge,name\n1001,"Okonjo-Reyes, Talia"\n1002,"Whitlock, Ngaire"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "site.toml").write_text(SITE)
    (tmp_path / "staff.csv").write_text(STAFF)
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(6):
        (notes / f"n{number}.txt").write_text("A bed on Hollin was kept.\n")
    return tmp_path


def test_check_shows_counts_and_no_text(incognote: Command, folder: Path) -> None:
    ran = incognote("site", "check", folder / "site.toml", folder / "notes", "--detector", "rules")
    assert ran.status == 0
    head, row = (line.split() for line in ran.out.decode().splitlines())
    assert row == ["wards", "list", "HOSPITAL", "any-case", "1", "6", "6", "0"]
    assert head[0] == "row"
    assert b"Hollin" not in ran.out
    assert "1 row tried on 6 notes; 0 warnings" in ran.err
    assert "ms without the site file" in ran.err


def test_check_without_notes_takes_the_samples(incognote: Command, folder: Path) -> None:
    ran = incognote("site", "check", folder / "site.toml", "--detector", "rules")
    assert ran.status == 0
    assert "wards: finds nothing in these notes" in ran.err
    assert "notes that come with incognote: give your own" in ran.err


def test_check_as_json_and_with_texts(incognote: Command, folder: Path) -> None:
    arguments = ("site", "check", folder / "site.toml", folder / "notes", "--detector", "rules")
    report = json.loads(incognote(*arguments, "--json", "--show-text").out)
    assert report["rows"][0]["examples"] == ["Hollin"]
    assert report["rows"][0]["times"] == 6
    assert report["extra_time"] is not None


def test_check_of_a_file_with_an_error_ends_with_1(incognote: Command, folder: Path) -> None:
    site = folder / "site.toml"
    site.write_text(SITE.replace("HOSPITAL", "HOSPTAL"))
    ran = incognote("site", "check", site, folder / "notes", "--detector", "rules", "--json")
    assert ran.status == 1
    assert f"{site}:3: lists.type" in ran.err
    assert len(json.loads(ran.out)["errors"]) == 1


def test_check_knows_the_ways_to_replace(incognote: Command, folder: Path) -> None:
    site = folder / "site.toml"
    site.write_text(SITE + '[types.STUDYID]\ncategory = "ID"\noperator = "hsh"\n')
    ran = incognote("site", "check", site, folder / "notes", "--detector", "rules")
    assert ran.status == 1
    assert f"{site}:7: types.STUDYID.operator: 'hsh' is not a way to replace" in ran.err


def test_check_takes_as_many_notes_as_it_may(incognote: Command, folder: Path) -> None:
    arguments = ("site", "check", folder / "site.toml", folder / "notes", "--detector", "rules")
    assert "tried on 2 notes" in incognote(*arguments, "--most", "2").err
    (folder / "empty").mkdir()
    nothing = incognote("site", "check", folder / "site.toml", folder / "empty")
    assert nothing.status == 2
    assert "no notes here" in nothing.err


def test_suggest_shows_counts_and_masked_examples(incognote: Command, folder: Path) -> None:
    arguments = ("site", "suggest", folder / "notes", "--table", folder / "staff.csv")
    ran = incognote(*arguments, "--detector", "rules")
    assert ran.status == 0
    shown = ran.out.decode()
    assert "Xxxxxx-Xxxxx, Xxxxx" in shown
    assert "Xxxxxx" in shown
    assert "Hollin" not in shown
    assert "Okonjo" not in shown
    assert "Hollin" in incognote(*arguments, "--detector", "rules", "--show-text").out.decode()
    assert sorted(path.name for path in folder.iterdir()) == ["notes", "site.toml", "staff.csv"]


def test_suggest_writes_what_check_reads(incognote: Command, folder: Path) -> None:
    output = folder / "new.toml"
    arguments = ("site", "suggest", folder / "notes", "--table", folder / "staff.csv", "-o", output)
    ran = incognote(*arguments, "--detector", "rules", "--quiet")
    assert (ran.status, ran.out) == (0, b"")
    assert (folder / "new.staff-name.txt").stat().st_mode & 0o777 == 0o600
    checked = incognote("site", "check", output, folder / "notes", "--detector", "rules")
    assert checked.status == 0
    assert "found-wards" in checked.out.decode()
    again = incognote(*arguments, "--detector", "rules")
    assert again.status == 2
    assert "exists; choose another output or use --overwrite" in again.err
    assert incognote(*arguments, "--detector", "rules", "--overwrite").status == 0


def test_a_table_that_a_site_file_could_not_name_is_proposed_all_the_same(
    incognote: Command, folder: Path
) -> None:
    table, output = folder / "staff.csv", folder / "new.toml"
    names = ["Zoë Müller", "Ngaire Whitlock", "René Lefèvre", "Talia Okonjo"]
    rows = [f"{number}|{name}" for number, name in enumerate(names, 1001)]
    table.write_text("\n".join(["badge|name", *rows, ""]), encoding="latin-1")
    (folder / "notes/n0.txt").write_text("Seen by Rene Lefevre, then by Zoë Müller.\n")
    arguments = ("site", "suggest", "--table", table, "-o", output)
    assert "staff.csv (windows-125" in incognote(*arguments).out.decode()
    given = ("--encoding", "iso-8859-1", "--overwrite", "--quiet")
    assert incognote(*arguments, *given).status == 0
    assert (folder / "new.staff-name.txt").read_text(encoding="utf-8").splitlines()[1:] == names
    assert 'file = "new.staff-name.txt"' in output.read_text(encoding="utf-8")
    ran = incognote("site", "check", output, folder / "notes", "--json", "--detector", "rules")
    rows_by_name = {row["name"]: row for row in json.loads(ran.out)["rows"]}
    assert (rows_by_name["staff-name"]["entries"], rows_by_name["staff-name"]["times"]) == (4, 2)


def test_suggest_to_standard_output_is_one_whole_file(incognote: Command, folder: Path) -> None:
    ran = incognote("site", "suggest", "--table", folder / "staff.csv", "-o", "-")
    (folder / "piped.toml").write_bytes(ran.out)
    assert incognote("site", "check", folder / "piped.toml", "--detector", "rules").status == 0
    assert b"Okonjo-Reyes, Talia" in ran.out


def test_suggest_in_several_processes_is_the_same(incognote: Command, folder: Path) -> None:
    arguments = ("site", "suggest", folder / "notes", "--detector", "rules", "-o", "-")
    assert incognote(*arguments, "-j", "1").out == incognote(*arguments, "-j", "2").out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "give notes, or a table"),
        (("nowhere",), "no such file or folder"),
        (("--table", "nowhere.csv"), "--table nowhere.csv: no such file"),
    ],
)
def test_suggest_says_what_is_missing(
    incognote: Command, arguments: tuple[str, ...], sentence: str
) -> None:
    ran = incognote("site", "suggest", *arguments)
    assert ran.status == 2
    assert sentence in ran.err


def test_a_note_that_cannot_be_read_ends_with_1(incognote: Command, folder: Path) -> None:
    (folder / "notes" / "bad.txt").write_bytes(b"\x00\x01")
    ran = incognote("site", "suggest", folder / "notes", "--detector", "rules")
    assert ran.status == 1
    assert "input" in ran.err


def test_a_column_of_numbers_of_no_shape_is_told(tmp_path: Path, incognote: Command) -> None:
    table = tmp_path / "patients.csv"
    table.write_text("mrn\n" + "".join(f"{'x' * n}~{n}\n" for n in range(1, 9)))
    ran = incognote("site", "suggest", "--table", table)
    assert "column 'mrn': no common shape found" in " ".join(ran.err.split())
