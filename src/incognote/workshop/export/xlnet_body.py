"""XLNet as an ONNX graph: relative attention over a text of any length, and a stream for what is guessed.

Nothing is permuted: tokens see all others, but for those that are to be guessed, which none sees.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from onnx import TensorProto

from incognote.onnx.encoder_folder import CHOSEN, IDS, SEGMENTS
from incognote.workshop.encoders.xlnet_attention import RelativeAttention
from incognote.workshop.export.body import Body, numbers
from incognote.workshop.export.graph import BATCH, Layer, Shape

UNSEEN = np.finfo(np.float32).min / 2
"""The score of a token that must not be seen, as in torch."""


class Surroundings(NamedTuple):
    """What attention must know of a batch.

    distances: [2 · length, hidden size], the sinusoids of length … 1 − length. length: [1].
    apart: [batch, 1, length, length], whether segments differ; '' if there is one only.
    """

    length: str
    distances: str
    apart: str


class XlnetBody(Body):
    """Reads `ids` and, where special tokens have their own, `segments`, both [batch, length]."""

    def inputs(self, *, segmented: bool) -> dict[str, Shape]:
        own = super().inputs(segmented=segmented)
        return {**own, SEGMENTS: BATCH} if segmented else own

    def states(self, rows: str, *, segmented: bool) -> list[str]:
        around = self._surroundings(segmented=segmented)
        states = [rows]
        for number in range(self.config.layers):
            name = f"attentions.{number}"
            layer = self.encoder.attentions[number]
            parts = self._projected(f"{name}.qkv", states[-1], layer.query, layer.key, layer.value)
            own, keys, values = self.graph.split("Split", parts, outputs=3, axis=1, num_outputs=3)
            scores = self._by_distance(name, layer, own, around)
            bias = self._bias(name, layer, scores, own, around.apart, "")
            mixed = self._mixed(name, layer, own, keys, values, bias)
            states.append(self._finished(number, layer, states[-1], mixed))
        return states

    def states_and_targets(self, rows: str) -> tuple[list[str], str]:
        """The states of one sequence, and of what stands at the `chosen` places [chosen, hidden size].

        These places nobody sees, but each itself; the states are those of `states` if there are none.
        """
        graph = self.graph
        hidden, unseen = self._unseen()
        around = self._surroundings(segmented=True)
        apart = graph.add("Gather", around.apart, CHOSEN, axis=2)
        states, targets = [rows], self._first_queries()
        for number in range(self.config.layers):
            name, content = f"attentions.{number}", states[-1]
            layer = self.encoder.attentions[number]
            parts = self._projected(f"{name}.kv", content, layer.key, layer.value)
            keys, values = graph.split("Split", parts, outputs=2, axis=1, num_outputs=2)

            queries = self._projected(f"{name}.query", content, layer.query)
            scores = self._by_distance(name, layer, queries, around)
            bias = self._bias(name, layer, scores, queries, around.apart, unseen)
            mixed = self._mixed(name, layer, queries, keys, values, bias)
            states.append(self._finished(number, layer, content, mixed))

            queries = self._projected(f"{name}.query", targets, layer.query)
            scores = self._each_distance(name, layer, queries, around)
            bias = self._bias(name, layer, scores, queries, apart, hidden)
            mixed = self._mixed(name, layer, queries, keys, values, bias)
            targets = self._finished(number, layer, targets, mixed)
        flat = graph.constant("targets.flat", np.array([-1, self.config.hidden_size]))
        return states, graph.add("Reshape", targets, flat)

    def _unseen(self) -> tuple[str, str]:
        """Whether a token is to be guessed, [length], and whom each must not see, [length, length]."""
        graph = self.graph
        length = graph.add("Shape", IDS, start=1, end=2)
        ones = graph.add("ConstantOfShape", graph.add("Shape", CHOSEN), value=_tensor([1.0]))
        nothing = graph.add("ConstantOfShape", length, value=_tensor([0.0]))
        guessed = graph.add("ScatterElements", nothing, CHOSEN, ones, axis=0)
        hidden = graph.add("Cast", guessed, to=TensorProto.BOOL)
        square = graph.add("ConstantOfShape", graph.add("Concat", length, length, axis=0))
        oneself = graph.add("Cast", graph.add("EyeLike", square), to=TensorProto.BOOL)
        return hidden, graph.add("And", hidden, graph.add("Not", oneself))

    def _first_queries(self) -> str:
        """[1, chosen, hidden size]."""
        graph = self.graph
        row = graph.constant("target", numbers(self.encoder.embeddings.target))
        one, size = (
            graph.constant(f"targets.{name}", np.array([value]))
            for name, value in (("one", 1), ("size", self.config.hidden_size))
        )
        shape = graph.add("Concat", one, graph.add("Shape", CHOSEN), size, axis=0)
        return graph.add("Expand", row, shape)

    def _surroundings(self, *, segmented: bool) -> Surroundings:
        graph = self.graph
        apart = ""
        if segmented:
            queries, keys = (
                graph.add("Unsqueeze", SEGMENTS, graph.constant(f"segments.{name}", np.array(axes)))
                for name, axes in (("queries", [1, 3]), ("keys", [1, 2]))
            )
            apart = graph.add("Not", graph.add("Equal", queries, keys))
        length = graph.add("Shape", IDS, start=1, end=2)
        return Surroundings(length, self._distances(length), apart)

    def _distances(self, length: str) -> str:
        """Sinusoids of every distance, computed in the graph so that no text is too long."""
        graph, size = self.graph, self.config.hidden_size
        scalar = graph.constant("scalar", np.zeros(0, np.int64))
        first = graph.add("Reshape", length, scalar)
        steps = graph.add(
            "Range", first, graph.add("Neg", first), graph.constant("down", np.array(-1))
        )
        steps = graph.add("Cast", steps, to=TensorProto.FLOAT)
        if self.config.clamp is not None and self.config.clamp > 0:
            least, most = (
                graph.constant(f"clamp.{sign}", np.float32(sign * self.config.clamp))
                for sign in (-1, 1)
            )
            steps = graph.add("Clip", steps, least, most)
        exponents = np.arange(0, size, 2, dtype=np.float32) / np.float32(size)
        rates = graph.constant(
            "rates", (1 / np.power(np.float32(10000), exponents)).astype(np.float32)
        )
        column = graph.add("Unsqueeze", steps, graph.constant("column", np.array([1])))
        angles = graph.add("Mul", column, rates)
        return graph.add("Concat", graph.add("Sin", angles), graph.add("Cos", angles), axis=1)

    def _projected(self, name: str, hidden: str, *weights: Any) -> str:
        """[batch, length, hidden size] to [batch, heads of all these, length, head size]."""
        graph, config = self.graph, self.config
        matrix = np.concatenate(
            [numbers(weight).reshape(config.hidden_size, -1) for weight in weights], 1
        )
        bias = np.zeros(matrix.shape[1], np.float32)
        product = self.precision.linear(graph, hidden, Layer(name, matrix, bias))
        shape = np.array([0, 0, len(weights) * config.heads, config.hidden_size // config.heads])
        split = graph.constant(f"split.{len(weights)}", shape)
        return graph.add("Transpose", graph.add("Reshape", product, split), perm=[0, 2, 1, 3])

    def _beside(self, name: str, queries: str, bias: Any) -> str:
        """Queries [batch, heads, length, head size] with a bias of each head."""
        return self.graph.add("Add", queries, self.graph.constant(name, numbers(bias)[:, None]))

    def _raw_distances(
        self, name: str, layer: RelativeAttention, queries: str, around: Surroundings
    ) -> str:
        """The score of every distance, [batch, heads, queries, 2 · length]."""
        graph, config = self.graph, self.config
        weight = numbers(layer.distance).reshape(config.hidden_size, -1)
        matrix = self.precision.matrix(graph, f"{name}.distance", weight)
        head = np.array([0, config.heads, config.hidden_size // config.heads])
        rows = graph.add(
            "Reshape",
            graph.add("MatMul", around.distances, matrix),
            graph.constant("distances.heads", head),
        )
        keys = graph.add("Transpose", rows, perm=[1, 2, 0])  # [heads, head size, 2 · length]
        return graph.add(
            "MatMul", self._beside(f"{name}.distance_bias", queries, layer.distance_bias), keys
        )

    def _by_distance(
        self, name: str, layer: RelativeAttention, queries: str, around: Surroundings
    ) -> str:
        """The score of each query's distance to each key: row q is moved left by length − q."""
        graph = self.graph
        raw = self._raw_distances(name, layer, queries, around)
        keep = graph.constant("shift.keep", np.array([0, 0, -1]))
        rows = graph.add("Reshape", raw, graph.add("Concat", keep, around.length, axis=0))
        first, last, third = (
            graph.constant(f"shift.{name}", np.array([value]))
            for name, value in (("first", 1), ("last", np.iinfo(np.int64).max), ("axis", 2))
        )
        rows = graph.add("Slice", rows, first, last, third)
        batch, rest = (
            graph.constant(f"shift.{name}", np.array(value))
            for name, value in (("batch", [0, 0]), ("rest", [-1]))
        )
        rows = graph.add("Reshape", rows, graph.add("Concat", batch, around.length, rest, axis=0))
        zero, fourth = (
            graph.constant(f"shift.{name}", np.array([value]))
            for name, value in (("zero", 0), ("fourth", 3))
        )
        return graph.add("Slice", rows, zero, around.length, fourth)

    def _each_distance(
        self, name: str, layer: RelativeAttention, queries: str, around: Surroundings
    ) -> str:
        """The same of the chosen tokens: the distance of p to k is at length − p + k."""
        graph = self.graph
        raw = self._raw_distances(name, layer, queries, around)
        scalar = graph.constant("scalar", np.zeros(0, np.int64))
        length = graph.add("Reshape", around.length, scalar)
        zero, one = (graph.constant(f"count.{value}", np.array(value)) for value in (0, 1))
        keys = graph.add("Range", zero, length, one)
        begins = graph.add(
            "Unsqueeze", graph.add("Sub", length, CHOSEN), graph.constant("column", np.array([1]))
        )
        places = graph.add("Add", begins, keys)  # [chosen, length]
        heads = graph.constant("count.heads", np.array([1, self.config.heads, 1, 1]))
        return graph.add("GatherElements", raw, graph.add("Expand", places, heads), axis=3)

    def _bias(
        self,
        name: str,
        layer: RelativeAttention,
        scores: str,
        queries: str,
        apart: str,
        unseen: str,
    ) -> str:
        """What distance and segments add to the scores, [batch, heads, queries, keys]."""
        graph = self.graph
        if apart:
            own = self._beside(f"{name}.segment_bias", queries, layer.segment_bias)
            rows = numbers(layer.segments).transpose(1, 2, 0)  # [heads, head size, 2]
            both = graph.add("MatMul", own, graph.constant(f"{name}.segments", rows))
            alike, different = graph.split("Split", both, outputs=2, axis=3, num_outputs=2)
            scores = graph.add("Add", scores, graph.add("Where", apart, different, alike))
        scores = graph.add("Mul", scores, self._scale())
        if not unseen:
            return scores
        least = graph.constant("unseen.score", np.float32(UNSEEN))
        return graph.add("Where", unseen, least, scores)

    def _scale(self) -> str:
        size = self.config.hidden_size // self.config.heads
        return self.graph.constant("attention.scale", np.float32(size**-0.5))

    def _mixed(
        self,
        name: str,
        layer: RelativeAttention,
        queries: str,
        keys: str,
        values: str,
        bias: str,
    ) -> str:
        """Attention, [batch, queries, hidden size]."""
        graph = self.graph
        own = self._beside(f"{name}.content_bias", queries, layer.content_bias)
        products = graph.add("MatMul", own, graph.add("Transpose", keys, perm=[0, 1, 3, 2]))
        scores = graph.add("Add", graph.add("Mul", products, self._scale()), bias)
        shares = graph.add("Softmax", scores, axis=-1)
        mixed = graph.add("Transpose", graph.add("MatMul", shares, values), perm=[0, 2, 1, 3])
        flat = graph.constant("flat", np.array([0, 0, self.config.hidden_size]))
        return graph.add("Reshape", mixed, flat)

    def _finished(self, number: int, layer: RelativeAttention, before: str, mixed: str) -> str:
        """The output of attention, added and normed, then the layer's second half."""
        name, size = f"attentions.{number}", self.config.hidden_size
        weight = numbers(layer.output).reshape(size, -1).T
        bias = np.zeros(size, np.float32)
        output = self.precision.linear(self.graph, mixed, Layer(f"{name}.output", weight, bias))
        normed = self.norm(f"{name}.norm", layer.norm, self.graph.add("Add", before, output))
        return self.feed_forward(number, self.encoder.feed_forwards[number], normed)


def _tensor(values: list[float]) -> Any:
    from onnx import numpy_helper

    return numpy_helper.from_array(np.array(values, np.float32))
