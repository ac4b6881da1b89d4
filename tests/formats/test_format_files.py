"""Finding the format, folders, gzip, checkpoints, and input that cannot be read."""

from __future__ import annotations

import gzip
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from formats.note_strategies import good, pass_through, records

from incognote.document import Document, Span
from incognote.formats import FORMATS, Fields, FormatError, Record, detect, inputs, read, write

XML = b"<r><TEXT>a</TEXT></r>"
TABLES = {
    "csv": b'id,text\r\n1,"a\nb"\r\n\r\n2,c\n3,d',
    "jsonl": b'{"text": "a"}\r\n\n{"text": "b", "n": 1.0}\n{"text": "c"}',
}


@pytest.mark.parametrize(
    ("name", "data", "format"),
    [
        ("a.txt", b"", "text"),
        ("a.TXT", b"[[not a mark|x]]", "text"),
        ("a.txt", b"seen [[DATE|today]]", "inline"),
        ("a.xml", XML, "i2b2"),
        ("a.jsonl", b"", "jsonl"),
        ("a.ndjson", b"{}", "jsonl"),
        ("a.csv", b"a,b", "csv"),
        ("a.tsv", b"a\tb", "csv"),
        ("a.parquet", b"", "parquet"),
        ("export", b"PAR1...", "parquet"),
        ("export", b'{"text": 1}', "jsonl"),
        ("export", XML, "i2b2"),
    ],
)
def test_detects(name: str, data: bytes, format: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert detect(path).name == format
    zipped = tmp_path / f"{name}.gz"
    zipped.write_bytes(gzip.compress(data))
    assert detect(zipped).name == format


def test_an_unknown_file_or_format_tells_the_choices(tmp_path: Path) -> None:
    path = tmp_path / "a.doc"
    path.write_bytes(b"\xd0\xcf")
    with pytest.raises(FormatError, match="content: say it with --format: brat, csv, i2b2,"):
        detect(path)
    with pytest.raises(FormatError, match="'word' is not a format: choose one of"):
        detect(path, "word")
    assert detect(path, "text").name == "text"


def test_a_folder_is_read_in_order_with_paths_as_ids(tmp_path: Path) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    for name in ("z.txt", "b/c/x.txt", "b/.hidden.txt"):
        (tmp_path / name).write_bytes(b"note")
    (tmp_path / "b" / "y.txt.gz").write_bytes(gzip.compress(b"note"))
    (tmp_path / "b" / "t.csv").write_bytes(b"n,text\n7,note\n")
    (tmp_path / "b" / "u.jsonl").write_bytes(b'{"id": "own", "text": "note"}')
    assert [document.id for document in read(tmp_path)] == ["z", "b/t/1", "own", "b/y", "b/c/x"]
    assert [path.name for path in inputs(tmp_path, "csv")] == ["t.csv"]


def test_linked_folders_are_read_and_loops_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.txt").write_bytes(b"note")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "in" / "same").symlink_to(tmp_path / "elsewhere")
    assert [document.id for document in read(tmp_path / "in")] == ["link/a", "same/a"]
    (tmp_path / "elsewhere" / "loop").symlink_to(tmp_path / "in")
    with pytest.raises(FormatError, match=r"in/link/loop: a link that leads back to a folder"):
        list(inputs(tmp_path / "in"))


def test_a_folder_that_cannot_be_listed_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shut").mkdir()
    (tmp_path / "a.txt").write_bytes(b"note")
    iterdir = Path.iterdir

    def refuse(folder: Path) -> Iterator[Path]:
        if folder.name == "shut":
            raise PermissionError(13, "Permission denied")
        return iterdir(folder)

    monkeypatch.setattr(Path, "iterdir", refuse)
    for listing in (inputs(tmp_path), read(tmp_path), inputs(tmp_path, "csv")):
        with pytest.raises(FormatError, match=r"/shut: cannot be read \(Permission denied\)$"):
            list(listing)


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_pipe_is_refused_and_not_waited_for(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"pipe{FORMATS[name].extensions[0]}{suffix}"
    os.mkfifo(path)
    for format in (None, name):
        with pytest.raises(FormatError, match=r"pipe.*: not a regular file$"):
            list(read(tmp_path, format))
        with pytest.raises(FormatError, match=r"not a regular file$"):
            list(read(path, format))


def test_a_link_to_itself_or_to_nothing_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for aim in (path, tmp_path / "nothing"):
        path.symlink_to(aim)
        with pytest.raises(FormatError, match=r"a\.txt: cannot be read"):
            list(read(tmp_path))
        path.unlink()


def test_a_folder_is_written_by_id(tmp_path: Path) -> None:
    notes = [Document("a/1", "x"), Document("b", "y")]
    write(notes, tmp_path / "out", "text")
    assert sorted(read(tmp_path / "out"), key=lambda note: note.id) == notes
    for ids in (["../x"], ["/x"], [""], ["c", "c"], ["x\\y"]):
        with pytest.raises(FormatError):
            write([Document(id, "") for id in ids], tmp_path / "out", "text")
    with pytest.raises(FormatError, match="one file holds one note"):
        write(notes, tmp_path / "two.txt", "text")


def test_errors_name_file_and_place(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"ok \xc3\xa9\xff")
    (tmp_path / "b.jsonl").write_bytes(b'{"text": "a"}\n{')
    with pytest.raises(FormatError, match=r"a\.txt, byte 5: not valid UTF-8$"):
        list(read(tmp_path))
    with pytest.raises(FormatError, match=r"b\.jsonl, line 2, column 2: not valid JSON$"):
        list(read(tmp_path / "b.jsonl"))
    error = pickle.loads(pickle.dumps(FormatError("why", "line 1")))
    assert (error.reason, error.place, str(error)) == ("why", "line 1", "line 1: why")


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_absent_and_unreadable_files(name: str, tmp_path: Path) -> None:
    format = FORMATS[name]
    (tmp_path / "dir.txt").mkdir()
    for path in (tmp_path / f"absent{format.extensions[0]}", tmp_path / "dir.txt"):
        with pytest.raises(FormatError, match="cannot be read"):
            records(format, path)


@pytest.mark.parametrize("name", ["text", "jsonl", "csv"])
def test_damaged_gzip(name: str, tmp_path: Path) -> None:
    format = FORMATS[name]
    path = tmp_path / f"a{format.extensions[0]}.gz"
    data = TABLES.get(name, b"note") + os.urandom(3000).hex().encode()
    whole = gzip.compress(data)
    for broken, reason in (
        (whole[:-9], "cut short"),
        (whole[:500] + b"\0\xff\0" + whole[503:], "damaged"),
        (b"", "not gzip"),
        (b"plain", "not gzip"),
    ):
        path.write_bytes(broken)
        with pytest.raises(FormatError, match=reason):
            records(format, path)


def test_gzip_out_says_neither_name_nor_time(tmp_path: Path) -> None:
    path, out = tmp_path / "SMITH.txt.gz", tmp_path / "1.txt.gz"
    path.write_bytes(gzip.compress(b"note\r\n"))
    pass_through(FORMATS["text"], path, out)
    assert out.read_bytes()[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
    assert gzip.decompress(out.read_bytes()) == b"note\r\n"
    temporary = tmp_path / ".2.txt.gz.part"
    pass_through(FORMATS["text"], path, temporary)
    assert temporary.read_bytes() == out.read_bytes()


@pytest.mark.parametrize("name", sorted(TABLES))
@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("stop", range(6))
def test_continues_where_it_stopped(name: str, suffix: str, stop: int, tmp_path: Path) -> None:
    format, data = FORMATS[name], TABLES[name]
    path, out = (tmp_path / f"{end}.{name}{suffix}" for end in ("in", "out"))
    path.write_bytes(gzip.compress(data) if suffix else data)
    with closing(format.open(path, Fields())) as source:
        sink = format.sink(out, source)
        state, taken = sink.checkpoint(), 0
        for count, record in enumerate(source.records()):
            assert isinstance(record, Record)
            if count == stop:
                state, taken = sink.checkpoint(), count
            sink.write(record, record.documents)
        sink.checkpoint()
        sink.close()
    with closing(format.open(path, Fields())) as source:
        sink = format.sink(out, source, state)
        for record in source.records(taken):
            assert isinstance(record, Record)
            sink.write(record, record.documents)
        sink.close()
    written = out.read_bytes()
    assert (gzip.decompress(written) if suffix else written) == data


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_an_abort_leaves_nothing(name: str, tmp_path: Path) -> None:
    format, out = FORMATS[name], tmp_path / "out"
    path = tmp_path / f"in{format.extensions[0]}"
    write([Document("in", "Bo", (Span(0, 2, "PATIENT", "Bo"),))], path, name)
    out.mkdir()
    with closing(format.open(path, Fields())) as source:
        sink = format.sink(out / path.name, source)
        for record in good(format, path):
            sink.write(record, record.documents)
            assert pickle.loads(pickle.dumps(record)) == record
        sink.abort()
        sink.abort()
    assert list(out.iterdir()) == []


def test_a_refused_record_does_not_stop_the_sink(tmp_path: Path) -> None:
    path, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    path.write_bytes(TABLES["jsonl"])
    format = FORMATS["jsonl"]
    with closing(format.open(path, Fields())) as source:
        sink = format.sink(out, source)
        for record in source.records():
            assert isinstance(record, Record)
            if record.place == "line 3":
                with pytest.raises(FormatError, match=r"U\+D800 at position 0"):
                    sink.write(record, (Document("2", "\ud800"),))
            else:
                sink.write(record, record.documents)
        sink.close()
    assert out.read_bytes() == b'{"text": "a"}\r\n\n{"text": "c"}'


def test_importing_is_light() -> None:
    code = "import sys, incognote.formats; print({'lxml', 'pyarrow'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_text_keeps_every_byte(tmp_path: Path) -> None:
    path, out = tmp_path / "in.txt", tmp_path / "out.txt"
    path.write_bytes(b"\xef\xbb\xbfBo\r\n\rtab\t \xe2\x80\xa8end")
    (record,) = good(FORMATS["text"], path)
    assert record.documents[0].text == "Bo\r\n\rtab\t \u2028end"
    new = Document("in", "[P]" + record.documents[0].text[2:])
    pass_through(FORMATS["text"], path, out, {"in": new})
    assert out.read_bytes() == path.read_bytes().replace(b"Bo", b"[P]")
