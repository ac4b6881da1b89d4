"""CSV and its kin: fields are bytes; only the text columns are rewritten."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from formats.note_strategies import folder, good, pass_through, records, rewrite, target
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.document import Document
from incognote.formats import FORMATS, BadRecord, Fields, FormatError, Record

CSV = FORMATS["csv"]


def put(data: bytes, tmp_path: Path, name: str = "in.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def texts(path: Path, fields: Fields | None = None) -> list[str]:
    return [d.text for record in good(CSV, path, fields) for d in record.documents]


def test_untouched_fields_are_the_same_bytes(tmp_path: Path) -> None:
    data = (
        b'\xef\xbb\xbf"id",text,"n"\r\n007,"Ann, \r\n""hi""",  1.50 \n'
        b'\n08,Ann,"x"\r\n09,plain 5\'6" tall,\r\n"10","",\xfe'
    )
    out = rewrite("csv", data, "Ann", 'a"b', tmp_path)
    assert out == data.replace(b'"Ann,', b'"a""b,').replace(b",Ann,", b',"a""b",')


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_layout_is_guessed(delimiter: str, end: str, tmp_path: Path) -> None:
    rows = [
        ["id", "note", "text"],
        ["1", "a,b;c|d\te", 'say "x"\nand, then; more | \t'],
        ["2", "", "y"],
    ]
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator=end).writerows(rows)
    path = put(stream.getvalue().encode(), tmp_path, "in.tsv")
    assert texts(path) == [rows[1][2], "y"]
    assert texts(path, Fields(("note",))) == [rows[1][1], ""]


def test_quotes_inside_a_field_are_text(tmp_path: Path) -> None:
    data = b'id\ttext\n1\tBo is 5\'6" tall\n2\tsays "ow\n3\tz\n'
    assert texts(put(data, tmp_path, "in.tsv")) == ["Bo is 5'6\" tall", 'says "ow', "z"]
    assert rewrite("csv", data, "Bo", "X", tmp_path) == data.replace(
        b"Bo is 5'6\" tall", b'"X is 5\'6"" tall"'
    )


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b'id,note\n1,"Pt seen today\nJohn Tallchief, call\nRaymond Tallchief, seen\n', "line 2"),
        (b'id\tnote\n1\t"Pt seen today\nJohn Tallchief\tseen\n', "line 2"),
        (b'id,note\n1,fine\n"2,x\n3,y\n', "line 3"),
        (b'note\n"Pt seen\nJohn Tallchief\n', "line 2"),
        (b'id,note\n1,"', "line 2"),
        (b'"id,note\n1,x\n', "line 1"),
    ],
)
def test_an_unclosed_quote_is_refused_however_even_the_rows_are(
    data: bytes, place: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=f"{place}: a quote is opened and never closed"):
        records(CSV, put(data, tmp_path), Fields(("note",)))


def test_an_unclosed_quote_after_the_beginning_of_a_large_file(tmp_path: Path) -> None:
    rows = b"1,5'6\" tall\n" * 30_000
    path = put(b"id,note\n" + rows + b'2,"Pt seen\nJohn Tallchief, seen\n', tmp_path)
    with pytest.raises(FormatError, match="line 30002: a quote is opened and never closed"):
        records(CSV, path, Fields(("note",)))


def test_a_plain_table_whose_fields_begin_with_quotes_is_refused(tmp_path: Path) -> None:
    path = put(b'id\ttext\n1\t"Bo" came\n2\tz\n', tmp_path, "in.tsv")
    with pytest.raises(FormatError, match="line 2: there is text after a closing quote"):
        records(CSV, path)


def test_one_column(tmp_path: Path) -> None:
    assert texts(put(b"text\na, b\n\nc; d\n", tmp_path)) == ["a, b", "c; d"]


def test_several_text_columns_ids_and_known(tmp_path: Path) -> None:
    path = put(b"k,a,b,mrn\nr1,x,y,0042\n", tmp_path)
    fields = Fields(("a", "b"), "k", "k", {"mrn": "MEDICALRECORD"})
    header, record = good(CSV, path, fields)
    assert header.documents == ()
    assert [(d.id, d.text) for d in record.documents] == [("r1/a", "x"), ("r1/b", "y")]
    assert record.documents[0].known == (("MEDICALRECORD", "0042"),)
    pass_through(CSV, path, tmp_path / "out.csv", {"r1/b": Document("r1/b", "")}, fields)
    assert (tmp_path / "out.csv").read_bytes() == b'k,a,b,mrn\nr1,x,"",0042\n'


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the table is empty: it has no header"),
        (b"\xef\xbb\xbf\n\n", "the table is empty: it has no header"),
        (b"id,note\n1,x\n", "there is no column 'text'; the columns are id, note"),
        (b'7,"Okafor, Ngozi",x\n', "there is no column 'text'; there are 3 columns; name that"),
        (b"text,text\n1,x\n", "there are two columns 'text'"),
        (b"\xff\xfei\0d\0", "there is no column 'text'; the columns are id"),
    ],
)
def test_a_table_that_cannot_be_opened(data: bytes, reason: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=reason):
        CSV.open(put(data, tmp_path), Fields())


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        ("John Tallchief,Seen today", "there are 2 columns"),
        ("Tallchief,Raymond", "there are 2 columns"),
        ("tallchief,raymond", "there are 2 columns"),
        ("TALLCHIEF", "there is 1 column"),
        ("a" * 39 + "!", "there is 1 column"),
        ("patient_tallchief,id-tallchief,note.419471", "there are 3 columns"),
        ("419-471-8026,3/14/1961,2", "there are 3 columns"),
        ("Tallchief,note", "the columns are note and 1 more"),
        ("ROW_ID,NoteText,note_2,patientName", "the columns are ROW_ID, NoteText, note_2, pat"),
    ],
)
def test_a_first_line_that_may_be_data_is_not_shown(
    header: str, shown: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError) as error:
        CSV.open(put(f"{header}\nx\n".encode(), tmp_path), Fields(("wanted",)))
    assert error.value.reason.startswith(f"there is no column 'wanted'; {shown}")
    assert "allchief" not in error.value.reason.lower()
    assert "419" not in error.value.reason


def test_a_bad_row_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = put(b'id,text\n1,"a\nb"\n2\n3,x,y\n4,\xc3\xa9\xff\n5,ok\n', tmp_path)
    found = records(CSV, path)
    bad = [str(record.error) for record in found if isinstance(record, BadRecord)]
    assert bad == [
        "line 4: 1 fields where the header has 2",
        "line 5: 3 fields where the header has 2",
        "line 6, byte 28: not valid UTF-8",
    ]
    assert [r.documents[0].text for r in found if isinstance(r, Record) and r.documents] == [
        "a\nb",
        "ok",
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b'3,"never, closed\n4,x\n', "line 3: a quote is opened and never closed"),
        (b'3,"a" b\n4,x\n', "line 3: there is text after a closing quote"),
    ],
)
def test_quotes_that_do_not_fit_end_the_file(row: bytes, reason: str, tmp_path: Path) -> None:
    path = put(b'id,text\n2,"fine, here"\n' + row, tmp_path)
    with pytest.raises(FormatError, match=reason):
        records(CSV, path)


cells = st.text(st.sampled_from("a,;|\t\"'\n\r é0"), max_size=8)


@given(
    rows=st.lists(st.tuples(cells, cells, cells), max_size=6),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
    delimiter=st.sampled_from(",\t;|"),
)
@settings(max_examples=150, deadline=None)
def test_agrees_with_the_csv_module(
    rows: list[tuple[str, str, str]], quoting: int, delimiter: str
) -> None:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator="\n")  # type: ignore[arg-type]
    writer.writerows([("id", "text", "more"), *rows])
    with folder() as parent:
        path, out = target(CSV, parent), target(CSV, parent, "out")
        path.write_bytes(stream.getvalue().encode())
        assert texts(path) == [row[1] for row in rows]
        pass_through(CSV, path, out)
        assert out.read_bytes() == path.read_bytes()


def test_a_long_field_over_many_lines(tmp_path: Path) -> None:
    note = 'line, with "quotes"\n' * 100_000
    path = put(b'id,text,z\n1,"' + note.replace('"', '""').encode() + b'",007\n2,b,1\n', tmp_path)
    assert texts(path) == [note, "b"]
