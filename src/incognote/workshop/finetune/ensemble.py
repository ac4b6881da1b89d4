"""Several models as one, of any encoders and tokenizers.

Their pieces meet where any of them cuts (`align.refine`), so nothing is lost between tokenizers:
with one tokenizer these are its own pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from incognote.align.decode import Scores, Transitions, marginals, probabilities, viterbi
from incognote.align.findings import spans_of
from incognote.align.refine import common_units
from incognote.align.tags import Labels
from incognote.align.units import Integers
from incognote.base.errors import TrainError
from incognote.document import Document
from incognote.workshop.finetune.checkpoint import Checkpoint
from incognote.workshop.finetune.predict import chunks, note_scores
from incognote.workshop.finetune.tagger import Tagger

Pooling = Literal["mean", "vote"]
SOURCE = "ensemble"
_TINY = 1e-12


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
    found = []
    for part in chunks(documents):
        texts = [document.text for document in part]
        readings = [member.reader.read_all(texts) for member in members]
        shares = [
            [opinion(member.tagger, scores, pooling) for scores in note_scores(member.tagger, own)]
            for member, own in zip(members, readings, strict=True)
        ]
        for place, document in enumerate(part):
            common = common_units([own[place].units for own in readings])
            opinions = [own[place][:, order] for own, order in zip(shares, columns, strict=True)]
            pooled = common.mean(opinions, labels)
            tags = viterbi(np.log(pooled + _TINY), valid)
            found.append(
                document.with_spans(
                    spans_of(document.text, tags, common.units, pooled, labels, SOURCE)
                )
            )
    return found


def opinion(tagger: Tagger, scores: Scores, pooling: Pooling) -> Scores:
    """One member's word on every piece of a note, [pieces, labels], summing to 1."""
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
