"""Encodings: told by the bytes or by the user, written back as they were, refused in doubt."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from formats.note_strategies import folder, good, pass_through, records, target
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from incognote.document import Document, Span
from incognote.formats import FORMATS, BadRecord, Fields, FormatError, read
from incognote.formats.encoding import MARKS, Encoding, Survey, encoding_of
from incognote.formats.fields import codecs_named

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "cases" / "encodings.jsonl").read_text().splitlines()
]
ENCODINGS = (
    *("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "windows-1252", "windows-1250"),
    *("iso-8859-1", "iso-8859-2", "iso-8859-15", "mac-roman", "mac-latin2", "cp850", "cp852"),
    *("cp037", "koi8-r", "windows-1251"),
)
FAR = ("shift_jis", "gb18030", "big5", "euc_kr")
NOTE = "Seen by Okafor.\r\nDenies pain. BP 120/80.\r\n"
quick = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def put(data: bytes, parent: Path, name: str = "n1.txt") -> Path:
    path = parent / name
    path.write_bytes(data)
    return path


def encoding_from(data: bytes, explicit: str | None = None) -> Encoding:
    return encoding_of(Survey.of([data]), explicit)


def replace_word(document: Document, old: str, new: str) -> Document:
    at = document.text.index(old)
    text = document.text.replace(old, new, 1)
    return Document(document.id, text, (Span.of(text, at, at + len(new), "PATIENT"),))


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["text"])[:20])
def test_a_sentence_is_read_as_it_was_written(case: dict[str, Any]) -> None:
    for name in case["told"]:
        data = case["text"].encode(name)
        assert encoding_from(data).decode(data) == case["text"], name


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["text"])[:20])
def test_no_sentence_is_read_as_another(case: dict[str, Any]) -> None:
    for name in ENCODINGS:
        try:
            data = case["text"].encode(name)
            text = encoding_from(data).decode(data)
        except (UnicodeEncodeError, FormatError):
            continue
        assert text == case["text"], name


def test_two_readings_that_are_equally_likely_are_refused_with_the_guess() -> None:
    czech = next(case["text"] for case in CASES if case["language"] == "Czech")
    with pytest.raises(FormatError) as refused:
        encoding_from(czech.encode("iso-8859-2"))
    assert str(refused.value) == (
        "its encoding is in doubt: it may be windows-1250 (confidence 0.00); if it is, say "
        "--encoding windows-1250"
    )


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", [NOTE, "Größe: 180 cm", "Ω–µ “x” • ≤ 5", "Иванов И.", "x"])
def test_wide_text_without_a_mark(name: str, text: str) -> None:
    assert encoding_from(text.encode(name)) == Encoding(name)


@pytest.mark.parametrize(
    "data",
    [
        b"John\0Smith",
        b"J\0o\0h\0n\0 \0S\0m\0i\0t\0h",
        "John Smith".encode("utf-16-le") + b"\n",
        b"Seen by Dr. Okafor.\n" + "John Smith".encode("utf-16-le"),
        "Seen by Dr. Okafor.\n".encode("utf-16-le") + b"John Smith, 12",
        b"\xff\xfe" + "Seen by Dr. Okafor.\n".encode("utf-16-le") + b"John Smith of Stow",
        "Иванов".encode("utf-16-le"),
        "Иванов".encode("utf-16-be"),
        "患者 山田".encode("iso2022_jp"),
        "Ok.".encode("utf-16-be") + "John Smith".encode("utf-16-le"),
        b"\0" * 40,
        bytes(range(256)),
    ],
)
def test_zero_bytes_never_pass_as_text(data: bytes, tmp_path: Path) -> None:
    """Either it is UTF-16 throughout and reads so, or it is refused."""
    try:
        (note,) = read(put(data, tmp_path))
    except FormatError:
        return
    assert note.text == "John Smith"


@pytest.mark.parametrize("name", ["csv", "jsonl", "text", "brat", "inline"])
@given(data=st.data())
@quick
def test_every_encoding_comes_back_byte_for_byte(name: str, data: st.DataObject) -> None:
    """Nothing replaced: the same bytes. A word replaced: the same bytes around it."""
    encoding = data.draw(st.sampled_from(ENCODINGS + FAR))
    codec = codecs_named(encoding)[0]
    letters = st.characters(
        codec=codec, exclude_characters="\0\ufeff[]¥‾\u3164", exclude_categories=["Cs"]
    )
    before, after = data.draw(st.text(letters, max_size=9)), data.draw(st.text(letters, max_size=9))
    text = f"x{before}Okafor{after}x"
    marks = [mark for mark, of in MARKS.items() if of == codec]
    mark = data.draw(st.sampled_from([b"", *marks]))
    raw = mark + _file(name, text).encode(codec)
    fields = Fields(encoding=encoding)
    format = FORMATS[name]
    with folder() as parent:
        path, out = target(format, parent, "n1"), target(format, parent, "out")
        path.write_bytes(raw)
        if name == "brat":
            path.with_suffix(".ann").write_bytes(b"")
        try:
            documents = good(format, path, fields)[-1].documents
        except FormatError as error:
            assert any(why in str(error) for why in ("it is valid UTF-8", "two spellings"))  # noqa: PT017
            return
        assert [document.text for document in documents] == [text]
        pass_through(format, path, out, fields=fields)
        assert out.read_bytes() == raw
        pass_through(format, path, out, {"n1": replace_word(documents[0], "Okafor", "DOE")}, fields)
        new = text.replace("Okafor", "[[PATIENT|DOE]]" if name == "inline" else "DOE", 1)
        output = out.read_bytes()[len(mark) :].decode(codec)
        if name == "jsonl":
            output = re.sub(r', "spans": .*\]', "", output)
        assert output.encode(codec) == _file(name, new).encode(codec)
        assert out.read_bytes().startswith(mark)


def _file(name: str, text: str) -> str:
    if name == "csv":
        return 'id,text\r\nn1,"' + text.replace('"', '""') + '"\r\n'
    if name == "jsonl":
        return json.dumps({"id": "n1", "text": text}, ensure_ascii=False)
    return text


@pytest.mark.parametrize("name", ["text", "csv", "jsonl"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "windows-1252"])
def test_told_by_the_bytes_and_through_gzip(name: str, encoding: str, tmp_path: Path) -> None:
    text = "Mr. Peña was seen today and then went home."
    format = FORMATS[name]
    raw = _file(name, text).encode(encoding)
    path = put(gzip.compress(raw), tmp_path, f"n1{format.extensions[0]}.gz")
    out = tmp_path / f"out{format.extensions[0]}.gz"
    (note,) = read(path)
    assert note.text == text
    pass_through(format, path, out)
    assert gzip.decompress(out.read_bytes()) == raw


@pytest.mark.parametrize("name", ["text", "csv", "inline"])
def test_a_replacement_that_the_encoding_cannot_hold_is_named(name: str, tmp_path: Path) -> None:
    format = FORMATS[name]
    path = put(
        _file(name, "Seen by Peña today").encode("cp1252"), tmp_path, f"n1{format.extensions[0]}"
    )
    (note,) = read(path, name)
    change = {"n1": replace_word(note, "Peña", "Wałęsa")}
    with pytest.raises(
        FormatError, match=r"U\+0142 at position \d+ cannot be written in windows-1252"
    ):
        pass_through(format, path, tmp_path / f"out{format.extensions[0]}", change)


def test_json_escapes_what_its_encoding_cannot_hold(tmp_path: Path) -> None:
    path = put(_file("jsonl", "Señora Peña").encode("cp1252"), tmp_path, "n1.jsonl")
    (note,) = read(path)
    out = tmp_path / "out.jsonl"
    pass_through(FORMATS["jsonl"], path, out, {"n1": replace_word(note, "Peña", "Wałęsa")})
    assert b'"Se\xf1ora Wa\\u0142\\u0119sa"' in out.read_bytes()
    assert next(read(out, fields=Fields(encoding="cp1252"))).text == "Señora Wałęsa"


def test_xml_by_its_declaration_its_mark_its_zeros_or_the_user(tmp_path: Path) -> None:
    def xml(declared: str) -> str:
        return f'<?xml version="1.0"{declared}?><r><TEXT>Mr. Dvořák</TEXT></r>'

    for data, explicit in (
        (xml(' encoding="windows-1250"').encode("cp1250"), None),
        (xml(' encoding="ISO-8859-2"').encode("iso-8859-2"), None),
        (xml(' encoding="UTF-16"').encode("utf-16"), None),
        (xml("").encode("utf-16-be"), None),
        (xml("").encode("cp1250"), "windows-1250"),
        (xml(' encoding="UTF-8"').encode("cp1250"), "windows-1250"),
    ):
        path, fields = put(data, tmp_path, "n1.xml"), Fields(encoding=explicit)
        (note,) = read(path, fields=fields)
        assert note.text == "Mr. Dvořák"
        pass_through(FORMATS["i2b2"], path, tmp_path / "out.xml", fields=fields)
        assert (tmp_path / "out.xml").read_bytes() == data
        change = {"n1": replace_word(note, "Dvořák", "Ω")}
        pass_through(FORMATS["i2b2"], path, tmp_path / "out.xml", change, fields)
        (again,) = read(tmp_path / "out.xml", fields=fields)
        assert again.text == "Mr. Ω"
    with pytest.raises(FormatError, match="not valid UTF-8"):
        list(read(put(xml("").encode("cp1250"), tmp_path, "n1.xml")))


def test_what_the_user_says_is_not_taken_against_the_bytes() -> None:
    for data, explicit, reason in (
        ("José".encode(), "windows-1252", "it is valid UTF-8, so it is not windows-1252"),
        ("José".encode("utf-16"), "windows-1252", "it begins with the mark of utf-16-le"),
        ("José".encode("utf-8-sig"), "utf-16", "it begins with the mark of utf-8"),
        (b"x", "klingon", "'klingon' is not an encoding that incognote reads"),
        (b"x", "utf-7", "'utf-7' is not an encoding that incognote reads"),
        (b"x", "base64", "'base64' is not an encoding that incognote reads"),
        ("José".encode("cp1252"), "utf-8,utf-16-le", "not valid UTF-8"),
    ):
        with pytest.raises(FormatError, match=reason):
            encoding_from(data, explicit)
    data = "José".encode("utf-16-le")
    with pytest.raises(FormatError, match="U\\+0000 at position 1 is not a character of a note"):
        encoding_from(data, "windows-1252").decode(data)


def test_several_encodings_are_tried_in_order() -> None:
    for name in ("utf-8", "cp1252"):
        data = "Señora Peña".encode(name)
        assert encoding_from(data, "utf-8,windows-1252").decode(data) == "Señora Peña"
    assert encoding_from("Señora".encode("utf-16"), "utf-8,utf-16").mark == b"\xff\xfe"


def test_utf8_with_one_bad_byte_is_damaged_and_not_another_encoding(tmp_path: Path) -> None:
    rows = "id,text\n1,Peña\n2,Núñez\n".encode() + b"3,\xf1\n"
    path = put(rows, tmp_path, "t.csv")
    *fine, bad = records(FORMATS["csv"], path)
    assert isinstance(bad, BadRecord)
    assert str(bad.error) == "line 4, byte 28: not valid UTF-8"
    assert fine[1].documents[0].text == "Peña"  # type: ignore[union-attr]


def test_a_row_with_a_zero_byte_is_refused_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = put(b"id,text\n1,J\0o\0h\0n\n2,ok\n" + b"3,fine\n" * 90, tmp_path, "t.csv")
    rows = records(FORMATS["csv"], path)
    assert str(rows[1].error) == "line 2: U+0000 at position 1 is not a character of a note"  # type: ignore[union-attr]
    assert rows[2].documents[0].text == "ok"  # type: ignore[union-attr]
    path = put(b'{"text": "J\\u0000o"}\n{"text": "ok"}\n', tmp_path, "t.jsonl")
    bad, fine = records(FORMATS["jsonl"], path)
    assert isinstance(bad, BadRecord)
    assert "U+0000" in str(bad.error)
    assert not isinstance(fine, BadRecord)


def test_an_ann_has_the_encoding_of_its_text(tmp_path: Path) -> None:
    text, ann = "Mrs Peña was seen today.", "T1\tPATIENT 4 8\tPeña\n"
    path = put(text.encode("cp1252"), tmp_path)
    put(ann.encode("cp1252"), tmp_path, "n1.ann")
    (note,) = read(path)
    assert note.spans[0].text == "Peña"
    pass_through(
        FORMATS["brat"], path, tmp_path / "o.txt", {"n1": replace_word(note, "Peña", "Núñez")}
    )
    assert (tmp_path / "o.txt").read_bytes() == "Mrs Núñez was seen today.".encode("cp1252")
    assert (tmp_path / "o.ann").read_bytes() == "T1\tPATIENT 4 9\tNúñez\n".encode("cp1252")
