"""Logits of one sequence where pieces that are surely no identifiers are read no further."""

from __future__ import annotations

import numpy as np
from torch import nn

from incognote.workshop.export.body import Body
from incognote.workshop.export.precision import FULL
from incognote.workshop.finetune.settling import CERTAIN, Settling


def settled(
    body: Body, embedded: str, classifier: nn.Linear, settling: Settling, outside: int
) -> str:
    """[1, length, labels], as `Tagger.judged` has them."""
    graph = body.graph
    *_, hidden = body.layers(embedded, settling.after)
    inner = body.linear("settling.inner", [settling.inner], hidden, FULL)
    doubts = body.linear("settling.outer", [settling.outer], graph.add("Relu", inner), FULL)
    flat = graph.constant("settling.flat", np.array([-1]))
    reads = graph.add("Greater", doubts, graph.constant("settling.none", np.float32(0)))
    # The first piece is always read on, so that there is one.
    first = graph.constant("settling.first", np.array([0]))
    yes = graph.constant("settling.yes", np.array([True]))
    reads = graph.add("ScatterElements", graph.add("Reshape", reads, flat), first, yes, axis=0)
    places = graph.add("Reshape", graph.add("NonZero", reads), flat)
    others = graph.add("Reshape", graph.add("NonZero", graph.add("Not", reads)), flat)
    read, left = (graph.add("Gather", hidden, rows, axis=1) for rows in (places, others))
    found = body.linear("classifier", [classifier], body.rest(read, left, settling.after), FULL)
    sure = np.zeros(classifier.out_features, np.float32)
    sure[outside] = 1.0
    certain = graph.add("Sub", graph.constant("settling.certain", np.float32(CERTAIN)), doubts)
    logits = graph.add("Mul", certain, graph.constant("settling.sure", sure))
    # [1, length, labels]: the rows read to the end are put where they belong.
    row = graph.constant("settling.row", np.array([0]))
    column = graph.constant("settling.column", np.array([1]))
    logits = graph.add("Squeeze", logits, row)
    logits = graph.add(
        "ScatterND",
        logits,
        graph.add("Unsqueeze", places, column),
        graph.add("Squeeze", found, row),
    )
    return graph.add("Unsqueeze", logits, row)
