"""Files of a corpus to a folder of clean text, in parts of JSONL; a run that was killed goes on.

Each part is whole or not there, and `source.json` says after which document of which file the last one
ends, and of what all was made. What comes out depends on files, source and settings alone, never on the
number of processes or on interruptions.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from incognote.base.errors import TextError
from incognote.base.files import JsonError, files_below, read_json, whole_file, write_whole
from incognote.base.lock import output_lock
from incognote.base.options import Option, at_least, between, check
from incognote.base.workers import BrokenProcessPool, WorkerPool, in_order
from incognote.corpus.output import check_apart
from incognote.workshop.pretrain.corpus.text_files import Parting, Reading
from incognote.workshop.text_cleaning.mediawiki import Page
from incognote.workshop.text_cleaning.position import Position
from incognote.workshop.text_cleaning.sources import (
    SOURCES,
    Published,
    Source,
    SourceName,
    files_of,
)

MANIFEST = "source.json"
"""A name by which readers of text know that it only tells of the text."""

SCHEMA = 1
PART = 2**25
"""Characters of a part, at least."""

BATCH = 2**20
"""Characters of what a process cleans at once, at least."""

IN_FLIGHT = 3 * BATCH
"""Characters that wait for each process, or are in its work."""

_ENDS = 2**20


@dataclass(frozen=True, kw_only=True)
class Cleaning:
    """What decides the text, beside the files.

    fields: the source's own if there are none.
    """

    source: Annotated[
        SourceName,
        Option(
            "What the files are: a dump of wikipedia (…-pages-articles.xml.bz2), books of Project "
            "Gutenberg, openwebtext, cc-news or stories.",
            flags=("--source", "-s"),
        ),
    ]
    shortest: Annotated[
        int,
        Option("Characters of the shortest document that is worth reading.", at_least(1)),
    ] = 200
    fields: Annotated[
        tuple[str, ...],
        Option(
            "Field or column of records that holds text; may be repeated. 'text' by default, and "
            "'maintext' of cc-news.",
            flags=("--text-field",),
            repeated=True,
        ),
    ] = ()
    documents: Annotated[
        Parting,
        Option("Whether a plain text is one document, or blank lines or lines part several."),
    ] = "file"

    def __post_init__(self) -> None:
        check(self, TextError)


@dataclass(frozen=True, kw_only=True)
class CleaningMachine:
    """What decides only how long it takes."""

    workers: Annotated[
        int,
        Option("Number of processes that clean.", between(1, 1024), flags=("--workers", "-j")),
    ] = 1


@dataclass(frozen=True)
class Step:
    """How far a run is: bytes of the files read, and documents kept so far."""

    done: int
    total: int
    documents: int
    characters: int


@dataclass
class Progress:
    """What is finished: parts, and the place in the files where the last of them ends."""

    parts: int = 0
    file: int = 0
    place: int = 0
    documents: int = 0
    left_out: int = 0
    characters: int = 0
    complete: bool = False


@dataclass(frozen=True)
class Batch:
    """Documents of one file; `place` is how many of it have been read with them."""

    file: int
    place: int
    read: int
    documents: tuple[Published, ...]


class CleanBatch(NamedTuple):
    """The lines of those documents that are long enough, and how many are not."""

    lines: bytes
    documents: int
    characters: int
    left_out: int


@dataclass
class _Part:
    """What has been cleaned since the last part was written."""

    lines: list[bytes] = field(default_factory=list)
    characters: int = 0


def clean_text(
    paths: Sequence[Path],
    output: Path,
    cleaning: Cleaning,
    *,
    workers: int = 1,
    overwrite: bool = False,
    watch: Callable[[Step], None] = lambda step: None,
) -> Progress:
    """Clean all text into a folder; begun, gone on with, or found finished."""
    source = SOURCES[cleaning.source]
    files = files_of(source, list(paths))
    check_apart(output, paths)
    manifest = {
        "schema": SCHEMA,
        "cleaning": json.loads(json.dumps(asdict(cleaning))),
        "files": [_known_by(path) for path in files],
    }
    with output_lock(output, "clean-text", folder=False):
        progress = _begin(output, manifest, overwrite=overwrite)
        if not progress.complete:
            _run(source, files, output, cleaning, manifest, progress, workers, watch)
    if not progress.documents:
        raise TextError(
            f"{output}: no document of {len(files):,} files has {cleaning.shortest:,} characters of "
            f"text; are they of --source {cleaning.source}?"
        )
    return progress


def _known_by(path: Path) -> dict[str, Any]:
    """By what a file is known again: its name, its size, and both of its ends."""
    size = path.stat().st_size
    digest = hashlib.sha256()
    with path.open("rb") as file:
        digest.update(file.read(_ENDS))
        file.seek(max(0, size - _ENDS))
        digest.update(file.read(_ENDS))
    return {"name": path.name, "bytes": size, "digest": digest.hexdigest()}


def _begin(output: Path, manifest: dict[str, Any], *, overwrite: bool) -> Progress:
    """Where an earlier run stood, if it was this one; a folder that holds anything else is refused."""
    if output.exists() and not output.is_dir():
        raise TextError(f"{output}: is a file; choose a folder")
    if (output / MANIFEST).is_file() and not overwrite:
        try:
            before = read_json(output / MANIFEST)
        except JsonError as error:
            raise TextError(f"{output / MANIFEST}: {error}; begin again with --overwrite") from None
        try:
            same = all(before[name] == value for name, value in manifest.items())
            progress = Progress(**before["progress"])
        except (KeyError, TypeError):
            same, progress = False, Progress()
        if not same:
            raise TextError(
                f"{output}: holds text of other files, or cleaned in another way; choose another "
                "folder, or use --overwrite"
            )
        _check_parts(output, progress)
        return progress
    if output.is_dir() and any(output.iterdir()):
        if not overwrite or not (output / MANIFEST).is_file():
            raise TextError(f"{output}: holds other files; choose an empty or a new folder")
        for path in (output / MANIFEST, *(p for p in files_below(output) if _is_part(p))):
            path.unlink()
    output.mkdir(parents=True, exist_ok=True)
    return Progress()


def _check_parts(output: Path, progress: Progress) -> None:
    missing = [n for n in range(progress.parts) if not _part_path(output, n).is_file()]
    if missing:
        raise TextError(
            f"{_part_path(output, missing[0])}: is not there any more; begin again with --overwrite"
        )


def _part_path(output: Path, number: int) -> Path:
    return output / f"part-{number:05}.jsonl.gz"


def _is_part(path: Path) -> bool:
    return path.name.startswith("part-") and ".jsonl.gz" in path.name


def _run(
    source: Source,
    files: Sequence[Path],
    output: Path,
    cleaning: Cleaning,
    manifest: dict[str, Any],
    progress: Progress,
    workers: int,
    watch: Callable[[Step], None],
) -> None:
    sizes = [path.stat().st_size for path in files]
    part = _Part()
    documents, characters, left_out = progress.documents, progress.characters, progress.left_out

    def write(file: int, place: int) -> None:
        if part.lines:
            _write_part(_part_path(output, progress.parts), part.lines)
            progress.parts += 1
            part.lines, part.characters = [], 0
        progress.file, progress.place = file, place
        progress.documents, progress.characters = documents, characters
        progress.left_out = left_out
        _write_manifest(output, manifest, progress)

    _write_manifest(output, manifest, progress)
    reading = Reading(cleaning.fields or source.fields, cleaning.documents)
    batches = _batches(source, files, reading, progress)
    for batch, clean in _cleaned(batches, cleaning, workers):
        part.lines += [clean.lines] if clean.lines else []
        part.characters += clean.characters
        documents += clean.documents
        characters += clean.characters
        left_out += clean.left_out
        if part.characters >= PART:
            write(batch.file, batch.place)
        watch(Step(sum(sizes[: batch.file]) + batch.read, sum(sizes), documents, characters))
    progress.complete = True
    write(len(files), 0)


def _batches(
    source: Source, files: Sequence[Path], reading: Reading, progress: Progress
) -> Iterator[Batch]:
    """All documents after the place that is done, as they were published."""
    for number in range(progress.file, len(files)):
        position = Position()
        place = progress.place if number == progress.file else 0
        batch: list[Published] = []
        size = 0
        for document in islice(source.read(files[number], reading, position), place, None):
            batch.append(document)
            size += _size(document)
            if size >= BATCH:
                place += len(batch)
                yield Batch(number, place, position.bytes, tuple(batch))
                batch, size = [], 0
        yield Batch(number, place + len(batch), files[number].stat().st_size, tuple(batch))


def _size(document: Published) -> int:
    return len(document.wikitext) if isinstance(document, Page) else len(document)


def _cleaned(
    batches: Iterator[Batch], cleaning: Cleaning, workers: int
) -> Iterator[tuple[Batch, CleanBatch]]:
    """Each batch with what was made of it, in order."""
    work = partial(clean_batch, cleaning)
    if workers == 1:
        for batch in batches:
            yield batch, work(batch)
        return
    try:
        with WorkerPool(partial(partial, clean_batch, cleaning), workers) as pool:
            yield from in_order(
                batches, partial(_submit, pool), workers * IN_FLIGHT, size_of=_weight
            )
    except BrokenProcessPool:
        raise TextError(
            "a worker process died, perhaps for want of memory; finished parts are kept: run the "
            "same again, perhaps with fewer workers"
        ) from None


def _submit(
    pool: WorkerPool[Batch, CleanBatch], batch: Batch
) -> Callable[[], tuple[Batch, CleanBatch]]:
    future = pool.submit(batch)
    place = Batch(batch.file, batch.place, batch.read, ())
    return lambda: (place, future.result())


def _weight(batch: Batch) -> int:
    return sum(map(_size, batch.documents))


def clean_batch(cleaning: Cleaning, batch: Batch) -> CleanBatch:
    """The documents of a batch as lines of JSON."""
    clean = SOURCES[cleaning.source].clean
    lines: list[str] = []
    characters = left_out = 0
    for published in batch.documents:
        document = clean(published)
        if len(document.text) < cleaning.shortest:
            left_out += 1
            continue
        record = {name: value for name, value in document._asdict().items() if value}
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
        characters += len(document.text)
    # A lone surrogate, which JSON may hold, is no character.
    data = "".join(lines).encode("utf-8", errors="replace")
    return CleanBatch(data, len(lines), characters, left_out)


def _write_part(path: Path, lines: Sequence[bytes]) -> None:
    with (
        whole_file(path) as unfinished,
        unfinished.open("wb") as file,
        # The same bytes whenever and under whatever name they are written.
        gzip.GzipFile("", "wb", 6, file, mtime=0) as compressed,
    ):
        compressed.writelines(lines)


def _write_manifest(output: Path, manifest: dict[str, Any], progress: Progress) -> None:
    text = json.dumps({**manifest, "progress": asdict(progress)}, indent=1) + "\n"
    write_whole(output / MANIFEST, text.encode())
