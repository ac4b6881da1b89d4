"""Documents from files, one after the other, in order; a file is never held in memory whole
unless it is one document.

| file | documents |
|---|---|
| text | the file, its parts between blank lines, or its lines |
| .jsonl, .json, .csv, .tsv | one for each record: its fields' text; of lists and objects in a field, all strings in order |
| .tar | the files in it that have a known ending and are no archives, each as it would be by itself |

All may be compressed by gzip, bzip2, xz or zstd, which their first bytes tell. Text is UTF-8; a byte order mark
is left out.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import json
import re
import tarfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO, Any, Literal, NamedTuple, cast, get_args

from incognote.base.compressed import ENDINGS, decompressed, opened
from incognote.base.errors import TextError
from incognote.base.files import files_below

Form = Literal["text", "jsonl", "json", "csv", "tsv", "tar"]

FORMS: dict[str, Form] = {
    ".txt": "text",
    ".text": "text",
    ".md": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tar": "tar",
    ".tgz": "tar",
    ".txz": "tar",
}

ABOUT = ("license", "licence", "copying", "readme", "source")
"""Files of these names beside the text tell of it, and are not part of it."""

DIGEST_BLOCK = 2**20

LONGEST = 2**25
"""Bytes of the longest document, and of a .json file, which has to be read whole."""

PARAGRAPH = "\n\n"
Parting = Literal["file", "blank-lines", "lines"]
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Reading:
    """How documents lie in files.

    fields: of records, those with text, joined in this order by a blank line.
    documents: whether a plain text file is one document, or blank lines part several, or each
    line is one, for readers that have no use for documents.
    """

    fields: Sequence[str] = ("text",)
    documents: Parting = "file"

    def __post_init__(self) -> None:
        if not self.fields:
            raise TextError("name at least one field that holds text")
        if self.documents not in get_args(Parting):
            ways = ", ".join(get_args(Parting))
            raise TextError(f"documents are one of {ways}, not {self.documents!r}")


class ReadDocument(NamedTuple):
    """A document's text, which may be empty, and the bytes of its file read so far."""

    text: str
    read: int


def documents(path: Path, reading: Reading) -> Iterator[ReadDocument]:
    """The documents of one file."""
    with opened(path) as (stream, file):
        texts = _texts(stream, str(path), form_of(path.name) or "text", reading)
        # map holds on to no text; a loop would, until the next one is read
        yield from map(lambda text: ReadDocument(text, file.tell()), texts)  # noqa: C417


def _texts(stream: IO[bytes], name: str, form: Form, reading: Reading) -> Iterator[str]:
    if form == "tar":
        yield from _tar(stream, name, reading)
    elif form == "text":
        ways = {"file": _whole, "blank-lines": _parts, "lines": _each_line}
        yield from ways[reading.documents](stream, name)
    else:
        records = {"jsonl": _jsonl, "json": _json, "csv": _csv, "tsv": _csv}[form]
        for place, record in records(stream, name):
            yield _text_of(record, place, reading.fields)


def _whole(stream: IO[bytes], name: str) -> Iterator[str]:
    yield _all(
        stream,
        name,
        "too long for one document; if blank lines part its documents, say so "
        "(--documents blank-lines)",
    )


def _parts(stream: IO[bytes], name: str) -> Iterator[str]:
    part: list[str] = []
    size = 0
    for _, line in _lines(stream, name):
        size += len(line)
        if size > LONGEST:
            raise TextError(f"{name}: has a document longer than {LONGEST // 2**20} MB")
        if line.strip():
            part.append(line)
        elif part:
            yield "".join(part)
            part, size = [], 0
    if part:
        yield "".join(part)


def _each_line(stream: IO[bytes], name: str) -> Iterator[str]:
    for _, line in _lines(stream, name):
        yield line


def _jsonl(stream: IO[bytes], name: str) -> Iterator[tuple[str, Any]]:
    for number, line in _lines(stream, name):
        if line.strip():
            yield f"{name}: line {number}", _parse(line, f"{name}: line {number}")


def _json(stream: IO[bytes], name: str) -> Iterator[tuple[str, Any]]:
    """A list of records, or an object of them by their ids, or one record."""
    value = _parse(_all(stream, name, "write it as JSONL instead"), name)
    several = isinstance(value, dict) and all(isinstance(each, dict) for each in value.values())
    records = value if isinstance(value, list) else value.values() if several else [value]
    for number, record in enumerate(records, 1):
        yield f"{name}: record {number}", record


def _csv(stream: IO[bytes], name: str) -> Iterator[tuple[str, Any]]:
    csv.field_size_limit(LONGEST)
    tabs = form_of(name) == "tsv"
    lines = (line for _, line in _lines(stream, name))
    rows = csv.DictReader(lines, strict=True, delimiter="\t" if tabs else ",")
    try:
        for number, row in enumerate(rows, 1):
            yield f"{name}: row {number}", row
    except csv.Error as error:
        raise TextError(f"{name}: line {rows.line_num}: not a table ({error})") from None


def _tar(stream: IO[bytes], name: str, reading: Reading) -> Iterator[str]:
    empty = True
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                form, inside = form_of(member.name), f"{name}: {member.name}"
                if form is None or form == "tar" or is_about(member.name) or not member.isfile():
                    continue
                empty = False
                file = cast(io.BufferedReader, archive.extractfile(member))
                with decompressed(file, inside) as content:
                    yield from _texts(content, inside, form, reading)
    except tarfile.TarError:
        raise TextError(f"{name}: not a tar archive, or damaged") from None
    if empty:
        raise TextError(f"{name}: no text in this archive")


def _all(stream: IO[bytes], name: str, too_long: str) -> str:
    data = stream.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise TextError(f"{name}: longer than {LONGEST // 2**20} MB; {too_long}")
    return _decode(data.removeprefix(codecs.BOM_UTF8), name)


def _lines(stream: IO[bytes], name: str) -> Iterator[tuple[int, str]]:
    """Each line with its number, from 1; only a line feed ends one."""
    place = number = 0
    while line := stream.readline(LONGEST + 1):
        if len(line) > LONGEST:
            raise TextError(f"{name}: has a line longer than {LONGEST // 2**20} MB")
        number += 1
        data = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        yield number, _decode(data, name, place)
        place += len(line)


def _decode(data: bytes, name: str, place: int = 0) -> str:
    if b"\0" in data:
        raise TextError(f"{name}: a binary file, or text that is not UTF-8")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise TextError(f"{name}: not UTF-8 at byte {place + error.start:,}") from None


def _parse(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise TextError(f"{place}: not readable as JSON") from None


def _text_of(record: Any, place: str, fields: Sequence[str]) -> str:
    if not isinstance(record, dict):
        raise TextError(f"{place}: not a record with fields")
    if not any(field in record for field in fields):
        raise TextError(f"{place}: no field {' or '.join(fields)}; name the one that holds text")
    strings = (string for field in fields for string in _strings(record.get(field)))
    return _SURROGATE.sub("\ufffd", PARAGRAPH.join(strings))


def _strings(value: Any) -> Iterable[str]:
    """All strings in a value that are not blank, in order."""
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def list_files(paths: Iterable[str | Path]) -> list[Path]:
    """The files named, and of folders those with a known ending, in the order of their names."""
    files: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = [
                each
                for each in sorted(files_below(path))
                if each.is_file() and form_of(each.name) and not is_about(each.name)
            ]
            if not inside:
                raise TextError(f"{path}: no text here (looked for {', '.join(FORMS)})")
            files += inside
        elif path.is_file():
            files.append(path)
        else:
            raise TextError(f"{path}: no such file or folder")
    if not files:
        raise TextError("no text was named")
    return files


def form_of(name: str) -> Form | None:
    """What a file is by its name: `notes.jsonl.gz` is JSONL."""
    path = PurePath(name.lower())
    if path.suffix in ENDINGS:
        path = path.with_suffix("")
    return FORMS.get(path.suffix)


def is_about(name: str) -> bool:
    """Whether a file in a folder or an archive is a licence or the like."""
    return PurePath(name.lower()).name.split(".")[0] in ABOUT


def digests(files: Sequence[Path], advance: Callable[[int], None]) -> list[str]:
    """SHA-256 of each file, so that changed text is never taken for the old; `advance` gets the size of each block."""
    values = []
    for path in files:
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(DIGEST_BLOCK):
                digest.update(block)
                advance(len(block))
        values.append(digest.hexdigest())
    return values
