"""JSONL: only texts and spans are rewritten; a bad line does not stop the others."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from formats.note_strategies import (
    folder,
    good,
    pass_through,
    records,
    replace_spans,
    rewrite,
    target,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.document import Document, Span
from incognote.formats import BadRecord, Fields, Record, read, write
from incognote.formats.column_plan import ColumnRule
from incognote.formats.jsonl import Jsonl, document_line

JSONL = Jsonl()


def put(data: str | bytes, tmp_path: Path) -> Path:
    path = tmp_path / "in.jsonl"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_every_other_byte_stays(tmp_path: Path) -> None:
    data = (
        '\ufeff{"n":1.0e5 , "text" :"caf\\u00e9 \\/ Ann é","x":[1,  2], "id": 007e1}\r\n'.replace(
            "007e1", "7e1"
        )
        + "\n"
        + '  {"text": "none", "big": 123456789012345678901234567890, "x": "\\ud800"} \n'
        + '{"spans": [{"start": 0, "end": 3, "type": "DATE", "text": "Ann"}], "text": "Ann"}'
    ).encode()
    out = rewrite("jsonl", data, "Ann", "[P]", tmp_path)
    expected = data.decode().replace("Ann é", "[P] é")
    expected = expected.replace(
        'é",', 'é", "spans": [{"start": 7, "end": 10, "type": "PATIENT"}],', 1
    )
    old = '[{"start": 0, "end": 3, "type": "DATE", "text": "Ann"}], "text": "Ann"'
    new = '[{"start": 0, "end": 3, "type": "PATIENT"}], "text": "[P]"'
    assert out.decode() == expected.replace(old, new)


def test_fields_of_the_users_choice(tmp_path: Path) -> None:
    line = {"note": "a", "hpi": "b", "key": 12, "mrn": "77", "born": None, "who": "p1"}
    fields = Fields(("note", "hpi"), "key", "who", {"mrn": "MEDICALRECORD", "born": "DATE"})
    path = put(json.dumps(line), tmp_path)
    (record,) = good(JSONL, path, fields)
    assert [(d.id, d.text) for d in record.documents] == [("12/note", "a"), ("12/hpi", "b")]
    assert record.documents[0].known == (("MEDICALRECORD", "77"),)
    assert record.documents[0].patient == "p1"
    assert record.has_own_ids
    new = Document("12/hpi", "[X]", (Span(0, 3, "DATE", "[X]"),))
    pass_through(JSONL, path, tmp_path / "out.jsonl", {"12/hpi": new}, fields)
    written = json.loads((tmp_path / "out.jsonl").read_text())
    assert written == line | {
        "hpi": "[X]",
        "hpi_spans": [{"start": 0, "end": 3, "type": "DATE"}],
    }


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "line 2, column 2: not valid JSON"),
        (b'{"text": "a"} x', "line 2, column 15: not valid JSON"),
        (b'["text"]', "line 2: not a JSON object"),
        (b'{"text": 5}', "line 2: the field 'text' is not a string"),
        (b'{"txt": "a"}', "line 2: there is no field 'text'"),
        (b'{"text": "a", "te\\u0078t": "b"}', "line 2: the field 'text' occurs twice"),
        (b'{"text": "a\\ud800"}', "U+D800 at position 1"),
        (b'{"text": "\xc3\xa9\xff"}', "line 2, byte 28: not valid UTF-8"),
        (b'{"text": "a\tb"}', "line 2, column 12: not valid JSON"),
        (b'{"text": "abc", "spans": 5}', "line 2: the spans are not a list"),
        (b'{"text": "abc", "spans": [{"start": 0}]}', "line 2: span 1 lacks"),
        (b'{"text": "abc", "spans": [{"start":0,"end":9,"type":"X"}]}', "ends after the text"),
        (b'{"text": "abc", "spans": [{"start":0,"end":1,"type":"X","text":"q"}]}', "differs"),
        (b'{"text": "a", "id": [1]}', "line 2: the field 'id' is neither"),
        (b'{"text": "a", "x": ' + b"[" * 100_000, "line 2: JSON nested too deep"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_goes_on(line: bytes, reason: str, tmp_path: Path) -> None:
    path = put(b'{"text": "one"}\n' + line + b'\n{"text": "two"}', tmp_path)
    first, bad, last = records(JSONL, path)
    assert isinstance(bad, BadRecord)
    assert reason in str(bad.error)
    assert isinstance(first, Record)
    assert isinstance(last, Record)
    assert [first.documents[0].text, last.documents[0].text] == ["one", "two"]


def test_null_and_empty_texts(tmp_path: Path) -> None:
    path = put('{"text": null}\n{"text": ""}\n', tmp_path)
    assert [len(record.documents) for record in good(JSONL, path)] == [0, 1]
    assert good(JSONL, put("", tmp_path)) == []


@pytest.mark.parametrize("marks", [True, False])
def test_the_marks_of_a_note_that_is_not_there_are_emptied(marks: bool, tmp_path: Path) -> None:
    spans = '[{"start": 0, "end": 6, "type": "PATIENT", "text": "OKAFOR"}]'
    lines = f'{{"text": null,"spans":{spans} }}\n{{"spans": {spans}, "mrn": "7"}}\n'
    fields = Fields(column={"mrn": ColumnRule("MEDICALRECORD")}, no_text=True)
    path = put(lines, tmp_path)
    written = [
        Jsonl().render(replace(record, marks=marks), record.documents)
        for record in good(JSONL, path, fields)
    ]
    assert written == [b'{"text": null,"spans":[] }\n', b'{"spans": [], "mrn": "7"}\n']
    assert [column.name for column in Jsonl().other_columns(path, fields, 9).columns] == []
    several = Fields(("text", "hpi"))
    path = put(f'{{"text": "a", "hpi": null, "hpi_spans": {spans}}}\n', tmp_path)
    (record,) = good(JSONL, path, several)
    assert b"OKAFOR" not in Jsonl().render(record, record.documents)


def test_spans_keep_what_is_said_of_them(tmp_path: Path) -> None:
    span = Span.of(
        "Bo é", 0, 2, "PATIENT", score=0.25, source="rules.names", label="PER",
        attributes={"id": "T1", "comment": "é"},
    )  # fmt: skip
    document = Document("n", "Bo é", (span,))
    write([document], tmp_path / "a.jsonl", "jsonl")
    assert list(read(tmp_path / "a.jsonl")) == [document]


SPELLINGS = st.sampled_from(
    [
        *[("a", "a"), ("é", "\\u00e9"), ("é", "é"), ("/", "\\/"), ("\n", "\\n"), ("\n", "\\u000A")],
        *[("😀", "\\ud83d\\uDE00"), ("😀", "😀"), ('"', '\\"'), ("\\", "\\\\"), ("\x7f", "\x7f")],
    ]
)


@given(
    pieces=st.lists(SPELLINGS, max_size=25),
    ends=st.lists(st.integers(0, 30), max_size=6),
    values=st.lists(st.text('x"\\é\n', max_size=3), min_size=3, max_size=3),
)
@settings(max_examples=100, deadline=None)
def test_any_spelling(pieces: list[tuple[str, str]], ends: list[int], values: list[str]) -> None:
    """A letter between any two pieces makes sure that what is kept can be told."""
    text = "".join(f"{chr(0x4E00 + at)}{char}" for at, (char, _) in enumerate(pieces))
    units = [raw for at, (_, spelled) in enumerate(pieces) for raw in (chr(0x4E00 + at), spelled)]
    cuts = sorted(min(end, len(text)) for end in ends)
    pairs = [(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False) if a < b]
    old = Document("n1", text, tuple(Span.of(text, a, b, "DATE") for a, b in pairs))
    new = replace_spans(old, values[: len(pairs)])
    with folder() as parent:
        path, out = target(JSONL, parent), target(JSONL, parent, "out")
        path.write_text(f'{{"id": "n1", "text": "{"".join(units)}"}}\n', "utf-8", newline="")
        pass_through(JSONL, path, out, {"n1": new})
        (back,) = read(out)
        assert back.text == new.text
        last = 0
        raw = out.read_text("utf-8")
        for start, end in [*pairs, (len(text), 0)]:
            assert "".join(units[last:start]) in raw
            last = end


def test_what_is_known_of_a_note_is_written_to_its_line() -> None:
    note = Document("n", "x", patient="p", metadata={"source": "a", "id": "not this"})
    assert document_line(note) == (
        '{"id": "n", "text": "x", "spans": [], "patient": "p", "source": "a"}\n'
    )
