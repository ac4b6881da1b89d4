"""De-identify files: read, find, replace, write, count; one file after the other, none half."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from incognote.formats.container import BadRecord, FormatError, Record, Sink
from incognote.replace.vault import Vault
from incognote.workflows.run.audit import Audit
from incognote.workflows.run.inputs import Input, StoppedError, reason_of
from incognote.workflows.run.journal import Entry, Journal
from incognote.workflows.run.place import Place
from incognote.workflows.run.settings import Cleaned, Settings
from incognote.workflows.run.stream import (
    Broken,
    Ended,
    Event,
    NoteError,
    Opened,
    events,
    through,
)
from incognote.workflows.run.vaulted import Keeper

CHECKPOINT_SECONDS = 5.0
SCAN = "scan.sqlite"
"""What the first pass of `--scan-first` leaves for the second."""

Advance = Callable[[int, int], None]
"""Told (notes, bytes) as they are done."""


@dataclass
class _File:
    """The file that is being written."""

    input: Input
    output: PurePath
    entry: Entry
    written: tuple[Path, ...] = ()
    """Where the sink writes: a note, or a note and its annotations."""
    sink: Sink | None = None
    table: bool = False
    checkpointed: float = field(default_factory=time.monotonic)
    reported: int = 0


class Run:
    """One run over a list of inputs. `audit` holds its counts, during the run and after."""

    def __init__(
        self,
        inputs: Sequence[Input],
        outputs: dict[int, PurePath],
        place: Place,
        settings: Settings,
        *,
        resume: bool = False,
        advance: Advance = lambda notes, size: None,
        vault: Vault | None = None,
    ) -> None:
        self.inputs = inputs
        self.outputs = outputs
        self.place = place
        self.settings = settings
        self.advance = advance
        self.audit = Audit(settings, files=len(inputs))
        self.journal = Journal(place.state, settings.describe(), resume=resume)
        self.partial = place.state / "partial"
        self.file: _File | None = None
        self.taking = False
        self.keeper = Keeper(vault, place.folder, settings.fields)

    def finish(self) -> Audit:
        """Do all that is left to do. On an interrupt, what is done is kept for `--resume`."""
        try:
            left = [input for input in self.inputs if not self._is_done(input)]
            settings = self._scanned() if left else self.settings
            stream = events(left, settings.fields, settings.format, self._skip)
            notes = settings.patients.told(stream)
            with closing(through(notes, settings.cleaner, settings.workers)) as results:
                for event, outcomes in results:
                    self._take(event, outcomes)
        except OSError as error:
            self._leave()
            raise StoppedError(
                f"cannot write to {self.place.target}: {reason_of(error)}; what is finished is "
                "kept: mend it and continue with --resume"
            ) from None
        except BaseException:
            self._leave()
            raise
        finally:
            (self.place.state / SCAN).unlink(missing_ok=True)
        shutil.rmtree(self.partial, ignore_errors=True)
        self.journal.close(keep=bool(self.audit.failures) and self.audit.files_written > 0)
        self.audit.stop()
        return self.audit

    def _scanned(self) -> Settings:
        """The settings with the index of all inputs, if they are to be scanned first."""
        if not self.settings.scan_first:
            return self.settings
        from incognote.workflows.run.scan import scan

        path = self.place.state / SCAN
        scan(path, self.inputs, self.settings, lambda size: self.advance(0, size))
        return replace(self.settings, scanned=path)

    def _take(self, event: Event, outcomes: Sequence[Cleaned | NoteError]) -> None:
        self.taking = True
        match event:
            case Opened():
                self._open(event)
            case Record():
                self._write(event, outcomes)
            case BadRecord():
                self._fail(event.error.place, event.error.reason)
            case Ended():
                self._close()
            case Broken():
                self._break(event)
        self.taking = False

    def _entry(self, input: Input) -> Entry | None:
        output = self.outputs[input.index]
        try:
            entry = self.journal.find(output, input.stamp())
        except OSError:
            return None
        half = self.partial / output.name
        going_on = half.exists() or half.with_name(f"{half.name}.parts").exists()
        return None if entry is not None and entry.sink is not None and not going_on else entry

    def _is_done(self, input: Input) -> bool:
        entry = self._entry(input)
        output = self.place.folder / self.outputs[input.index]
        if entry is None or not entry.done or not output.exists():
            return False
        self.audit.add_file(input, entry.tally, resumed=True)
        self.advance(entry.tally.notes, input.size())
        return True

    def _skip(self, input: Input) -> int:
        entry = self._entry(input)
        return entry.records if entry is not None and entry.sink is not None else 0

    def _open(self, event: Opened) -> None:
        input, output = event.input, self.outputs[event.input.index]
        earlier = self._entry(input)
        going_on = earlier is not None and earlier.sink is not None and not earlier.done
        entry = earlier if earlier is not None and going_on else Entry(input.stamp())
        self.partial.mkdir(parents=True, exist_ok=True)
        path = self.partial / output.name
        written = (path, *event.format.companions(path))
        self.file = _File(input, output, entry, written, None, event.format.table)
        try:
            resume = entry.sink if going_on else None
            self.file.sink = event.format.sink(path, event.source, resume)
            self.keeper.open(input, output, event.format, entry.chain)
        except FormatError as error:
            self._break(Broken(input, error.place, error.reason))

    def _write(self, record: Record, outcomes: Sequence[Cleaned | NoteError]) -> None:
        file = self.file
        if file is None or file.sink is None:
            return
        errors = [outcome.reason for outcome in outcomes if isinstance(outcome, NoteError)]
        cleaned = [outcome for outcome in outcomes if not isinstance(outcome, NoteError)]
        if errors:
            self._fail(record.place, errors[0])
            return
        try:
            kept = self.keeper.kept(record, cleaned)
            file.sink.write(record, tuple(note.output for note in cleaned))
        except FormatError as error:
            self._fail(record.place or error.place, error.reason)
            return
        self.keeper.add(kept)
        file.entry.chain = self.keeper.chain
        for original, note in zip(record.documents, cleaned, strict=True):
            file.entry.tally.add_note(original, note.output, note.seen, note.remarks)
        file.entry.records += 1
        size = sum(len(document.text) for document in record.documents)
        file.reported += size
        self.advance(len(cleaned), size)
        if file.table and time.monotonic() - file.checkpointed > CHECKPOINT_SECONDS:
            self._checkpoint(file)

    def _checkpoint(self, file: _File) -> None:
        assert file.sink is not None
        self.keeper.commit()
        file.entry.sink = dict(file.sink.checkpoint())
        self.journal.record(file.output, file.entry)
        file.checkpointed = time.monotonic()

    def _fail(self, place: str, reason: str) -> None:
        """A note fails. In a table the others go on; a file of one note is not written."""
        file = self.file
        if file is None or file.sink is None:
            return
        file.entry.tally.add_failure(place, reason)
        file.entry.records += 1
        if not file.table:
            self._drop(file)

    def _break(self, event: Broken) -> None:
        """A file fails as a whole: nothing of it is written."""
        file = self.file
        if file is None or file.input is not event.input:
            file = _File(event.input, self.outputs[event.input.index], Entry(""))
        elif file.sink is None and file.entry.tally.failed:
            return
        read = file.entry.tally.notes
        file.entry.tally = type(file.entry.tally)()
        file.entry.tally.add_failure(event.place, event.reason, notes=max(1, read))
        self.file = file
        self._drop(file)

    def _drop(self, file: _File) -> None:
        if file.sink is not None:
            file.sink.abort()
            file.sink = None
        if self.place.single is None:
            (self.place.folder / file.output).unlink(missing_ok=True)
        self._conclude(file)

    def _close(self) -> None:
        file = self.file
        if file is None or file.sink is None:
            return
        try:
            file.sink.close()
        except FormatError as error:
            self._break(Broken(file.input, error.place, error.reason))
            return
        self.keeper.close()
        self._publish(file)
        file.sink = None
        self._conclude(file)

    def _publish(self, file: _File) -> None:
        """Move what the sink wrote under its final names, once the vault has it."""
        self.keeper.commit()
        folder = (self.place.folder / file.output).parent
        folder.mkdir(parents=True, exist_ok=True)
        for written in file.written:
            written.replace(folder / written.name)

    def _conclude(self, file: _File) -> None:
        file.entry.sink = None
        file.entry.done = True
        self.journal.record(file.output, file.entry)
        self.audit.add_file(file.input, file.entry.tally)
        self.advance(0, max(0, file.input.size() - file.reported))

    def _leave(self) -> None:
        """Stop half way: a table is kept up to here, hidden; a single note is not.

        Where a record is just being taken, it may be written and not yet counted, or the reverse:
        then the last checkpoint stays, and what came after it is done again.
        """
        file = self.file
        if file is not None and file.sink is not None:
            if not file.table:
                file.sink.abort()
            elif not self.taking:
                with suppress(ValueError, OSError, StoppedError):
                    self._checkpoint(file)
        with suppress(OSError):
            self.journal.close(keep=True)
