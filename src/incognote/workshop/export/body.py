"""The layers of an encoder as nodes of an ONNX graph: what every network has, whatever its heads.

Sequences of a batch have one length, so that there is no padding and no mask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from onnx import TensorProto
from torch import Tensor, nn

from incognote.align.joining import NOTHING
from incognote.workshop.encoders import Model
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.errors import ConfigError
from incognote.workshop.encoders.layers import activation
from incognote.workshop.encoders.roberta import RobertaConfig
from incognote.workshop.export.graph import Graph
from incognote.workshop.export.precision import FULL, Floats, Layer, Precision

APPROXIMATE = {"gelu": "none", "gelu_new": "tanh", "gelu_pytorch_tanh": "tanh"}
LEAST = {"relu": 0.0, **dict.fromkeys(APPROXIMATE, -0.1701)}
"""What an activation never goes below."""

IN_ONE_BLOCK = 8192
"""Keys of so many numbers in all are looked at in one go by onnxruntime's fused attention, on any
machine of 256 KB of cache or more. Longer ones it cuts by the cache's size, and then the last bits
would be the machine's.
"""


class Body:
    """Writes an encoder into `graph`, part by part; each method gives the name of its result.

    `longest` is the most pieces that it will be given.
    """

    def __init__(self, model: Model, precision: Precision, longest: int) -> None:
        if not isinstance(model.encoder, Encoder):
            raise ConfigError(f"{model.family.name} cannot be exported to ONNX")
        self.encoder: Any = model.encoder
        self.config = model.config
        self.precision = precision
        self.longest = longest
        self.graph = Graph()

    def words(self) -> str:
        """The words' rows, [batch, length, embedding size]."""
        return self.precision.rows(self.graph, "words", numbers(self.encoder.words), "ids")

    def others(self, gains: Floats) -> str:
        """What pieces that are joined to others add to those, [batch, length, embedding size]."""
        graph, none = self.graph, self.graph.constant("others.none", np.array(NOTHING))
        there = graph.add("Cast", graph.add("Greater", "others", none), to=TensorProto.FLOAT)
        there = graph.add("Unsqueeze", there, graph.constant("others.each", np.array([-1])))
        ids = graph.add("Max", "others", graph.constant("others.first", np.array(0)))
        rows = self.precision.rows(graph, "words", numbers(self.encoder.words), ids)
        weights = graph.add("Mul", there, graph.constant("others.gains", gains))
        rows = graph.add("Mul", rows, weights)  # [batch, length, others, embedding size]
        axis = graph.constant("others.axis", np.array([2]))
        return graph.add("ReduceSum", rows, axis, keepdims=0)

    def places(self, segment: int | None = None) -> str:
        """The positions' rows, [length, embedding size]; those that no sequence reaches are not
        written. Where all is of one segment, its row is in them.
        """
        graph, tables = self.graph, self.encoder.embeddings
        first = self.config.pad_id + 1 if isinstance(self.config, RobertaConfig) else 0
        rows = numbers(tables.positions.weight)[first : first + self.longest]
        if segment is not None and tables.segments is not None:
            rows = rows + numbers(tables.segments.weight)[segment]
        taken = graph.add("Shape", "ids", start=1, end=2)
        begin = graph.constant("begin", np.array([0]))
        return graph.add("Slice", graph.constant("places", rows), begin, taken)

    def embedded(self, rows: str) -> str:
        """Sums of rows, normed and brought to the hidden size."""
        tables = self.encoder.embeddings
        hidden = self.norm("embeddings.norm", tables.norm, rows)
        if tables.projection is None:
            return hidden
        return self.linear("embeddings.projection", [tables.projection], hidden, FULL)

    def layers(self, hidden: str, count: int | None = None) -> Iterator[str]:
        """The output of each layer in turn, [batch, length, hidden size]; of the first `count`."""
        stack = self.encoder.stack
        for attention, feed_forward in stack.order[:count]:
            hidden = self._attention(f"attentions.{attention}", stack.attentions[attention], hidden)
            hidden = self._feed_forward(feed_forward, hidden)
            yield hidden

    def rest(self, asking: str, others: str, begin: int) -> str:
        """The layers from number `begin` on, for the rows `asking` only, which look at all.

        Rows of `others` stay as they are. In whose midst a row stood is in it already, so that the
        order of rows does not matter.
        """
        stack = self.encoder.stack
        for number, feed_forward in stack.order[begin:]:
            name, layer = f"attentions.{number}", stack.attentions[number]
            together = self.graph.add("Concat", asking, others, axis=1)
            query = self.linear(f"{name}.query", [layer.query], asking, self.precision)
            projections = [layer.key, layer.value]
            joined = self.linear(f"{name}.kv", projections, together, self.precision)
            key, value = self.graph.split("Split", joined, outputs=2, axis=2, num_outputs=2)
            mixed = self._looked(query, key, value)
            asking = self._feed_forward(feed_forward, self._added(name, layer, asking, mixed))
        return asking

    def linear(
        self,
        name: str,
        layers: Sequence[nn.Linear],
        hidden: str,
        precision: Precision,
        least: float | None = None,
    ) -> str:
        """Layers that read the same, as one."""
        weight = np.concatenate([numbers(layer.weight).T for layer in layers], axis=1)
        bias = np.concatenate([numbers(layer.bias) for layer in layers])
        return precision.linear(self.graph, hidden, Layer(name, weight, bias), least)

    def norm(self, name: str, norm: nn.LayerNorm, hidden: str) -> str:
        """A layer norm."""
        weight = self.graph.constant(f"{name}.weight", numbers(norm.weight))
        bias = self.graph.constant(f"{name}.bias", numbers(norm.bias))
        return self.graph.add("LayerNormalization", hidden, weight, bias, axis=-1, epsilon=norm.eps)

    def active(self, function: Callable[[Tensor], Tensor], hidden: str) -> str:
        """An activation."""
        if function is activation("relu"):
            return self.graph.add("Relu", hidden)
        kind = next(name for name in APPROXIMATE if activation(name) is function)
        return self.graph.add("Gelu", hidden, approximate=APPROXIMATE[kind])

    def _attention(self, name: str, layer: Any, hidden: str) -> str:
        projections = [layer.query, layer.key, layer.value]
        joined = self.linear(f"{name}.qkv", projections, hidden, self.precision)
        mixed = self._fused(joined) if self._fits() else self._mixed(joined)
        return self._added(name, layer, hidden, mixed)

    def _added(self, name: str, layer: Any, hidden: str, mixed: str) -> str:
        output = self.linear(f"{name}.output", [layer.output], mixed, self.precision)
        return self.norm(f"{name}.norm", layer.norm, self.graph.add("Add", hidden, output))

    def _fits(self) -> bool:
        head_size: int = self.config.hidden_size // self.config.heads
        return self.longest * head_size <= IN_ONE_BLOCK

    def _fused(self, joined: str) -> str:
        """Attention as one node, from queries, keys and values side by side."""
        parts = self.graph.split("Split", joined, outputs=3, axis=2, num_outputs=3)
        heads = self.config.heads
        return self.graph.add("MultiHeadAttention", *parts, contributed=True, num_heads=heads)

    def _mixed(self, joined: str) -> str:
        """The same, node by node."""
        graph, size, heads = self.graph, self.config.hidden_size, self.config.heads
        split = graph.constant("split.heads", np.array([0, 0, 3 * heads, size // heads]))
        apart = graph.add("Transpose", graph.add("Reshape", joined, split), perm=[0, 2, 1, 3])
        # [batch, heads, length, head size] each
        return self._shares(*graph.split("Split", apart, outputs=3, axis=1, num_outputs=3))

    def _looked(self, *parts: str) -> str:
        """Attention of queries to keys and values of another length."""
        graph, size, heads = self.graph, self.config.hidden_size, self.config.heads
        if self._fits():
            return graph.add("MultiHeadAttention", *parts, contributed=True, num_heads=heads)
        split = graph.constant("split.head", np.array([0, 0, heads, size // heads]))
        apart = [
            graph.add("Transpose", graph.add("Reshape", part, split), perm=[0, 2, 1, 3])
            for part in parts
        ]
        return self._shares(*apart)

    def _shares(self, query: str, key: str, value: str) -> str:
        graph, size, heads = self.graph, self.config.hidden_size, self.config.heads
        scale = graph.constant("attention.scale", np.float32((size // heads) ** -0.5))
        looked = graph.add("MatMul", query, graph.add("Transpose", key, perm=[0, 1, 3, 2]))
        shares = graph.add("Softmax", graph.add("Mul", looked, scale), axis=-1)
        mixed = graph.add("Transpose", graph.add("MatMul", shares, value), perm=[0, 2, 1, 3])
        return graph.add("Reshape", mixed, graph.constant("flat", np.array([0, 0, size])))

    def _feed_forward(self, number: int, hidden: str) -> str:
        name, layer = f"feed_forwards.{number}", self.encoder.stack.feed_forwards[number]
        inner = self.linear(f"{name}.up", [layer.up], hidden, self.precision)
        active = self.active(layer.activation, inner)
        least = LEAST[self.config.activation]
        output = self.linear(f"{name}.down", [layer.down], active, self.precision, least)
        return self.norm(f"{name}.norm", layer.norm, self.graph.add("Add", hidden, output))


def numbers(tensor: Tensor) -> Floats:
    """A tensor's values."""
    found: Floats = tensor.detach().float().cpu().numpy()
    return found
