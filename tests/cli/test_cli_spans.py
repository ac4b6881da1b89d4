"""A release carries no marks of what was replaced, unless somebody asks for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Command

Run = Callable[..., tuple[str, str]]
TEXT = "Seen by Dr. Okafor on 3/14/2019.\n"
I2B2 = f"""<?xml version="1.0" encoding="UTF-8" ?>
<deIdi2b2>
<TEXT><![CDATA[{TEXT}]]></TEXT>
<TAGS>
<NAME id="P0" start="12" end="18" text="Okafor" TYPE="DOCTOR" comment="" />
</TAGS>
</deIdi2b2>
"""


@pytest.fixture
def run(incognote: Command, tmp_path: Path) -> object:
    key = tmp_path / "key"
    key.write_bytes(b"k" * 32)
    key.chmod(0o600)

    def deid(source: Path, *more: str) -> tuple[str, str]:
        clean = tmp_path / "clean" / source.name
        ran = incognote(
            "deid",
            source,
            "-o",
            clean,
            "--overwrite",
            "--detector",
            "rules",
            "--key-file",
            key,
            *more,
        )
        assert ran.status == 0, ran.err
        return clean.read_text(), ran.err

    return deid


def test_a_line_of_json_has_no_spans(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_text(json.dumps({"id": "1", "text": TEXT}) + "\n")
    for replace in ("tag", "surrogate", "keep"):
        text, _ = run(source, "--replace", replace)
        assert list(json.loads(text)) == ["id", "text"]
    text, said = run(source, "--with-spans")
    assert [span["type"] for span in json.loads(text)["spans"]] == ["DOCTOR", "DATE"]
    assert "do not release" not in said
    text, said = run(source, "--with-spans", "--replace", "surrogate")
    assert len(json.loads(text)["spans"]) == 2
    assert "do not release this output" in said


@pytest.mark.parametrize("replace", ["tag", "keep", "surrogate"])
def test_spans_that_came_with_a_line_do_not_leave_with_it(
    run: Run, tmp_path: Path, replace: str
) -> None:
    source = tmp_path / "notes.jsonl"
    spans = [{"start": 12, "end": 18, "type": "DOCTOR"}]
    source.write_text(json.dumps({"id": "1", "text": TEXT, "spans": spans, "ward": 7}) + "\n")
    text, _ = run(source, "--replace", replace)
    row = json.loads(text)
    assert row["spans"] == []
    assert row["ward"] == 7
    assert ("Okafor" in row["text"]) == (replace == "keep")


def test_inline_marks_do_not_wrap_what_replaces_them(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "note.txt"
    source.write_text("Seen by Dr. [[DOCTOR|Okafor]] on [[DATE|3/14/2019]].\n")
    assert run(source)[0] == "Seen by Dr. [DOCTOR] on [DATE].\n"
    marked = run(source, "--with-spans", "--replace", "mask")[0]
    assert marked == "Seen by Dr. [[DOCTOR|Xxxxxx]] on [[DATE|0/00/0000]].\n"


def test_xml_and_brat_mark_only_when_asked(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "note.xml"
    source.write_text(I2B2)
    text, _ = run(source)
    assert "Dr. [DOCTOR] on [DATE]." in text
    assert "TYPE=" not in text
    assert run(source, "--with-spans")[0].count("TYPE=") == 2

    pair = tmp_path / "pair.txt"
    pair.write_text(TEXT)
    pair.with_suffix(".ann").write_text("T1\tDOCTOR 12 18\tOkafor\n")
    assert run(pair)[0] == "Seen by Dr. [DOCTOR] on [DATE].\n"
    marks = tmp_path / "clean" / "pair.ann"
    assert marks.read_text() == ""
    run(pair, "--with-spans")
    assert marks.read_text().startswith("T1\tDOCTOR 12 20\t[DOCTOR]\n")


def test_marks_of_the_old_corpora_leave_only_when_asked(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "notes.xml"
    mark = '<PHI TYPE="DOCTOR">Okafor</PHI>'
    source.write_text(
        f'<ROOT>\n<RECORD ID="1"><TEXT>Seen by {mark} again.</TEXT></RECORD>\n</ROOT>\n'
    )
    assert "<TEXT>Seen by [DOCTOR] again.</TEXT>" in run(source)[0]
    assert '<PHI TYPE="DOCTOR">[DOCTOR]</PHI>' in run(source, "--with-spans")[0]
