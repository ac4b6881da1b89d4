"""Whatever a reader, detector or writer raises, and wherever: it ends one file or note, not the run."""

from __future__ import annotations

import errno
import gc
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from incognote.base.errors import RunError, StoppedError
from incognote.document import Document
from incognote.formats import detect
from incognote.formats.container import Record
from incognote.pipeline import Deidentifier
from incognote.runs import deid, stream
from incognote.runs.audit import Audit, Tally
from incognote.runs.inputs import Input
from incognote.runs.journal import Journal
from incognote.runs.plan import plan
from incognote.runs.pool import NoteError, Work
from incognote.runs.settings import Settings
from incognote.runs.stream import Event, work_through

RULES = Settings(find_by="rules")
SECRET = "Okafor"


class Panic(BaseException):
    """What a library in another language raises when it breaks."""


ERRORS: list[BaseException] = [
    ValueError(f"cannot parse {SECRET}"),
    KeyError(SECRET),
    RecursionError(SECRET),
    MemoryError(SECRET),
    UnicodeEncodeError("ascii", SECRET, 0, 1, SECRET),
    OSError(errno.EINVAL, "Invalid argument", SECRET),
    AssertionError(SECRET),
]
READING = ("detect", "open", "records", "last record", "close of the source", "stamp")
WRITING = ("companions", "sink", "write", "close", "close, then abort", "count", "publish")


@pytest.fixture(autouse=True)
def no_file_stays_open() -> Iterator[None]:
    """A file left open is reported when it is collected: in the test that left it, not in a later."""
    yield
    gc.collect()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("a.txt", "m.txt", "z.txt"):
        (folder / name).write_text(f"{name}: seen by Dr. {SECRET}.")
    rows = "".join(f"{row},{name}: Dr. {SECRET}\n" for row, name in enumerate("pqrs"))
    for name in ("b.csv", "m.csv"):
        (folder / name).write_text(f"id,text\n{rows}")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".incognote-run" not in path.parts
    }


class _Through:
    """Something, in which one method raises."""

    def __init__(self, real: Any, **methods: Any) -> None:
        self._real = real
        self._methods = methods

    def __getattr__(self, name: str) -> Any:
        return self._methods.get(name) or getattr(self._real, name)


def break_at(point: str, name: str, error: BaseException, patch: pytest.MonkeyPatch) -> None:
    """From now on, this error at this point, for the file of this name."""

    def raises(*arguments: Any, **named: Any) -> Any:
        raise error

    def after(method: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        def records(skip: int = 0) -> Iterator[Any]:
            yield from method(skip)
            raise error

        return records

    def after_all(method: Callable[[], None]) -> Callable[[], None]:
        def called() -> None:
            method()
            raise error

        return called

    def source_of(real: Any) -> Any:
        if point == "records":
            return _Through(real, records=raises)
        if point == "last record":
            return _Through(real, records=after(real.records))
        if point == "close of the source":
            return _Through(real, close=after_all(real.close))
        return real

    def sink_of(real: Any) -> Any:
        if point == "write":
            return _Through(real, write=raises)
        if point == "close":
            return _Through(real, close=raises)
        broken = {"close": raises, "abort": after_all(real.abort)}
        return _Through(real, **broken) if "abort" in point else real

    def faulty(path: Path, wanted: str | None) -> Any:
        real = detect(path, wanted)
        if path.name != name:
            return real
        if point == "detect":
            raise error
        return _Through(
            real,
            open=raises if point == "open" else lambda *given: source_of(real.open(*given)),
            sink=raises if point == "sink" else lambda *given: sink_of(real.sink(*given)),
            companions=raises if point == "companions" else real.companions,
        )

    patch.setattr(stream, "detect", faulty)
    for owner, method, where in (
        (Input, "stamp", "stamp"),
        (Tally, "add_note", "count"),
        (deid.Run, "_publish", "publish"),
    ):
        if point == where:
            patch.setattr(owner, method, _for_one(owner, method, name, raises))


def _for_one(owner: Any, method: str, name: str, raises: Callable[..., Any]) -> Any:
    real = getattr(owner, method)

    def called(self: Any, *given: Any) -> Any:
        names = [self.path.name] if isinstance(self, Input) else []
        names += [each.input.path.name for each in given if hasattr(each, "input")]
        names += [name for each in given if isinstance(each, Document) and name in each.text]
        return raises() if name in names else real(self, *given)

    return called


def ran(notes: Path, output: Path, *, resume: bool = False) -> Audit:
    return plan([str(notes)], output, RULES, resume=resume).run()


@pytest.mark.parametrize(
    ("name", "point", "error"),
    [
        pytest.param(name, point, error, id=f"{name}, {point}, {type(error).__name__}")
        for point in READING + WRITING
        for name in (["m.txt"] if point == "count" else ["m.txt", "m.csv"])
        for error in (ERRORS if point in ("records", "write") else ERRORS[:1] + ERRORS[-2:-1])
    ],
)
def test_one_file_ends_and_the_others_are_done(
    notes: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    point: str,
    error: BaseException,
) -> None:
    ran(notes, tmp_path / "whole")
    expected = contents(tmp_path / "whole")
    output = {"m.csv": "note-000003.csv", "m.txt": "note-000004.txt"}[name]
    with monkeypatch.context() as patch:
        break_at(point, name, error, patch)
        audit = ran(notes, tmp_path / "out")
        left = {name: data for name, data in expected.items() if name != output}
        if point == "close of the source":
            assert not audit.failures
            assert contents(tmp_path / "out") == expected
            return
        assert [failure.input for failure in audit.failures] == [int(output[5:11])]
        assert contents(tmp_path / "out") == left
        again = ran(notes, tmp_path / "out", resume=True)
        assert [failure.input for failure in again.failures] == [int(output[5:11])]
        assert contents(tmp_path / "out") == left
    told = (tmp_path / "out.audit.json").read_text() + repr(audit.failures)
    assert SECRET not in told
    ran(notes, tmp_path / "out", resume=True)
    assert contents(tmp_path / "out") == expected


@pytest.mark.parametrize(
    "error", [*ERRORS, SystemExit(SECRET), Panic(SECRET)], ids=lambda error: type(error).__name__
)
def test_a_detector_or_replacer_that_raises_ends_its_note(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    real = Deidentifier.pipe

    def pipe(self: Deidentifier, documents: Sequence[Document]) -> Iterator[Any]:
        for document in documents:
            if document.text.startswith(("m.txt", "q:")):
                raise error
            yield from real(self, [document])

    monkeypatch.setattr(Deidentifier, "pipe", pipe)
    audit = ran(notes, tmp_path / "out")
    assert [(failure.input, failure.place) for failure in audit.failures] == [
        (2, "line 3"),
        (3, "line 3"),
        (4, ""),
    ]
    assert all(SECRET not in failure.reason for failure in audit.failures)
    assert contents(tmp_path / "out")["note-000002.csv"].count(b"[DOCTOR]") == 3


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_what_concerns_every_file_stops_the_run_and_can_be_resumed(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    ran(notes, tmp_path / "whole")
    with monkeypatch.context() as patch:
        break_at("write", "m.csv", OSError(number, os.strerror(number)), patch)
        with pytest.raises(StoppedError, match="continue with --resume"):
            ran(notes, tmp_path / "out")
    ran(notes, tmp_path / "out", resume=True)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_a_journal_that_cannot_be_written_stops_the_run(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*given: Any) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Journal, "record", denied)
    with pytest.raises(StoppedError, match="permission denied"):
        ran(notes, tmp_path / "out")


def odd_work(documents: Sequence[Document]) -> list[Any]:
    """Ends its process, or raises, or gives something that cannot be sent."""
    outcomes: list[Any] = []
    for document in documents:
        if document.text == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if document.text == "exit":
            raise SystemExit(document.text)
        outcomes.append((lambda: None) if document.text == "unsendable" else document.text.upper())
    return outcomes


def make_odd_work() -> Work[Any]:
    return odd_work


def events_of(*texts: str) -> Iterator[Event]:
    for text in texts:
        yield Record((Document(text, text),))


def outcomes_of(make_work: Callable[[], Work[Any]], *texts: str) -> list[Any]:
    results = work_through((event for event in events_of(*texts)), make_work, workers=2)
    return [outcome for _, (outcome,) in results]


def test_a_killed_worker_ends_the_note_that_it_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "BATCH_NOTES", 2)
    found = outcomes_of(make_odd_work, "a", "kill", "b", "exit", "unsendable", "c")
    assert found[::2] == ["A", "B", NoteError("what was made of it cannot be sent back")]
    assert found[1] == NoteError("the process that worked on it died, perhaps for want of memory")
    assert found[3] == NoteError("could not be processed (SystemExit)")
    assert found[5] == "C"


def make_nothing() -> Work[Any]:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def make_refusal() -> Work[Any]:
    raise RunError("the model is damaged")


def test_workers_that_die_as_they_start_stop_the_run_with_status_1() -> None:
    with pytest.raises(StoppedError, match="die as they start") as stopped:
        outcomes_of(make_nothing, "a")
    assert stopped.value.status == 1


def test_why_the_work_cannot_be_built_is_said_from_a_worker_too() -> None:
    with pytest.raises(RunError, match="the model is damaged"):
        outcomes_of(make_refusal, "a")
