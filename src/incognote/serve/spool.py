"""The spool: a folder of jobs, whose files and answers are encrypted at rest with a key for each job.

A job is a folder of its own. `job.json` says where it is and holds no word of its files; its key
stands there, sealed by the service's. What is written of notes is sealed in chunks whose order and end
are bound, so a file that was cut, mixed or changed does not open. Deleting a job deletes its key.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from incognote.base.errors import RunError, UserError
from incognote.base.files import write_private

State = Literal["waiting", "queued", "running", "done", "failed", "cancelled"]
"""waiting: for its file. The last three are ends."""
ENDS: tuple[State, ...] = ("done", "failed", "cancelled")
INPUT, RECORDS, RESULT, AUDIT = "input.sealed", "records.sealed", "result.sealed", "audit.sealed"
ORDER, LISTING, PROGRESS = "order.sealed", "listing.sealed", "progress.sealed"
"""Of a job over folders: what was asked for, which files there were, and what became of each."""
_JOB, _CANCEL, _NEW = "job.json", "cancel", ".new-"
_UNFINISHED_SECONDS = 3600
_ID = re.compile(r"[0-9a-f]{32}")
_WORDS = ("request", "reason")
_CHUNK = 1 << 16
_LENGTH = 4
_KEY = 32


class SpoolError(UserError):
    """A job that is not there, or whose files do not open."""


class JobExistsError(SpoolError):
    """There is a job of that id already."""


@dataclass(frozen=True)
class Job:
    """What is known of a job; `owner` is the name of the API key that made it."""

    id: str
    owner: str
    state: State
    created: float
    expires: float
    format: str
    request: Mapping[str, Any]
    sealed_key: str = field(repr=False)
    files: int = 0
    notes: int = 0
    failed: int = 0
    bytes_in: int = 0
    share: float = 0.0
    reason: str = ""
    deaths: int = 0
    """How often the process died while it worked on this job."""
    started: float = 0.0
    updated: float = 0.0

    @property
    def ended(self) -> bool:
        """Whether nothing more happens to it."""
        return self.state in ENDS


class Spool:
    """The jobs of a service, in a folder that only it may read."""

    def __init__(
        self, folder: Path, key: bytes, *, hours: float, clock: Callable[[], float] = time.time
    ) -> None:
        self.folder, self._seconds, self._clock = folder, hours * 3600, clock
        self._cipher = AESGCM(hashlib.sha256(b"incognote spool" + key).digest())
        self._name_key = hashlib.sha256(b"incognote job names" + key).digest()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix" and folder.stat().st_mode & 0o077:
            raise RunError(f"{folder}: others may read this spool folder; run: chmod 700 {folder}")

    def create(
        self,
        owner: str,
        format: str,
        request: Mapping[str, Any],
        *,
        id: str | None = None,
        state: State = "waiting",
        files: Mapping[str, bytes] | None = None,
    ) -> Job:
        """A job that waits for its file, or one that has all that it needs in these files.

        It is there with its files or not at all; an id that is taken is refused.
        """
        id, now = id or secrets.token_hex(16), self._clock()
        nonce = secrets.token_bytes(12)
        sealed = nonce + self._cipher.encrypt(nonce, secrets.token_bytes(_KEY), id.encode())
        job = Job(id, owner, state, now, now + self._seconds, format, request, sealed.hex())
        folder = self.folder / f"{_NEW}{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        try:
            for name, content in (files or {}).items():
                self._sealed(folder, job, name).write([content])
            write_private(folder / _JOB, self._written(job))
            folder.rename(self.path(id))
        except FileExistsError:
            raise JobExistsError("there is such a job already") from None
        except OSError as error:
            if error.errno == errno.ENOTEMPTY:
                raise JobExistsError("there is such a job already") from None
            raise
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return job

    def id_of(self, owner: str, name: str) -> str:
        """The id of the job that an owner has named so; without the spool's key it tells nothing."""
        words = f"{owner}\0{name}".encode()
        return hmac.new(self._name_key, words, hashlib.sha256).hexdigest()[:32]

    def save(self, job: Job) -> Job:
        """Keep its state, whole or not at all."""
        job = replace(job, updated=self._clock())
        write_private(self.path(job.id) / _JOB, self._written(job))
        return job

    def update(self, id: str, **changes: Any) -> Job:
        """Its state with something new."""
        job = replace(self.job(id), **changes)
        if job.state == "running" and not job.started:
            job = replace(job, started=self._clock())
        return self.save(job)

    def job(self, id: str) -> Job:
        """The job of that id."""
        try:
            content = json.loads((self.path(id) / _JOB).read_bytes())
            words = self._words(id, content.pop("words"))
            return Job(**content, **words)
        except FileNotFoundError:
            raise SpoolError("no such job") from None
        except (OSError, ValueError, TypeError, KeyError):
            raise SpoolError("the job's folder is damaged") from None

    def _written(self, job: Job) -> bytes:
        """As it is kept: what names columns is sealed too, since a column may have a name of PHI."""
        nonce = secrets.token_bytes(12)
        words = json.dumps({name: getattr(job, name) for name in _WORDS}).encode()
        sealed = nonce + self._cipher.encrypt(nonce, words, b"words" + job.id.encode())
        plain = {name: value for name, value in asdict(job).items() if name not in _WORDS}
        return json.dumps({**plain, "words": sealed.hex()}).encode()

    def _words(self, id: str, sealed: str) -> Any:
        """Nothing where the service has another key now: then the files do not open either."""
        data = bytes.fromhex(sealed)
        try:
            return json.loads(self._cipher.decrypt(data[:12], data[12:], b"words" + id.encode()))
        except InvalidTag:
            return {"request": {}}

    def jobs(self) -> Iterator[Job]:
        """All of them, the oldest first."""
        found = []
        for path in self.folder.iterdir():
            if _ID.fullmatch(path.name):
                with suppress(SpoolError):
                    found.append(self.job(path.name))
        return iter(sorted(found, key=lambda job: (job.created, job.id)))

    def path(self, id: str) -> Path:
        """Its folder; an id that is none leads nowhere."""
        if not _ID.fullmatch(id):
            raise SpoolError("no such job")
        return self.folder / id

    def delete(self, id: str) -> None:
        """Remove a job: first its key, so that the rest can never be read."""
        path = self.path(id)
        (path / _JOB).unlink(missing_ok=True)
        shutil.rmtree(path, ignore_errors=True)

    def cancel(self, id: str) -> None:
        """Ask whoever works on it, in whichever process, to stop."""
        (self.path(id) / _CANCEL).touch(0o600)

    def is_cancelled(self, id: str) -> bool:
        """Whether it was asked to stop."""
        return (self.path(id) / _CANCEL).exists()

    def sweep(self) -> int:
        """Delete what is over its time; how many.

        A job of the future is over too: the clock was wrong, and it would stay until then.
        """
        now = self._clock()
        late = [
            job for job in self.jobs() if job.expires < now or job.created > now + self._seconds
        ]
        for job in late:
            self.delete(job.id)
        for path in self.folder.iterdir():  # whose deletion met someone who wrote there
            if _ID.fullmatch(path.name) and not (path / _JOB).exists():
                shutil.rmtree(path, ignore_errors=True)
        for path in self.folder.glob(f"{_NEW}*"):  # of a service that was killed meanwhile
            with suppress(OSError):
                if path.stat().st_mtime < self._clock() - _UNFINISHED_SECONDS:
                    shutil.rmtree(path, ignore_errors=True)
        return len(late)

    def sealed(self, job: Job, name: str) -> SealedFile:
        """One of its files."""
        return self._sealed(self.path(job.id), job, name)

    def _sealed(self, folder: Path, job: Job, name: str) -> SealedFile:
        data = bytes.fromhex(job.sealed_key)
        try:
            key = self._cipher.decrypt(data[:12], data[12:], job.id.encode())
        except InvalidTag:
            raise SpoolError(
                "the job was sealed with another key: start the service with the one it had"
            ) from None
        return SealedFile(folder / name, AESGCM(key), name.encode())


@dataclass(frozen=True)
class SealedFile:
    """A file of sealed chunks; the number of a chunk and whether it is the last are bound to it."""

    path: Path
    cipher: AESGCM = field(repr=False)
    purpose: bytes

    def write(self, parts: Iterable[bytes]) -> int:
        """Write a whole file in one step; how many bytes were sealed."""
        with self.writer() as writer:
            for part in parts:
                writer.add(part)
            return writer.finish()

    def writer(self) -> SealedWriter:
        """For a file whose parts come one by one."""
        return SealedWriter(self)

    def read(self) -> Iterator[bytes]:
        """The chunks of a whole file."""
        with self.path.open("rb") as stream:
            number = 0
            for sealed, last in _with_last(_chunks(stream)):
                yield self.opened(sealed, number, last=last)
                number += 1
            if not number:
                raise SpoolError("a file of the job is cut short")

    def _about(self, number: int, *, last: bool) -> bytes:
        return self.purpose + number.to_bytes(8, "big") + bytes([last])

    def write_chunk(self, stream: BinaryIO, content: bytes, number: int, *, last: bool) -> None:
        """Add a chunk."""
        nonce = secrets.token_bytes(12)
        sealed = nonce + self.cipher.encrypt(nonce, content, self._about(number, last=last))
        stream.write(len(sealed).to_bytes(_LENGTH, "big") + sealed)

    def opened(self, sealed: bytes, number: int, *, last: bool) -> bytes:
        """What a chunk holds."""
        try:
            return self.cipher.decrypt(sealed[:12], sealed[12:], self._about(number, last=last))
        except InvalidTag:
            raise SpoolError("a file of the job does not open: it was changed or cut") from None


def sealed_entries(file: SealedFile) -> list[bytes]:
    """The entries of a log that somebody else may be writing."""
    if not file.path.exists():
        return []
    with file.path.open("rb") as stream:
        chunks = enumerate(_chunks(stream, cut=True))
        return [file.opened(sealed, number, last=False) for number, sealed in chunks]


class SealedWriter:
    """A file that is there when it is finished, and not at all otherwise."""

    def __init__(self, file: SealedFile) -> None:
        self._file, self._total, self._number, self._waiting = file, 0, 0, b""
        self._temporary = file.path.with_name(f"{file.path.name}.part")
        self._stream = _private(self._temporary)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def add(self, part: bytes) -> None:
        """More of it."""
        self._total += len(part)
        content = memoryview(self._waiting + part)
        place = 0
        while len(content) - place > _CHUNK:
            self._seal(bytes(content[place : place + _CHUNK]), last=False)
            place += _CHUNK
        self._waiting = bytes(content[place:])

    def finish(self) -> int:
        """That was all; how many bytes were sealed."""
        self._seal(self._waiting, last=True)
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._temporary.replace(self._file.path)
        return self._total

    def close(self) -> None:
        """Give up what is not finished, such as on a full disk."""
        with suppress(OSError):
            self._stream.close()
        self._temporary.unlink(missing_ok=True)

    def _seal(self, content: bytes, *, last: bool) -> None:
        self._file.write_chunk(self._stream, content, self._number, last=last)
        self._number += 1


class SealedLog:
    """Entries that are added one by one, durably; those that a killed writer left whole are there."""

    def __init__(self, file: SealedFile) -> None:
        self._file = file
        handle = os.open(file.path, os.O_RDWR | os.O_CREAT, 0o600)
        self._stream = os.fdopen(handle, "r+b")
        self._number, end = 0, 0
        self.entries: list[bytes] = []
        for sealed in _chunks(self._stream, cut=True):
            self.entries.append(file.opened(sealed, self._number, last=False))
            self._number += 1
            end += _LENGTH + len(sealed)
        self._stream.seek(end)
        self._stream.truncate()

    def append(self, entry: bytes) -> None:
        """Add one; it is there when this returns."""
        self._file.write_chunk(self._stream, entry, self._number, last=False)
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._number += 1

    def close(self) -> None:
        """Nothing more is added."""
        self._stream.close()


def _private(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def _chunks(stream: BinaryIO, *, cut: bool = False) -> Iterator[bytes]:
    """Each sealed chunk; one that is not whole ends the file where it may be cut."""
    while head := stream.read(_LENGTH):
        size = int.from_bytes(head, "big")
        sealed = stream.read(size) if len(head) == _LENGTH else b""
        if len(head) < _LENGTH or len(sealed) < size:
            if cut:
                return
            raise SpoolError("a file of the job is cut short")
        yield sealed


def _with_last(items: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each with whether it is the last."""
    before = next(items, None)
    for item in items:
        assert before is not None
        yield before, False
        before = item
    if before is not None:
        yield before, True
