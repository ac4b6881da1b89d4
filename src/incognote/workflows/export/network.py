"""A tagger's encoder and classifier as an ONNX graph.

Windows of a batch have one length, so that there is no padding and no mask; all are of segment 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from torch import Tensor, nn

from incognote.encoders import Model
from incognote.encoders.encoder import Encoder
from incognote.encoders.errors import ConfigError
from incognote.encoders.roberta import RobertaConfig
from incognote.workflows.export.graph import BATCH, Graph
from incognote.workflows.export.precision import Floats, Full, Precision

APPROXIMATE = {"gelu": "none", "gelu_new": "tanh", "gelu_pytorch_tanh": "tanh"}
LEAST = {"relu": 0.0, **dict.fromkeys(APPROXIMATE, -0.1701)}
"""What an activation never goes below."""


def network_of(
    model: Model, precision: Precision | None = None, *, shapes: Tensor | None = None
) -> Any:
    """The ONNX model from `ids` [batch, length] to `logits` [batch, length, labels].

    With a table of word shapes [rows, embedding size] there is a second input, `shapes` [batch,
    length, features], whose rows are added to the words'.
    """
    if not isinstance(model.encoder, Encoder):
        raise ConfigError(f"{model.family.name} cannot be exported to ONNX")
    return _Network(model, precision or Full(), shapes).written()


class _Network:
    def __init__(self, model: Model, precision: Precision, shapes: Tensor | None) -> None:
        self.model = model
        self.encoder: Any = model.encoder
        self.config = model.config
        self.precision = precision
        self.shapes = shapes
        self.graph = Graph()

    def written(self) -> Any:
        hidden = self._embedded()
        stack = self.encoder.stack
        for attention, feed_forward in stack.order:
            hidden = self._attention(f"attentions.{attention}", stack.attentions[attention], hidden)
            name = f"feed_forwards.{feed_forward}"
            hidden = self._feed_forward(name, stack.feed_forwards[feed_forward], hidden)
        classifier: Any = self.model.heads["tokens"].classifier
        logits = self._linear("classifier", [classifier], hidden, Full())
        inputs: dict[str, tuple[str | int, ...]] = {"ids": BATCH}
        if self.shapes is not None:
            inputs["shapes"] = (*BATCH, "features")
        return self.graph.finish(inputs, logits, len(self.model.labels))

    def _embedded(self) -> str:
        graph, tables = self.graph, self.encoder.embeddings
        words = self.precision.rows(graph, "words", _numbers(tables.words.weight), "ids")
        if self.shapes is not None:
            rows = graph.constant("shapes.rows", _numbers(self.shapes))
            each = graph.add("Gather", rows, "shapes")  # [batch, length, features, size]
            axis = graph.constant("features.axis", np.array([2]))
            words = graph.add("Add", words, graph.add("ReduceSum", each, axis, keepdims=0))
        # A piece's position and its segment do not depend on the text: one table has both.
        places = _numbers(tables.positions.weight) + _numbers(tables.segments.weight)[0]
        places = places[self._first_position :]
        length = graph.add("Shape", "ids", start=1, end=2)
        begin = graph.constant("begin", np.array([0]))
        taken = graph.add("Slice", graph.constant("places", places), begin, length)
        hidden = self._norm("embeddings.norm", tables.norm, graph.add("Add", words, taken))
        if tables.projection is None:
            return hidden
        return self._linear("embeddings.projection", [tables.projection], hidden, Full())

    @property
    def _first_position(self) -> int:
        return self.config.pad_id + 1 if isinstance(self.config, RobertaConfig) else 0

    def _attention(self, name: str, layer: Any, hidden: str) -> str:
        graph, size, heads = self.graph, self.config.hidden_size, self.config.heads
        projections = [layer.query, layer.key, layer.value]
        joined = self._linear(f"{name}.qkv", projections, hidden, self.precision)
        split = graph.constant("split.heads", np.array([0, 0, 3 * heads, size // heads]))
        apart = graph.add("Transpose", graph.add("Reshape", joined, split), perm=[0, 2, 1, 3])
        # [batch, heads, length, head size] each
        query, key, value = graph.split("Split", apart, outputs=3, axis=1, num_outputs=3)
        scale = graph.constant("attention.scale", np.float32((size // heads) ** -0.5))
        looked = graph.add("MatMul", query, graph.add("Transpose", key, perm=[0, 1, 3, 2]))
        shares = graph.add("Softmax", graph.add("Mul", looked, scale), axis=-1)
        mixed = graph.add("Transpose", graph.add("MatMul", shares, value), perm=[0, 2, 1, 3])
        flat = graph.add("Reshape", mixed, graph.constant("flat", np.array([0, 0, size])))
        output = self._linear(f"{name}.output", [layer.output], flat, self.precision)
        return self._norm(f"{name}.norm", layer.norm, graph.add("Add", hidden, output))

    def _feed_forward(self, name: str, layer: Any, hidden: str) -> str:
        inner = self._linear(f"{name}.up", [layer.up], hidden, self.precision)
        kind = self.config.activation
        if kind == "relu":
            active = self.graph.add("Relu", inner)
        else:
            active = self.graph.add("Gelu", inner, approximate=APPROXIMATE[kind])
        output = self._linear(f"{name}.down", [layer.down], active, self.precision, LEAST[kind])
        return self._norm(f"{name}.norm", layer.norm, self.graph.add("Add", hidden, output))

    def _linear(
        self,
        name: str,
        layers: Sequence[nn.Linear],
        hidden: str,
        precision: Precision,
        least: float | None = None,
    ) -> str:
        """Layers that read the same, as one."""
        weight = np.concatenate([_numbers(layer.weight).T for layer in layers], axis=1)
        bias = np.concatenate([_numbers(layer.bias) for layer in layers])
        return precision.linear(self.graph, name, hidden, weight, bias, least)

    def _norm(self, name: str, norm: nn.LayerNorm, hidden: str) -> str:
        weight = self.graph.constant(f"{name}.weight", _numbers(norm.weight))
        bias = self.graph.constant(f"{name}.bias", _numbers(norm.bias))
        return self.graph.add("LayerNormalization", hidden, weight, bias, axis=-1, epsilon=norm.eps)


def _numbers(tensor: Tensor) -> Floats:
    numbers: Floats = tensor.detach().float().cpu().numpy()
    return numbers
