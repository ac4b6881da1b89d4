"""brat stand-off: a `.txt` and, beside it, an `.ann` whose T lines mark it.

The pair is one record, named by its `.txt`. Offsets count the characters of the `.txt`, its byte
order mark too. Spans keep their type and, as an attribute, their id. Other lines (relations,
events, attributes, notes) may carry text of the note: when anything changes, the new `.ann` has
T lines only.

It holds any text without lone surrogates, and spans of at least one character whose type has no
space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from incognote.document import Document, DocumentError, Span
from incognote.formats.characters import BOM, decode, lone_surrogate
from incognote.formats.container import Fields, FormatError, Record, Source, with_spans
from incognote.formats.notes import NoteSource, marked, note_id, note_paths, same
from incognote.formats.stream import StreamSink, read_bytes
from incognote.formats.text import read_text, text_bytes, write_file

_PLACE = re.compile(r"(\S+) ([0-9]{1,18}) ([0-9]{1,18})")
_ID = re.compile(r"T[0-9]+")
_LINE_END = re.compile(r"[\r\n]")


def text_path(path: Path) -> Path:
    """The `.txt` of a pair, whichever of the two was named."""
    return path.with_suffix(".txt") if path.suffix.lower() == ".ann" else path


def ann_path(path: Path) -> Path:
    """The `.ann` of a `.txt`."""
    if path.suffix.lower() == ".txt":
        return path.with_suffix(".ann")
    return path.with_name(f"{path.name}.ann")


def read_ann(ann: str, text: str, shift: int = 0) -> Iterator[Span | FormatError]:
    """The spans of the T lines; `shift` characters of the file come before the text."""
    for count, line in enumerate(ann.split("\n"), 1):
        if line.startswith("T"):
            try:
                yield _span(line.rstrip("\r"), text, shift, f"line {count} of the .ann")
            except FormatError as error:
                yield error


def _span(line: str, text: str, shift: int, where: str) -> Span:
    id, _, rest = line.partition("\t")
    place, _, covered = rest.partition("\t")
    if ";" in place:
        raise FormatError("a discontinuous span, which incognote cannot hold", where)
    match = _PLACE.fullmatch(place)
    if match is None:
        raise FormatError("not a T line (id, tab, type start end, tab, text)", where)
    start, end = int(match[2]) - shift, int(match[3]) - shift
    try:
        span = Span.of(text, start, end, match[1], attributes={"id": id})
    except DocumentError as error:
        raise FormatError(str(error), where) from None
    if _one_line(span.text) != covered:
        raise FormatError(f"the text differs from the note at {start}-{end}", where)
    return span


def write_ann(document: Document, shift: int = 0) -> str:
    """T lines for all spans: the ids they had, if they had one each, else new ones."""
    kept = [span.attributes.get("id", "") for span in document.spans]
    own = len(set(kept)) == len(kept) and all(_ID.fullmatch(id) for id in kept)
    ids = kept if own else [f"T{count}" for count in range(1, len(kept) + 1)]
    return "".join(
        f"{id}\t{span.type} {span.start + shift} {span.end + shift}\t{_one_line(span.text)}\n"
        for id, span in zip(ids, document.spans, strict=True)
    )


def _one_line(text: str) -> str:
    return _LINE_END.sub(" ", text)


def _load(path: Path) -> Record:
    if text_path(path) != path and not text_path(path).exists():
        raise FormatError("the .ann has no .txt beside it")
    path = text_path(path)
    bom, text = read_text(path)
    if not ann_path(path).exists():
        raise FormatError("there is no .ann beside the .txt")
    ann = read_bytes(ann_path(path))
    spans = read_ann(decode(ann), text, 1 if bom else 0)
    return Record((with_spans(Document(note_id(path), text), spans),), raw=(bom, ann))


def _render_text(record: Record, documents: tuple[Document, ...]) -> bytes:
    return text_bytes(documents[0].text, record.raw[0])


def _render_ann(record: Record, documents: tuple[Document, ...]) -> bytes:
    (old,), (new,) = record.documents, documents
    bom, ann = record.raw
    if same(old, new):
        return bytes(ann)
    new = marked(new)
    if reason := problem(new):
        raise FormatError(reason)
    return write_ann(new, 1 if bom else 0).encode()


def problem(document: Document) -> str | None:
    """Why a document cannot be a pair of files."""
    for span in document.spans:
        where = f"span {span.start}-{span.end}"
        if span.start == span.end:
            return f"{where} has no characters"
        if re.search(r"\s|;", span.type):
            return f"{where} has a type with a space or ';'"
        if reason := lone_surrogate(span.type):
            return f"{where}: in its type {reason}"
    return lone_surrogate(document.text)


class _PairSink:
    def __init__(self, path: Path, resume: Mapping[str, int] | None) -> None:
        ann = None if resume is None else {**resume, "bytes": resume["ann"]}
        self._text = StreamSink(path, _render_text, resume)
        self._ann = StreamSink(ann_path(path), _render_ann, ann)

    def write(self, record: Record, documents: tuple[Document, ...]) -> None:
        self._ann.write(record, documents)
        self._text.write(record, documents)

    def checkpoint(self) -> Mapping[str, int]:
        return {**self._text.checkpoint(), "ann": self._ann.checkpoint()["bytes"]}

    def close(self) -> None:
        self._text.close()
        self._ann.close()

    def abort(self) -> None:
        self._text.abort()
        self._ann.abort()


class Brat:
    name = "brat"
    extensions = (".txt", ".ann")
    table = False
    holds_spans = True

    def sniff(self, path: Path, head: bytes) -> bool:
        kind = path.suffix.lower()
        return kind == ".ann" or (kind == ".txt" and ann_path(path).exists())

    def companions(self, path: Path) -> tuple[Path, ...]:
        return (ann_path(path),)

    def problem(self, document: Document) -> str | None:
        return problem(document)

    def open(self, path: Path, fields: Fields) -> NoteSource:
        return NoteSource(path, _load)

    def sink(
        self, path: Path, source: Source, resume: Mapping[str, int] | None = None
    ) -> _PairSink:
        return _PairSink(path, resume)

    def rendered(self, record: Record, documents: tuple[Document, ...]) -> tuple[bytes, ...]:
        return _render_text(record, documents), _render_ann(record, documents)

    def write(self, documents: Iterable[Document], path: Path) -> None:
        for document, target in note_paths(documents, path, self.extensions):
            if reason := problem(document):
                raise FormatError(reason, document.id)
            bom = BOM if document.text.startswith("\ufeff") else b""
            write_file(text_path(target), text_bytes(document.text))
            ann = write_ann(document, 1 if bom else 0)
            write_file(ann_path(text_path(target)), ann.encode())
