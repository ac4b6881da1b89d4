"""What writes an encoder into an ONNX graph; that of BERT's kind is here, and the choice among all.

A kind of encoder says how its words become rows, and rows the states of each layer. Sequences of a batch
have one length, so that there is no padding and no mask.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from onnx import TensorProto
from torch import Tensor, nn

from incognote.align.joined_tokens import NOTHING
from incognote.onnx.encoder_folder import IDS, SEGMENTS
from incognote.workshop.encoders import Model
from incognote.workshop.encoders.layers import activation
from incognote.workshop.encoders.roberta import RobertaConfig
from incognote.workshop.export.graph import BATCH, FULL, Floats, Graph, Layer, Precision, Shape

APPROXIMATE = {"gelu": "none", "gelu_new": "tanh", "gelu_pytorch_tanh": "tanh"}
LEAST = {"relu": 0.0, **dict.fromkeys(APPROXIMATE, -0.1701)}
"""What an activation never goes below."""

IN_ONE_BLOCK = 8192
"""Keys of so many numbers in all are attended to in one go by onnxruntime's fused attention, on any
machine of 256 KB of cache or more. Longer ones it cuts by the cache's size, and then the last bits
would be the machine's.
"""


class Body(ABC):
    """Writes an encoder into `graph`, part by part; each method gives the name of its result.

    `longest` is the most tokens that it will be given.
    """

    def __init__(self, model: Model, precision: Precision, longest: int) -> None:
        self.encoder: Any = model.encoder
        self.config = model.config
        self.precision = precision
        self.longest = longest
        self.graph = Graph()

    def inputs(self, *, segmented: bool) -> dict[str, Shape]:
        """What the encoder reads; with its segments where it has any and they are not all alike."""
        return {IDS: (*BATCH, *self.config.row)}

    def words(self) -> str:
        """The words' rows, [batch, length, embedding size]."""
        return self.precision.rows(self.graph, "words", numbers(self.encoder.words), IDS)

    @abstractmethod
    def states(self, rows: str, *, segmented: bool) -> list[str]:
        """The embeddings, from rows as `words` gives, and each layer's output, [batch, length, size].

        All is of segment 0 unless it is `segmented`.
        """

    def output(self, states: Sequence[str]) -> str:
        """What heads read of them."""
        return states[-1]

    def others(self, gains: Floats) -> str:
        """What tokens that are joined to others add to those, [batch, length, embedding size]."""
        graph, none = self.graph, self.graph.constant("others.none", np.array(NOTHING))
        present = graph.add("Cast", graph.add("Greater", "others", none), to=TensorProto.FLOAT)
        present = graph.add("Unsqueeze", present, graph.constant("others.each", np.array([-1])))
        ids = graph.add("Max", "others", graph.constant("others.first", np.array(0)))
        rows = self.precision.rows(graph, "words", numbers(self.encoder.words), ids)
        weights = graph.add("Mul", present, graph.constant("others.gains", gains))
        rows = graph.add("Mul", rows, weights)  # [batch, length, others, embedding size]
        axis = graph.constant("others.axis", np.array([2]))
        return graph.add("ReduceSum", rows, axis, keepdims=0)

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
        bias = None
        if layers[0].bias is not None:
            bias = np.concatenate([numbers(layer.bias) for layer in layers])
        return precision.linear(self.graph, hidden, Layer(name, weight, bias), least)

    def norm(self, name: str, norm: nn.LayerNorm, hidden: str) -> str:
        """A layer norm."""
        weight = self.graph.constant(f"{name}.weight", numbers(norm.weight))
        parts = [weight]
        if norm.bias is not None:
            parts.append(self.graph.constant(f"{name}.bias", numbers(norm.bias)))
        return self.graph.add("LayerNormalization", hidden, *parts, axis=-1, epsilon=norm.eps)

    def active(self, function: Callable[[Tensor], Tensor], hidden: str) -> str:
        """An activation."""
        if function is activation("relu"):
            return self.graph.add("Relu", hidden)
        kind = next(name for name in APPROXIMATE if activation(name) is function)
        return self.graph.add("Gelu", hidden, approximate=APPROXIMATE[kind])

    def feed_forward(self, number: int, layer: Any, hidden: str) -> str:
        """A layer's second half, with its residual and norm."""
        name = f"feed_forwards.{number}"
        inner = self.linear(f"{name}.up", [layer.up], hidden, self.precision)
        active = self.active(layer.activation, inner)
        least = LEAST[self.config.activation]
        output = self.linear(f"{name}.down", [layer.down], active, self.precision, least)
        return self.norm(f"{name}.norm", layer.norm, self.graph.add("Add", hidden, output))


class StackBody(Body):
    """Embeddings and a stack of layers: BERT and what is built as it is."""

    def inputs(self, *, segmented: bool) -> dict[str, Shape]:
        own = super().inputs(segmented=segmented)
        return {**own, SEGMENTS: BATCH} if segmented and self.config.segments > 1 else own

    def states(self, rows: str, *, segmented: bool) -> list[str]:
        embedded = self.embedded(rows, segmented=segmented)
        return [embedded, *self.layers(embedded)]

    def embedded(self, rows: str, *, segmented: bool) -> str:
        """Words' rows with those of positions and segments, normed and brought to the hidden size."""
        if segmented and self.config.segments > 1:
            table = numbers(self.encoder.embeddings.segments.weight)
            segments = self.graph.add(
                "Gather", self.graph.constant("segments.rows", table), SEGMENTS
            )
            places = self.graph.add("Add", self._places(), segments)
        else:
            places = self._places(segment=0)
        tables = self.encoder.embeddings
        hidden = self.norm("embeddings.norm", tables.norm, self.graph.add("Add", rows, places))
        if tables.projection is None:
            return hidden
        return self.linear("embeddings.projection", [tables.projection], hidden, FULL)

    def _places(self, segment: int | None = None) -> str:
        """The positions' rows, [length, embedding size]; those that no sequence reaches are not
        written. Where all is of one segment, its row is in them.
        """
        graph, tables = self.graph, self.encoder.embeddings
        first = self.config.pad_id + 1 if isinstance(self.config, RobertaConfig) else 0
        rows = numbers(tables.positions.weight)[first : first + self.longest]
        if segment is not None and tables.segments is not None:
            rows = rows + numbers(tables.segments.weight)[segment]
        length = graph.add("Shape", IDS, start=1, end=2)
        begin = graph.constant("begin", np.array([0]))
        return graph.add("Slice", graph.constant("places", rows), begin, length)

    def layers(self, hidden: str, count: int | None = None) -> Iterator[str]:
        """The output of each layer in turn, [batch, length, hidden size]; of the first `count`."""
        stack = self.encoder.stack
        for attention, feed_forward in stack.order[:count]:
            hidden = self._attention(f"attentions.{attention}", stack.attentions[attention], hidden)
            hidden = self.feed_forward(feed_forward, stack.feed_forwards[feed_forward], hidden)
            yield hidden

    def rest(self, active: str, others: str, begin: int) -> str:
        """The layers from number `begin` on, for the `active` rows only, which attend to all.

        Rows of `others` stay as they are. In whose midst a row stood is in it already, so that the
        order of rows does not matter.
        """
        stack = self.encoder.stack
        for number, feed_forward in stack.order[begin:]:
            name, layer = f"attentions.{number}", stack.attentions[number]
            together = self.graph.add("Concat", active, others, axis=1)
            query = self.linear(f"{name}.query", [layer.query], active, self.precision)
            projections = [layer.key, layer.value]
            projection = self.linear(f"{name}.kv", projections, together, self.precision)
            key, value = self.graph.split("Split", projection, outputs=2, axis=2, num_outputs=2)
            mixed = self._cross_attention(query, key, value)
            added = self.added(name, layer, active, mixed)
            active = self.feed_forward(feed_forward, stack.feed_forwards[feed_forward], added)
        return active

    def _attention(self, name: str, layer: Any, hidden: str) -> str:
        projections = [layer.query, layer.key, layer.value]
        projection = self.linear(f"{name}.qkv", projections, hidden, self.precision)
        mixed = (
            self._fused_attention(projection) if self.fits() else self._plain_attention(projection)
        )
        return self.added(name, layer, hidden, mixed)

    def added(self, name: str, layer: Any, hidden: str, mixed: str) -> str:
        """The end of a layer's first half: its output, residual and norm."""
        output = self.linear(f"{name}.output", [layer.output], mixed, self.precision)
        return self.norm(f"{name}.norm", layer.norm, self.graph.add("Add", hidden, output))

    def fits(self) -> bool:
        """Whether fused attention gives the same on every machine."""
        head_size: int = self.config.hidden_size // self.config.heads
        return self.longest * head_size <= IN_ONE_BLOCK

    def _fused_attention(self, projection: str) -> str:
        """Attention as one node, from queries, keys and values side by side."""
        parts = self.graph.split("Split", projection, outputs=3, axis=2, num_outputs=3)
        heads = self.config.heads
        return self.graph.add("MultiHeadAttention", *parts, contributed=True, num_heads=heads)

    def _plain_attention(self, projection: str) -> str:
        """The same attention, node by node."""
        graph, size, heads = self.graph, self.config.hidden_size, self.config.heads
        split = graph.constant("split.heads", np.array([0, 0, 3 * heads, size // heads]))
        apart = graph.add("Transpose", graph.add("Reshape", projection, split), perm=[0, 2, 1, 3])
        # [batch, heads, length, head size] each
        return self.attend(*graph.split("Split", apart, outputs=3, axis=1, num_outputs=3))

    def _cross_attention(self, *parts: str) -> str:
        """Attention of queries to keys and values of another length."""
        graph, size, heads = self.graph, self.config.hidden_size, self.config.heads
        if self.fits():
            return graph.add("MultiHeadAttention", *parts, contributed=True, num_heads=heads)
        split = graph.constant("split.head", np.array([0, 0, heads, size // heads]))
        apart = [
            graph.add("Transpose", graph.add("Reshape", part, split), perm=[0, 2, 1, 3])
            for part in parts
        ]
        return self.attend(*apart)

    def attend(self, query: str, key: str, value: str) -> str:
        """Attention node by node, of parts [batch, heads, length, head size]."""
        graph, size, heads = self.graph, self.config.hidden_size, self.config.heads
        scale = graph.constant("attention.scale", np.float32((size // heads) ** -0.5))
        products = graph.add("MatMul", query, graph.add("Transpose", key, perm=[0, 1, 3, 2]))
        shares = graph.add("Softmax", graph.add("Mul", products, scale), axis=-1)
        mixed = graph.add("Transpose", graph.add("MatMul", shares, value), perm=[0, 2, 1, 3])
        return graph.add("Reshape", mixed, graph.constant("flat", np.array([0, 0, size])))


def numbers(tensor: Tensor) -> Floats:
    """A tensor's values."""
    values: Floats = tensor.detach().float().cpu().numpy()
    return values
