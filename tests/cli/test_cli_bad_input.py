"""Bad input gets one clear sentence, the rest goes on, and nothing is lost or half-written."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import Command, Ran

GOOD = "Seen by Dr. Okafor."
SECRET = "Okafor"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a-good.txt").write_text(GOOD)
    (folder / "z-good.txt").write_text(GOOD)
    return folder


def outputs(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def lines(ran: Ran) -> list[str]:
    return [line for line in ran.err.splitlines() if line.startswith("incognote:")]


def one_bad(incognote: Command, folder: Path, expected: str) -> None:
    """The two good notes are written, the bad one is named by its number and not written."""
    clean = folder.parent / "clean"
    ran = incognote("deid", folder, "-o", clean)
    assert ran.status == 1
    assert any(line.startswith("incognote: input 2") and expected in line for line in lines(ran))
    assert SECRET not in ran.err
    notes = [name for name in outputs(clean) if name.startswith("note-")]
    assert notes == ["note-000001.txt", "note-000003.txt"]
    audit = json.loads((folder.parent / "clean.audit.json").read_text())
    assert audit["notes"]["failed"] == 1
    assert audit["failures"][0]["input"] == 2
    assert expected in audit["failures"][0]["reason"] + audit["failures"][0]["place"]


def test_invalid_utf8_names_the_byte(incognote: Command, folder: Path) -> None:
    (folder / "m.txt").write_bytes(b"Seen by Okafor \xff\xfe")
    one_bad(incognote, folder, "15")


def test_malformed_xml(incognote: Command, folder: Path) -> None:
    (folder / "m.xml").write_text("<deIdi2b2><TEXT>Okafor</TEXT")
    one_bad(incognote, folder, "XML")


def test_an_entity_bomb(incognote: Command, folder: Path) -> None:
    (folder / "m.xml").write_text(
        '<!DOCTYPE x [<!ENTITY a "Okafor"><!ENTITY b "&a;&a;">]><x><TEXT>&b;</TEXT><TAGS/></x>'
    )
    one_bad(incognote, folder, "")


def test_an_external_entity(incognote: Command, folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    (folder / "m.xml").write_text(
        f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{secret}">]><x><TEXT>&e;</TEXT><TAGS/></x>'
    )
    one_bad(incognote, folder, "")


def test_a_file_of_no_known_format(incognote: Command, folder: Path) -> None:
    (folder / "m.pdf").write_bytes(b"%PDF-1.4 Okafor\x00\x01")
    one_bad(incognote, folder, "it is a PDF file")


def test_a_pipe_instead_of_a_file(incognote: Command, folder: Path) -> None:
    os.mkfifo(folder / "m.txt")
    one_bad(incognote, folder, "not a regular file")


def test_a_dangling_link(incognote: Command, folder: Path) -> None:
    (folder / "m.txt").symlink_to(folder / "nowhere")
    one_bad(incognote, folder, "")


def test_a_loop_of_folders(incognote: Command, folder: Path) -> None:
    (folder / "m").symlink_to(folder)
    one_bad(incognote, folder, "link")


def test_a_link_to_itself(incognote: Command, folder: Path) -> None:
    (folder / "m-Okafor.txt").symlink_to("m-Okafor.txt")
    one_bad(incognote, folder, "symbolic links")


@pytest.mark.parametrize("names", ["number", "hash", "keep"])
def test_a_name_that_is_not_utf8(
    incognote: Command, folder: Path, tmp_path: Path, names: str
) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/M\xfcller.txt")).write_text(GOOD)
    key, clean = tmp_path / "key", tmp_path / "clean"
    given = ("--names", names, "--key-file", key, "--make-key", "--detector", "rules")
    assert incognote("deid", folder, "-o", clean, *given).status == 0
    assert len(outputs(clean)) == 3


def test_a_broken_line_of_a_table_is_left_out(incognote: Command, tmp_path: Path) -> None:
    table, clean = tmp_path / "notes.jsonl", tmp_path / "clean.jsonl"
    table.write_text(
        f'{{"id": 1, "text": "{GOOD}"}}\n{{"id": 2, "text": "Okafor\n{{"text": "x"}}\n'
    )
    ran = incognote("deid", table, "-o", clean)
    assert ran.status == 1
    assert any("line 2" in line for line in lines(ran))
    assert SECRET not in ran.err
    assert len(clean.read_text().splitlines()) == 2


def test_a_missing_column_is_named_with_those_there_are(incognote: Command, tmp_path: Path) -> None:
    table = tmp_path / "notes.csv"
    table.write_text("id,note\n1,Okafor\n")
    ran = incognote("deid", table, "-o", tmp_path / "clean.csv", "--text-field", "report")
    assert ran.status == 1
    assert "report" in ran.err
    assert "note" in ran.err
    assert not (tmp_path / "clean.csv").exists()


def test_empty_files(incognote: Command, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    assert incognote("deid", tmp_path / "empty.txt").out == b""
    (tmp_path / "empty.csv").touch()
    ran = incognote("deid", tmp_path / "empty.csv", "-o", tmp_path / "clean.csv")
    assert ran.status == 1
    assert not (tmp_path / "clean.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["deid", "nowhere.txt"], "nowhere.txt: no such file"),
        (["deid", "*.nothing", "-o", "x"], "no file matches"),
        (["deid", "{folder}"], "-o"),
        (["deid", "{folder}", "-o", "{folder}"], "also the input"),
        (["deid", "{folder}", "-o", "{folder}/clean"], "inside the input"),
        (["deid", "{folder}/a-good.txt", "-o", "{folder}/a-good.txt"], "also the input"),
        (["deid", "{folder}", "-o", "{folder}/../x", "--replace", "shred"], "shred"),
        (["deid", "{folder}", "-o", "{folder}/../x", "--replace", "hash"], "--key-file"),
        (["deid", "{folder}", "-o", "{folder}/../x", "--names", "odd"], "number, hash or keep"),
        (["deid", "{folder}", "-o", "{folder}/../x", "--known", "name=NOBODY"], "FIELD=TYPE"),
        (["deid", "{folder}", "-o", "{folder}/../x", "--key-file", "nokey"], "nokey"),
        (["deid", "{folder}", "--nonsense"], "--nonsense"),
        (["frobnicate"], "frobnicate"),
        (["deid"], "pipe a note in"),
    ],
)
def test_mistakes_end_in_one_sentence(
    incognote: Command, folder: Path, arguments: list[str], expected: str
) -> None:
    ran = incognote(*(word.format(folder=folder) for word in arguments))
    assert ran.status == 2
    assert len(ran.err.strip().splitlines()) == 1
    assert expected in ran.err
    assert outputs(folder) == ["a-good.txt", "z-good.txt"]


def test_a_key_that_others_may_read_is_refused(incognote: Command, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("0123456789abcdef0123456789abcdef")
    key.chmod(0o644)
    ran = incognote("deid", "--replace", "hash", "--key-file", key, stdin=b"x")
    assert ran.status == 2
    assert "chmod 600" in ran.err


def test_a_short_key_is_refused(incognote: Command, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("short")
    key.chmod(0o600)
    ran = incognote("deid", "--replace", "hash", "--key-file", key, stdin=b"x")
    assert ran.status == 2
    assert "at least 16" in ran.err


def test_a_full_disk_leaves_no_half_file(
    incognote: Command, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from incognote.formats.streams import ByteFile

    def full(self: ByteFile, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(ByteFile, "write", full)
    ran = incognote("deid", folder, "-o", tmp_path / "clean")
    assert ran.status == 1
    assert any("no space left" in line for line in lines(ran))
    assert [name for name in outputs(tmp_path / "clean") if name.startswith("note")] == []


def test_failed_notes_can_be_mended_and_resumed(
    incognote: Command, folder: Path, tmp_path: Path
) -> None:
    bad = folder / "m.txt"
    bad.write_bytes(b"\xff")
    clean = tmp_path / "clean"
    assert incognote("deid", folder, "-o", clean).status == 1
    bad.write_text(GOOD)
    ran = incognote("deid", folder, "-o", clean, "--resume")
    assert ran.status == 0
    assert outputs(clean) == ["note-000001.txt", "note-000002.txt", "note-000003.txt"]
    audit = json.loads((tmp_path / "clean.audit.json").read_text())
    assert audit["files"] == {"read": 3, "written": 3, "done_before": 2}
    assert audit["findings"]["by_type"] == {"DOCTOR": 3}


def test_control_c_half_way_loses_nothing(tmp_path: Path) -> None:
    table, clean = tmp_path / "notes.jsonl", tmp_path / "clean.jsonl"
    with table.open("w") as stream:
        for turn in range(10_000):
            stream.write(json.dumps({"id": str(turn), "text": f"{turn}: {GOOD} " * 8}) + "\n")
    command = [sys.executable, "-m", "incognote", "deid", str(table), "-o", str(clean)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    partial = tmp_path / ".clean.jsonl.incognote-run" / "partial" / "clean.jsonl"
    while process.poll() is None and not (partial.exists() and partial.stat().st_size > 0):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume" in err
    assert "Traceback" not in err
    assert not clean.exists()
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "--resume" in refused.stderr
    resumed = subprocess.run([*command, "--resume"], capture_output=True, text=True, check=False)
    assert resumed.returncode == 0
    rows = [json.loads(line) for line in clean.read_text().splitlines()]
    assert [row["id"] for row in rows] == [str(turn) for turn in range(10_000)]
    assert not any(SECRET in row["text"] for row in rows)
    audit = json.loads((tmp_path / "clean.jsonl.audit.json").read_text())
    assert audit["notes"]["written"] == 10_000
    assert outputs(tmp_path) == ["clean.jsonl", "clean.jsonl.audit.json", "notes.jsonl"]


def test_workers_end_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    table, clean = tmp_path / "notes.jsonl", tmp_path / "clean.jsonl"
    with table.open("w") as stream:
        for turn in range(20_000):
            stream.write(json.dumps({"id": str(turn), "text": f"{turn}: {GOOD} " * 8}) + "\n")
    command = [sys.executable, "-m", "incognote", "deid", str(table), "-o", str(clean), "-j", "2"]
    process = subprocess.Popen(command)
    partial = tmp_path / ".clean.jsonl.incognote-run" / "partial" / "clean.jsonl"
    while process.poll() is None and not (partial.exists() and partial.stat().st_size > 0):
        time.sleep(0.05)
    workers = children(process.pid)
    process.kill()
    process.wait()
    assert len(workers) >= 2
    deadline = time.monotonic() + 60
    while any(alive(worker) for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(alive(worker) for worker in workers)


def children(parent: int) -> list[int]:
    listed = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(child) for child in listed]


def alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
