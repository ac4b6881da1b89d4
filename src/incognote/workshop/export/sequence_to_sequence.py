"""A Transformer as two ONNX networks: one reads sources, one takes a step of decoding.

Keys and values of the target so far go in and come out one token longer, so that each step computes
one token.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from incognote import __version__
from incognote.base.errors import ConfigError, ModelError
from incognote.onnx.described import digest
from incognote.onnx.sequence_folder import (
    AFTER,
    BEFORE,
    DECODER,
    ENCODER,
    IDS,
    LOGITS,
    MASK,
    SOURCE,
    TOKENIZER,
    TOKENS,
    SequenceFolder,
    SequenceNetworks,
    write_sequence_folder,
)
from incognote.workshop.encoders.layers import FeedForward, SelfAttention
from incognote.workshop.export.body import numbers
from incognote.workshop.export.graph import (
    BATCH,
    FULL,
    Graph,
    Int8Weights,
    Layer,
    Precision,
    Shape,
)
from incognote.workshop.export.proof import MOST_APART
from incognote.workshop.sequence_to_sequence.transformer import Transformer, TransformerScorer

_MASKED = -1e9
_TRIED, _STEPS = 3, 6


def export_networks(
    model: Transformer,
    folder: Path,
    task: str,
    *,
    int8: bool = False,
    card: Mapping[str, Any] | None = None,
    tell: Callable[[str], None] = lambda sentence: None,
) -> None:
    """Write both networks and `sequence.json` beside the tokenizer.json of `folder`.

    int8: matrices are stored in 8 bits, and still multiplied in 32.
    """
    config = model.config
    if config.activation != "relu":
        raise ConfigError(f"activation {config.activation} cannot be exported: only relu can")
    for precision in (FULL, Int8Weights()) if int8 else (FULL,):
        writer = _Writer(model, precision)
        (folder / ENCODER).write_bytes(writer.encoder().SerializeToString())
        (folder / DECODER).write_bytes(_Writer(model, precision).decoder().SerializeToString())
        described = SequenceFolder(
            task=task,
            vocabulary_size=config.vocabulary_size,
            decoder_layers=config.decoder_layers,
            heads=config.heads,
            head_size=config.hidden_size // config.heads,
            longest=config.positions,
            pad_id=config.pad_id,
            start_id=config.start_id,
            end_id=config.end_id,
            files={name: digest(folder / name) for name in (ENCODER, DECODER, TOKENIZER)},
            card={
                "incognote": __version__,
                "precision": "fp32" if precision is FULL else "int8",
                **(card or {}),
            },
        )
        write_sequence_folder(described, folder)
        apart = distance(model, folder)
        size = sum((folder / name).stat().st_size for name in (ENCODER, DECODER)) / 1e6
        name = described.card["precision"]
        tell(f"{name}: {size:.1f} MB; logits within {apart:.1e} of torch's")
        if not apart <= (MOST_APART if precision is FULL else math.inf):
            raise ModelError(f"the networks differ from torch's by {apart:.2g}; not exported")


def distance(model: Transformer, folder: Path) -> float:
    """The largest difference of a logit between the networks and torch, on random ids."""
    config = model.config
    networks, scorer = SequenceNetworks(folder), TransformerScorer(model)
    draws = np.random.default_rng(0)
    longest = min(9, config.positions)
    sources = [
        draws.integers(0, config.vocabulary_size, draws.integers(1, longest + 1)).tolist()
        for _ in range(_TRIED)
    ]
    ours, theirs = networks.begin(sources), scorer.begin(sources)
    tokens = np.full(_TRIED, config.start_id)
    apart = 0.0
    for _ in range(min(_STEPS, config.positions)):
        logits, ours = networks.step(tokens, ours)
        expected, theirs = scorer.step(tokens, theirs)
        apart = float(np.maximum(apart, np.abs(logits - expected).max()))  # keeps NaN
        tokens = draws.integers(0, config.vocabulary_size, _TRIED)
        rows = draws.integers(0, _TRIED, _TRIED)
        ours, theirs = networks.rows(ours, rows), scorer.rows(theirs, rows)
    return apart


class _Writer:
    """Writes one of the networks; each method gives the name of its result."""

    def __init__(self, model: Transformer, precision: Precision) -> None:
        self.model: Any = model
        self.config = model.config
        self.precision = precision
        self.graph = Graph()
        self.head_size = self.config.hidden_size // self.config.heads

    def encoder(self) -> Any:
        """From `ids` and `mask` [batch, length] to keys and values for the decoder."""
        graph, model = self.graph, self.model
        length = graph.add("Shape", IDS, start=1, end=2)
        places = graph.add("Slice", self._places(), self._whole("zero", 0), length)
        hidden = graph.add("Add", self._words(IDS), places)
        bias = self._bias()
        for number in range(self.config.layers):
            layer = model.attentions[number]
            name = f"attentions.{number}"
            key, value = (
                self._heads(self._linear(f"{name}.{part}", getattr(layer, part), hidden))
                for part in ("key", "value")
            )
            hidden = self._attention(name, layer, hidden, key, value, bias)
            hidden = self._feed_forward(
                f"feed_forwards.{number}", model.feed_forwards[number], hidden
            )
        each = [
            self._heads(
                self._linear(
                    f"decoder.{number}.cross.{part}",
                    getattr(model.decoder[number].cross_attention, part),
                    hidden,
                )
            )
            for number in range(self.config.decoder_layers)
            for part in ("key", "value")
        ]
        inputs: dict[str, Shape] = {IDS: BATCH, MASK: BATCH}
        return graph.finish(inputs, {SOURCE: (self._stacked(each), self._kept("length"))})

    def decoder(self) -> Any:
        """From the last `tokens` [batch], the source and what went before to `logits` and `after`."""
        graph, model = self.graph, self.model
        first = graph.add("Shape", BEFORE, start=3, end=4)
        place = graph.add("Gather", self._places(), first, axis=0)  # [1, hidden size]
        column = self._whole("column", 1)
        words = self._words(graph.add("Unsqueeze", TOKENS, column))
        hidden = graph.add("Add", words, place)
        bias = self._bias()
        kept: list[str] = []
        count = 2 * self.config.decoder_layers
        before, source = (
            graph.split("Split", name, outputs=count, axis=0, num_outputs=count)
            for name in (BEFORE, SOURCE)
        )
        outer = self._whole("outer", 0)
        for number in range(self.config.decoder_layers):
            layer = model.decoder[number]
            name = f"decoder.{number}"
            pair = []
            for offset, part in enumerate(("key", "value")):
                own = self._linear(f"{name}.own.{part}", getattr(layer.attention, part), hidden)
                past = graph.add("Squeeze", before[2 * number + offset], outer)
                pair.append(graph.add("Concat", past, self._heads(own), axis=2))
            kept += pair
            own_key, own_value = pair
            hidden = self._attention(
                f"{name}.own", layer.attention, hidden, own_key, own_value, None
            )
            key, value = (
                graph.add("Squeeze", source[2 * number + offset], outer) for offset in range(2)
            )
            hidden = self._attention(
                f"{name}.cross", layer.cross_attention, hidden, key, value, bias
            )
            hidden = self._feed_forward(name, layer.feed_forward, hidden)
        table = self.precision.table(graph, "words", numbers(model.words.weight))
        last = graph.add("Squeeze", hidden, column)
        logits = graph.add("MatMul", last, graph.add("Transpose", table, perm=[1, 0]))
        logits = graph.add("Add", logits, graph.constant("bias", numbers(model.output_bias)))
        inputs: dict[str, Shape] = {TOKENS: BATCH[:1], MASK: BATCH}
        return graph.finish(
            inputs,
            {
                LOGITS: (logits, (BATCH[0], self.config.vocabulary_size)),
                AFTER: (self._stacked(kept), self._kept("longer")),
            },
            {SOURCE: self._kept("length"), BEFORE: self._kept("so far")},
        )

    def _kept(self, length: str) -> Shape:
        layers = 2 * self.config.decoder_layers
        return (layers, BATCH[0], self.config.heads, length, self.head_size)

    def _whole(self, name: str, *values: int) -> str:
        return self.graph.constant(name, np.array(values))

    def _places(self) -> str:
        return self.graph.constant("places", numbers(self.model.positions))

    def _words(self, ids: str) -> str:
        rows = self.precision.rows(self.graph, "words", numbers(self.model.words.weight), ids)
        scale = self.graph.constant("scale", np.float32(math.sqrt(self.config.hidden_size)))
        return self.graph.add("Mul", rows, scale)

    def _bias(self) -> str:
        """What is added to scores: nothing at tokens, much below 0 at padding; [batch, 1, 1, length]."""
        graph = self.graph
        real = graph.add("Cast", MASK, to=1)
        missing = graph.add("Sub", graph.constant("one", np.float32(1)), real)
        bias = graph.add("Mul", missing, graph.constant("masked", np.float32(_MASKED)))
        return graph.add("Unsqueeze", bias, self._whole("inner", 1, 2))

    def _heads(self, projected: str) -> str:
        """[batch, length, hidden size] to [batch, heads, length, head size]."""
        shape = self._whole("heads", 0, 0, self.config.heads, self.head_size)
        return self.graph.add(
            "Transpose", self.graph.add("Reshape", projected, shape), perm=[0, 2, 1, 3]
        )

    def _stacked(self, each: list[str]) -> str:
        outer = self._whole("outer", 0)
        rows = [self.graph.add("Unsqueeze", one, outer) for one in each]
        return self.graph.add("Concat", *rows, axis=0)

    def _linear(self, name: str, layer: torch.nn.Linear, hidden: str) -> str:
        weight = numbers(layer.weight).T
        return self.precision.linear(self.graph, hidden, Layer(name, weight, numbers(layer.bias)))

    def _norm(self, name: str, norm: torch.nn.LayerNorm, hidden: str) -> str:
        weight = self.graph.constant(f"{name}.weight", numbers(norm.weight))
        bias = self.graph.constant(f"{name}.bias", numbers(norm.bias))
        return self.graph.add("LayerNormalization", hidden, weight, bias, axis=-1, epsilon=norm.eps)

    def _attention(
        self, name: str, layer: SelfAttention, rows: str, key: str, value: str, bias: str | None
    ) -> str:
        graph = self.graph
        query = self._heads(self._linear(f"{name}.query", layer.query, rows))
        scores = graph.add("MatMul", query, graph.add("Transpose", key, perm=[0, 1, 3, 2]))
        divisor = graph.constant("root", np.float32(math.sqrt(self.head_size)))
        scores = graph.add("Div", scores, divisor)
        if bias is not None:
            scores = graph.add("Add", scores, bias)
        mixed = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), value)
        mixed = graph.add("Transpose", mixed, perm=[0, 2, 1, 3])
        mixed = graph.add("Reshape", mixed, self._whole("flat", 0, 0, self.config.hidden_size))
        output = self._linear(f"{name}.output", layer.output, mixed)
        return self._norm(f"{name}.norm", layer.norm, graph.add("Add", rows, output))

    def _feed_forward(self, name: str, layer: FeedForward, hidden: str) -> str:
        inner = self.graph.add("Relu", self._linear(f"{name}.up", layer.up, hidden))
        output = self._linear(f"{name}.down", layer.down, inner)
        return self._norm(f"{name}.after", layer.norm, self.graph.add("Add", hidden, output))
