"""One run at a time on an output: held by the system, released by death, and it says by whom."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from incognote.base import lock
from incognote.base.errors import UserError
from incognote.base.lock import Holder, InUseError, is_lock, lock_path, output_lock

HOLD = """
import sys
from pathlib import Path
from incognote.base.lock import output_lock
with output_lock(Path(sys.argv[1]), "deid", folder=True):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("folder", [True, False])
def test_the_second_is_told_who_holds_it(tmp_path: Path, folder: bool) -> None:
    output = tmp_path / "out"
    with output_lock(output, "deid", folder=folder):
        with pytest.raises(InUseError) as refused, output_lock(output, "find", folder=folder):
            pass
        told = str(refused.value)
        assert f"deid, process {os.getpid()} on {socket.gethostname()}, since 20" in told
        assert told.startswith(f"{output}: another run is writing here")
    with output_lock(output, "find", folder=folder):
        pass


@pytest.mark.parametrize("folder", [True, False])
def test_nothing_is_left_when_it_is_released(tmp_path: Path, folder: bool) -> None:
    with output_lock(tmp_path / "new" / "out", "deid", folder=folder):
        assert lock_path(tmp_path / "new" / "out", folder=folder).exists()
    assert list(tmp_path.iterdir()) == []


def test_what_was_written_meanwhile_stays(tmp_path: Path) -> None:
    with output_lock(tmp_path / "out", "deid", folder=True):
        (tmp_path / "out" / "note.txt").write_text("x")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["note.txt"]


def test_death_releases_it(tmp_path: Path) -> None:
    holding = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "out")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holding.stdin is not None
    assert holding.stdout is not None
    assert holding.stdout.readline() == b"held\n"
    with (
        pytest.raises(InUseError, match=f"process {holding.pid} "),
        output_lock(tmp_path / "out", "deid", folder=True),
    ):
        pass
    holding.send_signal(signal.SIGKILL)
    holding.wait()
    holding.stdin.close()
    holding.stdout.close()
    with output_lock(tmp_path / "out", "deid", folder=True):
        holder = Holder.read(lock_path(tmp_path / "out", folder=True))
        assert holder is not None
        assert holder.process == os.getpid()


def test_two_names_of_a_folder_are_one_output(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "out")
    with (
        output_lock(tmp_path / "out", "deid", folder=True),
        pytest.raises(InUseError),
        output_lock(tmp_path / "link", "deid", folder=True),
    ):
        pass


def test_a_lock_that_went_while_one_waited_is_taken_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = lock_path(tmp_path, folder=True)
    system, turns = lock._lock, iter([True])

    def late(handle: int) -> None:
        system(handle)
        if next(turns, False):
            path.unlink()

    monkeypatch.setattr(lock, "_lock", late)
    with output_lock(tmp_path, "deid", folder=True):
        assert path.exists()
        with pytest.raises(InUseError), output_lock(tmp_path, "deid", folder=True):
            pass


@pytest.fixture
def unable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that cannot lock."""

    def cannot(handle: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(lock, "_lock", cannot)


@pytest.mark.usefixtures("unable")
def test_where_the_system_cannot_lock_a_file_does(tmp_path: Path) -> None:
    with (
        output_lock(tmp_path / "out", "deid", folder=True),
        pytest.raises(InUseError, match=r"if it is long dead, remove .*\.pid"),
        output_lock(tmp_path / "out", "deid", folder=True),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("unable")
def test_there_a_dead_process_holds_nothing_and_one_elsewhere_does(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    mark = Path(f"{lock_path(tmp_path, folder=True)}.pid")
    told = {"command": "deid", "process": dead.pid, "host": "elsewhere", "since": "now"}
    mark.write_text(json.dumps(told))
    with pytest.raises(InUseError, match="elsewhere"), output_lock(tmp_path, "deid", folder=True):
        pass
    mark.write_text(json.dumps({**told, "host": socket.gethostname()}))
    with output_lock(tmp_path, "deid", folder=True):
        pass


def test_where_nothing_can_be_written_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*arguments: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("incognote.base.lock.os.open", denied)
    with (
        pytest.raises(UserError, match="out: cannot be written: permission denied"),
        output_lock(tmp_path / "out", "deid", folder=True),
    ):
        pass


def test_a_damaged_lock_file_is_no_obstacle(tmp_path: Path) -> None:
    path = lock_path(tmp_path, folder=True)
    path.write_bytes(b"\xff{")
    with output_lock(tmp_path, "deid", folder=True):
        pass
    assert not path.exists()


def test_locks_are_known_by_their_names() -> None:
    assert is_lock(lock_path(Path("out"), folder=True))
    assert is_lock(lock_path(Path("out.csv"), folder=False))
    assert not is_lock(Path("note.txt"))
