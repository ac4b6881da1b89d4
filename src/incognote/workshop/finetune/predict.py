"""Spans from one model, or from several as one (an ensemble), of any encoders and tokenizers.

Every token is scored in the window where it has most context. The tokens of several models meet where
any of them cuts (`align.refine`), so nothing is lost between tokenizers: with one tokenizer these are its
own tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch

from incognote.align.decode import (
    Transitions,
    common_tokens,
    decoded,
    marginals,
    probabilities,
    viterbi,
)
from incognote.align.note_reader import NoteReader, TokenizedNote
from incognote.align.tags import Labels, spans_of
from incognote.align.tokens import Integers, Scores
from incognote.base.chunks import chunks
from incognote.base.errors import TrainError
from incognote.document import Document
from incognote.workshop.finetune.checkpoint import Checkpoint
from incognote.workshop.finetune.examples import pack
from incognote.workshop.finetune.tagger import Tagger

SOURCE, ENSEMBLE = "model", "ensemble"
BATCH_TOKENS = 8192
NOTES_AT_ONCE = 256
Pooling = Literal["mean", "vote"]
_TINY = 1e-12


def predict(tagger: Tagger, reader: NoteReader, documents: Sequence[Document]) -> list[Document]:
    """The same notes with predicted spans only."""
    transitions = tagger.transitions
    predicted = []
    for part in chunks(documents, NOTES_AT_ONCE):
        readings = reader.read_all([document.text for document in part])
        for document, reading, scores in zip(
            part, readings, note_scores(tagger, readings), strict=True
        ):
            tags, shares = decoded(scores, transitions)
            spans = spans_of(document.text, tags, reading.offsets, shares, tagger.labels, SOURCE)
            predicted.append(document.with_spans(spans))
    return predicted


@torch.inference_mode()
def note_scores(tagger: Tagger, readings: Sequence[TokenizedNote]) -> list[Scores]:
    """The logits of every token of every note, [tokens, labels] each.

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
        logits = tagger(**packed.inputs)
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
    hits = gold_count = predicted_count = 0
    for note, guess in zip(gold, predicted, strict=True):
        own = {(span.type, span.start, span.end) for span in note.spans}
        others = {(span.type, span.start, span.end) for span in guess.spans}
        hits += len(own & others)
        gold_count += len(own)
        predicted_count += len(others)
    return {
        "precision": hits / predicted_count if predicted_count else float(not gold_count),
        "recall": hits / gold_count if gold_count else float(not predicted_count),
        "f1": 2 * hits / count if (count := gold_count + predicted_count) else 1.0,
    }


def predict_together(
    members: Sequence[Checkpoint], documents: Sequence[Document], *, pooling: Pooling = "mean"
) -> list[Document]:
    """The notes with the spans that the members agree on.

    mean: of their probabilities (a CRF's marginals); vote: of the tags that each would give alone.
    Either is then decoded so that tags are valid. Ties go to the label that comes first.
    """
    if not members:
        raise TrainError("an ensemble needs members")
    labels = members[0].tagger.labels
    columns = [_columns(member.tagger.labels, labels) for member in members]
    valid = Transitions.valid(labels)
    predicted = []
    for part in chunks(documents, NOTES_AT_ONCE):
        texts = [document.text for document in part]
        readings = [member.reader.read_all(texts) for member in members]
        shares = [
            [opinion(member.tagger, scores, pooling) for scores in note_scores(member.tagger, own)]
            for member, own in zip(members, readings, strict=True)
        ]
        for place, document in enumerate(part):
            common = common_tokens([own[place].offsets for own in readings])
            opinions = [own[place][:, order] for own, order in zip(shares, columns, strict=True)]
            pooled = common.mean(opinions, labels)
            tags = viterbi(np.log(pooled + _TINY), valid)
            predicted.append(
                document.with_spans(
                    spans_of(document.text, tags, common.offsets, pooled, labels, ENSEMBLE)
                )
            )
    return predicted


def opinion(tagger: Tagger, scores: Scores, pooling: Pooling) -> Scores:
    """What one member makes of every token of a note, [tokens, labels], summing to 1."""
    if pooling == "vote":
        return np.eye(scores.shape[1])[viterbi(scores, tagger.transitions)]
    if tagger.crf is not None:
        return marginals(scores, tagger.transitions)
    return probabilities(scores)


def _columns(own: Labels, labels: Labels) -> Integers:
    """Where a member has each of the first member's labels."""
    if set(own.names) != set(labels.names):
        raise TrainError("the members of an ensemble must have the same labels")
    return np.array([own.names.index(name) for name in labels.names], np.int64)
