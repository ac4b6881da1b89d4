"""Several corpora in one, with one scheme of types, and the source of each note kept.

The source goes before the id (`NAME/id`: a folder, where a note is a file), so that no format
loses it and no two notes have one id; JSONL has it as the field `source` too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from incognote.corpus.convert import seen_through
from incognote.corpus.reading import CorpusError, Failure, Source, in_order, notes
from incognote.corpus.writing import Target, Written, write_corpus
from incognote.document import Document
from incognote.phi import TYPES, View


@dataclass(frozen=True)
class Member:
    """One of the corpora to be merged."""

    name: str
    source: Source
    view: View | None = None


@dataclass(frozen=True)
class Merged:
    """What was written, with notes and types by member."""

    written: Written
    notes: Counter[str]
    types: dict[str, list[str]]

    def foreign(self) -> dict[str, list[str]]:
        """By member, the types that are not ours nor all members': a sign that a view is missing."""
        shared = set.intersection(*(set(types) for types in self.types.values()))
        strange = {
            name: [type for type in types if type not in TYPES and type not in shared]
            for name, types in self.types.items()
        }
        return {name: types for name, types in strange.items() if types}


def merge(members: Sequence[Member], target: Target) -> Merged:
    """Write all members as one corpus."""
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
                    document = seen_through(member.view, document, dropped)
                count[member.name] += 1
                types[member.name].update(span.type for span in document.spans)
                metadata = {**document.metadata, "source": member.name}
                yield replace(document, id=f"{member.name}/{document.id}", metadata=metadata)

    written = write_corpus(documents, [member.source.path for member in members], target)
    return Merged(written, count, {name: in_order(own) for name, own in types.items()})
