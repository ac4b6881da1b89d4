"""Files that are not read yet."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from incognote.formats import FormatError, detect, read

BINARY = {
    "a PDF file": b"%PDF-1.4\n1 0 obj (Okafor) endobj",
    "a zip archive": b"PK\x03\x04\x14\0word/document.xml",
    "an old Word or Excel file": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0",
    "an image": b"\x89PNG\r\n\x1a\n",
    "a gzip file without .gz in its name": gzip.compress(b"Okafor", mtime=0),
}
TEXT = {
    "an RTF file": rb"{\rtf1\ansi Seen by Dr. Okafor}",
    "an HL7 v2 message": b"MSH|^~\\&|LAB|HOSP\rPID|1||123||OKAFOR^NGOZI\r",
    "a FHIR resource": b'{\n  "id": "x",\n  "resourceType": "Patient"}',
    "a CDA document": b'<?xml version="1.0"?>\n<ClinicalDocument xmlns="urn:hl7-org:v3">',
    "an HTML page": b"<!DOCTYPE html>\n<html><body>Okafor</body></html>",
}


@pytest.mark.parametrize("kind", [*BINARY, *TEXT])
@pytest.mark.parametrize("name", ["note.txt", "note", "note.json", "note.hl7", "note.pdf"])
def test_it_is_named_with_what_to_do_and_never_with_format_text(
    kind: str, name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes((BINARY | TEXT)[kind])
    with pytest.raises(FormatError) as refused:
        detect(path)
    assert f"it is {kind}" in str(refused.value)
    assert "does not read yet: " in str(refused.value)
    assert "--format text" not in str(refused.value)
    assert "kafor" not in str(refused.value).lower()


@pytest.mark.parametrize("data", BINARY.values())
def test_no_one_can_insist_that_a_binary_file_is_text(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_bytes(data)
    for format in ("text", "inline", "csv", "jsonl"):
        with pytest.raises(FormatError, match="does not read yet"):
            list(read(path, format))


def test_a_message_in_utf16_is_seen_too(tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_bytes("MSH|^~\\&|LAB".encode("utf-16"))
    with pytest.raises(FormatError, match="HL7"):
        detect(path)


def test_notes_that_mention_such_files_are_notes(tmp_path: Path) -> None:
    for name, data in (
        ("a.txt", b"MSH normal. %PDF- attached, <html> seen."),
        ("a.txt", b"BMI 23, PKU negative, GIF1, {curly}"),
        ("a.jsonl", b'{"text": "\\"resourceType\\": \\"Patient\\""}'),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        assert len(list(read(path))) == 1
