"""An encoder with the heads of its pretraining as an ONNX graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from incognote.onnx.encoder_folder import CHOSEN, IDS, MLM, SEGMENTS, SOP, state_name
from incognote.workshop.encoders import Model
from incognote.workshop.encoders.errors import ConfigError
from incognote.workshop.export.body import Body, numbers
from incognote.workshop.export.graph import BATCH, Shape
from incognote.workshop.export.precision import FULL, Precision


def encoder_network(model: Model, precision: Precision = FULL) -> Any:
    """The ONNX model of an encoder: from `ids` [batch, length] to every layer's states.

    Where the family has segments, they are a second input. With a masked-language head there is a
    third, `chosen` [chosen], which counts pieces along the batch (row · length + column), and an
    output `mlm` [chosen, vocabulary]; with a sentence-order head, an output `sop` [batch, 2].
    """
    if not set(model.heads) <= {MLM, SOP}:
        raise ConfigError(f"an encoder is exported with the heads {MLM} and {SOP} only")
    body = Body(model, precision, model.config.longest)
    graph, size = body.graph, model.config.hidden_size
    inputs: dict[str, Shape] = {IDS: BATCH}
    if model.config.segments > 1:
        inputs[SEGMENTS] = BATCH
        table = graph.constant("segments.rows", numbers(body.encoder.embeddings.segments.weight))
        segments = graph.add("Gather", table, SEGMENTS)
        places = graph.add("Add", body.places(), segments)
    else:
        places = body.places(segment=0)
    embedded = body.embedded(graph.add("Add", body.words(), places))
    states = [embedded, *body.layers(embedded)]
    outputs: dict[str, tuple[str, Shape]] = {
        state_name(layer): (state, (*BATCH, size)) for layer, state in enumerate(states)
    }
    if MLM in model.heads:
        inputs[CHOSEN] = (CHOSEN,)
        outputs[MLM] = (_masked(body, model, states[-1]), (CHOSEN, model.config.vocabulary_size))
    if SOP in model.heads:
        outputs[SOP] = (_order(body, model, states[-1]), (BATCH[0], 2))
    return graph.finish(inputs, outputs)


def _masked(body: Body, model: Model, hidden: str) -> str:
    graph, head = body.graph, _head(model, MLM)
    taken = graph.add("Gather", graph.add("Reshape", hidden, _rows(body)), CHOSEN, axis=0)
    inner = body.active(head.activation, body.linear(f"{MLM}.dense", [head.dense], taken, FULL))
    inner = body.norm(f"{MLM}.norm", head.norm, inner)
    table = body.precision.table(graph, "words", numbers(body.encoder.words))
    product = graph.add("MatMul", inner, graph.add("Transpose", table, perm=[1, 0]))
    return graph.add("Add", product, graph.constant(f"{MLM}.bias", numbers(head.bias)))


def _order(body: Body, model: Model, hidden: str) -> str:
    graph = body.graph
    first = graph.add("Gather", hidden, graph.constant("first", np.array([0])), axis=1)
    first = graph.add("Reshape", first, _rows(body))
    pooled = graph.add("Tanh", body.linear("pooler", [body.encoder.pooler], first, body.precision))
    return body.linear(SOP, [_head(model, SOP).classifier], pooled, FULL)


def _rows(body: Body) -> str:
    """The shape [*, hidden size]."""
    return body.graph.constant("rows", np.array([-1, body.config.hidden_size]))


def _head(model: Model, name: str) -> Any:
    return model.heads[name]
