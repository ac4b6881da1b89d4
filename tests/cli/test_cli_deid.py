"""`incognote deid` over files, folders, tables and pipes."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest
from commands import Command

NOTE = "Seen by Dr. Okafor on 3/14/2019.\r\nCall 419-471-8026.\n"
SAFE = "Seen by Dr. [DOCTOR] on [DATE].\r\nCall [PHONE].\n"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "SMITH_JOHN").mkdir(parents=True)
    (folder / "SMITH_JOHN" / "SMITH_JOHN_0123.txt").write_bytes(NOTE.encode())
    (folder / "OKAFOR.txt").write_bytes(b"\xef\xbb\xbfNothing here.")
    (folder / ".hidden").write_text("not a note")
    return folder


def tree(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def test_standard_input_to_standard_output(incognote: Command) -> None:
    ran = incognote("deid", stdin=NOTE.encode())
    assert ran.out.decode() == SAFE
    assert ran.status == 0


def test_one_file_to_standard_output(incognote: Command, tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_bytes(NOTE.encode())
    assert incognote("deid", path).out.decode() == SAFE


def test_one_file_to_a_file(incognote: Command, tmp_path: Path) -> None:
    path, clean = tmp_path / "note.txt", tmp_path / "clean.txt"
    path.write_bytes(NOTE.encode())
    assert incognote("deid", path, "-o", clean).status == 0
    assert clean.read_bytes().decode() == SAFE
    assert tree(tmp_path) == ["clean.txt", "clean.txt.audit.json", "note.txt"]


def test_one_file_into_a_folder(incognote: Command, tmp_path: Path) -> None:
    path = tmp_path / "SMITH.txt"
    path.write_bytes(NOTE.encode())
    assert incognote("deid", path, "-o", f"{tmp_path}/clean/").status == 0
    assert tree(tmp_path / "clean") == ["note-000001.txt"]


def test_a_folder_keeps_its_tree_and_loses_its_names(
    incognote: Command, notes: Path, tmp_path: Path
) -> None:
    clean = tmp_path / "clean"
    ran = incognote("deid", notes, "-o", clean)
    assert ran.status == 0
    assert tree(clean) == ["folder-0001/note-000002.txt", "note-000001.txt"]
    assert (clean / "note-000001.txt").read_bytes() == b"\xef\xbb\xbfNothing here."
    assert (clean / "folder-0001" / "note-000002.txt").read_bytes().decode() == SAFE
    assert not list(clean.rglob(".*"))


def test_the_name_list_leads_back_and_is_private(
    incognote: Command, notes: Path, tmp_path: Path
) -> None:
    incognote("deid", notes, "-o", tmp_path / "clean")
    name_list = tmp_path / "clean.names.csv"
    assert name_list.stat().st_mode & 0o077 == 0
    rows = list(csv.DictReader(name_list.read_text().splitlines()))
    assert [(row["input"], row["original"], row["output"]) for row in rows] == [
        ("1", "OKAFOR.txt", "note-000001.txt"),
        ("2", "SMITH_JOHN/SMITH_JOHN_0123.txt", "folder-0001/note-000002.txt"),
    ]


def test_names_can_be_kept_or_hashed(incognote: Command, notes: Path, tmp_path: Path) -> None:
    incognote("deid", notes, "-o", tmp_path / "kept", "--names", "keep")
    assert tree(tmp_path / "kept") == ["OKAFOR.txt", "SMITH_JOHN/SMITH_JOHN_0123.txt"]
    key = private_key(tmp_path)
    incognote("deid", notes, "-o", tmp_path / "hashed", "--names", "hash", "--key-file", key)
    hashed = tree(tmp_path / "hashed")
    assert len(hashed) == 2
    assert not any("SMITH" in name or "OKAFOR" in name for name in hashed)
    incognote("deid", notes, "-o", tmp_path / "again", "--names", "hash", "--key-file", key)
    assert tree(tmp_path / "again") == hashed


def private_key(folder: Path) -> Path:
    key = folder / "key"
    key.write_bytes(b"0123456789abcdef0123456789abcdef\n")
    key.chmod(0o600)
    return key


def test_the_audit_counts_everything_and_tells_nothing(
    incognote: Command, notes: Path, tmp_path: Path
) -> None:
    ran = incognote("deid", notes, "-o", tmp_path / "clean", "--number")
    text = (tmp_path / "clean.audit.json").read_text()
    audit = json.loads(text)
    assert audit["files"] == {"read": 2, "written": 2, "done_before": 0}
    assert audit["notes"] == {"written": 2, "failed": 0, "with_findings": 1, "with_patient_told": 0}
    assert audit["findings"]["by_type"] == {"DATE": 1, "DOCTOR": 1, "PHONE": 1}
    assert sum(sum(types.values()) for types in audit["findings"]["by_detector"].values()) == 3
    assert audit["characters"]["coverage"] == 1.0
    assert audit["characters"]["read"] == len(NOTE) + len("Nothing here.")
    assert audit["settings"]["number"] is True
    for secret in ("Okafor", "SMITH", "OKAFOR", "8026", str(tmp_path)):
        assert secret not in text
        assert secret not in ran.err.replace(str(tmp_path), "")


def test_a_csv_keeps_every_other_byte(incognote: Command, tmp_path: Path) -> None:
    table, clean = tmp_path / "notes.csv", tmp_path / "clean.csv"
    table.write_bytes(
        b'id,n,note,"odd ""name"""\r\n007,1.50,"Seen by Dr. Okafor,\n3/14/2019"," x "\r\n008,,none,\r\n'
    )
    ran = incognote("deid", table, "-o", clean, "--text-field", "note")
    assert ran.status == 0
    assert clean.read_bytes() == (
        b'id,n,note,"odd ""name"""\r\n007,1.50,"Seen by Dr. [DOCTOR],\n[DATE]"," x "\r\n008,,none,\r\n'
    )


def test_jsonl_spans_index_the_output_and_carry_no_original(
    incognote: Command, tmp_path: Path
) -> None:
    table, clean = tmp_path / "notes.jsonl.gz", tmp_path / "clean.jsonl"
    rows = [{"id": "a", "text": NOTE, "ward": 7.0}, {"id": "b", "text": ""}]
    table.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    assert incognote("deid", "--with-spans", table, "-o", clean).status == 0
    first, second = map(json.loads, clean.read_text().splitlines())
    assert first["text"] == SAFE
    assert first["ward"] == 7.0
    marked = [first["text"][span["start"] : span["end"]] for span in first["spans"]]
    assert marked == ["[DOCTOR]", "[DATE]", "[PHONE]"]
    assert second["text"] == ""
    assert "Okafor" not in clean.read_text()


def test_known_values_of_a_row_are_found_in_its_note(incognote: Command, tmp_path: Path) -> None:
    table, clean = tmp_path / "notes.csv", tmp_path / "clean.csv"
    table.write_text(
        "name,text\nQuillan Zabrowski,zabrowski came with quillan's dog\nA B,zabrowski\n"
    )
    known = ("--detector", "rules", "--known", "name=PATIENT")
    ran = incognote("deid", table, "-o", clean, *known)
    assert ran.status == 0
    assert "copied as they are (drop them before a release): name" in ran.err
    rows = list(csv.DictReader(clean.read_text().splitlines()))
    assert rows[0]["text"] == "[PATIENT] came with [PATIENT]'s dog"
    assert rows[1]["text"] == "zabrowski"


def test_workers_change_nothing(incognote: Command, tmp_path: Path) -> None:
    table = tmp_path / "notes.jsonl"
    with table.open("w") as stream:
        for turn in range(300):
            text = f"Note {turn} by Dr. Okafor on {turn % 12 + 1}/14/2019. " * (1 + turn % 7)
            stream.write(json.dumps({"id": str(turn), "text": text}) + "\n")
    for workers in (1, 2):
        clean = tmp_path / f"clean-{workers}.jsonl"
        assert incognote("deid", table, "-o", clean, "--workers", workers).status == 0
    assert (tmp_path / "clean-1.jsonl").read_bytes() == (tmp_path / "clean-2.jsonl").read_bytes()


def test_hash_with_a_key(incognote: Command, tmp_path: Path) -> None:
    ran = incognote(
        "deid",
        "--replace",
        "hash,DATE=mask",
        "--key-file",
        private_key(tmp_path),
        stdin=NOTE.encode(),
    )
    assert b"[DOCTOR-" in ran.out
    assert b"0/00/0000" in ran.out


def test_globs_and_several_arguments(incognote: Command, notes: Path, tmp_path: Path) -> None:
    clean = tmp_path / "clean"
    ran = incognote("deid", notes / "*.txt", notes / "SMITH_JOHN", "-o", clean)
    assert ran.status == 0
    assert tree(clean) == ["folder-0001/note-000002.txt", "note-000001.txt"]


def test_i2b2_xml_gets_new_tags(incognote: Command, tmp_path: Path) -> None:
    path, clean = tmp_path / "110-01.xml", tmp_path / "clean.xml"
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8" ?>\n<deIdi2b2>\n<TEXT><![CDATA[\n'
        "Seen by Dr. Okafor <b>.]]></TEXT>\n<TAGS>\n"
        '<NAME id="P0" start="13" end="19" text="Okafor" TYPE="DOCTOR" comment="Okafor" />\n'
        "</TAGS>\n</deIdi2b2>\n"
    )
    assert incognote("deid", "--with-spans", path, "-o", clean).status == 0
    text = clean.read_text()
    assert "Okafor" not in text
    assert "Seen by Dr. [DOCTOR] <b>.]]></TEXT>" in text
    assert 'TYPE="DOCTOR"' in text


def test_resume_after_success_has_nothing_to_do(
    incognote: Command, notes: Path, tmp_path: Path
) -> None:
    clean = tmp_path / "clean"
    incognote("deid", notes, "-o", clean)
    before = {name: (clean / name).stat().st_mtime_ns for name in tree(clean)}
    refused = incognote("deid", notes, "-o", clean)
    assert refused.status == 2
    assert "--overwrite" in refused.err
    assert {name: (clean / name).stat().st_mtime_ns for name in tree(clean)} == before
