"""brat: a pair of files is one note."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from formats.note_strategies import good, pass_through, records

from incognote.document import Document, Span
from incognote.formats import FORMATS, Fields, FormatError, Record, detect, read

BRAT = FORMATS["brat"]


def put(text: bytes, ann: bytes, folder: Path) -> Path:
    (folder / "n.ann").write_bytes(ann)
    (folder / "n.txt").write_bytes(text)
    return folder / "n.txt"


def test_either_file_opens_the_pair(tmp_path: Path) -> None:
    path = put(b"Ann\nLee. 5", b"T7\tPERSON 0 7\tAnn Lee\nT2\tDATE 9 10\t5\n", tmp_path)
    for name in (path, path.with_suffix(".ann")):
        assert detect(name) is BRAT
        (record,) = good(BRAT, name)
        (document,) = record.documents
        assert [(s.text, s.type, s.attributes) for s in document.spans] == [
            ("Ann\nLee", "PERSON", {"id": "T7"}),
            ("5", "DATE", {"id": "T2"}),
        ]
    assert [document.id for document in read(tmp_path)] == ["n"]


def test_unchanged_pairs_are_the_same_bytes_and_changed_ones_keep_no_notes(tmp_path: Path) -> None:
    ann = b"T7\tPERSON 0 7\tAnn Lee\r\nR1\tof Arg1:T7\n#1\tNote T7\tAnn again\n\nT2\tDATE 9 10\t5"
    path = put(b"Ann\nLee. 5\r\n", ann, tmp_path)
    pass_through(BRAT, path, tmp_path / "same.txt")
    assert (tmp_path / "same.txt").read_bytes() == b"Ann\nLee. 5\r\n"
    assert (tmp_path / "same.ann").read_bytes() == ann
    new = Document("n", "[P]. 5\r\n", (Span(0, 3, "PATIENT", "[P]"), Span(5, 5, "DATE", "")))
    pass_through(BRAT, path, tmp_path / "new.txt", {"n": new})
    assert (tmp_path / "new.txt").read_bytes() == b"[P]. 5\r\n"
    assert (tmp_path / "new.ann").read_bytes() == b"T1\tPATIENT 0 3\t[P]\n"


def test_an_annotators_words_do_not_pass_where_nothing_is_marked(tmp_path: Path) -> None:
    words = b"#1\tAnnotatorNotes T1\tthis is Okafor\n"
    (record,) = BRAT.open(put(b"No names here.", words, tmp_path), Fields()).records()
    assert isinstance(record, Record)
    searched = tuple(replace(document) for document in record.documents)
    for marks in (True, False):
        assert BRAT.render_files(replace(record, marks=marks), searched)[1] == b""
    assert BRAT.render_files(record, record.documents)[1] == words  # as it was read, for a vault


@pytest.mark.parametrize(
    ("ann", "reason"),
    [
        (b"#1\tx\nT1\tA 0 1;2 3\tA n", "line 2 of the .ann: a discontinuous span"),
        (b"T1\tA 0\tA", "line 1 of the .ann: not a T line"),
        (b"T1\tA 0 277301946\tA", "line 1 of the .ann: span 0-… ends after the text"),
        (b"T1\tA 77301946 2\tA", "line 1 of the .ann: span …-2 is not a range"),
        (b"T1\tA 0 99\tA", "line 1 of the .ann: span 0-99 ends after the text"),
        (b"T1\tA 0 3\tBob", "line 1 of the .ann: the text differs from the note at 0-3"),
        (b"T1\tA 0 3\t\xff", "byte 9: not valid UTF-8"),
    ],
)
def test_bad_annotations_get_a_sentence(ann: bytes, reason: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=reason):
        records(BRAT, put(b"Ann", ann, tmp_path))


def test_half_a_pair_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.ann").write_bytes(b"")
    (tmp_path / "b.txt").write_bytes(b"")
    with pytest.raises(FormatError, match=r"has no \.txt"):
        records(BRAT, tmp_path / "a.ann")
    with pytest.raises(FormatError, match=r"no \.ann"):
        records(BRAT, tmp_path / "b.txt")
