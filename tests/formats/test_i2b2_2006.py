"""i2b2 2006: many records a file, PHI marked inside the text."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from formats.note_strategies import damage, folder, good, pass_through, records, rewrite
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.document import Document, Span
from incognote.formats import FORMATS, BadRecord, Fields, FormatError, Record, detect, read

FORMAT = FORMATS["i2b2-2006"]
FILE = (
    '<?xml version="1.0" encoding="UTF-8" ?>\r\n<ROOT>\r\n<RECORD ID="640">\r\n<TEXT>\r\n'
    '<PHI TYPE="ID">11-77</PHI>\r\nDr. <PHI TYPE="DOCTOR">L&#246;w &amp; co</PHI>, BP &lt; 90\r\n'
    "[ report_end ]\r\n</TEXT>\r\n</RECORD>\r\n\r\n"
    '<RECORD ID="641"><TEXT>Nobody.</TEXT></RECORD>\r\n</ROOT>\r\n'
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "deid_surrogate_train.xml"
    target.write_bytes(FILE.encode())
    return target


def test_records_are_notes_with_their_marks_as_spans(path: Path) -> None:
    assert detect(path) is FORMAT
    first, second = read(path)
    assert first.text == "\n11-77\nDr. Löw & co, BP < 90\n[ report_end ]\n"
    assert [(span.text, span.type) for span in first.spans] == [
        ("11-77", "ID"),
        ("Löw & co", "DOCTOR"),
    ]
    assert (first.id, second.id) == ("640", "641")
    assert (second.text, second.spans) == ("Nobody.", ())


def test_an_unchanged_file_is_the_same_bytes(path: Path, tmp_path: Path) -> None:
    pass_through(FORMAT, path, tmp_path / "out.xml")
    assert (tmp_path / "out.xml").read_bytes() == FILE.encode()


def test_what_is_not_replaced_keeps_its_bytes(path: Path, tmp_path: Path) -> None:
    first, _ = read(path)
    text = first.text.replace("11-77", "").replace("Löw & co", "A<B")
    at = text.index("A<B")
    new = Document("640", text, (Span(1, 1, "ID", ""), Span(at, at + 3, "DOCTOR", "A<B")))
    pass_through(FORMAT, path, tmp_path / "out.xml", {"640": new})
    assert (tmp_path / "out.xml").read_bytes() == (
        FILE.replace('<PHI TYPE="ID">11-77</PHI>', "")
        .replace("L&#246;w &amp; co", "A&lt;B")
        .encode()
    )


def test_marks_can_be_moved_where_the_text_stays(path: Path, tmp_path: Path) -> None:
    _, second = read(path)
    new = second.with_spans([Span.of(second.text, 0, 6, "PATIENT")])
    pass_through(FORMAT, path, tmp_path / "out.xml", {"641": new})
    marked = '<TEXT><PHI TYPE="PATIENT">Nobody</PHI>.</TEXT>'
    assert marked in (tmp_path / "out.xml").read_text()


def test_cdata_attributes_and_other_encodings(tmp_path: Path) -> None:
    raw = (
        '<?xml version="1.0" encoding="ISO-8859-1"?><R><RECORD ID="é"><NOTE/><TEXT>a<![CDATA[<b>]]>'
        '<PHI TYPE="X" ID="7">José</PHI></TEXT></RECORD></R>'
    ).encode("latin-1")
    (tmp_path / "in.xml").write_bytes(raw)
    (note,) = read(tmp_path / "in.xml")
    assert (note.id, note.text) == ("é", "a<b>José")
    assert note.spans[0].attributes == {"ID": "7"}
    assert b"a&lt;b&gt;" in rewrite("i2b2-2006", raw, "José", "Ω", tmp_path)


def test_a_record_alone_is_a_file(tmp_path: Path) -> None:
    raw = b'<?xml version="1.0"?>\n<RECORD ID="5">\n<TEXT>x <PHI TYPE="AGE">91</PHI></TEXT>\n</RECORD>\n'
    (tmp_path / "5.xml").write_bytes(raw)
    (note,) = read(tmp_path / "5.xml")
    assert (note.id, note.text, note.spans[0].type) == ("5", "x 91", "AGE")
    pass_through(FORMAT, tmp_path / "5.xml", tmp_path / "out.xml")
    assert (tmp_path / "out.xml").read_bytes() == raw


def test_a_note_of_2014_that_speaks_of_records_stays_one_of_2014(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<r><TEXT><![CDATA[<RECORD ID='1'>]]></TEXT><TAGS/></r>")
    assert detect(tmp_path / "a.xml").name == "i2b2"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "11-77</PHI>\r\nDr.",
            "11-77\r\nDr.",
            "record 1, line 6: a PHI opens before the one before it is closed",
        ),
        ("11-77", '<PHI TYPE="X">1</PHI>', "record 1, line 5: a PHI opens before the one before"),
        (
            '<PHI TYPE="ID">11-77',
            '<PHI TYPE="/>"><PHI TYPE="X">1</PHI>',
            "record 1, line 3: a PHI opens inside a PHI",
        ),
        ('<PHI TYPE="ID">', "<PHI>", "record 1, line 5: a PHI without a TYPE"),
        ("11-77", "<b>11</b>", "record 1, line 5: a note has an element inside that is not PHI"),
        ("11-77", "<!-- x -->", "record 1, line 5: a note has a comment or an instruction inside"),
        ("<TEXT>\r\n", "<NOTE/>", "record 1, line 7: not well-formed XML"),
        ("&amp;", "&nbsp;", "record 1, line 6: not well-formed XML"),
    ],
)
def test_a_bad_record_spoils_no_other(old: str, new: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "in.xml").write_bytes(FILE.replace(old, new, 1).encode())
    head, bad, sound, tail = records(FORMAT, tmp_path / "in.xml")
    assert isinstance(bad, BadRecord)
    assert str(bad.error).startswith(reason)
    assert isinstance(sound, Record)
    assert sound.documents[0].id == "641"
    assert isinstance(head, Record)
    assert isinstance(tail, Record)
    assert head.frame
    assert tail.frame


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("</RECORD>\r\n\r\n", "</RECORD>\r\nJohn\r\n", "line 9: there is something between two"),
        ("</ROOT>", "", "line 13: not well-formed XML"),
        ("Nobody.</TEXT></RECORD>", "", "line 11: the last record is not closed"),
        ("<ROOT>", "", "line 3: not well-formed XML"),
        ("<ROOT>", "<!DOCTYPE ROOT><ROOT>", "the file has a DOCTYPE"),
    ],
)
def test_a_bad_frame_is_the_files_error(old: str, new: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "in.xml").write_bytes(FILE.replace(old, new, 1).encode())
    with pytest.raises(FormatError, match=reason) as error:
        records(FORMAT, tmp_path / "in.xml")
    assert "John" not in str(error.value)


def test_reading_goes_on_where_it_stopped(path: Path) -> None:
    whole = good(FORMAT, path)
    for skip in range(len(whole) + 1):
        source = FORMAT.open(path, Fields())
        assert [r.place for r in source.records(skip)] == [r.place for r in whole[skip:]]  # type: ignore[union-attr]


def test_a_default_namespace_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "in.xml").write_text(FILE.replace("<ROOT>", '<ROOT xmlns="urn:x">'), newline="")
    assert [len(note.spans) for note in read(tmp_path / "in.xml")] == [2, 0]
    (tmp_path / "in.xml").write_text(FILE.replace("<TEXT>", '<TEXT xmlns="urn:x">'), newline="")
    assert [len(note.spans) for note in read(tmp_path / "in.xml")] == [2, 0]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_damage_is_an_error_with_a_sentence(data: st.DataObject) -> None:
    with folder() as parent:
        (parent / "in.xml").write_bytes(damage(FILE.encode(), data))
        with suppress(FormatError):
            for record in records(FORMAT, parent / "in.xml"):
                assert isinstance(record, (Record, BadRecord))
