"""Notes that are hard on formats, and what a replacement does to one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from hypothesis import strategies as st

from incognote.document import Document, Span
from incognote.formats import FORMATS, BadRecord, Fields, Format, Record

TYPES = ("PATIENT", "DATE", "LOCATION-OTHER", "ID_TITULACION", "two words", "é")
HARD = "\r\n\t\0 \x0b\x0c\x1b\x85\u2028\ufeff\ufffe\ud800\udfff[]|<>&;\"',\\/]]aZ09é😀e\u0301"

texts = st.text(st.one_of(st.sampled_from(HARD), st.characters()), max_size=30)
replacements = st.text(st.sampled_from("[PATIENT]x<&>\n\"',é"), max_size=8)


@st.composite
def documents(draw: st.DrawFn, disjoint: bool = False) -> Document:
    """A note with spans, which may overlap and be empty unless they are to be replaced."""
    text = draw(texts)
    places = st.lists(st.integers(0, len(text)), max_size=6).map(sorted)
    ends = draw(places)
    pairs = list(zip(ends[::2], ends[1::2], strict=False))
    if not disjoint:
        more = draw(places)
        pairs += zip(more[::2], more[1::2], strict=False)
    else:
        pairs = [(start, end) for start, end in pairs if start < end]
    types = st.sampled_from(TYPES[:3] if disjoint else TYPES)
    return Document("n1", text, tuple(Span.of(text, s, e, draw(types)) for s, e in pairs))


def damage(content: bytes, data: st.DataObject) -> bytes:
    """A file with some stretches cut out, doubled, or replaced by bytes that mean something."""
    pieces = st.sampled_from(
        [b"", b"<", b">", b"&", b'"', b"|", b"\n", b"\xff", b"\0", b"]]>", b"<PHI>"]
    )
    for _ in range(data.draw(st.integers(1, 3))):
        start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        end = min(end, start + 12)
        new = data.draw(pieces | st.just(content[start:end] * 2))
        content = content[:start] + new + content[end:]
    return content


def replace_spans(document: Document, values: list[str]) -> Document:
    """The note with each (disjoint) span replaced; the new spans mark the new values."""
    pieces: list[str] = []
    spans: list[tuple[int, int, str]] = []
    last = length = 0
    for span, value in zip(document.spans, values, strict=True):
        start = length + span.start - last
        length = start + len(value)
        spans.append((start, length, span.type))
        pieces += (document.text[last : span.start], value)
        last = span.end
    text = "".join((*pieces, document.text[last:]))
    return Document(document.id, text, tuple(Span.of(text, *place) for place in spans))


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for one example."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def target(format: Format, parent: Path, name: str = "n1") -> Path:
    return parent / f"{name}{format.extensions[0]}"


def records(format: Format, path: Path, fields: Fields | None = None) -> list[Record | BadRecord]:
    with closing(format.open(path, fields or Fields())) as source:
        return list(source.records())


def good(format: Format, path: Path, fields: Fields | None = None) -> list[Record]:
    """All records, none of which is bad."""
    all_records = records(format, path, fields)
    assert not [record for record in all_records if isinstance(record, BadRecord)]
    return [record for record in all_records if isinstance(record, Record)]


def pass_through(
    format: Format,
    path: Path,
    out: Path,
    change: dict[str, Document] | None = None,
    fields: Fields | None = None,
) -> None:
    """Write every record of a file again, with the documents in `change` (by id) changed."""
    change = change or {}
    with closing(format.open(path, fields or Fields())) as source:
        sink = format.sink(out, source)
        try:
            for record in source.records():
                assert isinstance(record, Record)
                sink.write(record, tuple(change.get(each.id, each) for each in record.documents))
            sink.close()
        finally:
            sink.abort()


def rewrite(
    format_name: str, data: bytes, old: str, new: str, parent: Path, type: str = "PATIENT"
) -> bytes:
    """The bytes of a one-note file after each `old` in its note became `new`."""
    format = FORMATS[format_name]
    path, out = target(format, parent, "in"), target(format, parent, "out")
    path.write_bytes(data)
    change = {}
    for record in good(format, path):
        for document in record.documents:
            pieces = document.text.split(old)
            spans, length = [], 0
            for piece in pieces[:-1]:
                start = length + len(piece)
                length = start + len(new)
                spans.append((start, length, type))
            text = new.join(pieces)
            new_spans = tuple(Span.of(text, *place) for place in spans)
            change[document.id] = Document(document.id, text, new_spans)
    pass_through(format, path, out, change)
    return out.read_bytes()
