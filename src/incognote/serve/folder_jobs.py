"""Jobs over folders: files below one are read, and written below another, one after the other.

A request names a folder by a location, a URL or a word, that the operator has given to it with
`--job-source` or `--job-target`; no other folder is ever read or written. Links are not followed, what
leads out of a folder is refused, and an original is never written over. Which files there are, and what
became of each, stands sealed in the spool, since names of files may be names of patients.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, Literal
from urllib.parse import quote

from incognote.base.errors import UserError, kind_of_error, reason_of
from incognote.base.files import write_whole
from incognote.base.messages import quantity
from incognote.document import Document
from incognote.runs.audit import Audit, Tally
from incognote.runs.inputs import Input
from incognote.serve.azure_categories import Redaction
from incognote.serve.engine import Choice
from incognote.serve.job_work import CancelledError, JobContext, JobFile, Work, format_of
from incognote.serve.spool import (
    LISTING,
    ORDER,
    PROGRESS,
    Job,
    SealedLog,
    Spool,
    sealed_entries,
)

FOLDERS = "folders"
"""Stands for the format of such a job."""
MOST_DOCUMENTS = 100_000
_WRITING = "Writing"

Operation = Literal["Surrogate", "Redact"]
Status = Literal["Succeeded", "Failed"]


class LocationError(UserError):
    """A location for which no folder stands, or a prefix that leads out of it."""


class JobFileError(Exception):
    """Why a file was not processed, in a word and a sentence."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


@dataclass(frozen=True)
class Locations:
    """Which folder a location of a request stands for."""

    sources: Mapping[str, Path]
    targets: Mapping[str, Path]

    def source(self, location: str) -> Path:
        """The folder to read from."""
        return _folder(self.sources, location, "--job-source", "read")

    def target(self, location: str) -> Path:
        """The folder to write to."""
        return _folder(self.targets, location, "--job-target", "written to")


def _folder(folders: Mapping[str, Path], location: str, option: str, verb: str) -> Path:
    try:
        return folders[location.rstrip("/")]
    except KeyError:
        raise LocationError(
            f"no folder that may be {verb} stands for this location: the operator of the service "
            f"gives it one with {option}"
        ) from None


@dataclass(frozen=True)
class Order:
    """What was asked for."""

    name: str
    operation: Operation
    source: str
    source_prefix: str
    extensions: tuple[str, ...]
    target: str
    target_prefix: str
    overwrite: bool
    redaction_format: str | None = None
    surrogate_locale: str | None = None

    @classmethod
    def of(cls, spool: Spool, job: Job) -> Order:
        """As it stands in the spool."""
        content = json.loads(b"".join(spool.sealed(job, ORDER).read()))
        return cls(**{**content, "extensions": tuple(content["extensions"])})

    def sealed(self) -> bytes:
        """For the spool."""
        return json.dumps(asdict(self)).encode()

    def choice(self) -> Choice:
        """How notes are found and replaced."""
        if self.operation == "Redact":
            return Choice(replace="tag", operator=Redaction.of(self.redaction_format))
        return Choice(replace="surrogate")

    def check(self, locations: Locations) -> None:
        """Refuse what cannot be done."""
        source, target = locations.source(self.source), locations.target(self.target)
        for prefix in (self.source_prefix, self.target_prefix):
            if not _stays_inside(prefix):
                raise LocationError("a prefix must not hold '..', hidden names or backslashes")
        if source.resolve() == target.resolve() and self.source_prefix == self.target_prefix:
            raise LocationError(
                "source and target are the same: originals are never written over, choose another "
                "prefix or location for the target"
            )

    def output_of(self, name: str) -> str:
        """Where what becomes of a file is written: the target's prefix stands for the source's."""
        rest = name.removeprefix(self.source_prefix)
        is_folder = self.source_prefix in ("", name) or self.source_prefix.endswith("/")
        prefix = self.target_prefix
        if is_folder and prefix and not prefix.endswith("/") and not rest.startswith("/"):
            prefix += "/"
        return (prefix + rest).strip("/")


def _stays_inside(path: str) -> bool:
    parts = path.split("/")
    return "\\" not in path and "\0" not in path and not any(part.startswith(".") for part in parts)


@dataclass(frozen=True)
class DocumentState:
    """What became of a file."""

    number: int
    name: str
    tag: str
    """Changes when the file does."""
    status: Status
    output: str | None = None
    output_tag: str = ""
    code: str = ""
    message: str = ""
    size: int = 0


def document_states(spool: Spool, job: Job) -> list[DocumentState]:
    """Of all files that are done, in order."""
    entries = map(json.loads, sealed_entries(spool.sealed(job, PROGRESS)))
    return [DocumentState(**entry["document"]) for entry in entries if "document" in entry]


def documents_in(spool: Spool, job: Job) -> int | None:
    """How many files the job has; None if they are not listed yet."""
    sealed = spool.sealed(job, LISTING)
    return len(json.loads(b"".join(sealed.read()))) if sealed.path.exists() else None


def location_of(location: str, name: str) -> str:
    """A file's own."""
    return f"{location.rstrip('/')}/{quote(name)}"


class FolderWork(Work):
    """A job over folders, from its listing to its last file."""

    def __init__(self, context: JobContext, job: Job, locations: Locations) -> None:
        self._order = order = Order.of(context.spool, job)
        settings = order.choice().of(context.settings)
        super().__init__(context, job, order.choice(), settings)
        self._source_folder = locations.source(order.source)
        self._target_folder = locations.target(order.target)
        self._names: frozenset[str] = frozenset()
        self._log = SealedLog(context.spool.sealed(job, PROGRESS))

    def do(self) -> None:
        """Every file that an earlier try has not done."""
        try:
            self._do()
        finally:
            self._log.close()

    def _do(self) -> None:
        names = self._listing()
        self._names = frozenset(names)
        if not names:
            raise LocationError(
                "no file of the source begins with the prefix and has the extension"
            )
        audit = Audit(self._settings, files=len(names))
        begun = self._count_earlier(audit)
        statuses = [each.status for each in document_states(self._spool, self._job)]
        self._notes, self._failed = audit.tally.notes, audit.tally.failed
        for number, name in enumerate(names[len(statuses) :], len(statuses) + 1):
            self._go_on()
            tally = Tally()
            state = self._document(number, name, tally, audit, begun=number in begun)
            audit.add_file(_input(number), tally)
            self._log.append(_entry(document=asdict(state), tally=tally.to_json()))
            statuses.append(state.status)
            self._progress(number / len(names), files=number)
        audit.stop()
        self._write_audit(audit)
        failed = statuses.count("Failed")
        self._spool.update(
            self._job.id,
            state="failed" if failed == len(names) else "done",
            reason="none of the files could be processed" if failed == len(names) else "",
            share=1.0,
            files=len(names),
            notes=audit.tally.notes,
            failed=audit.tally.failed,
        )

    def _listing(self) -> list[str]:
        """Which files there are: listed once, so that a job ends though more come."""
        sealed = self._spool.sealed(self._job, LISTING)
        if not sealed.path.exists():
            order = self._order
            names = list_documents(self._source_folder, order.source_prefix, order.extensions)
            sealed.write([json.dumps(names).encode()])
        return list(json.loads(b"".join(sealed.read())))

    def _count_earlier(self, audit: Audit) -> set[int]:
        """What earlier tries have done counts too; the numbers of files that they began to write."""
        begun = set()
        for entry in map(json.loads, self._log.entries):
            if "document" in entry:
                tally = Tally.from_json(entry["tally"])
                audit.add_file(_input(entry["document"]["number"]), tally, resumed=True)
            else:
                begun.add(entry["writing"])
        return begun

    def _as_read(self, document: Document) -> Document:
        """All files of a job agree in their surrogates, as if they were of one patient."""
        if self._order.operation == "Redact" or document.patient is not None:
            return document
        return replace(document, patient=self._job.id)

    def _document(
        self, number: int, name: str, tally: Tally, audit: Audit, *, begun: bool
    ) -> DocumentState:
        output, tag, size = self._order.output_of(name), "", 0
        try:
            content, tag = read_document(self._source_folder, name, self._context.largest)
            size = len(content)
            path = self._output_path(output, begun=begun)
            clean = self._clean(number, name, content, tally, audit)
            self._log.append(_entry(writing=number))
            write_whole(path, clean, durable=True)
            return DocumentState(
                number, name, tag, "Succeeded", output, _tag(path.stat()), size=size
            )
        except CancelledError:
            raise
        except JobFileError as error:
            code, message = error.code, error.message
        except UserError as error:
            code, message = "InvalidDocument", str(error)
        except OSError as error:
            code, message = "StorageFailed", reason_of(error)
        except Exception as error:
            code, message = "InternalError", kind_of_error(error)
        if not tally.failed:
            tally.add_failure("", message)
        return DocumentState(number, name, tag, "Failed", code=code, message=message, size=size)

    def _clean(self, number: int, name: str, content: bytes, tally: Tally, audit: Audit) -> bytes:
        """What may be written of a file: all of its notes or nothing."""
        kind = format_of(name, content)
        if kind is None:
            raise JobFileError("UnsupportedFormat", "the file is of no format that is read here")
        self._done.clear()
        clean = self._file(JobFile(number, content, kind), tally, audit)
        if tally.failed:
            raise JobFileError(
                "NotProcessed",
                f"{quantity(tally.failed, 'note')} could not be processed, so nothing was written: "
                f"{tally.failures[0][1]}",
            )
        return clean

    def _output_path(self, output: str, *, begun: bool) -> Path:
        path = self._target_folder / output
        if not output or not _stays_inside(output):
            raise JobFileError("InvalidTarget", "the name of the output is none that is allowed")
        if self._is_original(path):
            raise JobFileError("InvalidTarget", "the output would be written over an original")
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.parent.resolve().is_relative_to(self._target_folder.resolve()):
            raise JobFileError("InvalidTarget", "the output would lie outside its folder")
        if path.is_symlink() or path.is_dir():
            raise JobFileError("InvalidTarget", "a folder or a link stands where the output goes")
        if path.exists() and not (self._order.overwrite or begun):
            raise JobFileError("OutputExists", "the output is there already: ask for overwrite")
        return path

    def _is_original(self, path: Path) -> bool:
        full, source = path.resolve(), self._source_folder.resolve()
        return full.is_relative_to(source) and full.relative_to(source).as_posix() in self._names


def list_documents(folder: Path, prefix: str, extensions: Iterable[str]) -> list[str]:
    """Files below a folder whose path begins with the prefix, in order; hidden ones are left out."""
    endings = tuple(each.lower() for each in extensions)
    any_ending = not endings or "*" in endings
    found = []
    for root, folders, files in os.walk(folder, followlinks=False):
        folders[:] = [each for each in folders if not each.startswith(".")]
        below = PurePosixPath(PurePath(root).relative_to(folder).as_posix())
        for file in files:
            name = (below / file).as_posix()
            fits = name.startswith(prefix) and (any_ending or name.lower().endswith(endings))
            if fits and not file.startswith("."):
                found.append(name)
                if len(found) > MOST_DOCUMENTS:
                    raise LocationError(
                        f"there are more than {MOST_DOCUMENTS:,} files: use prefixes"
                    )
    return sorted(found)


def read_document(folder: Path, name: str, largest: int) -> tuple[bytes, str]:
    """A regular file below the folder, and its tag; a link is not followed."""
    path = folder / name
    if not path.parent.resolve().is_relative_to(folder.resolve()):
        raise JobFileError("InvalidSource", "the file lies outside its folder")
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise JobFileError("FileNotFound", "the file was moved after the job began") from None
    except OSError as error:
        raise JobFileError("InvalidSource", f"cannot be read: {reason_of(error)}") from None
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise JobFileError("InvalidSource", "is no regular file")
        content = stream.read(largest + 1)
    if len(content) > largest:
        raise JobFileError("TooLarge", f"the file is larger than {largest:,} bytes")
    return content, _tag(status)


def _tag(status: os.stat_result) -> str:
    return f"0x{status.st_mtime_ns:X}{status.st_size:X}"


def _input(number: int) -> Input:
    return Input(number, Path("-"), PurePath("-"))


def _entry(**content: Any) -> bytes:
    return json.dumps(content).encode()
