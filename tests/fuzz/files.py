"""Damaged files through every format: read as one sentence says, or come out byte for byte."""

from __future__ import annotations

import csv
import gzip
import json
import random
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow
import pyarrow.parquet as parquet
from fuzz.faults import FaultError, Findings
from fuzz.mutations import mutated_bytes

from incognote.document import Document, Span
from incognote.formats import FORMATS, BadRecord, Fields, Format, FormatError, detect, write
from incognote.formats.encoding import Survey, encoding_of
from incognote.replace import parse_operators, rewrite

CANARIES = ("Quixxalby", "Zorbelheim", "77301946")
"""Words and a number in every seed that no message may quote."""
CANARY = re.compile("|".join(CANARIES))
TEXT = "Pt: Quixxalby, MRN 77301946\r\nfrom Zorbelheim, seen \u201ctoday\u201d é.\n\n\tBP 120/80 & <5 mg\n"
FIELDS = Fields(("text",))
ROWS_FIELDS = Fields(("text",), "id", "patient", {"name": "PATIENT", "dob": "DATE"})
"""Of the seeds called rows, which have more columns."""
TAG = parse_operators("tag")
ENDINGS = {"text": ".txt", "i2b2": ".xml", "jsonl": ".jsonl", "csv": ".csv", "parquet": ".parquet"}
PAIRS = ("brat", "physionet")
"""Formats of two files a note."""
ENCODINGS = (
    "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "cp1252", "mac-roman",
)  # fmt: skip
ENCODED = ("text", "inline", "jsonl", "csv", "physionet", "i2b2-2006")
"""Formats whose seeds are there in every encoding too."""


def seed_files(folder: Path) -> list[tuple[str, Path]]:
    """A sound file of each format, some in every encoding, and some gzipped."""
    spans = (Span.of(TEXT, 4, 13, "PATIENT"), Span.of(TEXT, 19, 27, "MEDICALRECORD"))
    note = Document("note", TEXT, spans)
    made: list[tuple[str, Path]] = []
    for name in sorted(FORMATS):
        ending = ENDINGS.get(name, FORMATS[name].extensions[0])
        path = folder / name / f"note{ending}"
        documents = (
            [note] if not FORMATS[name].table else [replace(note, id=str(n)) for n in range(4)]
        )
        try:
            write(documents, path, name)
        except FormatError:
            plain = [document.with_spans(()) for document in documents]
            write(plain, path, name)
        made.append((name, path))
    rows = [
        {"id": n, "patient": "Quixxalby", "name": "Quixxalby", "text": TEXT, "dob": "1949-01-02"}
        for n in range(4)
    ]
    tables = [("jsonl", folder / "rows.jsonl"), ("csv", folder / "rows.csv")]
    tables.append(("parquet", folder / "rows.parquet"))
    tables[0][1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    with tables[1][1].open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    parquet.write_table(pyarrow.Table.from_pylist(rows), tables[2][1])
    made += tables
    made += [
        (name, _encoded(path, encoding, folder))
        for name, path in list(made)
        if name in ENCODED and not path.name.startswith("rows")
        for encoding in ENCODINGS
    ]
    for name, path in list(made):
        if name in ("text", "jsonl", "csv"):
            zipped = path.with_name(path.name + ".gz")
            zipped.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
            made.append((name, zipped))
    return made


def _encoded(path: Path, encoding: str, folder: Path) -> Path:
    """The same file in another encoding."""
    target = folder / f"{path.parent.name}-{encoding}" / path.name
    target.parent.mkdir(parents=True)
    for part in path.parent.glob("note*"):
        (target.parent / part.name).write_bytes(part.read_bytes().decode().encode(encoding))
    return target


def fuzz_files(
    count: int,
    seed: int,
    folder: Path,
    findings: Findings,
    advance: Callable[[], object] = lambda: None,
) -> None:
    """Try so many damaged files."""
    rng = random.Random(seed)
    files = seed_files(folder / "seeds")
    contents = [
        (name, path, [(part, part.read_bytes()) for part in sorted(path.parent.glob("note*"))
                      if part.suffix != ".gz" or part == path] if name in PAIRS else [(path, path.read_bytes())])
        for name, path in files
    ]  # fmt: skip
    work = folder / "work"
    work.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        name, path, parts = rng.choice(contents)
        which = rng.randrange(len(parts))
        damaged = b""
        for at, (part, content) in enumerate(parts):
            if at == which:
                content = damaged = _damaged(rng, part, content)
            (work / part.name).write_bytes(content)
        try:
            outcome = try_file(work / path.name, rng.choice((None, name)), rng)
            findings.counts[f"files {outcome}"] += 1
        except Exception as error:
            findings.add(f"file {number} of seed {seed}, {name} {path.suffix}", error, damaged)
        findings.counts["files"] += 1
        for part in work.iterdir():
            part.unlink()
        advance()


def _damaged(rng: random.Random, path: Path, content: bytes) -> bytes:
    """Damaged as it lies on disk, or within its gzip."""
    if path.suffix == ".gz" and rng.randrange(2):
        return gzip.compress(mutated_bytes(rng, gzip.decompress(content)), mtime=0)
    return mutated_bytes(rng, content)


def try_file(path: Path, format: str | None, rng: random.Random) -> str:
    """Read and write a file; what became of it."""
    begin, _, ending = path.name.partition(".")
    copy, clean = (path.with_name(f"{begin}-{how}.{ending}") for how in ("copy", "clean"))
    marks = _random_marks if rng.random() < 0.5 else _canary_marks
    try:
        kind = detect(path, format)
        bad, documents = _copied(kind, path, copy, None)
        if not bad and kind.name != "parquet":
            _same_bytes(path, copy)
        bad_clean, marked = _copied(kind, path, clean, partial(_cleaned, rng, marks))
    except FormatError as error:
        _without_canaries(str(error))
        return "refused"
    if len(marked) + bad_clean < len(documents):
        raise FaultError("a note was lost")
    if marks is _canary_marks and kind.name != "parquet":
        _fewer_canaries(kind, path, clean, marked)
    return "read in part" if bad else "read"


Clean = Callable[[Document], Document]
Marks = Callable[[random.Random, str], list[tuple[int, int]]]


def _copied(
    kind: Format, path: Path, target: Path, clean: Clean | None
) -> tuple[int, list[Document]]:
    """Every record written again as it is, or cleaned; how many were bad."""
    bad = 0
    documents: list[Document] = []
    with closing(kind.open(path, _fields(path))) as source:
        sink = kind.sink(target, source)
        try:
            for record in source.records():
                if isinstance(record, BadRecord):
                    _without_canaries(str(record.error))
                    bad += 1
                    continue
                new = record.documents
                if clean is not None:
                    new = tuple(map(clean, new))
                    record = replace(record, marks=len(documents) % 2 == 0)
                try:
                    sink.write(record, new)
                except FormatError as error:
                    _without_canaries(str(error))
                    bad += 1
                    continue
                documents += new
            sink.close()
        except BaseException:
            sink.abort()
            raise
    if clean is not None and not bad:
        _reads_back(kind, path, target, documents)
    return bad, documents


def _cleaned(rng: random.Random, marks: Marks, document: Document) -> Document:
    spans = [Span.of(document.text, *place, "PATIENT") for place in marks(rng, document.text)]
    return rewrite(document.with_spans(spans), TAG).document


def _fields(path: Path) -> Fields:
    return ROWS_FIELDS if path.name.startswith("rows") else FIELDS


def _random_marks(rng: random.Random, text: str) -> list[tuple[int, int]]:
    """Some of its words."""
    places: list[tuple[int, int]] = []
    place = 0
    for _ in range(rng.randrange(4)):
        if len(text) - place < 3:
            break
        start = rng.randrange(place, len(text) - 1)
        place = min(len(text), start + rng.randrange(1, 9))
        places.append((start, place))
    return places


def _canary_marks(rng: random.Random, text: str) -> list[tuple[int, int]]:
    """Every canary, as a perfect detector would have it."""
    return [match.span() for match in CANARY.finditer(text)]


def _fewer_canaries(kind: Format, path: Path, clean: Path, marked: list[Document]) -> None:
    """What was marked is gone from the bytes of the output; what lies outside of notes may stay."""
    before, after = (
        sum(len(CANARY.findall(_plain(part))) for part in (each, *kind.companions(each)))
        for each in (path, clean)
    )
    replaced = sum(len(document.spans) for document in marked)
    if after > before - replaced:
        raise FaultError("a canary that was marked is in the output")


def _plain(path: Path) -> str:
    """The letters of a file in any encoding."""
    if not path.exists():
        return ""
    return _unzipped(path).replace(b"\0", b"").decode("latin-1")


def _reads_back(kind: Format, path: Path, target: Path, documents: list[Document]) -> None:
    """What was written has the texts that were asked for, in the encoding of what was read."""
    fields = _fields(path)
    if kind.name != "parquet":
        encoding = encoding_of(Survey.of([_unzipped(path)]))
        if not encoding.mark and not encoding.codec.startswith("utf"):
            fields = replace(fields, encoding=f"{encoding.codec},utf-8")
    if kind.name in ("inline", "brat"):
        kind = FORMATS["text"] if kind.name == "inline" else kind
    with closing(kind.open(target, fields)) as source:
        texts = [
            document.text
            for record in source.records()
            if not isinstance(record, BadRecord)
            for document in record.documents
        ]
    if kind.name != "text" and texts != [document.text for document in documents]:
        raise FaultError("what was written reads back as another text")


def _same_bytes(path: Path, copy: Path) -> None:
    if _unzipped(path) != _unzipped(copy):
        raise FaultError("an untouched file changed")


def _unzipped(path: Path) -> bytes:
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def _without_canaries(message: str) -> None:
    for canary in CANARIES:
        if canary.lower() in message.lower():
            raise FaultError("a message quotes the file")
