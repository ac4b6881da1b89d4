"""Encoders as ONNX graphs: their layers, with a tagger's classifier or with the heads of pretraining.

Sequences of a batch have one length, so that there is no padding and no mask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from onnx import TensorProto
from torch import Tensor, nn

from incognote.align.joined_tokens import NOTHING, OTHERS
from incognote.align.tags import Labels
from incognote.base.errors import ConfigError
from incognote.onnx.encoder_folder import CHOSEN, IDS, MLM, NSP, SEGMENTS, SOP, state_name
from incognote.workshop.encoders import Model
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.heads import MergedClassification
from incognote.workshop.encoders.layers import activation
from incognote.workshop.encoders.roberta import RobertaConfig
from incognote.workshop.export.graph import BATCH, FULL, Floats, Graph, Layer, Precision, Shape
from incognote.workshop.finetune.tagger import CERTAIN, EarlyExit

APPROXIMATE = {"gelu": "none", "gelu_new": "tanh", "gelu_pytorch_tanh": "tanh"}
LEAST = {"relu": 0.0, **dict.fromkeys(APPROXIMATE, -0.1701)}
"""What an activation never goes below."""

IN_ONE_BLOCK = 8192
"""Keys of so many numbers in all are attended to in one go by onnxruntime's fused attention, on any
machine of 256 KB of cache or more. Longer ones it cuts by the cache's size, and then the last bits
would be the machine's.
"""


class Body:
    """Writes an encoder into `graph`, part by part; each method gives the name of its result.

    `longest` is the most tokens that it will be given.
    """

    def __init__(self, model: Model, precision: Precision, longest: int) -> None:
        if not isinstance(model.encoder, Encoder) or model.family.name in (
            "modernbert",
            "deberta-v2",
        ):
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

    def places(self, segment: int | None = None) -> str:
        """The positions' rows, [length, embedding size]; those that no sequence reaches are not
        written. Where all is of one segment, its row is in them.
        """
        graph, tables = self.graph, self.encoder.embeddings
        first = self.config.pad_id + 1 if isinstance(self.config, RobertaConfig) else 0
        rows = numbers(tables.positions.weight)[first : first + self.longest]
        if segment is not None and tables.segments is not None:
            rows = rows + numbers(tables.segments.weight)[segment]
        length = graph.add("Shape", "ids", start=1, end=2)
        begin = graph.constant("begin", np.array([0]))
        return graph.add("Slice", graph.constant("places", rows), begin, length)

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
            active = self._feed_forward(feed_forward, self._added(name, layer, active, mixed))
        return active

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
        projection = self.linear(f"{name}.qkv", projections, hidden, self.precision)
        mixed = (
            self._fused_attention(projection) if self._fits() else self._plain_attention(projection)
        )
        return self._added(name, layer, hidden, mixed)

    def _added(self, name: str, layer: Any, hidden: str, mixed: str) -> str:
        output = self.linear(f"{name}.output", [layer.output], mixed, self.precision)
        return self.norm(f"{name}.norm", layer.norm, self.graph.add("Add", hidden, output))

    def _fits(self) -> bool:
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
        return self._attend(*graph.split("Split", apart, outputs=3, axis=1, num_outputs=3))

    def _cross_attention(self, *parts: str) -> str:
        """Attention of queries to keys and values of another length."""
        graph, size, heads = self.graph, self.config.hidden_size, self.config.heads
        if self._fits():
            return graph.add("MultiHeadAttention", *parts, contributed=True, num_heads=heads)
        split = graph.constant("split.head", np.array([0, 0, heads, size // heads]))
        apart = [
            graph.add("Transpose", graph.add("Reshape", part, split), perm=[0, 2, 1, 3])
            for part in parts
        ]
        return self._attend(*apart)

    def _attend(self, query: str, key: str, value: str) -> str:
        graph, size, heads = self.graph, self.config.hidden_size, self.config.heads
        scale = graph.constant("attention.scale", np.float32((size // heads) ** -0.5))
        products = graph.add("MatMul", query, graph.add("Transpose", key, perm=[0, 1, 3, 2]))
        shares = graph.add("Softmax", graph.add("Mul", products, scale), axis=-1)
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
    values: Floats = tensor.detach().float().cpu().numpy()
    return values


def _logits_with_exit(
    body: Body, embedded: str, classifier: nn.Linear, early_exit: EarlyExit, outside: int
) -> str:
    """Logits of one sequence whose certain tokens exit early: [1, length, labels], as `Tagger.logits_and_doubts`.

    The names of constants keep the older word, settling: exported networks have them.
    """
    graph = body.graph
    *_, hidden = body.layers(embedded, early_exit.after)
    inner = body.linear("settling.inner", [early_exit.inner], hidden, FULL)
    doubts = body.linear("settling.outer", [early_exit.outer], graph.add("Relu", inner), FULL)
    flat = graph.constant("settling.flat", np.array([-1]))
    reads = graph.add("Greater", doubts, graph.constant("settling.none", np.float32(0)))
    # The first token is always read on, so that there is one.
    first = graph.constant("settling.first", np.array([0]))
    yes = graph.constant("settling.yes", np.array([True]))
    reads = graph.add("ScatterElements", graph.add("Reshape", reads, flat), first, yes, axis=0)
    places = graph.add("Reshape", graph.add("NonZero", reads), flat)
    others = graph.add("Reshape", graph.add("NonZero", graph.add("Not", reads)), flat)
    reading, certain = (graph.add("Gather", hidden, rows, axis=1) for rows in (places, others))
    last = body.rest(reading, certain, early_exit.after)
    read_logits = body.linear("classifier", [classifier], last, FULL)
    sure = np.zeros(classifier.out_features, np.float32)
    sure[outside] = 1.0
    confidence = graph.add("Sub", graph.constant("settling.certain", np.float32(CERTAIN)), doubts)
    logits = graph.add("Mul", confidence, graph.constant("settling.sure", sure))
    # [1, length, labels]: the rows read to the end are put where they belong.
    row = graph.constant("settling.row", np.array([0]))
    column = graph.constant("settling.column", np.array([1]))
    logits = graph.add("Squeeze", logits, row)
    logits = graph.add(
        "ScatterND",
        logits,
        graph.add("Unsqueeze", places, column),
        graph.add("Squeeze", read_logits, row),
    )
    return graph.add("Unsqueeze", logits, row)


def network_of(
    model: Model,
    precision: Precision = FULL,
    *,
    shapes: Tensor | None = None,
    gains: Tensor | None = None,
    early_exit: EarlyExit | None = None,
    longest: int | None = None,
) -> Any:
    """The ONNX model from `ids` [batch, length] to `logits` [batch, length, labels].

    With a table of word shapes [rows, embedding size] there is a second input, `shapes` [batch,
    length, features], whose rows are added to the words'. With the `gains` of joined tokens [others,
    embedding size] there is `others` [batch, length, others], whose words are added too. `longest` is
    the most tokens that it will be given, special ones included: positions beyond are left out. With
    `early_exit` a batch has one sequence.
    """
    body = Body(model, precision, longest or model.config.longest)
    graph = body.graph
    inputs: dict[str, Shape] = {"ids": BATCH}
    words = body.words()
    if shapes is not None:
        inputs["shapes"] = (*BATCH, "features")
        rows = graph.constant("shapes.rows", numbers(shapes))
        each = graph.add("Gather", rows, "shapes")  # [batch, length, features, size]
        axis = graph.constant("features.axis", np.array([2]))
        words = graph.add("Add", words, graph.add("ReduceSum", each, axis, keepdims=0))
    if gains is not None:
        inputs["others"] = (*BATCH, OTHERS)
        words = graph.add("Add", words, body.others(numbers(gains)))
    places = body.places(segment=0)
    embedded = body.embedded(graph.add("Add", words, places))
    head: Any = model.heads["tokens"]
    classifier = head.classifier
    if early_exit is None:
        *_, hidden = body.layers(embedded)
        logits = body.linear("classifier", [classifier], hidden, FULL)
        if isinstance(head, MergedClassification):
            logits = _merged(body, head, logits)
    else:
        outside = Labels(model.labels).outside
        logits = _logits_with_exit(body, embedded, classifier, early_exit, outside)
    return graph.finish(inputs, {"logits": (logits, (*BATCH, len(model.labels)))})


def _merged(body: Body, head: MergedClassification, logits: str) -> str:
    """Labels of one kind together, as the head has it."""
    graph = body.graph
    last = graph.constant("kinds.axis", np.array([-1]))
    most = graph.add("ReduceMax", logits, last, keepdims=1)
    shares = graph.add("Exp", graph.add("Sub", logits, most))
    groups = graph.constant("kinds", numbers(head.get_buffer("groups")))
    floor = graph.constant("kinds.floor", np.float32(head.FLOOR))
    together = graph.add("Add", graph.add("MatMul", shares, groups), floor)
    return graph.add("Add", graph.add("Log", together), most)


def encoder_network(model: Model, precision: Precision = FULL) -> Any:
    """The ONNX model of an encoder: from `ids` [batch, length] to every layer's states.

    Where the family has segments, they are a second input. With a masked-language head there is a
    third, `chosen` [chosen], which counts tokens along the batch (row · length + column), and an
    output `mlm` [chosen, vocabulary]; with a head on pairs, an output `sop` or `nsp` [batch, 2].
    """
    if not set(model.heads) <= {MLM, SOP, NSP}:
        raise ConfigError(f"an encoder is exported with the heads {MLM}, {SOP} and {NSP} only")
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
    for name in (SOP, NSP):
        if name in model.heads:
            outputs[name] = (_of_pair(body, model, name, states[-1]), (BATCH[0], 2))
    return graph.finish(inputs, outputs)


def _masked(body: Body, model: Model, hidden: str) -> str:
    graph, head = body.graph, _head(model, MLM)
    rows = graph.add("Gather", graph.add("Reshape", hidden, _rows(body)), CHOSEN, axis=0)
    inner = body.active(head.activation, body.linear(f"{MLM}.dense", [head.dense], rows, FULL))
    inner = body.norm(f"{MLM}.norm", head.norm, inner)
    table = body.precision.table(graph, "words", numbers(body.encoder.words))
    product = graph.add("MatMul", inner, graph.add("Transpose", table, perm=[1, 0]))
    return graph.add("Add", product, graph.constant(f"{MLM}.bias", numbers(head.bias)))


def _of_pair(body: Body, model: Model, name: str, hidden: str) -> str:
    graph = body.graph
    first = graph.add("Gather", hidden, graph.constant("first", np.array([0])), axis=1)
    first = graph.add("Reshape", first, _rows(body))
    pooled = graph.add("Tanh", body.linear("pooler", [body.encoder.pooler], first, body.precision))
    return body.linear(name, [_head(model, name).classifier], pooled, FULL)


def _rows(body: Body) -> str:
    """The shape [*, hidden size]."""
    return body.graph.constant("rows", np.array([-1, body.config.hidden_size]))


def _head(model: Model, name: str) -> Any:
    return model.heads[name]
