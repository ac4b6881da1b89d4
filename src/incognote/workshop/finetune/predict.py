"""Spans from a model: every piece scored in the window where it has most context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from incognote.align.decode import Scores, decoded
from incognote.align.findings import spans_of
from incognote.align.reading import NoteReader, Reading
from incognote.document import Document
from incognote.workshop.finetune.batches import pack
from incognote.workshop.finetune.tagger import Tagger

SOURCE = "model"
BATCH_TOKENS = 8192
NOTES_AT_ONCE = 256


def predict(tagger: Tagger, reader: NoteReader, documents: Sequence[Document]) -> list[Document]:
    """The same notes with predicted spans only."""
    transitions = tagger.transitions
    found = []
    for part in chunks(documents):
        readings = reader.read_all([document.text for document in part])
        for document, reading, scores in zip(
            part, readings, note_scores(tagger, readings), strict=True
        ):
            tags, shares = decoded(scores, transitions)
            spans = spans_of(document.text, tags, reading.units, shares, tagger.labels, SOURCE)
            found.append(document.with_spans(spans))
    return found


def chunks(documents: Sequence[Document]) -> Iterator[Sequence[Document]]:
    """As many notes at once as memory is sure to hold the scores of."""
    for begin in range(0, len(documents), NOTES_AT_ONCE):
        yield documents[begin : begin + NOTES_AT_ONCE]


@torch.inference_mode()
def note_scores(tagger: Tagger, readings: Sequence[Reading]) -> list[Scores]:
    """The logits of every piece of every note, [pieces, labels] each.

    Windows of all notes are run together, those of like length side by side.
    """
    device = next(tagger.parameters()).device
    training = tagger.training
    tagger.eval()
    inputs = [
        (note, number, window)
        for note, reading in enumerate(readings)
        for number, window in enumerate(reading.inputs())
    ]
    inputs.sort(key=lambda item: len(item[2].ids))
    owned: list[dict[int, Scores]] = [{} for _ in readings]
    begin = 0
    while begin < len(inputs):
        end, filled = begin, 0
        while end < len(inputs) and (
            end == begin or filled + len(inputs[end][2].ids) <= BATCH_TOKENS
        ):
            filled += len(inputs[end][2].ids)
            end += 1
        batch = inputs[begin:end]
        packed = pack([window for *_, window in batch], device)
        logits = tagger(**packed.fed)
        parts = np.split(logits.float().cpu().numpy(), np.cumsum(packed.lengths)[:-1])
        for (note, number, window), part in zip(batch, parts, strict=True):
            owned[note][number] = part[window.first : window.last]
        begin = end
    tagger.train(training)
    nothing = np.zeros((0, len(tagger.labels.names)), np.float32)
    return [
        np.concatenate([parts[number] for number in sorted(parts)]) if parts else nothing
        for parts in owned
    ]


def strict_figures(gold: Sequence[Document], predicted: Sequence[Document]) -> dict[str, float]:
    """Precision, recall and F1 over all notes: type, start and end are the same.

    F1 is 1 where there is nothing to find and nothing was found.
    """
    hits = wanted = given = 0
    for note, guess in zip(gold, predicted, strict=True):
        own = {(span.type, span.start, span.end) for span in note.spans}
        others = {(span.type, span.start, span.end) for span in guess.spans}
        hits, wanted, given = hits + len(own & others), wanted + len(own), given + len(others)
    return {
        "precision": hits / given if given else float(not wanted),
        "recall": hits / wanted if wanted else float(not given),
        "f1": 2 * hits / (wanted + given) if wanted + given else 1.0,
    }
