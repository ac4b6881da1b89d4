"""The work of a job: files are read, notes go through the engine, and what may leave is written.

A file is opened in memory only (`memfd`), so that nothing of it is ever on disk unsealed. Of a file
that was sent, what was found and replaced is sealed in the spool as it comes; a service that was killed
goes on from there. Notes of jobs stand in the same queue as those of requests, a few at a time, so that
requests wait for no file.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from incognote.base.errors import UserError, kind_of_error
from incognote.document import Document, Span
from incognote.formats.container import BadRecord, Format, Record
from incognote.formats.encoding import as_utf8
from incognote.formats.fields import Fields
from incognote.formats.format_error import FormatError
from incognote.formats.registry import FORMATS, HEAD, format_named
from incognote.formats.unsupported import unsupported_kind
from incognote.pipeline import Result
from incognote.runs.audit import Audit, Tally
from incognote.runs.date_columns import refuse_date_columns
from incognote.runs.inputs import Input
from incognote.runs.settings import Settings
from incognote.serve.engine import Choice, Engine
from incognote.serve.problems import BusyError
from incognote.serve.spool import AUDIT, INPUT, RECORDS, RESULT, Job, SealedLog, Spool

FORMAT_NAMES = ("jsonl", "csv", "parquet", "text", "i2b2", "i2b2-2006", "inline", "zip")
TOGETHER = 16
"""Notes that a job puts into the queue at once."""
_MOST_ENTRIES = 100_000
_PATIENCE = 0.1
_MEMORY_DISK = Path("/dev/shm")


class CancelledError(Exception):
    """The job was asked to stop, or the service is."""


@dataclass(frozen=True)
class JobFile:
    """One file of a job, and its format."""

    number: int
    content: bytes
    format: Format


@dataclass(frozen=True)
class JobContext:
    """What every job needs: where it is kept, who reads its notes, and whether it is to stop."""

    spool: Spool
    engine: Engine
    settings: Settings
    stopping: Callable[[str], bool]
    largest: int
    """Bytes of a file, unpacked."""


class Work:
    """One job: notes of a file are found and replaced, then the file is written."""

    def __init__(self, context: JobContext, job: Job, choice: Choice, settings: Settings) -> None:
        self._context, self._spool, self._job = context, context.spool, job
        self._choice, self._settings = choice, settings
        self._done: list[Any] = []
        self._notes = self._failed = 0

    def do(self) -> None:
        """All of it, to the end; what is done is not done again."""
        raise NotImplementedError

    def _kept(self, entry: Any) -> None:
        """Some notes are found and replaced."""
        self._done.append(entry)

    def _write_audit(self, audit: Audit) -> None:
        content = json.dumps(audit.to_json(), indent=2).encode()
        self._spool.sealed(self._job, AUDIT).write([content])

    def _progress(self, share: float, **changes: int) -> None:
        self._job = self._spool.update(
            self._job.id,
            share=round(share, 4),
            notes=self._notes,
            failed=self._failed,
            **changes,
        )

    def _file(self, file: JobFile, tally: Tally, audit: Audit) -> bytes:
        """What may leave of a file."""
        with ExitStack() as stack:
            source_path = stack.enter_context(_in_memory(file.content))
            target = stack.enter_context(self._target(file.format))
            if self._settings.moves_dates:
                input = Input(file.number, source_path, PurePath("-"))
                refuse_date_columns([input], file.format.name, self._settings.fields, ())
            self._find(file, source_path)
            source = file.format.open(source_path, self._settings.fields)
            sink = file.format.sink(target, source)
            given = self._outcomes_of(file.number)
            for record in source.records():
                if isinstance(record, BadRecord):
                    tally.add_failure(record.error.place, record.error.reason)
                    continue
                self._write(sink, replace(record, marks=False), given, tally, audit)
            sink.close()
            source.close()
            return target.read_bytes()

    def _target(self, format: Format) -> AbstractContextManager[Path]:
        """Where what may leave is written: in memory, for Parquet in a folder of the memory's disk."""
        return _memory_folder(self._job.id) if format.name == "parquet" else _in_memory(b"")

    def _outcomes_of(self, file: int) -> Iterator[Any]:
        for entry in self._done:
            if entry["file"] == file:
                yield from entry["notes"]

    def _write(
        self, sink: Any, record: Record, given: Iterator[Any], tally: Tally, audit: Audit
    ) -> None:
        """A record with what became of its notes; one that failed is left out and counted."""
        documents = [next(given) for _ in record.documents]
        reason = next((each["reason"] for each in documents if "reason" in each), None)
        if reason is None:
            outputs = tuple(
                _output(document, each)
                for document, each in zip(record.documents, documents, strict=True)
            )
            try:
                sink.write(record, outputs)
            except FormatError as error:
                reason = error.reason
        if reason is not None:
            tally.add_failure(record.place, reason, len(record.notes) or 1)
            self._failed += 1
            return
        for document, output, each in zip(record.documents, outputs, documents, strict=True):
            remarks = Counter({(type, remark): count for type, remark, count in each["remarks"]})
            tally.add_note(document, output, each["seen"], remarks)
        audit.add_patients(record.notes)

    def _find(self, file: JobFile, path: Path) -> None:
        """Whatever of a file no earlier try has found, a few notes at a time, kept as they come."""
        known = sum(len(entry["notes"]) for entry in self._done if entry["file"] == file.number)
        self._notes += known
        source = file.format.open(path, self._settings.fields)
        documents = (
            document
            for record in source.records()
            if not isinstance(record, BadRecord)
            for document in record.documents
        )
        waiting: list[Document] = []
        characters = 0
        for place, document in enumerate(documents):
            characters += len(document.text)
            if characters > self._context.largest:
                raise FormatError("the file unpacks to more than the service takes")
            if place < known:
                continue
            waiting.append(document)
            if len(waiting) == TOGETHER:
                self._keep(file.number, waiting)
                waiting = []
        if waiting:
            self._keep(file.number, waiting)
        source.close()

    def _go_on(self) -> None:
        """Unless the job is to stop."""
        if self._context.stopping(self._job.id):
            raise CancelledError from None

    def _keep(self, file: int, documents: Sequence[Document]) -> None:
        self._go_on()
        results = [_outcome(future) for future in self._submit(documents)]
        self._kept({"file": file, "notes": results})
        self._notes += len(documents)
        self._job = self._spool.update(self._job.id, notes=self._notes, failed=self._failed)

    def _as_read(self, document: Document) -> Document:
        """The note with what the job knows of it."""
        return document

    def _submit(self, documents: Sequence[Document]) -> list[Future[Any]]:
        while True:
            try:
                return self._context.engine.submit(
                    self._choice, [self._as_read(each) for each in documents], patient=True
                )
            except BusyError:
                self._go_on()
                time.sleep(_PATIENCE)


class UploadWork(Work):
    """A file that was sent, or an archive of some."""

    def __init__(self, context: JobContext, job: Job) -> None:
        settings = job_settings(context.settings, job.request)
        super().__init__(context, job, choice_of(job.request), settings)
        self._log = SealedLog(context.spool.sealed(job, RECORDS))
        self._done = [json.loads(entry) for entry in self._log.entries]

    def do(self) -> None:
        """Find and replace, write the result, and say that it is there."""
        try:
            self._do()
        finally:
            self._log.close()

    def _kept(self, entry: Any) -> None:
        self._log.append(json.dumps(entry).encode())
        super()._kept(entry)

    def _do(self) -> None:
        content = b"".join(self._spool.sealed(self._job, INPUT).read())
        files = list(_files(content, self._job.format, self._context.largest))
        audit = Audit(self._settings, files=len(files))
        outputs: list[tuple[str, bytes]] = []
        read, total = 0, sum(len(file.content) for file in files) or 1
        for file in files:
            tally = Tally()
            name = f"{file.number:06d}{file.format.extensions[0]}"
            outputs.append((name, self._file(file, tally, audit)))
            audit.add_file(Input(file.number, Path("-"), PurePath("-")), tally)
            read += len(file.content)
            self._progress(read / total, files=file.number)
        audit.stop()
        result = _packed(outputs) if self._job.format == "zip" else outputs[0][1]
        self._spool.sealed(self._job, RESULT).write([result])
        self._write_audit(audit)
        self._spool.update(
            self._job.id,
            state="done",
            share=1.0,
            files=len(files),
            notes=audit.tally.notes,
            failed=audit.tally.failed,
        )
        (self._spool.path(self._job.id) / RECORDS).unlink(missing_ok=True)


def _outcome(future: Future[Any]) -> dict[str, Any]:
    """What became of a note, for the spool."""
    try:
        result: Result = future.result()
    except Exception as error:
        return {"reason": str(error) if isinstance(error, UserError) else kind_of_error(error)}
    spans = [[span.start, span.end, span.type, span.source] for span in result.output.spans]
    remarks = [[*pair, count] for pair, count in result.remarks.items()]
    return {"text": result.text, "spans": spans, "seen": result.seen, "remarks": remarks}


def _output(document: Document, outcome: Any) -> Document:
    text = outcome["text"]
    spans = tuple(
        Span.of(text, start, end, type, source=source)
        for start, end, type, source in outcome["spans"]
    )
    return replace(document, text=text, spans=spans)


def choice_of(request: Any) -> Choice:
    """How the notes of a job are found and replaced."""
    names = ("replace", "policy", "number", "find_by", "speed")
    return Choice(**{name: request[name] for name in names if name in request})


def job_settings(base: Settings, request: Any) -> Settings:
    """The service's settings with what a job says of its files."""
    fields = Fields(
        text=tuple(request.get("text") or ()),
        id=request.get("id"),
        patient=request.get("patient"),
        known=dict(request.get("known") or {}),
        drop=tuple(request.get("drop") or ()),
        encoding=request.get("encoding"),
    )
    return replace(choice_of(request).of(base), fields=fields)


def _files(content: bytes, format: str, largest: int) -> Iterator[JobFile]:
    """The file of a job, or those within its archive."""
    if format != "zip":
        yield JobFile(1, content, format_named(format))
        return
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError):
        raise FormatError("the file is no ZIP archive, or is damaged") from None
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > _MOST_ENTRIES:
        raise FormatError(f"the archive has more than {_MOST_ENTRIES:,} files")
    unpacked = 0
    for number, entry in enumerate(entries, 1):
        part = _unpacked(archive, entry, largest - unpacked, number)
        unpacked += len(part)
        if (kind := format_of(entry.filename, part)) is None:
            raise FormatError(
                f"file {number} of the archive is of no format that the service reads"
            )
        yield JobFile(number, part, kind)


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int, number: int) -> bytes:
    try:
        with archive.open(entry) as stream:
            content = stream.read(most + 1)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError):
        raise FormatError(f"file {number} of the archive cannot be unpacked") from None
    except Exception as error:  # a damaged stream of any method
        raise FormatError(
            f"file {number} of the archive cannot be unpacked ({kind_of_error(error)})"
        ) from None
    if len(content) > most:
        raise FormatError("the archive unpacks to more than the service takes")
    return content


def format_of(name: str, content: bytes) -> Format | None:
    """By its name and beginning; one that several files make up is refused."""
    head = content[:HEAD]
    text = as_utf8(head)
    if unsupported_kind(head) is None and unsupported_kind(text) is None:
        for format in FORMATS.values():
            if format.name in FORMAT_NAMES and format.sniff(Path(PurePath(name).name or "-"), text):
                return format
    return None


def _packed(outputs: Iterable[tuple[str, bytes]]) -> bytes:
    """An archive with numbers for names, since names are PHI, and no times."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in outputs:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


@contextmanager
def _in_memory(content: bytes) -> Iterator[Path]:
    """A path to a file that is nowhere on disk."""
    handle = os.memfd_create("incognote")
    try:
        with os.fdopen(os.dup(handle), "wb") as stream:
            stream.write(content)
        yield Path(f"/proc/self/fd/{handle}")
    finally:
        os.close(handle)


@contextmanager
def _memory_folder(id: str) -> Iterator[Path]:
    """A path in a folder of the memory's disk; what a killed service left of it goes first."""
    if not _MEMORY_DISK.is_dir():
        raise FormatError(f"Parquet needs {_MEMORY_DISK}, which is not there")
    folder = _MEMORY_DISK / f"incognote-{id}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        yield folder / "result.parquet"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
