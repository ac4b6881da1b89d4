"""Taggers that begin with notes alone as ONNX graphs: a BiLSTM over words, and sums of features."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto
from torch import nn

from incognote.onnx.encoder_folder import IDS
from incognote.workshop.export.body import Body, numbers
from incognote.workshop.export.graph import FULL, Floats

_END = np.iinfo(np.int64).max
_LSTM = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


class RowBody(Body):
    """Reads `ids` [batch, length, row], of which some columns are of one table and some of another."""

    def columns(self, name: str, first: int, last: int = _END) -> str:
        """Some numbers of each row, [batch, length, columns]."""
        return self.cut(IDS, name, first, last, axis=2)

    def cut(self, values: str, name: str, first: int, last: int, *, axis: int) -> str:
        """A stretch of an axis."""
        bounds = {"first": first, "last": last, "axis": axis}
        parts = [self.graph.constant(f"{name}.{key}", np.array([at])) for key, at in bounds.items()]
        return self.graph.add("Slice", values, *parts)


class FeatureBody(RowBody):
    """Rows of near and of own features, summed where they are seen."""

    def words(self) -> str:
        """What a word's near features say for it and those around it, [batch, length, embedding size]."""
        near = self.columns("near.columns", 0, self.config.near_slots)
        return self._sum(self.precision.rows(self.graph, "near", numbers(self.encoder.near), near))

    def states(self, rows: str, *, segmented: bool) -> list[str]:
        graph, config = self.graph, self.config
        edges = np.array([0, config.context, 0, 0, config.context, 0])
        wide = graph.add("Pad", rows, graph.constant("edges", edges))
        own = self.columns("own.columns", config.near_slots)
        scores = self._sum(self.precision.rows(graph, "own", numbers(self.encoder.own), own))
        sizes = graph.constant("labels", np.array([config.labels] * config.places))
        said = graph.split("Split", wide, sizes, outputs=config.places, axis=2)
        for place, each in enumerate(said):
            # The word at `place` - context from here on; 0 would end before the first.
            last = place - 2 * config.context or _END
            here = self.cut(each, f"place{place}", place, last, axis=1)
            scores = graph.add("Add", scores, here)
        return [scores]

    def _sum(self, rows: str) -> str:
        """[batch, length, slots, size] to [batch, length, size]."""
        axis = self.graph.constant("slots.axis", np.array([2]))
        return self.graph.add("ReduceSum", rows, axis, keepdims=0)


class BiLstmBody(RowBody):
    """Words with their letters, read in both directions."""

    def words(self) -> str:
        """Each word by itself, [batch, length, embedding size]."""
        graph = self.graph
        column = graph.constant("word.axis", np.array([2]))
        word = graph.add("Squeeze", self.columns("word.column", 0, 1), column)
        rows = self.precision.rows(graph, "words", numbers(self.encoder.words), word)
        return graph.add("Concat", rows, self._spelled(), axis=2)

    def states(self, rows: str, *, segmented: bool) -> list[str]:
        graph = self.graph
        hidden = graph.add("Transpose", rows, perm=[1, 0, 2])
        for layer in range(self.config.layers):
            read, _ = self._lstm(f"context{layer}", self.encoder.context, layer, hidden)
            # [length, directions, batch, cell] to [length, batch, directions · cell]
            apart = graph.add("Transpose", read, perm=[0, 2, 1, 3])
            together = graph.constant("directions", np.array([0, 0, 2 * self.config.cell_size]))
            hidden = graph.add("Reshape", apart, together)
        hidden = graph.add("Transpose", hidden, perm=[1, 0, 2])
        dense = self.linear("dense", [self.encoder.dense], hidden, FULL)
        return [rows, graph.add("Tanh", dense)]

    def _spelled(self) -> str:
        """The last states of both directions over a word's letters, [batch, length, 2 · cell]."""
        graph, config = self.graph, self.config
        flat = graph.constant("letters.flat", np.array([-1, config.letters_per_word]))
        letters = graph.add("Reshape", self.columns("letter.columns", 1), flat)  # [words, letters]
        there = graph.add("Not", graph.add("Equal", letters, graph.constant("none", np.array([0]))))
        there = graph.add("Cast", there, to=TensorProto.INT32)
        axis = graph.constant("letters.axis", np.array([1]))
        counts = graph.add("ReduceSum", there, axis, keepdims=0)
        counts = graph.add("Max", counts, graph.constant("one", np.array([1], np.int32)))
        table = graph.constant("letters", numbers(self.encoder.letters.weight))
        rows = graph.add("Transpose", graph.add("Gather", table, letters), perm=[1, 0, 2])
        _, last = self._lstm("spelling", self.encoder.spelling, 0, rows, counts)
        last = graph.add("Transpose", last, perm=[1, 0, 2])  # [words, directions, cell]
        size = graph.constant("letters.size", np.array([2 * config.letter_cell]))
        shape = graph.add("Concat", graph.add("Shape", IDS, start=0, end=2), size, axis=0)
        return graph.add("Reshape", last, shape)

    def _lstm(self, name: str, lstm: nn.LSTM, layer: int, rows: str, counts: str = "") -> list[str]:
        """Both directions of a layer over [steps, batch, size]: all outputs, and the last ones."""
        ways = ("", "_reverse")
        inward, recurrent, *biases = (
            np.stack([_in_order(getattr(lstm, f"{kind}_l{layer}{way}")) for way in ways])
            for kind in _LSTM
        )
        weights = {"input": inward, "recurrent": recurrent, "bias": np.concatenate(biases, axis=1)}
        constants = [self.graph.constant(f"{name}.{key}", value) for key, value in weights.items()]
        return self.graph.split(
            "LSTM",
            rows,
            *constants,
            *([counts] if counts else []),
            outputs=2,
            hidden_size=lstm.hidden_size,
            direction="bidirectional",
        )


def _in_order(parameter: nn.Parameter) -> Floats:
    """With the gates in ONNX's order: input, output, forget, new; torch has output last."""
    enter, forget, new, leave = np.split(numbers(parameter), 4)
    return np.concatenate((enter, leave, forget, new))
