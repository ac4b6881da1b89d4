"""What formats share: checkpoints, aborts, records that are refused, plain text."""

from __future__ import annotations

import gzip
import pickle
from contextlib import closing
from pathlib import Path

import pytest
from formats.note_strategies import good, pass_through

from incognote.document import Document, Span
from incognote.formats import FORMATS, Fields, FormatError, Record, write

TABLES = {
    "csv": b'id,text\r\n1,"a\nb"\r\n\r\n2,c\n3,d',
    "jsonl": b'{"text": "a"}\r\n\n{"text": "b", "n": 1.0}\n{"text": "c"}',
}


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


def test_text_keeps_every_byte(tmp_path: Path) -> None:
    path, out = tmp_path / "in.txt", tmp_path / "out.txt"
    path.write_bytes(b"\xef\xbb\xbfBo\r\n\rtab\t \xe2\x80\xa8end")
    (record,) = good(FORMATS["text"], path)
    assert record.documents[0].text == "Bo\r\n\rtab\t \u2028end"
    new = Document("in", "[P]" + record.documents[0].text[2:])
    pass_through(FORMATS["text"], path, out, {"in": new})
    assert out.read_bytes() == path.read_bytes().replace(b"Bo", b"[P]")
