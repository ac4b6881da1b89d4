"""DeBERTa's layers as nodes of an ONNX graph: the terms of distances beside those of content."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from incognote.workshop.encoders.deberta import TERMS, bucket_rows
from incognote.workshop.export.body import StackBody, numbers


class DebertaBody(StackBody):
    """Words are all that is embedded; keys and queries of distances are computed from their table.

    That table is a constant, so that onnxruntime computes them once, when it loads.
    """

    def embedded(self, rows: str, *, segmented: bool) -> str:
        """The words' rows, normed."""
        return self.norm("embeddings.norm", self.encoder.embeddings.norm, rows)

    def layers(self, hidden: str, count: int | None = None) -> Iterator[str]:
        """The output of each layer in turn, [batch, length, hidden size]; of the first `count`."""
        stack, distances = self.encoder.stack, self._distances()
        for number in range(len(stack.order))[:count]:
            name, layer = f"attentions.{number}", stack.attentions[number]
            mixed = self._disentangled(name, layer, hidden, *distances)
            added = self.added(name, layer, hidden, mixed)
            hidden = self.feed_forward(number, stack.feed_forwards[number], added)
            yield hidden

    def _distances(self) -> tuple[str, str, str]:
        """The rows of the table that occur, [rows, hidden size]; which are those of the distances from
        the length down to 1 − length, and from −length up, [2 · length] each.
        """
        graph, stack, most = self.graph, self.encoder.stack, self.longest
        rows, places = torch.unique(
            bucket_rows(torch.arange(-most, most + 1), self.config), return_inverse=True
        )
        with torch.no_grad():
            normed = stack.distance_norm(stack.distances(rows))
        rising = places.numpy()
        table = graph.constant("distances", numbers(normed))
        length = graph.add("Shape", "ids", start=1, end=2)
        middle = graph.constant("distances.middle", np.array([most]))
        edges = graph.add("Sub", middle, length), graph.add("Add", middle, length)
        falling = graph.constant("distances.falling", rising[::-1])
        upward = graph.constant("distances.rising", rising)
        return (
            table,
            graph.add("Slice", falling, *edges),
            graph.add("Slice", upward, *edges),
        )

    def _disentangled(
        self, name: str, layer: Any, hidden: str, table: str, falling: str, rising: str
    ) -> str:
        graph, heads = self.graph, self.config.heads
        size = self.config.hidden_size // heads
        projections = [layer.query, layer.key, layer.value]
        together, of_rows = (
            self.linear(f"{name}.qkv", projections, states, self.precision)
            for states in (hidden, table)
        )
        split = graph.constant("split.heads", np.array([0, 0, 3 * heads, size]))
        apart = graph.add("Transpose", graph.add("Reshape", together, split), perm=[0, 2, 1, 3])
        query, key, value = graph.split("Split", apart, outputs=3, axis=1, num_outputs=3)
        row_query, row_key, _ = graph.split("Split", of_rows, outputs=3, axis=1, num_outputs=3)
        by_distance = self._by_key(graph.add("MatMul", query, self._table(row_key, falling)))
        of_distance = self._by_key(graph.add("MatMul", key, self._table(row_query, rising)))
        products = graph.add("MatMul", query, graph.add("Transpose", key, perm=[0, 1, 3, 2]))
        for term in (by_distance, graph.add("Transpose", of_distance, perm=[0, 1, 3, 2])):
            products = graph.add("Add", products, term)
        scale = graph.constant("attention.scale", np.float32(1 / math.sqrt(TERMS * size)))
        shares = graph.add("Softmax", graph.add("Mul", products, scale), axis=-1)
        mixed = graph.add("Transpose", graph.add("MatMul", shares, value), perm=[0, 2, 1, 3])
        flat = graph.constant("flat", np.array([0, 0, self.config.hidden_size]))
        return graph.add("Reshape", mixed, flat)

    def _table(self, rows: str, places: str) -> str:
        """Rows [rows, hidden size] in the order of distances, [heads, head size, 2 · length]."""
        graph, heads = self.graph, self.config.heads
        split = graph.constant(
            "distances.heads", np.array([0, heads, self.config.hidden_size // heads])
        )
        by_head = graph.add("Transpose", graph.add("Reshape", rows, split), perm=[1, 2, 0])
        return graph.add("Gather", by_head, places, axis=2)

    def _by_key(self, scores: str) -> str:
        """[batch, heads, n, 2n], whose column n + j − i of row i is for the token j, to [batch, heads, n, n]."""
        graph = self.graph
        length = graph.add("Shape", "ids", start=1, end=2)
        nothing, rest, end = (
            graph.constant(f"shift.{name}", np.array([value]))
            for name, value in (("nothing", 0), ("rest", -1), ("end", np.iinfo(np.int64).max))
        )
        axes = [graph.constant(f"shift.axis.{axis}", np.array([axis])) for axis in (2, 3)]
        flat = graph.add("Reshape", scores, graph.constant("shift.flat", np.array([0, 0, -1])))
        shifted = graph.add("Slice", flat, length, end, axes[0])
        shape = graph.add("Concat", nothing, nothing, length, rest, axis=0)
        return graph.add("Slice", graph.add("Reshape", shifted, shape), nothing, length, axes[1])
