"""A corpus in another format, and several corpora in one, with nothing lost unseen.

Everything is checked before anything is written, and what was written is read back and compared
before it takes its place: the same ids, texts and spans.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from incognote.corpus.output import check_output, staged
from incognote.corpus.source import CorpusError, Failure, RefusedError, Source, in_order, notes
from incognote.document import GOLD, Document, Span
from incognote.formats import Format, FormatError, read, write
from incognote.formats.registry import format_named
from incognote.formats.streams import extension
from incognote.phi import TYPES, View

_LONGEST_NAME = 250


@dataclass(frozen=True)
class Target:
    """Where to write and in which format; `drop_spans` leaves them out."""

    path: Path
    format: Format
    drop_spans: bool = False
    overwrite: bool = False

    @classmethod
    def of(cls, path: Path, format: str, **options: bool) -> Target:
        return cls(path, format_named(format), **options)


@dataclass
class WriteResult:
    """What was written, and what of the input is not in it."""

    notes: int = 0
    spans: int = 0
    dropped_spans: Counter[str] = field(default_factory=Counter)
    """Spans left out by a view, or because spans were not wanted, by type."""
    lost_details: frozenset[str] = frozenset()
    """What was known of spans beside place and type and has no place in the format."""
    lost_patients: int = 0
    """Notes whose patient is known and has no place in the format."""
    needs_format: bool = False
    """Whether it reads back only with `--format`, since names and content do not tell it."""


Documents = Callable[[list[Failure], Counter[str]], Iterable[Document]]
"""Reads the corpus from its beginning, with what could not be read and the spans dropped."""


def convert(source: Source, target: Target, view: View | None = None) -> WriteResult:
    """Write the corpus in the target's format, its types renamed by the view if there is one."""

    def documents(failures: list[Failure], dropped: Counter[str]) -> Iterator[Document]:
        for document in notes(source, failures):
            yield document if view is None else rename_types(view, document, dropped)

    return write_corpus(documents, [source.path], target)


@dataclass(frozen=True)
class Member:
    """One of the corpora to be merged."""

    name: str
    source: Source
    view: View | None = None


@dataclass(frozen=True)
class MergeResult:
    """What was written, with notes and types by member."""

    output: WriteResult
    notes: Counter[str]
    types: dict[str, list[str]]

    def unmapped_types(self) -> dict[str, list[str]]:
        """By member, the types that are not ours nor all members': a sign that a view is missing."""
        shared = set.intersection(*(set(types) for types in self.types.values()))
        unmapped = {
            name: [type for type in types if type not in TYPES and type not in shared]
            for name, types in self.types.items()
        }
        return {name: types for name, types in unmapped.items() if types}


def merge(members: Sequence[Member], target: Target) -> MergeResult:
    """Write all members as one corpus.

    The source goes before the id (`NAME/id`: a folder, where a note is a file), so that no format
    loses it and no two notes have one id; JSONL has it as the field `source` too.
    """
    names = [member.name for member in members]
    for name in names:
        if names.count(name) > 1:
            raise CorpusError(f"two corpora are called {name}: write NAME=PATH to tell them apart")
    count: Counter[str] = Counter()
    types: dict[str, set[str]] = {name: set() for name in names}

    def documents(failures: list[Failure], dropped: Counter[str]) -> Iterator[Document]:
        count.clear()
        for member in members:
            for document in notes(member.source, failures):
                if member.view is not None:
                    document = rename_types(member.view, document, dropped)
                count[member.name] += 1
                types[member.name].update(span.type for span in document.spans)
                metadata = {**document.metadata, "source": member.name}
                yield replace(document, id=f"{member.name}/{document.id}", metadata=metadata)

    output = write_corpus(documents, [member.source.path for member in members], target)
    return MergeResult(output, count, {name: in_order(own) for name, own in types.items()})


def rename_types(view: View, document: Document, dropped: Counter[str]) -> Document:
    """The document with its types renamed; `dropped` counts the spans that have none."""
    document, left_out = view.apply(document)
    dropped.update(left_out)
    return document


def write_corpus(documents: Documents, sources: Sequence[Path], target: Target) -> WriteResult:
    """Write a corpus; RefusedError, with all that stands against it, if it cannot be held."""
    check_output(target.path, sources, overwrite=target.overwrite)
    failures: list[Failure] = []
    single = _check(documents(failures, Counter()), target, failures)
    if failures:
        raise RefusedError(failures)
    with staged(
        target.path, sources, overwrite=target.overwrite, alone=True, private=True
    ) as place:
        result = WriteResult()
        digests: Counter[bytes] = Counter()
        details: set[str] = set()

        def counted_documents() -> Iterator[Document]:
            for document in documents([], result.dropped_spans):
                if target.drop_spans:
                    result.dropped_spans.update(span.type for span in document.spans)
                    document = document.with_spans(())
                result.notes += 1
                result.spans += len(document.spans)
                result.lost_patients += (
                    document.patient is not None and not target.format.holds_patient(document)
                )
                details.update(name for span in document.spans for name in _details(span))
                digests[_digest(document, single)] += 1
                yield document

        write(counted_documents(), place, target.format.name)
        details_back = _details_back(place, None, digests, single)
        if details_back is None:
            result.needs_format = True
            details_back = _details_back(place, target.format.name, digests, single)
        if details_back is None:
            raise CorpusError(f"{target.path}: the notes would not read back; nothing was written")
        result.lost_details = frozenset(details - details_back)
    return result


def _check(documents: Iterable[Document], target: Target, failures: list[Failure]) -> bool:
    """Add to `failures` what cannot be written; whether the target is the file of a single note."""
    format = target.format
    is_file = extension(target.path) in format.extensions
    check_name(target)
    ids: set[str] = set()
    count = 0
    for document in documents:
        count += 1
        if target.drop_spans:
            document = document.with_spans(())
        elif document.spans and not format.holds_spans:
            raise CorpusError(
                f"{format.name} cannot hold spans: choose another format, or leave them out "
                "with --drop-spans"
            )
        reason = format.problem(document)
        if not format.table and not is_file:
            reason = reason or name_problem(document.id, format)
            if document.id in ids:
                reason = reason or "two notes have this id, and files are named by it"
            ids.add(document.id)
        if reason:
            failures.append(Failure(Path(document.id), "", reason))
    if is_file and not format.table and count > 1:
        raise CorpusError(f"{target.path}: one file holds one note; name a folder instead")
    if not count and not failures:
        raise CorpusError("no notes here")
    return is_file and not format.table


def check_name(target: Target) -> None:
    """Refuse an output whose name is not one of the format's."""
    format, path = target.format, target.path
    if format.table and extension(path) not in format.extensions:
        raise CorpusError(
            f"{path}: the name of a {format.name} file ends in {format.extensions[0]}"
        )
    if not format.gzip and path.suffix.lower() == ".gz":
        raise CorpusError(f"{path}: {format.name} is not written with gzip")
    if format.table:
        _check_companions(target)
    elif format.companions(path) and extension(path) in format.extensions:
        raise CorpusError(f"{path}: a note in {format.name} is two files; name a folder instead")


def _check_companions(target: Target) -> None:
    """Refuse to replace what stands beside the output, unless asked to."""
    for path in target.format.companions(target.path):
        if path.exists() and not target.overwrite:
            raise CorpusError(f"{path}: exists; choose another output or use --overwrite")


def name_problem(id: str, format: Format) -> str | None:
    """Why an id cannot be the name of a file and read back from it."""
    parts = PurePosixPath(id).parts
    if id != "/".join(parts) or "/" in parts or "\\" in id or any(c < " " for c in id):
        return "its id cannot be the name of a file"
    if any(part.startswith(".") for part in parts):
        return "its id would be the name of a hidden file"
    sizes = [len(part.encode(errors="surrogatepass")) for part in parts]
    if not parts or max(sizes) + len(format.extensions[0]) > _LONGEST_NAME:
        return "its id is empty or too long for the name of a file"
    return None


def _digest(document: Document, single: bool) -> bytes:
    spans = sorted((span.start, span.end, span.type) for span in document.spans)
    content = repr(("" if single else document.id, spans)) + document.text
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _details(span: Span) -> Iterator[str]:
    """The names of the details of a span: all that it has beside place and type."""
    yield from span.attributes
    if span.score != 1.0:
        yield "score"
    if span.source != GOLD:
        yield "source"
    if span.label != span.type:
        yield "label"


def _details_back(
    place: Path, format: str | None, digests: Counter[bytes], single: bool
) -> set[str] | None:
    """The details that read back from the output; None if its notes are not the ones written."""
    remaining = Counter(digests)
    details: set[str] = set()
    try:
        for document in read(place, format):
            remaining[_digest(document, single)] -= 1
            details.update(name for span in document.spans for name in _details(span))
    except FormatError:
        return None
    return None if any(remaining.values()) else details
