"""Several checkpoints as one, in torch and step by step: what a model folder of them must find."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from incognote.align.decode import Transitions, shares_of, viterbi
from incognote.align.findings import spans_of
from incognote.align.refine import common_units
from incognote.document import Document
from incognote.finetune.checkpoint import Checkpoint
from incognote.finetune.predict import note_scores

_TINY = 1e-12


def predict_together(
    members: Sequence[Checkpoint], documents: Sequence[Document]
) -> list[Document]:
    """The notes with the spans of the mean of the members' probabilities, decoded to be valid.

    The members have the same labels. Ties go to the label that comes first.
    """
    labels = members[0].tagger.labels
    readings, shares = [], []
    for member in members:
        readings.append(member.reader.read_all([document.text for document in documents]))
        scores = note_scores(member.tagger, readings[-1])
        shares.append([shares_of(note, member.tagger.transitions) for note in scores])
    found = []
    for place, document in enumerate(documents):
        common = common_units([own[place].units for own in readings])
        pooled = common.mean([own[place] for own in shares], labels)
        tags = viterbi(np.log(pooled + _TINY), Transitions.valid(labels))
        spans = spans_of(document.text, tags, common.units, pooled, labels, "ensemble")
        found.append(document.with_spans(spans))
    return found
