"""Where a run may write, and what its outputs are called.

Names of files and folders are PHI too, so by default they go. The name list, which leads from outputs
back to inputs, is a file of its own.
"""

from __future__ import annotations

import csv
import hmac
import io
import os
import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Literal

from incognote.base.errors import RunError, reason_of
from incognote.base.files import files_below, real_path, write_private
from incognote.base.lock import is_lock, output_lock
from incognote.base.messages import quantity
from incognote.formats.brat import ann_path
from incognote.formats.physionet import location_files, text_names
from incognote.formats.streams import extension
from incognote.runs.inputs import Input

STATE_FOLDER = ".incognote-run"
"""Hidden in the output until a run is finished."""
JOURNAL = "journal.jsonl"
PARTIAL = "partial"
"""In the state folder: what is done, and the folder of outputs that are being written."""


@dataclass(frozen=True)
class Place:
    """The output folder, the state folder in it, and the name of a single output file."""

    folder: Path
    state: Path
    single: PurePath | None = None

    @property
    def target(self) -> Path:
        """What the user asked for: a file or a folder."""
        return self.folder / self.single if self.single else self.folder

    @property
    def unfinished(self) -> bool:
        """Whether a run has stopped here half way."""
        return (self.state / JOURNAL).exists()

    def beside(self, ending: str) -> Path:
        """A file that belongs to the run but not to the release: `clean.audit.json`."""
        return self.target.with_name(self.target.name + ending)

    def lock(self, command: str) -> AbstractContextManager[None]:
        """Held while the run writes; InUseError if another run does."""
        return output_lock(self.target, command, folder=self.single is None)

    def files(self) -> Generator[Path]:
        """What is in the output folder, but for a run's own state: files, links and the like."""
        with closing(files_below(self.folder, without=self.state)) as paths:
            yield from (path for path in paths if not is_lock(path))

    def is_taken(self) -> bool:
        """Whether there is something that a run would replace or stand beside."""
        if self.single is not None:
            return os.path.lexists(self.target)
        with closing(self.files()) as files:
            return next(files, None) is not None


def choose_place(target: str | Path, arguments: Sequence[str], inputs: Sequence[Input]) -> Place:
    """Decide between file and folder; refuse what would mix input and output.

    One input goes to a file, unless `target` is a folder or ends like one.
    """
    output = Path(target)
    _check_regular(output)
    one_file = len(inputs) == 1 and len(arguments) == 1 and Path(arguments[0]).is_file()
    if one_file and not output.is_dir() and not str(target).endswith(("/", "\\")):
        place = Place(
            output.parent, output.parent / f".{output.name}.incognote-run", PurePath(output.name)
        )
    else:
        if output.is_file():
            raise RunError(f"{output}: is a file, but several notes need a folder")
        place = Place(output, output / STATE_FOLDER)
    _keep_apart(place, arguments, inputs)
    return place


def _check_regular(path: Path) -> None:
    """Refuse a device or a pipe: a run puts a finished file in its place."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise RunError(f"{path}: is neither a file nor a folder; choose another name")


def _keep_apart(place: Place, arguments: Sequence[str], inputs: Sequence[Input]) -> None:
    target = real_path(place.target)
    for argument in arguments:
        source = real_path(Path(argument))
        if source == target:
            raise RunError(f"{place.target}: is also the input; choose another output")
        if source.is_dir() and source in target.parents:
            raise RunError(f"{place.target}: lies inside the input folder; choose another output")
    for input in inputs:
        source = real_path(input.path)
        if source == target or (place.single is None and target in source.parents):
            raise RunError(f"{place.target}: holds the input; choose another output")


def goes_on(place: Place, *, overwrite: bool, resume: bool) -> bool:
    """Whether the run that stopped here is to be continued; refuse what nobody asked to replace."""
    if overwrite and resume:
        raise RunError(
            "--resume continues a run and --overwrite begins it anew: choose one of the two"
        )
    if overwrite:
        return False
    if place.unfinished:
        if resume:
            return True
        raise RunError(
            f"{place.target}: an unfinished run is here; continue it with --resume, "
            "or start over with --overwrite"
        )
    if place.is_taken():
        why = "no unfinished run is here to resume, but other files are" if resume else "exists"
        raise RunError(f"{place.target}: {why}; choose another output or use --overwrite")
    return False


def check_foreign(place: Place, ours: Iterable[PurePath]) -> None:
    """Nothing may stand in a release but what a run wrote: `ours`, and annotations beside it."""
    own_files = {path for output in ours for path in note_files(place.folder / output)}
    foreign = set(place.files()) - own_files
    if foreign:
        raise RunError(
            f"{place.folder}: holds {quantity(len(foreign), 'file')} that this run would not replace; "
            "empty it, or choose another output"
        )


def note_files(output: Path) -> tuple[Path, ...]:
    """The files that an output may have: a note, and what marks it as brat or PhysioNet do."""
    if extension(output) not in ("", ".txt", ".text"):
        return (output,)
    return (output, ann_path(output), location_files(output)[0])


def annotated_note(path: Path) -> Path:
    """The note that a file marks, or the file itself if it marks none."""
    if path.suffix == ".ann":
        return path.with_suffix(".txt")
    return path.with_name(next(iter(text_names(path.name)), path.name))


def remove_files(place: Place, keep: set[Path]) -> None:
    """Remove the files of the output folder but those to `keep`, and the folders that are empty then."""
    for path in list(place.files()):
        if path not in keep:
            path.unlink()
    for folder, _, _ in os.walk(place.folder, topdown=False):
        if Path(folder) not in (place.folder, place.state):
            with suppress(OSError):
                Path(folder).rmdir()


def check_free(paths: Iterable[Path], inputs: Sequence[Input], *, overwrite: bool) -> None:
    """The files beside the output must not replace an input, nor, unasked, anything else."""
    sources = {real_path(input.path) for input in inputs}
    for path in paths:
        if real_path(path) in sources:
            raise RunError(f"{path}: is also the input; choose another name")
        if path.is_dir():
            raise RunError(f"{path}: is a folder")
        _check_regular(path)
        if path.exists() and not overwrite:
            raise RunError(f"{path}: exists; move it away or use --overwrite")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{path}: cannot be written: {reason_of(error)}") from None
        if not os.access(path.parent, os.W_OK):
            raise RunError(f"{path}: cannot be written: permission denied")


# Names


Names = Literal["number", "hash", "keep"]
NAME_LIST_COLUMNS = ("input", "original", "output")
KNOWN_SUFFIXES = frozenset(".txt .text .xml .ann .jsonl .ndjson .csv .tsv .parquet .gz".split())


_SUFFIX = "|".join(re.escape(suffix) for suffix in sorted(KNOWN_SUFFIXES))
_OWN_NAME = re.compile(
    rf"((folder-[0-9]{{4,18}}|[0-9a-f]{{16}})/)*(note-[0-9]{{6,18}}|[0-9a-f]{{16}})({_SUFFIX}){{0,2}}"
)
"""What outputs are called by number or by hash: nothing hidden, no way out of the folder."""

_NUMBER = re.compile(r"(?:note|folder)-([0-9]+)")


def suffix_of(path: PurePath, fallback: str = "") -> str:
    """The part of a file's name that tells its format: `.csv.gz`, never `.smith`."""
    suffixes: list[str] = []
    for suffix in reversed(path.suffixes):
        if suffix.lower() not in KNOWN_SUFFIXES:
            break
        suffixes.insert(0, suffix.lower())
    return "".join(suffixes[-2:]) or fallback


def name_outputs(
    inputs: Iterable[Input],
    names: Names,
    *,
    key: bytes | None = None,
    earlier: Mapping[str, str] | None = None,
    fallback_suffix: str = "",
) -> dict[int, PurePath]:
    """From each input's index to its output, relative to the output folder.

    `earlier` (original to output) are names given by a run that is being resumed: they stay.
    """
    if names == "keep":
        outputs = {input.index: input.relative for input in inputs}
        if len(set(outputs.values())) < len(outputs):
            raise RunError("two inputs have the same name: --names keep would lose one of them")
        return outputs
    if names == "hash":
        if not key:
            raise RunError("--names hash needs a key: give one with --key-file")
        return {input.index: _hashed(input.relative, key, fallback_suffix) for input in inputs}
    return _number_outputs(inputs, earlier or {}, fallback_suffix)


def _hashed(relative: PurePath, key: bytes, fallback: str) -> PurePath:
    codes = [hmac.digest(key, os.fsencode(part), "sha256").hex()[:16] for part in relative.parts]
    return PurePath(*codes[:-1], codes[-1] + suffix_of(relative, fallback))


def _number_outputs(
    inputs: Iterable[Input], earlier: Mapping[str, str], fallback: str
) -> dict[int, PurePath]:
    folders: dict[PurePath, PurePath] = {PurePath(): PurePath()}
    for original, output in earlier.items():
        _remember_folders(folders, PurePath(original).parent, PurePath(output).parent)
    next_note = _next_number(PurePath(output) for output in earlier.values())
    next_folder = _next_number(folders.values())
    outputs = {}
    for input in inputs:
        earlier_name = earlier.get(str(input.relative))
        if earlier_name is not None:
            outputs[input.index] = PurePath(earlier_name)
            continue
        for parent in reversed(input.relative.parents):
            if parent not in folders:
                folders[parent] = folders[parent.parent] / f"folder-{next_folder:04d}"
                next_folder += 1
        name = f"note-{next_note:06d}{suffix_of(input.relative, fallback)}"
        outputs[input.index] = folders[input.relative.parent] / name
        next_note += 1
    return outputs


def _next_number(names: Iterable[PurePath]) -> int:
    """The first number above all that are taken; those of inputs that are gone stay unused."""
    numbers = (_NUMBER.match(name.name) for name in names)
    return max((int(number[1]) for number in numbers if number), default=0) + 1


def _remember_folders(
    folders: dict[PurePath, PurePath], original: PurePath, output: PurePath
) -> None:
    while original.parts:
        folders[original] = output
        original, output = original.parent, output.parent


def write_name_list(path: Path, inputs: Iterable[Input], outputs: Mapping[int, PurePath]) -> None:
    """Write the list, readable by its owner only."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(NAME_LIST_COLUMNS)
    for input in inputs:
        writer.writerow([input.index, input.relative, outputs[input.index]])
    write_private(path, buffer.getvalue().encode("utf-8", "surrogateescape"))


def read_name_list(path: Path) -> dict[str, str]:
    """From original to output, each such as a run would have named it.

    A list can be edited: names that no run gives are refused, for they might lead anywhere.
    """
    earlier: dict[str, str] = {}
    try:
        with path.open(encoding="utf-8", errors="surrogateescape", newline="") as lines:
            rows = csv.DictReader(lines)
            if not {"original", "output"}.issubset(rows.fieldnames or ()):
                raise _bad_list(path, "it lacks the columns 'original' and 'output'")
            for count, row in enumerate(rows, start=2):
                original, output = row.get("original"), row.get("output")
                if not original or not output or not _OWN_NAME.fullmatch(output):
                    raise _bad_list(path, f"line {count} was not written by incognote")
                if original in earlier:
                    raise _bad_list(path, f"line {count} names an input a second time")
                earlier[original] = output
    except csv.Error:
        raise _bad_list(path, "it is damaged") from None
    except OSError as error:
        raise _bad_list(path, reason_of(error)) from None
    if len(set(earlier.values())) < len(earlier):
        raise _bad_list(path, "two inputs have the same output")
    return earlier


def _bad_list(path: Path, reason: str) -> RunError:
    return RunError(
        f"{path}: the list of names cannot be used: {reason}; put it back as it was, or move it "
        "away and write to another output"
    )
