"""What an earlier run left behind: which files it finished, which half way, and what must go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath

from incognote.base.messages import log, quantity
from incognote.runs.inputs import Input
from incognote.runs.journal import Entry, Journal
from incognote.runs.outputs import PARTIAL, Place, annotated_note, note_files, remove_files


@dataclass(frozen=True)
class EarlierRun:
    """What the journal tells of the files of this run, believed only where inputs and outputs still agree."""

    place: Place
    outputs: Mapping[int, PurePath]
    journal: Journal

    def entry(self, input: Input) -> Entry | None:
        """What the journal says of a file, if the file can be continued from there."""
        output = self.outputs[input.index]
        try:
            entry = self.journal.find(output, input.stamp())
        except Exception:  # said when the file is opened
            return None
        if entry is None or entry.sink is None:
            return entry
        half = self.place.state / PARTIAL / output.name
        return entry if _is_whole(half, entry.sink) else None

    def finished_entry(self, input: Input) -> Entry | None:
        """What is known of a file that was finished, if its output is still the one that was written."""
        entry = self.entry(input)
        if entry is None or not entry.done or not entry.written:
            return None
        output = self.place.folder / self.outputs[input.index]
        return entry if self.stamp(output) == entry.written else None

    def records_done(self, input: Input) -> int:
        """How many records of a half-written file need not be read again."""
        entry = self.entry(input)
        return entry.records if entry is not None and entry.sink is not None else 0

    def stamp(self, output: Path) -> str:
        """Changes when a file of the output does; empty if there is none."""
        files = (output,) if self.place.single is not None else note_files(output)
        return _stamp(files)

    def tidy(self, inputs: Sequence[Input], say: Callable[[str], None]) -> None:
        """Before a run is resumed: remove all but the outputs that are surely finished, and say what goes."""
        done = [self.outputs[input.index] for input in inputs if self.finished_entry(input)]
        orphans = self._orphans()
        half = sum(self.records_done(input) > 0 for input in inputs)
        damaged = self.journal.damaged
        say(
            f"continuing: {len(done):,} of {quantity(len(inputs), 'file')} done"
            + (f", {half:,} half way" if half else "")
        )
        if damaged:
            say(
                f"{quantity(damaged, 'damaged line')} in the record of the run: what was told there "
                "is done again"
            )
        if self.place.single is None:
            files = (note_files(self.place.folder / output) for output in done)
            remove_files(self.place, {path for each in files for path in each})
        if orphans:
            say(
                f"{quantity(len(orphans), 'input')} of the earlier run no longer here: what was "
                "written of that is removed, also from the list of names"
            )
        for output in sorted(orphans):
            self.journal.forget(output)
        log("run", "resumed", done=len(done), gone=len(orphans), damaged=damaged)

    def _orphans(self) -> set[str]:
        """Outputs, in the journal or in the folder, whose inputs are not among those of this run."""
        known = set(self.journal.entries)
        if self.place.single is None:
            folder = self.place.folder
            files = (note_files(folder / output) for output in self.outputs.values())
            ours = {path for each in files for path in each}
            others = (path for path in self.place.files() if path not in ours)
            known |= {str(annotated_note(path).relative_to(folder)) for path in others}
        return known - set(map(str, self.outputs.values()))


def _is_whole(half: Path, checkpoint: Mapping[str, int]) -> bool:
    """Whether a half-written output has all that the checkpoint says was written."""
    parts = half.with_name(f"{half.name}.parts")
    if "parts" in checkpoint:
        return parts.is_dir() and len(list(parts.iterdir())) >= checkpoint["parts"]
    try:
        return half.stat().st_size >= checkpoint.get("bytes", 0)
    except OSError:
        return False


def _stamp(files: Iterable[Path]) -> str:
    stamps = []
    for path in files:
        with suppress(OSError):
            status = path.stat()
            stamps.append(f"{status.st_size}-{status.st_mtime_ns}")
    return " ".join(stamps)
