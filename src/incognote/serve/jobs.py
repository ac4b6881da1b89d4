"""The worker of jobs: one thread of a process takes them from the spool, one after the other.

A file is opened in memory only (`memfd`), so that nothing of it is ever on disk unsealed. What was
found and replaced is sealed in the spool as it comes; a service that was killed goes on from there.
Notes of jobs stand in the same queue as those of requests, a few at a time, so that requests wait for
no file.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import shutil
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from incognote.base.errors import UserError, kind_of_error
from incognote.base.files import write_private
from incognote.base.messages import log
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
from incognote.serve.spool import (
    AUDIT,
    INPUT,
    RECORDS,
    RESULT,
    Job,
    SealedLog,
    Spool,
    SpoolError,
)

FORMAT_NAMES = ("jsonl", "csv", "parquet", "text", "i2b2", "i2b2-2006", "inline", "zip")
TOGETHER = 16
"""Notes that a job puts into the queue at once."""
_POLL = 0.5
_MOST_ENTRIES = 100_000
_PATIENCE = 0.1
_MEMORY_DISK = Path("/dev/shm")


class CancelledError(Exception):
    """The job was asked to stop, or the service is."""


class JobWorker:
    """Takes jobs that are queued, and those whose worker died."""

    def __init__(self, spool: Spool, engine: Engine, settings: Settings, *, largest: int) -> None:
        self._spool, self._engine, self._settings = spool, engine, settings
        self._largest = largest
        self._closing = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="incognote jobs", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wake(self) -> None:
        """There is something to do."""
        self._wake.set()

    def close(self, seconds: float) -> None:
        """Stop after the notes in work; the job goes on when a service is there again."""
        self._closing.set()
        self._wake.set()
        self._thread.join(seconds)

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self._spool.sweep()
                for job in self._spool.jobs():
                    if job.state in ("queued", "running") and not self._closing.is_set():
                        self._try(job)
            except Exception as error:
                log("serve", "spool unreadable", error=kind_of_error(error))
            self._wake.wait(_POLL)
            self._wake.clear()

    def _try(self, job: Job) -> None:
        """Work on a job, unless another process does."""
        with _held(self._spool.path(job.id)) as held:
            if not held:
                return
            job = self._spool.job(job.id)
            if job.ended or job.state == "waiting":
                return
            try:
                job = self._spool.update(job.id, state="running")
                _Work(
                    self._spool, self._engine, self._settings, job, self._stopping, self._largest
                ).do()
                log("serve", "job done", id=job.id)
            except CancelledError:
                if self._closing.is_set():
                    return
                with suppress(SpoolError):
                    self._spool.update(job.id, state="cancelled", reason="cancelled")
            except Exception as error:
                reason = str(error) if isinstance(error, UserError) else kind_of_error(error)
                with suppress(SpoolError):
                    self._spool.update(job.id, state="failed", reason=reason)
                log("serve", "job failed", id=job.id, error=kind_of_error(error))

    def _stopping(self, id: str) -> bool:
        return self._closing.is_set() or self._spool.is_cancelled(id)


@contextmanager
def _held(folder: Path) -> Iterator[bool]:
    """Whether the job is ours now: a lock that the system takes back when its holder dies."""
    try:
        handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield False
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        yield False
        return
    try:
        yield True
    finally:
        os.close(handle)


@dataclass(frozen=True)
class _File:
    """One file of a job, and its format."""

    number: int
    content: bytes
    format: Format


class _Work:
    """One job, from its input to its result."""

    def __init__(
        self,
        spool: Spool,
        engine: Engine,
        settings: Settings,
        job: Job,
        stopping: Callable[[str], bool],
        largest: int,
    ) -> None:
        self._spool, self._engine, self._job = spool, engine, job
        self._stopping, self._largest = stopping, largest
        self._choice = choice_of(job.request)
        self._settings = job_settings(settings, job.request)
        self._log = SealedLog(spool.sealed(job, RECORDS))
        self._done = [json.loads(entry) for entry in self._log.entries]
        self._notes = self._failed = 0

    def do(self) -> None:
        """Find and replace, write the result, and say that it is there."""
        try:
            self._do()
        finally:
            self._log.close()

    def _do(self) -> None:
        content = b"".join(self._spool.sealed(self._job, INPUT).read())
        files = list(_files(content, self._job.format, self._largest))
        audit = Audit(self._settings, files=len(files))
        outputs: list[tuple[str, bytes]] = []
        read, total = 0, sum(len(file.content) for file in files) or 1
        for file in files:
            tally = Tally()
            outputs.append(self._file(file, tally, audit))
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

    def _write_audit(self, audit: Audit) -> None:
        path = self._spool.path(self._job.id) / AUDIT
        write_private(path, json.dumps(audit.to_json(), indent=2).encode())

    def _progress(self, share: float, **changes: int) -> None:
        self._job = self._spool.update(
            self._job.id,
            share=round(share, 4),
            notes=self._notes,
            failed=self._failed,
            **changes,
        )

    def _file(self, file: _File, tally: Tally, audit: Audit) -> tuple[str, bytes]:
        """The name and the content of what may leave of a file."""
        extension = file.format.extensions[0]
        name = f"{file.number:06d}{extension}"
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
            return name, target.read_bytes()

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

    def _find(self, file: _File, path: Path) -> None:
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
        for place, document in enumerate(documents):
            if place < known:
                continue
            waiting.append(document)
            if len(waiting) == TOGETHER:
                self._keep(file.number, waiting)
                waiting = []
        if waiting:
            self._keep(file.number, waiting)
        source.close()

    def _keep(self, file: int, documents: Sequence[Document]) -> None:
        if self._stopping(self._job.id):
            raise CancelledError
        results = [_outcome(future) for future in self._submit(documents)]
        entry = {"file": file, "notes": results}
        self._log.append(json.dumps(entry).encode())
        self._done.append(entry)
        self._notes += len(documents)
        self._job = self._spool.update(self._job.id, notes=self._notes, failed=self._failed)

    def _submit(self, documents: Sequence[Document]) -> list[Future[Any]]:
        while True:
            try:
                return self._engine.submit(self._choice, documents, patient=True)
            except BusyError:
                if self._stopping(self._job.id):
                    raise CancelledError from None
                time.sleep(_PATIENCE)


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


def _files(content: bytes, format: str, largest: int) -> Iterator[_File]:
    """The file of a job, or those within its archive."""
    if format != "zip":
        yield _File(1, content, format_named(format))
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
        yield _File(number, part, _format_of(entry.filename, part, number))


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


def _format_of(name: str, content: bytes, number: int) -> Format:
    """By its name and beginning; one that several files make up is refused."""
    head = content[:HEAD]
    text = as_utf8(head)
    if unsupported_kind(head) is None and unsupported_kind(text) is None:
        for format in FORMATS.values():
            if format.name in FORMAT_NAMES and format.sniff(Path(PurePath(name).name or "-"), text):
                return format
    raise FormatError(f"file {number} of the archive is of no format that the service reads")


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
