"""Annotated notes as windows with a tag for each piece."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incognote.align.reading import NoteReader, Reading, WindowInput
from incognote.align.tags import Labels, spans_to_tags
from incognote.align.units import Integers
from incognote.base.errors import TrainError
from incognote.document import Document


@dataclass(frozen=True, eq=False)
class Example:
    """One window of a note and the tags of the pieces that count in it.

    A piece counts where it has most context, so once: [first, last) of the input. `opens` and
    `closes` say whether these pieces begin and end the note.
    """

    reading: Reading
    number: int
    tags: Integers
    length: int
    """Pieces with the frame."""
    opens: bool
    closes: bool

    @property
    def input(self) -> WindowInput:
        """What the model is given."""
        return self.reading.input(self.number)


def examples(documents: Sequence[Document], reader: NoteReader, labels: Labels) -> list[Example]:
    """The windows of all notes in order; every piece of a span is tagged, B only on its first."""
    missing = sorted({s.type for d in documents for s in d.spans} - set(labels.types))
    if missing:
        raise TrainError(
            f"the label set has no {', '.join(missing)}: train with --labels own, or rename these "
            "types (incognote corpus convert --map)"
        )
    found = []
    for document, reading in zip(
        documents, reader.read_all([document.text for document in documents]), strict=True
    ):
        tags = spans_to_tags(document.spans, reading.units, labels).tags
        over = reading.windows
        for number in range(len(over)):
            first, last = int(over.owned[number]), int(over.owned[number + 1])
            found.append(
                Example(
                    reading,
                    number,
                    tags[first:last],
                    int(over.ends[number] - over.starts[number]) + len(reading.frame),
                    opens=first == 0,
                    closes=last == over.count,
                )
            )
    return found


def label_counts(found: Sequence[Example], labels: Labels) -> Integers:
    """How many pieces have each label."""
    tags = np.concatenate([example.tags for example in found])
    return np.bincount(tags, minlength=len(labels.names))


def fingerprint(found: Sequence[Example]) -> str:
    """Changes when the training data does: ids and tags of every window."""
    digest = hashlib.sha256()
    for example in found:
        given = example.input
        digest.update(given.ids.tobytes())
        if given.others is not None:
            digest.update(given.others.tobytes())
        digest.update(example.tags.tobytes())
    return digest.hexdigest()[:16]


def notes_fingerprint(notes: Sequence[Document]) -> str:
    """Changes when the text of a note does, or its spans."""
    digest = hashlib.sha256()
    for note in notes:
        spans = [(span.start, span.end, span.type) for span in note.spans]
        digest.update(repr((note.text, spans)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
