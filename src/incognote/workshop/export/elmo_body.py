"""ELMo as an ONNX graph: words from characters, two LSTMs a layer, and the learned mix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from incognote.onnx.encoder_folder import IDS
from incognote.workshop.encoders.elmo import ClippedLstm, Highway
from incognote.workshop.export.body import Body, numbers
from incognote.workshop.export.graph import Graph


class ElmoBody(Body):
    """Reads `ids` [batch, length, characters per word].

    ONNX has no LSTM whose output is projected and clipped, so each is a loop over its steps.
    """

    def words(self) -> str:
        """Words before any context, [batch, length, projection size]."""
        graph, words = self.graph, self.encoder.words
        word_shape = graph.constant("words.each", np.array([-1, self.config.characters_per_word]))
        ids = graph.add("Reshape", IDS, word_shape)  # [words, characters]
        table = graph.constant("characters", numbers(words.characters.weight))
        characters = graph.add("Transpose", graph.add("Gather", table, ids), perm=[0, 2, 1])
        axis = graph.constant("characters.axis", np.array([2]))
        kind = "Relu" if self.config.activation == "relu" else "Tanh"
        parts = []
        for number, layer in enumerate(words.convolutions):
            name = f"convolutions.{number}"
            weight = graph.constant(f"{name}.weight", numbers(layer.weight))
            bias = graph.constant(f"{name}.bias", numbers(layer.bias))
            convolved = graph.add("Conv", characters, weight, bias)
            parts.append(graph.add(kind, graph.add("ReduceMax", convolved, axis, keepdims=0)))
        hidden = graph.add("Concat", *parts, axis=1)
        for number, highway in enumerate(words.highways):
            hidden = self._highway(f"highways.{number}", highway, hidden)
        hidden = self.linear("projection", [words.projection], hidden, self.precision)
        size = graph.constant("words.size", np.array([self.config.projection_size]))
        shape = graph.add("Concat", graph.add("Shape", IDS, start=0, end=2), size, axis=0)
        return graph.add("Reshape", hidden, shape)

    def _highway(self, name: str, layer: Highway, hidden: str) -> str:
        graph = self.graph
        both = self.linear(name, [layer.gate, layer.transform], hidden, self.precision)
        gate, transformed = graph.split("Split", both, outputs=2, axis=1, num_outputs=2)
        gate = graph.add("Sigmoid", gate)
        # g · t + (1 − g) · h
        carried = graph.add("Mul", graph.add("Sub", self._one(), gate), hidden)
        taken = graph.add("Mul", gate, graph.add("Relu", transformed))
        return graph.add("Add", taken, carried)

    def _one(self) -> str:
        return self.graph.constant("one", np.float32(1))

    def states(self, rows: str, *, segmented: bool) -> list[str]:
        graph, encoder = self.graph, self.encoder
        directions = [rows, rows]
        states = [graph.add("Concat", rows, rows, axis=2)]
        batch = graph.add("Shape", IDS, start=0, end=1)
        for number in range(self.config.layers):
            pair = (encoder.forward_layers[number], encoder.backward_layers[number])
            for direction, lstm in enumerate(pair):
                below = directions[direction]
                name = f"{('forward', 'backward')[direction]}.{number}"
                read = self._read(name, lstm, below, batch, backward=direction == 1)
                directions[direction] = graph.add("Add", read, below) if number else read
            states.append(graph.add("Concat", *directions, axis=2))
        return states

    def output(self, states: Sequence[str]) -> str:
        graph, mix = self.graph, self.encoder.mix
        shares = numbers(mix.shares())
        parts = [
            graph.add("Mul", state, graph.constant(f"mix.{number}", share))
            for number, (state, share) in enumerate(zip(states, shares, strict=True))
        ]
        scale = graph.constant("mix.scale", numbers(mix.scale))
        return graph.add("Mul", graph.add("Sum", *parts), scale)

    def _read(self, name: str, lstm: ClippedLstm, words: str, batch: str, *, backward: bool) -> str:
        """One layer in one direction, [batch, length, projection size] to the same."""
        graph = self.graph
        gates = self.linear(f"{name}.input", [lstm.input], words, self.precision)
        states = []
        for kind, size in (("output", self.config.projection_size), ("cell", lstm.cell_size)):
            width = graph.constant(f"lstm.{kind}.size", np.array([size]))
            states.append(graph.add("ConstantOfShape", graph.add("Concat", batch, width, axis=0)))

        def step(inner: Graph, at: str, before: Sequence[str]) -> tuple[str, Sequence[str]]:
            return self._step(inner, name, lstm, at, *before)

        return graph.scan(name, gates, states, step, backward=backward)

    def _step(
        self, graph: Graph, name: str, lstm: ClippedLstm, gates: str, output: str, cell: str
    ) -> tuple[str, Sequence[str]]:
        """Gates [batch, 4 · cell size], as `ClippedLstm._step` has them."""
        whole, self.graph = self.graph, graph
        try:
            recurrent = self.linear(f"{name}.recurrent", [lstm.recurrent], output, self.precision)
            parts = graph.split(
                "Split", graph.add("Add", gates, recurrent), outputs=4, axis=1, num_outputs=4
            )
            enter, new, forget, leave = parts
            forget = graph.add("Sigmoid", graph.add("Add", forget, self._one()))
            entering = graph.add("Mul", graph.add("Sigmoid", enter), graph.add("Tanh", new))
            cell = graph.add("Add", graph.add("Mul", forget, cell), entering)
            cell = self._clipped("cell", cell, lstm.cell_clip)
            inner = graph.add("Mul", graph.add("Sigmoid", leave), graph.add("Tanh", cell))
            output = self.linear(f"{name}.projection", [lstm.projection], inner, self.precision)
            output = self._clipped("output", output, lstm.output_clip)
        finally:
            self.graph = whole
        return graph.add("Identity", output), [output, cell]

    def _clipped(self, name: str, values: str, clip: float) -> str:
        least, most = (
            self.graph.constant(f"clip.{name}.{side}", np.float32(limit))
            for side, limit in (("least", -clip), ("most", clip))
        )
        return self.graph.add("Clip", values, least, most)
