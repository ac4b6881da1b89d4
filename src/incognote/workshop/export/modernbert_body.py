"""ModernBERT's layers as nodes of an ONNX graph: rotations, and local attention at a linear cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from incognote.workshop.encoders.modernbert import GLOBAL, LOCAL, Rotation
from incognote.workshop.export.body import StackBody, numbers

LONG = 1024
"""Of more tokens a table of all pairs is not made: onnxruntime's fused attention goes through long
sequences in blocks as large as the processor's cache, and the last bits of its sums are the machine's.
"""

_END = np.iinfo(np.int64).max


class ModernBertBody(StackBody):
    """Words are all that is embedded; each kind of layer has its rotations."""

    def embedded(self, rows: str, *, segmented: bool) -> str:
        """The words' rows, normed."""
        return self.norm("embeddings.norm", self.encoder.embeddings.norm, rows)

    def layers(self, hidden: str, count: int | None = None) -> Iterator[str]:
        """The output of each layer in turn, that of the last one normed."""
        stack = self.encoder.stack
        around = _Neighbours(self) if LOCAL in self.config.attention_types else None
        for number in range(len(stack.order))[:count]:
            hidden = self._attention_layer(number, hidden, around)
            hidden = self._gated(number, hidden)
            if number == len(stack.order) - 1:
                hidden = self.norm("norm", stack.norm, hidden)
            yield hidden

    def _attention_layer(self, number: int, hidden: str, around: _Neighbours | None) -> str:
        name, layer = f"attentions.{number}", self.encoder.stack.attentions[number]
        normed = self.norm(f"{name}.norm", layer.norm, hidden) if number else hidden
        together = self.linear(f"{name}.qkv", [layer.qkv], normed, self.precision)
        query, key, value = self.graph.split("Split", together, outputs=3, axis=2, num_outputs=3)
        query, key = (self._rotated(part, layer.attention_type) for part in (query, key))
        if layer.attention_type == LOCAL:
            assert around is not None
            mixed = around.attend(query, key, value)
        else:
            mixed = self._globally(query, key, value)
        output = self.linear(f"{name}.output", [layer.output], mixed, self.precision)
        return self.graph.add("Add", hidden, output)

    def _gated(self, number: int, hidden: str) -> str:
        name, layer = f"feed_forwards.{number}", self.encoder.stack.feed_forwards[number]
        normed = self.norm(f"{name}.norm", layer.norm, hidden)
        inner = self.linear(f"{name}.up", [layer.up], normed, self.precision)
        active, gate = self.graph.split("Split", inner, outputs=2, axis=2, num_outputs=2)
        product = self.graph.add("Mul", self.active(layer.activation, active), gate)
        return self.graph.add(
            "Add", hidden, self.linear(f"{name}.down", [layer.down], product, self.precision)
        )

    def _rotated(self, states: str, kind: str) -> str:
        """Queries or keys, [batch, length, hidden size], turned by their places."""
        graph, config = self.graph, self.config
        base = config.global_base if kind == GLOBAL else config.local_base
        size = config.hidden_size // config.heads
        tables = Rotation.of(torch.arange(self.longest), base, size, torch.float32)
        cosines, sines = (
            graph.constant(f"{kind}.{name}", numbers(table[:, 0]))
            for name, table in (("cosines", tables.cosines), ("sines", tables.sines))
        )
        first = graph.constant("rotation.first", np.array([0]))
        (turned,) = graph.split(
            "RotaryEmbedding",
            *(states, first, cosines, sines),
            outputs=1,
            contributed=True,
            num_heads=config.heads,
        )
        return turned

    def _globally(self, query: str, key: str, value: str) -> str:
        if self.fits() or self.longest > LONG:
            (mixed,) = self.graph.split(
                "MultiHeadAttention",
                *(query, key, value),
                outputs=1,
                contributed=True,
                num_heads=self.config.heads,
            )
            return mixed
        return self.attend(*(self.by_head(part) for part in (query, key, value)))

    def by_head(self, states: str) -> str:
        """[batch, length, hidden size] to [batch, heads, length, head size]."""
        graph, size, heads = self.graph, self.config.hidden_size, self.config.heads
        split = graph.constant("split.head", np.array([0, 0, heads, size // heads]))
        return graph.add("Transpose", graph.add("Reshape", states, split), perm=[0, 2, 1, 3])


class _Neighbours:
    """Attention to near tokens, in blocks as long as the reach: `local_attention.Neighbours` as nodes.

    Blocks that the length does not fill are cut off again; `mask` [blocks, 1, reach, 3 · reach] is added
    to the scores.
    """

    def __init__(self, body: StackBody) -> None:
        self.body, self.graph = body, body.graph
        self.reach, config = body.config.reach, body.config
        self.heads, self.size = config.heads, config.hidden_size // config.heads
        graph, reach = self.graph, self.reach
        self.length = graph.add("Shape", "ids", start=1, end=2)
        one = graph.constant("blocks.one", np.array([1]))
        each = graph.constant("blocks.reach", np.array([reach]))
        rounded = graph.add("Sub", graph.add("Add", self.length, each), one)
        count = graph.add("Div", rounded, each)
        self.spare = graph.add("Sub", graph.add("Mul", count, each), self.length)
        self.mask = self._mask(count)

    def _mask(self, count: str) -> str:
        graph, reach = self.graph, self.reach
        scalar = graph.constant("blocks.scalar", np.array(0))
        numbers = graph.add(
            "Range",
            *(scalar, graph.add("Squeeze", count), graph.constant("blocks.step", np.array(1))),
        )
        begins = graph.add("Mul", numbers, graph.constant("blocks.width", np.array(reach)))
        column = graph.constant("blocks.column", np.array([1]))
        inside = np.arange(3 * reach) - reach
        places = graph.add(
            "Add",
            graph.add("Unsqueeze", begins, column),
            graph.constant("blocks.places", inside),
        )  # [blocks, 3 · reach]
        before = graph.constant("blocks.before", np.array(-1))
        there = graph.add(
            "And", graph.add("Greater", places, before), graph.add("Less", places, self.length)
        )
        between = graph.constant("blocks.axes", np.array([1, 2]))
        near = np.abs(inside - np.arange(reach)[:, None]) <= reach  # [reach, 3 · reach]
        sees = graph.add(
            "And", graph.add("Unsqueeze", there, between), graph.constant("blocks.near", near)
        )
        seen = graph.constant("blocks.seen", np.float32(0))
        unseen = graph.constant("blocks.unseen", np.finfo(np.float32).min)
        return graph.add("Where", sees, seen, unseen)

    def attend(self, query: str, key: str, value: str) -> str:
        """All of shape [batch, length, hidden size]."""
        graph = self.graph
        scale = graph.constant("attention.scale", np.float32(self.size**-0.5))
        queries = self._blocks(query, around=False)
        keys, values = (self._blocks(part, around=True) for part in (key, value))
        # [batch, blocks, heads, reach, 3 · reach]
        products = graph.add("MatMul", queries, graph.add("Transpose", keys, perm=[0, 1, 2, 4, 3]))
        scores = graph.add("Add", graph.add("Mul", products, scale), self.mask)
        mixed = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), values)
        rows = graph.add("Transpose", mixed, perm=[0, 1, 3, 2, 4])
        flat = graph.constant("blocks.flat", np.array([0, -1, self.size * self.heads]))
        return self._slice(graph.add("Reshape", rows, flat), None, self.length)

    def _blocks(self, states: str, *, around: bool) -> str:
        """[batch, blocks, heads, tokens, head size], the tokens of a block, or also of those beside it."""
        graph, reach = self.graph, self.reach
        nothing = graph.constant("blocks.nothing", np.array([0]))
        beside = graph.constant("blocks.reach", np.array([reach]))
        before, after = (
            (beside, graph.add("Add", self.spare, beside)) if around else (nothing, self.spare)
        )
        pads = graph.add("Concat", *(nothing, before, nothing), *(nothing, after, nothing), axis=0)
        padded = graph.add("Pad", states, pads)
        shape = graph.constant("blocks.shape", np.array([0, -1, reach, self.heads, self.size]))
        blocks = graph.add("Reshape", padded, shape)
        if around:
            parts = [
                self._slice(blocks, begin, end) for begin, end in ((0, -2), (1, -1), (2, _END))
            ]
            blocks = graph.add("Concat", *parts, axis=2)
        return graph.add("Transpose", blocks, perm=[0, 1, 3, 2, 4])

    def _slice(self, states: str, begin: int | None, end: Any) -> str:
        """Of the second axis, from `begin` on; the end is a number, or the name of one."""
        graph = self.graph
        edges = [
            edge if isinstance(edge, str) else graph.constant(f"edge.{edge}", np.array([edge]))
            for edge in (begin or 0, end)
        ]
        return graph.add("Slice", states, *edges, graph.constant("blocks.one", np.array([1])))
