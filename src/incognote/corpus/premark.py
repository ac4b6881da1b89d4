"""Notes with what was found marked in them, for people to correct.

What is written holds the notes themselves, so only its owner may read it. Marks that the notes
already had stay, joined with what was found as `deid` joins them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from incognote.corpus.convert import Target, check_name, name_problem
from incognote.corpus.output import staged
from incognote.corpus.source import CorpusError
from incognote.detect.detector import Detection, detect_many
from incognote.detect.merge import merge
from incognote.document import Document
from incognote.formats import FORMATS, FormatError
from incognote.formats.streams import extension
from incognote.runs.audit import Failure
from incognote.runs.find import each_note
from incognote.runs.inputs import Input
from incognote.runs.pool import NoteError, Work
from incognote.runs.settings import Settings
from incognote.runs.stream import Advance


@dataclass(frozen=True)
class _Marker:
    """What is sent to each process: it marks notes with what is found in them.

    A note that the format cannot hold with its marks is an error of that note.
    """

    settings: Settings
    format: str

    def work(self) -> Work[Document | NoteError]:
        """The function that each process makes once, and calls with notes."""
        detector, format = self.settings.detector(), FORMATS[self.format]
        types = self.settings.types

        def mark(document: Document, detection: Detection) -> Document | NoteError:
            spans = merge(document.text, [*detection.spans, *document.spans])
            with_marks = types.with_tags(document.with_spans(spans))
            reason = format.problem(with_marks)
            return with_marks if reason is None else NoteError(reason)

        return lambda documents: map(mark, documents, detect_many(detector, documents))


@dataclass
class PremarkResult:
    """What was written, and what could not be."""

    notes: int = 0
    marks: int = 0
    failures: list[Failure] = field(default_factory=list)


def premark(
    arguments: Sequence[str],
    inputs: Sequence[Input],
    settings: Settings,
    target: Target,
    *,
    advance: Advance = lambda notes, size: None,
) -> PremarkResult:
    """Write the notes with what was found marked in them.

    A note that cannot be read or held is left out and told, as is one whose id cannot name its
    file; if none is left, nothing is written.
    """
    result = PremarkResult()
    format = target.format
    named_by_id = not format.table and extension(target.path) not in format.extensions
    settings = settings.settled(inputs)
    check_name(target)
    sources = [*map(Path, arguments), *(input.path for input in inputs)]

    def id_problem(id: str) -> str | None:
        return name_problem(id, format) if named_by_id else None

    def marked_documents() -> Iterator[Document]:
        work = _Marker(settings, format.name).work
        for each in each_note(inputs, settings, work, advance=advance, id_problem=id_problem):
            if isinstance(each, Failure):
                result.failures.append(each)
                continue
            id, document = each
            assert isinstance(document, Document)
            result.notes += 1
            result.marks += len(document.spans)
            yield replace(document, id=id)

    with staged(
        target.path, sources, overwrite=target.overwrite, alone=True, private=True
    ) as place:
        try:
            format.write(marked_documents(), place)
        except FormatError as error:
            raise CorpusError(f"{target.path}: {error.reason}; nothing was written") from None
        if not result.notes:
            raise CorpusError("no note could be marked; nothing was written")
    return result
