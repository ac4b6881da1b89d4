"""What `deid` says at its end is true and reads as English."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Command

NOTE = "Seen by Dr. Okafor on 3/14/2019.\n"


@pytest.mark.parametrize(
    ("text", "replace", "sentence"),
    [
        (NOTE, "tag", "1 note de-identified: 2 identifiers replaced, 100% of 33 characters read"),
        (
            NOTE,
            "keep",
            "1 note de-identified: 2 identifiers found, 0 replaced and 2 kept, 100% of 33",
        ),
        (NOTE, "tag,DATE=keep", "2 identifiers found, 1 replaced and 1 kept, 100%"),
        ("Well.", "keep", "1 note de-identified: 0 identifiers replaced, 100% of 5 characters"),
        ("", "tag", "1 note de-identified: 0 identifiers replaced, 0."),
    ],
)
def test_the_last_sentence_says_what_became_of_identifiers(
    incognote: Command, tmp_path: Path, text: str, replace: str, sentence: str
) -> None:
    note, clean = tmp_path / "note.txt", tmp_path / "clean.txt"
    note.write_text(text)
    ran = incognote(
        "deid", note, "-o", clean, "--replace", replace, "--format", "text", "--detector", "rules"
    )
    assert ran.status == 0
    assert sentence in ran.err


def test_kept_identifiers_are_counted_in_the_audit(incognote: Command, tmp_path: Path) -> None:
    note, clean = tmp_path / "note.txt", tmp_path / "clean.txt"
    note.write_text(NOTE)
    incognote("deid", note, "-o", clean, "--replace", "keep", "--detector", "rules")
    audit = json.loads((tmp_path / "clean.txt.audit.json").read_text())
    assert audit["replacements"] == {"kept": {"DATE": 1, "DOCTOR": 1}}


def test_where_no_note_was_read_no_coverage_is_claimed(incognote: Command, tmp_path: Path) -> None:
    note, clean = tmp_path / "note.xml", tmp_path / "clean.xml"
    note.write_text("<not closed")
    ran = incognote("deid", note, "-o", clean, "--audit", tmp_path / "audit.json")
    assert ran.status == 1
    assert "No note was written; 1 failed." in ran.err
    audit = json.loads((tmp_path / "audit.json").read_text())
    assert audit["characters"]["coverage"] is None


def test_every_word_of_the_audit_is_defined(incognote: Command, tmp_path: Path) -> None:
    note, clean = tmp_path / "note.txt", tmp_path / "clean.txt"
    note.write_text(NOTE)
    incognote("deid", note, "-o", clean, "--detector", "rules")
    audit = json.loads((tmp_path / "clean.txt.audit.json").read_text())
    page = (Path(__file__).parents[2] / "docs" / "audit.md").read_text()
    for key, value in audit.items():
        assert f"`{key}" in page
        counted = key in ("files", "notes", "characters", "findings")
        for word in value if counted else ():
            assert f"`{key}.{word}`" in page or f"`{word}`" in page
