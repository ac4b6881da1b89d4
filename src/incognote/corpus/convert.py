"""A corpus in another format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from incognote.corpus.reading import Failure, Source, notes
from incognote.corpus.writing import Target, Written, write_corpus
from incognote.document import Document
from incognote.phi import View


def convert(source: Source, target: Target, view: View | None = None) -> Written:
    """Write the corpus in the target's format, its types renamed by the view if there is one."""

    def documents(failures: list[Failure], dropped: Counter[str]) -> Iterator[Document]:
        for document in notes(source, failures):
            yield document if view is None else seen_through(view, document, dropped)

    return write_corpus(documents, [source.path], target)


def seen_through(view: View, document: Document, dropped: Counter[str]) -> Document:
    """The document with its types renamed; `dropped` counts the spans that have none."""
    document, left_out = view.apply(document)
    dropped.update(left_out)
    return document
