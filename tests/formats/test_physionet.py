"""The nursing notes of PhysioNet: one file of notes, and beside it where PHI is."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path

import pytest
from formats.note_strategies import damage, folder, pass_through, records
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.document import Document, Span
from incognote.formats import (
    FORMATS,
    BadRecord,
    BadSpansError,
    Fields,
    FormatError,
    Record,
    detect,
    inputs,
    read,
)

FORMAT = FORMATS["physionet"]
TEXT = (
    "\nSTART_OF_RECORD=1||||1||||\nO: Pt Ann\nLee seen 3/14 by Ito.\n\n||||END_OF_RECORD\n\n"
    "START_OF_RECORD=1||||2||||\nNothing.||||END_OF_RECORD\r\n"
    "START_OF_RECORD=12||||1||||\n||||END_OF_RECORD\n\n"
)
PHI = "\nPatient 1\tNote 1\n6\t6\t13\n19\t19\t23\nPatient 1\tNote 2\nPatient 12\tNote 1\n"
PHRASES = "1 1 6 13 PTName Ann Lee\n1 1 19 23 Date 3/14\n1 1 27 30 HCPName Ito\n"


def put(folder: Path, text: str = TEXT, **beside: str) -> Path:
    (folder / "id.text").write_bytes(text.encode())
    for name, content in beside.items():
        ending = {"phrase": "-phi.phrase"}.get(name, f".{name}")
        (folder / f"id{ending}").write_bytes(content.encode())
    return folder / "id.text"


def spans(note: Document) -> list[tuple[int, int, str, str]]:
    return [(span.start, span.end, span.type, span.text) for span in note.spans]


def test_offsets_count_from_the_line_after_the_header(tmp_path: Path) -> None:
    path = put(tmp_path, phi=PHI)
    assert detect(path) is FORMAT
    first, second, third = read(path)
    assert (first.id, first.patient) == ("1-1", "1")
    assert first.text == "O: Pt Ann\nLee seen 3/14 by Ito.\n\n"
    assert spans(first) == [(6, 13, "PHI", "Ann\nLee"), (19, 23, "PHI", "3/14")]
    assert (second.id, second.text, second.spans) == ("1-2", "Nothing.", ())
    assert (third.id, third.patient, third.text) == ("12-1", "12", "")


def test_locations_with_types_go_before_those_without(tmp_path: Path) -> None:
    note = next(read(put(tmp_path, phi="Patient 1 Note 1\n0 0 1\n", phrase=PHRASES)))
    assert spans(note) == [
        (6, 13, "PTName", "Ann\nLee"),
        (19, 23, "Date", "3/14"),
        (27, 30, "HCPName", "Ito"),
    ]


def test_the_gold_standard_goes_before_what_the_program_found(tmp_path: Path) -> None:
    note = next(read(put(tmp_path, phi="Patient 1 Note 1\n0 0 1\n", deid=PHI)))
    assert [start for start, *_ in spans(note)] == [6, 19]


def test_notes_without_locations_have_no_spans(tmp_path: Path) -> None:
    assert [note.spans for note in read(put(tmp_path))] == [(), (), ()]


def test_a_folder_has_one_input(tmp_path: Path) -> None:
    path = put(tmp_path, phi=PHI, deid=PHI, phrase=PHRASES)
    assert list(inputs(tmp_path)) == [path]
    assert [note.id for note in read(tmp_path)] == ["1-1", "1-2", "12-1"]


def test_the_notes_come_out_as_they_went_in(tmp_path: Path) -> None:
    path = put(tmp_path, phrase=PHRASES)
    (tmp_path / "out").mkdir()
    pass_through(FORMAT, path, tmp_path / "out" / "id.text")
    assert (tmp_path / "out" / "id.text").read_bytes() == TEXT.encode()
    assert (tmp_path / "out" / "id-phi.phrase").read_text() == PHRASES


def test_only_what_is_replaced_changes(tmp_path: Path) -> None:
    text = "O: Pt [P] seen  by Ito.\n\n"
    new = Document("1-1", text, (Span(6, 9, "PATIENT", "[P]"), Span(15, 15, "DATE", "")))
    out = tmp_path / "new.text"
    pass_through(FORMAT, put(tmp_path, phi=PHI), out, {"1-1": new})
    assert out.read_bytes() == TEXT.replace("Ann\nLee", "[P]").replace("3/14", "").encode()
    assert (tmp_path / "new-phi.phrase").read_text() == "1 1 6 9 PATIENT [P]\n"


def test_a_sink_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    path, out = put(tmp_path, phrase=PHRASES), tmp_path / "out" / "id.text"
    with closing(FORMAT.open(path, Fields())) as source:
        whole = [record for record in source.records() if isinstance(record, Record)]
        sink = FORMAT.sink(out, source)
        sink.write(whole[0], whole[0].documents)
        state = sink.checkpoint()
        sink.write(whole[1], whole[1].documents)
        sink.close()
        sink = FORMAT.sink(out, source, state)
        for record in whole[1:]:
            sink.write(record, record.documents)
        sink.close()
    assert out.read_bytes() == TEXT.encode()
    assert (tmp_path / "out" / "id-phi.phrase").read_text() == PHRASES


def test_a_record_that_cannot_be_written_is_in_neither_file(tmp_path: Path) -> None:
    path, out = put(tmp_path, phi=PHI), tmp_path / "out" / "id.text"
    with closing(FORMAT.open(path, Fields())) as source:
        first, second, *_ = (each for each in source.records() if isinstance(each, Record))
        sink = FORMAT.sink(out, source)
        bad = "||||END_OF_RECORD"
        with pytest.raises(FormatError, match=r"U\+007C at position 0 begins what would be read"):
            sink.write(first, (Document("1-1", bad, (Span.of(bad, 0, 2, "DATE"),)),))
        sink.write(second, second.documents)
        sink.close()
    assert out.read_bytes() == b"\nSTART_OF_RECORD=1||||2||||\nNothing.||||END_OF_RECORD\r\n"
    assert (tmp_path / "out" / "id-phi.phrase").read_bytes() == b""


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("=1||||1||||\n", "=1||1||\n", "line 2: not a header"),
        ("\n\n||||END_OF_RECORD\n\n", "\n", "line 2: the note does not end before the next"),
        ("Ann", "\xff", "line 2, byte 34: not valid UTF-8"),
    ],
)
def test_a_bad_note_spoils_no_other(old: str, new: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "id.text").write_bytes(TEXT.replace(old, new, 1).encode("latin-1"))
    bad, *others = records(FORMAT, tmp_path / "id.text")
    assert isinstance(bad, BadRecord)
    assert str(bad.error).startswith(reason)
    ids = [each.documents[0].id for each in others if isinstance(each, Record) and each.documents]
    assert ids == ["1-2", "12-1"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TEXT + "Ann Lee\n", "line 13: there is text outside the notes"),
        (TEXT.replace("RECORD\r\n", "RECORD Ann\r\n"), "line 9: there is text after the end of a"),
    ],
)
def test_text_that_belongs_to_no_note_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=reason) as error:
        records(FORMAT, put(tmp_path, text))
    assert "Ann" not in str(error.value)


def test_the_last_note_must_end(tmp_path: Path) -> None:
    *_, last = records(FORMAT, put(tmp_path, TEXT + "START_OF_RECORD=2||||1||||\nAnn"))
    assert isinstance(last, BadRecord)
    assert str(last.error) == "line 13: the note does not end"


@pytest.mark.parametrize(
    ("beside", "reason"),
    [
        ({"phi": "6\t6\t13\n"}, "line 1 of the .phi: neither 'Patient … Note …' nor three numbers"),
        ({"phi": "Patient 1\tNote 1\n6 13\n"}, "line 2 of the .phi: neither"),
        ({"deid": "Patient 1\tNote 1\nx"}, "line 2 of the .deid: neither"),
        ({"phrase": "1 1 6 PTName Ann\n"}, "line 1 of the .phrase: not a location"),
    ],
)
def test_a_bad_file_of_locations_is_named(
    beside: dict[str, str], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=reason) as error:
        records(FORMAT, put(tmp_path, **beside))
    assert "Ann" not in str(error.value)


@pytest.mark.parametrize(
    ("beside", "reason"),
    [
        (
            {"phi": "Patient 1\tNote 1\n6\t6\t999\n19\t19\t23\n"},
            "line 2 of the .phi: span 6-999 ends after the text",
        ),
        (
            {"phrase": "1 1 6 13 PTName Bob Lee\n1 1 19 23 Date 3/14\n"},
            "line 1 of the .phrase: the text differs from the note at 6-13",
        ),
    ],
)
def test_a_bad_location_leaves_the_sound_ones_known(
    beside: dict[str, str], reason: str, tmp_path: Path
) -> None:
    bad, *_ = records(FORMAT, put(tmp_path, **beside))
    assert isinstance(bad, BadRecord)
    assert isinstance(bad.error, BadSpansError)
    assert str(bad.error).startswith(reason)
    assert "Bob" not in str(bad.error)
    assert [span.text for span in bad.error.document.spans] == ["3/14"]


def test_locations_of_a_note_that_is_not_there_are_told(tmp_path: Path) -> None:
    *_, last = records(FORMAT, put(tmp_path, phi=PHI + "Patient 9\tNote 9\n0\t0\t3\n"))
    assert isinstance(last, BadRecord)
    assert str(last.error) == "there are locations for 1 notes that are not in the .text"


def test_plain_text_stays_plain_text(tmp_path: Path) -> None:
    (tmp_path / "a.text").write_text("Seen START_OF_RECORD=1||||1||||")
    (tmp_path / "a.phi").write_text("x")
    assert detect(tmp_path / "a.text").name == "text"


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_damage_is_an_error_with_a_sentence(data: st.DataObject) -> None:
    with folder() as parent:
        put(parent)
        (parent / "id.text").write_bytes(damage(TEXT.encode(), data))
        for ending, content in ((".phi", PHI), ("-phi.phrase", PHRASES)):
            (parent / f"id{ending}").write_bytes(damage(content.encode(), data))
            with suppress(FormatError):
                for record in records(FORMAT, parent / "id.text"):
                    assert isinstance(record, (Record, BadRecord))
