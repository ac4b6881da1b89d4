"""Encoders as ONNX graphs: their layers, with a tagger's classifier or with the heads of pretraining.

Sequences of a batch have one length, so that there is no padding and no mask.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import Tensor, nn

from incognote.align.joined_tokens import OTHERS
from incognote.align.tags import Labels
from incognote.base.errors import ConfigError
from incognote.onnx.encoder_folder import CHOSEN, MIXED, MLM, NSP, PLM, SOP, state_name
from incognote.workshop.encoders import Model
from incognote.workshop.encoders.deberta import ContextPooler
from incognote.workshop.encoders.heads import MergedClassification, Sums
from incognote.workshop.encoders.modernbert import Transform
from incognote.workshop.export.body import Body, StackBody, numbers
from incognote.workshop.export.deberta_body import DebertaBody
from incognote.workshop.export.elmo_body import ElmoBody
from incognote.workshop.export.graph import BATCH, FULL, Precision, Shape
from incognote.workshop.export.modernbert_body import ModernBertBody
from incognote.workshop.export.word_bodies import BiLstmBody, FeatureBody
from incognote.workshop.export.xlnet_body import XlnetBody
from incognote.workshop.finetune.tagger import CERTAIN, EarlyExit


def body_of(model: Model, precision: Precision, longest: int) -> Body:
    """What writes this encoder."""
    body = _BODIES.get(model.family.name)
    if body is None:
        raise ConfigError(f"{model.family.name} cannot be exported to ONNX")
    return body(model, precision, longest)


_BODIES: dict[str, type[Body]] = {
    **dict.fromkeys(("bert", "roberta", "albert", "electra", "distilbert"), StackBody),
    "modernbert": ModernBertBody,
    "deberta-v2": DebertaBody,
    "xlnet": XlnetBody,
    "elmo": ElmoBody,
    "bilstm": BiLstmBody,
    "feature-crf": FeatureBody,
}


def _logits_with_exit(
    body: StackBody, embedded: str, classifier: nn.Linear, early_exit: EarlyExit, outside: int
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
    segmented: bool = False,
) -> Any:
    """The ONNX model from `ids` [batch, length] to `logits` [batch, length, labels].

    An encoder of words has a row for each: `ids` [batch, length, row]. `segmented`: special tokens have a
    segment of their own, so that `segments` [batch, length] are given too.

    With a table of word shapes [rows, embedding size] there is a second input, `shapes` [batch,
    length, features], whose rows are added to the words'. With the `gains` of joined tokens [others,
    embedding size] there is `others` [batch, length, others], whose words are added too. `longest` is
    the most tokens that it will be given, special ones included: positions beyond are left out. With
    `early_exit` a batch has one sequence.
    """
    body = body_of(model, precision, longest or model.config.longest)
    graph = body.graph
    inputs = body.inputs(segmented=segmented)
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
    head: Any = model.heads["tokens"]
    if early_exit is None:
        logits = body.output(body.states(words, segmented=segmented))
        if not isinstance(head, Sums):
            logits = through_inner(body, head.inner, logits)
            logits = body.linear("classifier", [head.classifier], logits, FULL)
        if isinstance(head, MergedClassification):
            logits = _merged(body, head, logits)
    else:
        assert isinstance(body, StackBody)
        embedded = body.embedded(words, segmented=False)
        outside = Labels(model.labels).outside
        logits = _logits_with_exit(body, embedded, head.classifier, early_exit, outside)
    return graph.finish(inputs, {"logits": (logits, (*BATCH, len(model.labels)))})


def through_inner(body: Body, inner: nn.Module, hidden: str) -> str:
    """What a classifier's states go through before it."""
    if isinstance(inner, Transform):
        return _transformed(body, "inner", inner, hidden)
    if isinstance(inner, ContextPooler):
        dense = body.linear("inner.dense", [inner.dense], hidden, FULL)
        return body.active(inner.activation, dense)
    assert isinstance(inner, nn.Identity)
    return hidden


def _transformed(body: Body, name: str, head: Any, hidden: str) -> str:
    """A head's own layer, its activation and its norm."""
    dense = body.linear(f"{name}.dense", [head.dense], hidden, FULL)
    return body.norm(f"{name}.norm", head.norm, body.active(head.activation, dense))


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

    Where the family has segments, they are a second input. With a head that fills masks there is a
    third, `chosen` [chosen], which counts tokens along the batch (row · length + column), and an output
    `mlm` or `permutation` [chosen, vocabulary]; XLNet's takes one sequence at a time. With a head on pairs
    there is an output `sop` or `nsp` [batch, 2]; of ELMo, `mixed`, its layers as they were learned to be
    mixed.
    """
    if not set(model.heads) <= {MLM, PLM, SOP, NSP}:
        raise ConfigError(
            f"an encoder is exported with the heads {MLM}, {PLM}, {SOP} and {NSP} only"
        )
    body = body_of(model, precision, model.config.longest)
    size = model.config.hidden_size
    inputs = body.inputs(segmented=True)
    of_heads: dict[str, tuple[str, Shape]] = {}
    if PLM in model.heads:
        assert isinstance(body, XlnetBody)
        inputs[CHOSEN] = (CHOSEN,)
        states, targets = body.states_and_targets(body.words())
        of_heads[PLM] = (_permuted(body, model, targets), (CHOSEN, model.config.vocabulary_size))
    else:
        states = body.states(body.words(), segmented=True)
    if MLM in model.heads:
        inputs[CHOSEN] = (CHOSEN,)
        of_heads[MLM] = (_masked(body, model, states[-1]), (CHOSEN, model.config.vocabulary_size))
    for name in (SOP, NSP):
        if name in model.heads:
            of_heads[name] = (_of_pair(body, model, name, states[-1]), (BATCH[0], 2))
    outputs: dict[str, tuple[str, Shape]] = {
        state_name(layer): (state, (*BATCH, size)) for layer, state in enumerate(states)
    }
    if (mixed := body.output(states)) != states[-1]:
        outputs[MIXED] = (mixed, (*BATCH, size))
    return body.graph.finish(inputs, outputs | of_heads)


def _masked(body: Body, model: Model, hidden: str) -> str:
    graph, head = body.graph, _head(model, MLM)
    rows = graph.add("Gather", graph.add("Reshape", hidden, _rows(body)), CHOSEN, axis=0)
    inner = _transformed(body, MLM, head, rows)
    table = body.precision.table(graph, "words", numbers(body.encoder.words))
    product = graph.add("MatMul", inner, graph.add("Transpose", table, perm=[1, 0]))
    return graph.add("Add", product, graph.constant(f"{MLM}.bias", numbers(head.bias)))


def _permuted(body: Body, model: Model, targets: str) -> str:
    graph = body.graph
    table = body.precision.table(graph, "words", numbers(body.encoder.words))
    product = graph.add("MatMul", targets, graph.add("Transpose", table, perm=[1, 0]))
    return graph.add("Add", product, graph.constant(f"{PLM}.bias", numbers(_head(model, PLM).bias)))


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
