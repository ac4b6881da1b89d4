"""De-identify files: read, detect, replace, write, count; one file after the other, none half-written."""

from __future__ import annotations

import errno
import shutil
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from logging import WARNING
from pathlib import Path, PurePath

from incognote.base.errors import RunError, StoppedError, kind_of_error, reason_of
from incognote.base.files import OWNER_ONLY_FOLDER, is_inside
from incognote.base.messages import log
from incognote.base.workers import Interrupts
from incognote.formats.container import BadRecord, Record, Sink, Table
from incognote.formats.format_error import FormatError
from incognote.replace.vault import Vault
from incognote.runs.audit import Audit
from incognote.runs.inputs import Input
from incognote.runs.journal import Entry, Journal
from incognote.runs.outputs import PARTIAL, Place, note_files
from incognote.runs.pool import NoteError
from incognote.runs.resume import EarlierRun
from incognote.runs.settings import Cleaned, Settings
from incognote.runs.settings_record import describe
from incognote.runs.stream import Advance, Broken, Ended, Event, Opened, events, work_through
from incognote.runs.vault_notes import Keeper

CHECKPOINT_SECONDS = 5.0
SCAN = "scan.sqlite"
"""What the first pass of `--scan-first` leaves for the second."""

EVERY_FILE = frozenset(
    getattr(errno, name)
    for name in "ENOSPC EDQUOT EIO EROFS ENODEV ENXIO ESTALE EMFILE ENFILE ENOTCONN".split()
    if hasattr(errno, name)
)
"""System errors that are the fault of the disk and not of a file: no other file would fare better."""


@dataclass
class _File:
    """The file that is being written."""

    input: Input
    output: PurePath
    entry: Entry
    paths: tuple[Path, ...] = ()
    """Where the sink writes: a note, or a note and its annotations."""
    sink: Sink | None = None
    table: bool = False
    columns: Table | None = None
    """The format, where columns of values are replaced."""
    checkpointed: float = field(default_factory=time.monotonic)
    reported: int = 0


class Run:
    """One run over a list of inputs. `audit` holds its counts, during the run and after.

    Whatever one file or note raises ends that file or note, and is told by its kind alone. Only
    what concerns all files (a full disk, a vault that cannot be written) stops the run.
    """

    def __init__(
        self,
        inputs: Sequence[Input],
        outputs: dict[int, PurePath],
        place: Place,
        settings: Settings,
        *,
        resume: bool = False,
        prepare: Callable[[], None] = lambda: None,
        advance: Advance = lambda notes, size: None,
        say: Callable[[str], None] = lambda line: None,
        vault: Vault | None = None,
    ) -> None:
        self.inputs = inputs
        self.outputs = outputs
        self.place = place
        self.settings = settings
        self.prepare = prepare
        self.advance = advance
        self.say = say
        self.resume = resume
        self.audit = Audit(settings, files=len(inputs))
        self.journal = Journal(place.state, describe(settings), resume=resume)
        self.partial = place.state / PARTIAL
        self.file: _File | None = None
        self.earlier = EarlierRun(place, outputs, self.journal)
        self.has_begun = False
        self.taking = False
        self.keeper = Keeper(vault, place.folder, settings.fields)

    def finish(self, report: Callable[[Audit], None] = lambda audit: None) -> Audit:
        """Do all that is left to do. On an interrupt, what is done is kept for `--resume`.

        `report` is given the audit before the state that could still be resumed is dropped.
        """
        try:
            remaining = [input for input in self.inputs if not self._count_if_finished(input)]
            if remaining:
                self._work_on(remaining)
            self._begin()
            self.audit.stop()
            report(self.audit)
        except OSError as error:
            self._suspend()
            raise self._stop_error(error) from None
        except BaseException:
            self._suspend()
            raise
        finally:
            (self.place.state / SCAN).unlink(missing_ok=True)
        shutil.rmtree(self.partial, ignore_errors=True)
        self.journal.close(keep=bool(self.audit.failures) and self.audit.files_written > 0)
        tally = self.audit.tally
        log("run", "ended", notes=tally.notes, failed=tally.failed, seconds=self.audit.seconds)
        return self.audit

    def _work_on(self, inputs: Sequence[Input]) -> None:
        settings = self._scan_first()
        stream = events(inputs, settings.fields, settings.format, self.earlier.records_done)
        notes = settings.assign(stream, self._written_before if self.resume else None)
        interrupts = Interrupts()
        with (
            interrupts.listening(),
            closing(work_through(notes, settings.cleaner, settings.workers)) as results,
        ):
            for event, outcomes in results:
                with interrupts.held():
                    self._begin()
                    self.taking = True
                    self._take(event, outcomes)
                    self.taking = False

    def _written_before(self) -> Generator[Event]:
        """The records that an earlier run has done, from their inputs."""
        fields, format = self.settings.fields, self.settings.format
        for input in self.inputs:
            finished = self.earlier.finished_entry(input) is not None
            count = None if finished else self.earlier.records_done(input)
            if count != 0:
                with closing(events([input], fields, format)) as stream:
                    yield from islice(stream, None if count is None else 1 + count)

    def _stop_error(self, error: OSError) -> StoppedError:
        return StoppedError(
            f"cannot write to {self.place.target}: {reason_of(error)}; what is finished is "
            "kept: mend it and continue with --resume"
        )

    def _scan_first(self) -> Settings:
        """The settings with the index of all inputs, if they are to be scanned first."""
        if not self.settings.scan_first:
            return self.settings
        from incognote.runs.scan import scan

        path = self.place.state / SCAN
        path.parent.mkdir(mode=OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
        scan(path, self.inputs, self.settings, lambda size: self.advance(0, size))
        return replace(self.settings, scanned=path)

    def _begin(self) -> None:
        """Once the first notes have been worked on: the output is this run's from now on."""
        if self.has_begun:
            return
        self.prepare()
        self.journal.begin()
        self.has_begun = True
        log("run", "begun", files=len(self.inputs), done_before=self.audit.files_resumed)
        if self.resume:
            self.earlier.tidy(self.inputs, self.say)

    def _take(self, event: Event, outcomes: Sequence[Cleaned | NoteError]) -> None:
        try:
            match event:
                case Opened():
                    self._open(event)
                case Record():
                    self._write(event, outcomes)
                case BadRecord():
                    self._fail_note(event.error.place, event.error.reason)
                case Ended():
                    self._close()
                case Broken():
                    self._fail_file(event)
        except RunError:
            raise
        except Exception as error:
            if isinstance(error, OSError) and error.errno in EVERY_FILE:
                raise
            self._fail_unforeseen(event, error)

    def _fail_unforeseen(self, event: Event, error: Exception) -> None:
        """A file that cannot be written for a reason that nobody foresaw."""
        input = event.input if isinstance(event, Opened | Ended | Broken) else None
        if input is None:
            assert self.file is not None
            input = self.file.input
        place = event.place if isinstance(event, Record) else ""
        reason = f"could not be written ({kind_of_error(error)})"
        if isinstance(error, FormatError):
            reason = error.reason
        self._fail_file(Broken(input, place, reason))

    def _count_if_finished(self, input: Input) -> bool:
        """Whether an earlier run finished the file; if so it counts as done, in the audit and on the bar."""
        entry = self.earlier.finished_entry(input)
        if entry is None:
            return False
        self.audit.add_file(input, entry.tally, resumed=True)
        self.advance(entry.tally.notes, input.size())
        return True

    def _open(self, event: Opened) -> None:
        input, output = event.input, self.outputs[event.input.index]
        earlier_entry = self.earlier.entry(input)
        going_on = (
            earlier_entry is not None and earlier_entry.sink is not None and not earlier_entry.done
        )
        entry = earlier_entry if earlier_entry is not None and going_on else Entry(input.stamp())
        self.partial.mkdir(parents=True, exist_ok=True)
        path = self.partial / output.name
        paths = (path, *event.format.companions(path))
        format, values = event.format, self.settings.fields.values
        columns = format if values and isinstance(format, Table) else None
        self.file = _File(input, output, entry, paths, None, event.format.table, columns)
        try:
            resume = entry.sink if going_on else None
            self.file.sink = event.format.sink(path, event.source, resume)
            self.keeper.open(input, output, event.format, entry.chain)
        except FormatError as error:
            self._fail_file(Broken(input, error.place, error.reason))

    def _write(self, record: Record, outcomes: Sequence[Cleaned | NoteError]) -> None:
        file = self.file
        if file is None or file.sink is None:
            return
        record = replace(record, marks=self.settings.with_spans)
        errors = [outcome.reason for outcome in outcomes if isinstance(outcome, NoteError)]
        cleaned = [outcome for outcome in outcomes if not isinstance(outcome, NoteError)]
        if errors:
            self._fail_note(record.place, errors[0])
            return
        if file.columns is not None:
            outputs = file.columns.written(record, tuple(note.output for note in cleaned))
            cleaned = [
                replace(note, output=output) for note, output in zip(cleaned, outputs, strict=True)
            ]
        try:
            originals = self.keeper.stored_notes(record, cleaned)
            file.sink.write(record, tuple(note.output for note in cleaned))
        except FormatError as error:
            self._fail_note(record.place or error.place, error.reason)
            return
        self.keeper.add(originals)
        file.entry.chain = self.keeper.chain
        for original, note in zip(record.documents, cleaned, strict=True):
            file.entry.tally.add_note(original, note.output, note.seen, note.remarks)
        self.audit.add_patients(record.documents)
        file.entry.records += 1
        size = sum(len(document.text) for document in record.documents)
        file.reported += size
        self.advance(len(record.notes), size)
        if file.table and time.monotonic() - file.checkpointed > CHECKPOINT_SECONDS:
            self._checkpoint(file)

    def _checkpoint(self, file: _File) -> None:
        assert file.sink is not None
        self.keeper.commit()
        file.entry.sink = dict(file.sink.checkpoint())
        self._record(file)
        file.checkpointed = time.monotonic()

    def _record(self, file: _File) -> None:
        """A journal that cannot be written is not the fault of a file."""
        try:
            self.journal.record(file.output, file.entry)
        except OSError as error:
            raise self._stop_error(error) from None

    def _fail_note(self, place: str, reason: str) -> None:
        """A note fails. In a table the others go on; a file of one note is not written."""
        file = self.file
        if file is None or file.sink is None:
            return
        file.entry.tally.add_failure(place, reason)
        file.entry.records += 1
        if not file.table:
            self._discard(file)

    def _fail_file(self, event: Broken) -> None:
        """A file fails as a whole: nothing of it is written."""
        file = self.file
        if file is None or file.input is not event.input:
            file = _File(event.input, self.outputs[event.input.index], Entry(""))
        elif file.sink is None and file.entry.tally.failed:
            return
        notes = file.entry.tally.notes
        file.entry.tally = type(file.entry.tally)()
        file.entry.tally.add_failure(event.place, event.reason, notes=max(1, notes))
        self.file = file
        self._discard(file)

    def _discard(self, file: _File) -> None:
        """Remove what was written of a file, now and by an earlier run, and count it as it failed."""
        sink, file.sink = file.sink, None
        if sink is not None:
            with suppress(Exception):
                sink.abort()
        if self.place.single is None:
            for path in note_files(self.place.folder / file.output):
                with suppress(OSError):
                    path.unlink(missing_ok=True)
        self._conclude(file)

    def _close(self) -> None:
        file = self.file
        if file is None or file.sink is None:
            return
        if file.entry.tally.failed and not file.entry.tally.written:
            self._discard(file)
            return
        try:
            file.sink.close()
        except FormatError as error:
            self._fail_file(Broken(file.input, error.place, error.reason))
            return
        self.keeper.close()
        self._publish(file)
        file.sink = None
        self._conclude(file)

    def _publish(self, file: _File) -> None:
        """Move what the sink wrote under its final names, once the vault has it."""
        self.keeper.commit()
        output = self.place.folder / file.output
        output.parent.mkdir(parents=True, exist_ok=True)
        if not is_inside(output.parent / "x", self.place.folder):
            raise FormatError("a link leads out of the output folder")
        finals = [output.parent / path.name for path in file.paths]
        try:
            for path, final in zip(file.paths, finals, strict=True):
                path.replace(final)
        except BaseException:
            for final in finals:
                final.unlink(missing_ok=True)
            raise
        file.entry.written = self.earlier.stamp(output)

    def _conclude(self, file: _File) -> None:
        file.entry.sink = None
        file.entry.done = True
        self._record(file)
        tally = file.entry.tally
        self.audit.add_file(file.input, tally)
        log("run", "file ended", input=file.input.index, notes=tally.notes, failed=tally.failed)
        for place, reason in tally.failures:
            log("run", "failed", WARNING, input=file.input.index, place=place, reason=reason)
        self.advance(0, max(0, file.input.size() - file.reported))

    def _suspend(self) -> None:
        """Stop half way: a table is kept up to here, hidden; a single note is not.

        Where a record is just being taken, it may be written and not yet counted, or the reverse:
        then the last checkpoint stays, and what came after it is done again.
        """
        log("run", "stopped", WARNING, notes=self.audit.tally.notes)
        file = self.file
        if file is not None and file.sink is not None:
            if not file.table:
                with suppress(Exception):
                    file.sink.abort()
            elif not self.taking:
                with suppress(Exception):
                    self._checkpoint(file)
            file.sink.release()
        with suppress(OSError):
            self.journal.close(keep=True)
