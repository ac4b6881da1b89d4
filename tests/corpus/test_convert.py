"""Conversion and merging: the same notes in another format, or nothing."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from corpus.corpus_files import inline_folder, jsonl_file, tree
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from incognote.corpus.convert import Member, Target, convert, merge
from incognote.corpus.output import check_apart
from incognote.corpus.source import CorpusError, RefusedError, Source
from incognote.document import Document, Span
from incognote.formats import FORMATS, Fields, read, write
from incognote.phi import VIEWS

WITH_SPANS = sorted(name for name, format in FORMATS.items() if format.holds_spans)
NOTES = {
    "a": "Seen [[DATE|3/14]] by Dr. [[DOCTOR|Ito]].\r\n",
    "ward/b.1": "[[PATIENT|José\nPérez]], [[AGE|7]] & <x>\u2028",
    "c": "Nothing here.",
}


def place(folder: Path, format: str, name: str = "out") -> Path:
    own = FORMATS[format]
    return folder / (f"{name}{own.extensions[0]}" if own.table else name)


def content(path: Path, format: str | None = None) -> dict[str, tuple[str, list[object]]]:
    return {
        note.id: (note.text, [(s.start, s.end, s.type) for s in note.spans])
        for note in read(path, format)
    }


@pytest.mark.parametrize("first", WITH_SPANS)
@pytest.mark.parametrize("second", WITH_SPANS)
def test_there_and_back(tmp_path: Path, first: str, second: str) -> None:
    source = inline_folder(tmp_path / "in", NOTES)
    paths = [place(tmp_path, first, "one"), place(tmp_path, second, "two")]
    for format, before, after in zip((first, second), (source, paths[0]), paths, strict=True):
        result = convert(Source(before), Target.of(after, format))
        assert (result.notes, result.spans, result.needs_format) == (3, 4, False)
    assert content(paths[1]) == content(source)


@pytest.mark.parametrize("format", ["text", "csv", "parquet"])
def test_formats_without_spans_need_leave(tmp_path: Path, format: str) -> None:
    source = Source(inline_folder(tmp_path / "in", NOTES))
    path = place(tmp_path, format)
    with pytest.raises(CorpusError, match="--drop-spans"):
        convert(source, Target.of(path, format))
    assert not path.exists()
    result = convert(source, Target.of(path, format, drop_spans=True))
    assert result.dropped_spans == Counter(DATE=1, DOCTOR=1, PATIENT=1, AGE=1)
    texts = {id: text for id, (text, _) in content(source.path).items()}
    assert {note.id: note.text for note in read(path)} == texts


ids = st.text(st.sampled_from("ab.-_ é/\\\n"), min_size=1, max_size=8)
texts = st.text(st.sampled_from("ab \r\n\t\x01é😀[]|<&\ufeff\u2028"), max_size=12)


@st.composite
def corpora(draw: st.DrawFn) -> list[Document]:
    notes = []
    for id in draw(st.lists(ids, min_size=1, max_size=3, unique=True)):
        text = draw(texts)
        ends = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
        pairs = zip(ends[::2], ends[1::2], strict=False)
        types = st.sampled_from(("DATE", "LOCATION-OTHER", "two words"))
        notes.append(Document(id, text, tuple(Span.of(text, s, e, draw(types)) for s, e in pairs)))
    return notes


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(corpora(), st.sampled_from(WITH_SPANS))
def test_any_corpus_comes_back_or_is_refused(documents: list[Document], format: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(documents, folder / "in.jsonl", "jsonl")
        path = place(folder, format)
        try:
            result = convert(Source(folder / "in.jsonl"), Target.of(path, format))
        except RefusedError:
            assert [each.name for each in folder.iterdir()] == ["in.jsonl"]
            return
        back = convert(Source(path, format), Target.of(folder / "back.jsonl", "jsonl"))
        assert result.notes == back.notes == len(documents)
        assert content(folder / "back.jsonl") == content(folder / "in.jsonl")


def test_all_that_cannot_be_held_is_listed_with_its_place(tmp_path: Path) -> None:
    source = jsonl_file(
        tmp_path / "in.jsonl", [("a", "x\x01y"), ("ok", "fine"), ("../b", "z"), (".c", "z")]
    )
    with pytest.raises(RefusedError) as refused:
        convert(Source(source), Target.of(tmp_path / "out", "i2b2"))
    assert [str(failure) for failure in refused.value.failures] == [
        "a: U+0001 at position 1 is not a character of XML",
        "../b: its id would be the name of a hidden file",
        ".c: its id would be the name of a hidden file",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_a_corpus_with_a_bad_line_is_refused(tmp_path: Path) -> None:
    source = jsonl_file(tmp_path / "in.jsonl", [("a", "x"), ("a", "y")])
    with pytest.raises(RefusedError) as refused:
        convert(Source(source), Target.of(tmp_path / "out", "brat"))
    assert "two notes have this id" in str(refused.value.failures[0])
    source.write_text(source.read_text() + "{bad\n")
    with pytest.raises(RefusedError) as refused:
        convert(Source(source), Target.of(tmp_path / "out.jsonl", "jsonl"))
    assert str(refused.value.failures[0]) == f"{source}: line 3, column 2: not valid JSON"
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_what_exists_is_kept_unless_told(tmp_path: Path) -> None:
    source = Source(inline_folder(tmp_path / "in", NOTES))
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.md").write_text("kept")
    (out / "c.xml").write_text("old")
    with pytest.raises(CorpusError, match="--overwrite"):
        convert(source, Target.of(out, "i2b2"))
    assert tree(out) == {"mine.md": b"kept", "c.xml": b"old"}
    with pytest.raises(CorpusError, match=r"holds 1 file .*, such as mine\.md; remove the folder"):
        convert(source, Target.of(out, "i2b2", overwrite=True))
    assert tree(out) == {"mine.md": b"kept", "c.xml": b"old"}
    (out / "mine.md").unlink()
    convert(source, Target.of(out, "i2b2", overwrite=True))
    assert set(tree(out)) == {"a.xml", "c.xml", "ward/b.1.xml"}
    assert content(out) == content(source.path)
    for inside in (source.path / "x", tmp_path, source.path):
        with pytest.raises(CorpusError, match="choose another output"):
            convert(source, Target.of(inside, "i2b2", overwrite=True))


def test_old_notes_never_stand_beside_new_ones(tmp_path: Path) -> None:
    more = Source(inline_folder(tmp_path / "more", NOTES | {"ward/d": "x"}))
    less = Source(inline_folder(tmp_path / "less", NOTES))
    out = tmp_path / "out"
    convert(more, Target.of(out, "i2b2"))
    with pytest.raises(CorpusError, match=r"such as ward/d\.xml"):
        convert(less, Target.of(out, "i2b2", overwrite=True))
    with pytest.raises(CorpusError, match="holds 4 files"):
        merge([Member("less", less)], Target.of(out, "i2b2", overwrite=True))
    assert content(out) == content(more.path)
    convert(more, Target.of(out, "i2b2", overwrite=True))
    assert {path.name for path in tmp_path.iterdir()} == {"more", "less", "out"}


def test_a_folder_is_never_replaced_by_a_file_nor_a_file_by_a_folder(tmp_path: Path) -> None:
    source = Source(inline_folder(tmp_path / "in", NOTES))
    folder, file = tmp_path / "out.jsonl", tmp_path / "out"
    folder.mkdir()
    (folder / "mine.md").write_text("kept")
    file.write_text("kept")
    with pytest.raises(CorpusError, match="is a folder, but"):
        convert(source, Target.of(folder, "jsonl", overwrite=True))
    with pytest.raises(CorpusError, match="is a file, but"):
        convert(source, Target.of(file, "i2b2", overwrite=True))
    assert tree(folder) == {"mine.md": b"kept"}
    assert file.read_text() == "kept"


def test_the_annotations_of_a_brat_note_are_input_too(tmp_path: Path) -> None:
    source = Source(inline_folder(tmp_path / "in", {"n": "[[DATE|May 2]]"}))
    convert(source, Target.of(tmp_path / "brat", "brat"))
    note = tmp_path / "brat" / "n.txt"
    for name, output in ((note, note.with_suffix(".ann")), (note.with_suffix(".ann"), note)):
        with pytest.raises(CorpusError, match="is also the input"):
            check_apart(output, [name])
    check_apart(tmp_path / "brat" / "m.ann", [note])
    check_apart(tmp_path / "brat.ann", [tmp_path / "brat"])


def test_a_brat_note_needs_a_folder_for_its_two_files(tmp_path: Path) -> None:
    source = Source(inline_folder(tmp_path / "in", {"n": "[[DATE|May 2]]"}))
    with pytest.raises(CorpusError, match="a note in brat is two files; name a folder"):
        convert(source, Target.of(tmp_path / "n.txt", "brat"))
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_names_of_outputs(tmp_path: Path) -> None:
    source = Source(inline_folder(tmp_path / "in", NOTES))
    with pytest.raises(CorpusError, match=r"ends in \.jsonl"):
        convert(source, Target.of(tmp_path / "out", "jsonl"))
    with pytest.raises(CorpusError, match="one file holds one note"):
        convert(source, Target.of(tmp_path / "out.xml", "i2b2"))
    convert(source, Target.of(tmp_path / "out.jsonl.gz", "jsonl"))
    assert content(tmp_path / "out.jsonl.gz") == content(source.path)
    one = Source(source.path / "a.txt")
    convert(one, Target.of(tmp_path / "b.xml", "i2b2"))
    assert list(content(tmp_path / "b.xml")) == ["b"]


def test_a_view_renames_and_reports(tmp_path: Path) -> None:
    marked_text = "[[FECHAS|3/14]] [[SEXO_SUJETO_ASISTENCIA|M]] [[HOSPITAL|Sur]]"
    source = Source(inline_folder(tmp_path / "in", {"n": marked_text}), "inline")
    out = tmp_path / "out.jsonl"
    result = convert(source, Target.of(out, "jsonl"), VIEWS["meddocan"])
    assert result.dropped_spans == Counter(SEXO_SUJETO_ASISTENCIA=1)
    assert content(out)["n"][1] == [(0, 4, "DATE"), (7, 10, "HOSPITAL")]
    assert [span.label for note in read(out) for span in note.spans] == ["FECHAS", "HOSPITAL"]


def test_foreign_types_as_marks_need_the_format_to_be_read(tmp_path: Path) -> None:
    source = jsonl_file(tmp_path / "in.jsonl", [("n", "[[FECHAS|3/14]]")])
    out = tmp_path / "out"
    assert convert(Source(source), Target.of(out, "inline")).needs_format
    assert content(out, "inline") == content(source)


def test_details_without_a_place_are_named(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "n.xml").write_text(
        '<a><TEXT>May 2</TEXT><TAGS><DATE id="P0" start="0" end="5" text="May 2" TYPE="DATE" '
        'comment="sure"/></TAGS></a>'
    )
    source = Source(tmp_path / "in")
    assert convert(source, Target.of(tmp_path / "b", "brat")).lost_details == {"tag", "comment"}
    assert convert(source, Target.of(tmp_path / "j.jsonl", "jsonl")).lost_details == set()
    back = convert(Source(tmp_path / "j.jsonl"), Target.of(tmp_path / "x", "i2b2"))
    assert back.lost_details == set()
    (note,) = read(tmp_path / "x")
    assert note.spans[0].attributes == {"id": "P0", "tag": "DATE", "comment": "sure"}


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_patients_without_a_place_are_counted(tmp_path: Path, format: str) -> None:
    path = jsonl_file(
        tmp_path / "in.jsonl", [("a", "x"), ("b", "y"), ("c", "z")], mrn=["7", "7", None]
    )
    source, out = Source(path, fields=Fields(patient="mrn")), place(tmp_path, format)
    result = convert(source, Target.of(out, format))
    assert result.lost_patients == (0 if format == "jsonl" else 2)
    if format == "jsonl":
        patients = [note.patient for note in read(out, fields=Fields(patient="patient"))]
        assert patients == ["7", "7", None]
    assert convert(Source(path), Target.of(out, format, overwrite=True)).lost_patients == 0


def members(tmp_path: Path) -> list[Member]:
    ours = inline_folder(tmp_path / "ours", {"n": "[[DATE|May 2]]", "m": "x"})
    theirs = jsonl_file(
        tmp_path / "theirs.jsonl", [("n", "[[FECHAS|3/14]] [[SEXO_SUJETO_ASISTENCIA|M]]")]
    )
    return [
        Member("ours", Source(ours)),
        Member("theirs", Source(theirs), VIEWS["meddocan"]),
    ]


def test_merging_keeps_the_source(tmp_path: Path) -> None:
    both = members(tmp_path)
    result = merge(both, Target.of(tmp_path / "all.jsonl", "jsonl"))
    assert result.notes == Counter(ours=2, theirs=1)
    assert result.output.dropped_spans == Counter(SEXO_SUJETO_ASISTENCIA=1)
    assert result.types == {"ours": ["DATE"], "theirs": ["DATE"]}
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert [(row["id"], row["source"]) for row in rows] == [
        ("ours/m", "ours"),
        ("ours/n", "ours"),
        ("theirs/n", "theirs"),
    ]
    merge(both, Target.of(tmp_path / "all", "i2b2"))
    assert set(tree(tmp_path / "all")) == {"ours/m.xml", "ours/n.xml", "theirs/n.xml"}
    assert content(tmp_path / "all") == content(tmp_path / "all.jsonl")


def test_types_that_were_not_harmonised_are_named(tmp_path: Path) -> None:
    ours, theirs = members(tmp_path)
    plain = Member(theirs.name, theirs.source)
    result = merge([ours, plain], Target.of(tmp_path / "all.jsonl", "jsonl"))
    assert result.unmapped_types() == {"theirs": ["FECHAS", "SEXO_SUJETO_ASISTENCIA"]}
    with pytest.raises(CorpusError, match="two corpora are called ours"):
        merge([ours, ours], Target.of(tmp_path / "twice.jsonl", "jsonl"))


def test_the_patient_of_a_table_is_kept_in_jsonl(tmp_path: Path) -> None:
    from incognote.formats import Fields

    (tmp_path / "in.csv").write_text("id,text,mrn\n1,x,007\n")
    source = Source(tmp_path / "in.csv", None, Fields(patient="mrn"))
    convert(source, Target.of(tmp_path / "out.jsonl", "jsonl"))
    (note,) = read(tmp_path / "out.jsonl", None, Fields(patient="patient"))
    assert note.patient == "007"
