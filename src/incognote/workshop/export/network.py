"""A tagger's encoder and classifier as an ONNX graph; all pieces are of segment 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import Tensor

from incognote.align.joining import OTHERS
from incognote.align.tags import Labels
from incognote.workshop.encoders import Model
from incognote.workshop.encoders.heads import MergedClassification
from incognote.workshop.export.body import Body, numbers
from incognote.workshop.export.graph import BATCH, Shape
from incognote.workshop.export.precision import FULL, Precision
from incognote.workshop.export.settled import settled
from incognote.workshop.finetune.settling import Settling


def network_of(
    model: Model,
    precision: Precision = FULL,
    *,
    shapes: Tensor | None = None,
    gains: Tensor | None = None,
    settling: Settling | None = None,
    longest: int | None = None,
) -> Any:
    """The ONNX model from `ids` [batch, length] to `logits` [batch, length, labels].

    With a table of word shapes [rows, embedding size] there is a second input, `shapes` [batch,
    length, features], whose rows are added to the words'. With the `gains` of joined pieces [others,
    embedding size] there is `others` [batch, length, others], whose words are added too. `longest` is the most pieces that it will
    be given, special ones included: positions beyond are left out. With `settling` a batch has one
    sequence.
    """
    body = Body(model, precision, longest or model.config.longest)
    graph = body.graph
    inputs: dict[str, Shape] = {"ids": BATCH}
    words = body.words()
    if shapes is not None:
        inputs["shapes"] = (*BATCH, "features")
        rows = graph.constant("shapes.rows", numbers(shapes))
        each = graph.add("Gather", rows, "shapes")  # [batch, length, features, size]
        axis = graph.constant("features.axis", np.array([2]))
        words = graph.add("Add", words, graph.add("ReduceSum", each, axis, keepdims=0))
    if gains is not None:
        inputs["others"] = (*BATCH, OTHERS)
        words = graph.add("Add", words, body.others(numbers(gains)))
    places = body.places(segment=0)
    embedded = body.embedded(graph.add("Add", words, places))
    head: Any = model.heads["tokens"]
    classifier = head.classifier
    if settling is None:
        *_, hidden = body.layers(embedded)
        logits = body.linear("classifier", [classifier], hidden, FULL)
        if isinstance(head, MergedClassification):
            logits = _merged(body, head, logits)
    else:
        outside = Labels(model.labels).outside
        logits = settled(body, embedded, classifier, settling, outside)
    return graph.finish(inputs, {"logits": (logits, (*BATCH, len(model.labels)))})


def _merged(body: Body, head: MergedClassification, logits: str) -> str:
    """Labels of one kind together, as the head has it."""
    graph = body.graph
    last = graph.constant("kinds.axis", np.array([-1]))
    most = graph.add("ReduceMax", logits, last, keepdims=1)
    shares = graph.add("Exp", graph.add("Sub", logits, most))
    groups = graph.constant("kinds", numbers(head.get_buffer("groups")))
    floor = graph.constant("kinds.floor", np.float32(head.FLOOR))
    together = graph.add("Add", graph.add("MatMul", shares, groups), floor)
    return graph.add("Add", graph.add("Log", together), most)
