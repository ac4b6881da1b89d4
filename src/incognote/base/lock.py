"""One run at a time on an output: a lock that the system takes back when its holder dies.

The lock is a hidden file, in an output folder or beside an output file, that the system locks for
the process that holds it (`flock`, or a locked byte on Windows). It also says who that is. Where a
file system cannot lock, a second hidden file stands for the lock; one whose process is gone from
this machine counts for nothing.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from incognote.base.errors import UserError, reason_of

NAME = ".incognote-lock"
_WITHOUT_SYSTEM = ".pid"
_UNABLE = frozenset({errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL})
_TAKEN = frozenset({errno.EACCES, errno.EAGAIN, errno.EDEADLK})
_MOST_TRIES = 100
"""There are places, such as /proc, where no folder can be made and the system says it is missing."""
_LOCKED_BYTE = 1 << 30
"""On Windows a locked byte cannot be read, so it is one behind all that is written."""


class InUseError(UserError):
    """An output to which another run is writing."""


@dataclass(frozen=True)
class Holder:
    """Who has a lock."""

    command: str
    process: int
    host: str
    since: str

    @classmethod
    def here(cls, command: str) -> Holder:
        """This process, now."""
        now = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
        return cls(command, os.getpid(), socket.gethostname(), now)

    @classmethod
    def read(cls, path: Path) -> Holder | None:
        """Who is written in a lock file; None in the moment before it is."""
        try:
            return cls(**json.loads(path.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def is_dead(self) -> bool:
        """Whether its process is surely gone: it was one of this machine, and there is none."""
        if self.host != socket.gethostname() or sys.platform == "win32":
            return False
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return True
        except OSError:
            return False
        return False

    def __str__(self) -> str:
        return f"{self.command}, process {self.process} on {self.host}, since {self.since}"


def lock_path(output: Path, *, folder: bool) -> Path:
    """Where the lock of an output is."""
    return output / NAME if folder else output.with_name(f".{output.name}{NAME}")


def is_lock(path: Path) -> bool:
    """Whether a file is a lock, and so no part of what is in a folder."""
    return path.name.startswith(".") and path.name.endswith((NAME, NAME + _WITHOUT_SYSTEM))


@contextmanager
def output_lock(output: Path, command: str, *, folder: bool) -> Iterator[None]:
    """Hold the lock of an output; InUseError says who has it already.

    A folder that is made for the lock goes again if nothing else has come into it.
    """
    path = lock_path(output, folder=folder)
    made = _missing(path.parent)
    handle = _take(path, output, command)
    try:
        yield
    finally:
        _release(path, handle)
        for each in made:
            with suppress(OSError):
                each.rmdir()


def _missing(folder: Path) -> list[Path]:
    """The folders that must be made, the innermost first."""
    return [each for each in (folder, *folder.parents) if not each.exists()]


def _take(path: Path, output: Path, command: str) -> int:
    tries = 0
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            tries += 1
            if isinstance(error, FileNotFoundError) and tries < _MOST_TRIES:
                continue  # its folder went with another run
            raise UserError(f"{output}: cannot be written: {reason_of(error)}") from None
        try:
            _lock(handle)
        except OSError as error:
            os.close(handle)
            if error.errno in _TAKEN:
                raise _in_use(path, output, "wait for it, or stop it") from None
            if error.errno not in _UNABLE:
                raise UserError(f"{output}: cannot be locked: {reason_of(error)}") from None
            return _take_without_system(path, output, command)
        if _is_there(path, handle):
            os.ftruncate(handle, 0)
            _write(handle, command)
            return handle
        os.close(handle)  # the run before took it away while this one waited to lock it


def _take_without_system(path: Path, output: Path, command: str) -> int:
    mark = path.with_name(path.name + _WITHOUT_SYSTEM)
    while True:
        try:
            handle = os.open(mark, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            holder = Holder.read(mark)
            if holder is None or not holder.is_dead():
                advice = f"wait for it, or stop it; if it is long dead, remove {mark}"
                raise _in_use(mark, output, advice) from None
            mark.unlink(missing_ok=True)
            continue
        _write(handle, command)
        return handle


def _write(handle: int, command: str) -> None:
    os.write(handle, json.dumps(asdict(Holder.here(command))).encode() + b"\n")


def _in_use(path: Path, output: Path, advice: str) -> InUseError:
    holder = Holder.read(path)
    who = f" ({holder})" if holder is not None else ""
    return InUseError(f"{output}: another run is writing here{who}; {advice}")


def _is_there(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def _release(path: Path, handle: int) -> None:
    """Taken away before it is unlocked, so that nobody gets a lock that is about to go."""
    mark = path.with_name(path.name + _WITHOUT_SYSTEM)
    if sys.platform == "win32":  # where an open file cannot be removed
        os.close(handle)
    for each in (mark, path):
        with suppress(OSError):
            each.unlink(missing_ok=True)
    if sys.platform != "win32":
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
