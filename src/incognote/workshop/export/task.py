"""A task exported: a folder that `classify`, `ask` and `task predict` use without torch.

Its network is checked against torch's. In 8 bits it is judged by examples whose answers are known.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from incognote import __version__
from incognote.base.errors import ConfigError, ModelError, RunError
from incognote.base.messages import quantity
from incognote.corpus.output import staged
from incognote.onnx.described import digest
from incognote.onnx.sessions import Network
from incognote.onnx.task_folder import (
    IDS,
    LOGITS,
    NETWORK,
    SEGMENTS,
    TOKENIZER,
    WORDS,
    TaskFolder,
    write_task_folder,
)
from incognote.workshop.encoders.elmo import WordsClassification
from incognote.workshop.encoders.heads import Classification, DenseClassification, Span
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.xlnet import LastClassification
from incognote.workshop.export.body import Body
from incognote.workshop.export.graph import BATCH, FULL, Int8, Precision, Shape
from incognote.workshop.export.network import body_of, through_inner
from incognote.workshop.export.proof import MOST_APART, random_ids
from incognote.workshop.tasks.card import CARD, terms
from incognote.workshop.tasks.checkpoint import Checkpoint, load_checkpoint
from incognote.workshop.tasks.evaluate import evaluate
from incognote.workshop.tasks.inputs import WordFrame
from incognote.workshop.tasks.predict import OnnxTask
from incognote.workshop.tasks.task import Example, Kind, Task
from incognote.workshop.tasks.torch_task import HEADS, TorchTask
from incognote.workshop.tokenization import Tokenizer

Tell = Callable[[str], None]


@dataclass(frozen=True)
class TaskProof:
    """Examples that 8 bits are judged by, and how much of the task's first figure they may cost."""

    examples: Sequence[Example]
    max_loss: float


def export_task(
    source: Path,
    output: Path,
    *,
    task: Task | None = None,
    int8: bool = False,
    proof: TaskProof | None = None,
    overwrite: bool = False,
    tell: Tell = lambda sentence: None,
) -> None:
    """A task folder from a checkpoint; from one that others trained, for a named `task`."""
    if int8 and proof is None:
        raise RunError("--int8 needs examples to measure its loss on: give --validation DATA")
    checkpoint = load_checkpoint(source, task)
    trained = checkpoint.trained
    metric = trained.task.metrics[0]
    with staged(output, [source], overwrite=overwrite) as folder:
        figures: dict[str, float] = {}
        for name, precision in _precisions(int8).items():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            network = task_network(
                trained.model, trained.task.kind, precision, longest=trained.limits.longest
            )
            (folder / NETWORK).write_bytes(network.SerializeToString())
            apart = distance(trained, folder / NETWORK)
            size = f"{(folder / NETWORK).stat().st_size / 1e6:.1f} MB"
            if name == "fp32":
                tell(f"fp32: {size}; logits within {apart:.1e} of torch's")
                if not apart <= MOST_APART:
                    raise ModelError(
                        f"the network's logits differ from torch's by {apart:.2g}; not exported"
                    )
            else:
                tell(f"int8: {size}")
            card = {"incognote": __version__, "precision": name, **_card(checkpoint), **figures}
            _write(folder, trained, card)
            if (source / CARD).is_file() and checkpoint.training:
                shutil.copyfile(source / CARD, folder / CARD)
            if proof is not None:
                figures[f"{metric}_{name}"] = evaluate(OnnxTask(folder), proof.examples).figures[
                    metric
                ]
                tell(
                    f"{name}: {metric.replace('_', ' ')} {100 * figures[f'{metric}_{name}']:.2f} % on "
                    f"{quantity(len(proof.examples), 'example')}"
                )
                _write(folder, trained, {**card, **figures})
        if int8 and proof is not None:
            loss = figures[f"{metric}_fp32"] - figures[f"{metric}_int8"]
            if not loss <= proof.max_loss:
                raise RunError(
                    f"8 bits lose {100 * loss:.2f} % of {metric.replace('_', ' ')}, and --max-loss "
                    f"{proof.max_loss} allows {100 * proof.max_loss:.2f} %; export without --int8, or "
                    "allow more"
                )


def _precisions(int8: bool) -> dict[str, Precision]:
    """What is written in turn; the last stays."""
    return {"fp32": FULL, "int8": Int8()} if int8 else {"fp32": FULL}


def _card(checkpoint: Checkpoint) -> dict[str, Any]:
    """What the card says of the model; never where its files were."""
    model, training = checkpoint.trained.model, checkpoint.training
    return {
        "family": model.family.name,
        "layers": model.config.layers,
        "hidden_size": model.config.hidden_size,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        **({"validation": training["validation"]} if training.get("validation") else {}),
        **_learned_from(training),
    }


def _learned_from(training: Mapping[str, Any]) -> dict[str, Any]:
    """How much it learned from, how, and the terms of the data; nothing of a model that others trained."""
    if "data" not in training:
        return {}
    data = training["data"]
    return {
        **{name: data[name] for name in ("examples", "tokens", "fingerprint")},
        **{name: training[name] for name in ("seed", "epoch", "epochs")},
        "random_start": training["encoder"]["random"],
        "data_terms": terms(training["task"]["name"]),
    }


def _write(folder: Path, trained: TorchTask, card: Mapping[str, Any]) -> None:
    """The tokenizer and task.json, beside the network."""
    frame, task = trained.frame, trained.task
    if isinstance(frame, WordFrame):
        (folder / WORDS).write_text(frame.tokenizer.to_str() + "\n", encoding="utf-8")
    else:
        assert isinstance(frame, Tokenizer)
        frame.save(folder)
    described = asdict(task)
    name = described.pop("name")
    write_task_folder(
        TaskFolder(
            task=name,
            **described,
            family=trained.model.family.name,
            longest=trained.limits.longest,
            stride=trained.limits.stride,
            longest_answer=trained.rules.longest,
            threshold=trained.rules.threshold,
            files={
                file: digest(folder / file)
                for file in (NETWORK, WORDS if isinstance(frame, WordFrame) else TOKENIZER)
            },
            card=card,
        ),
        folder,
    )


def task_network(
    model: Model, kind: Kind, precision: Precision = FULL, *, longest: int | None = None
) -> Any:
    """The ONNX model from `ids` [batch, length], with segments where the family has them, to `logits`.

    `longest` is the most tokens that it will be given: positions beyond are left out.
    """
    body = body_of(model, precision, longest or model.config.longest)
    hidden = body.output(body.states(body.words(), segmented=True))
    logits, width = _logits(body, model.heads[HEADS[kind]], hidden)
    shape: Shape = (*BATCH, width) if kind == "span" else (BATCH[0], width)
    return body.graph.finish(body.inputs(segmented=True), {LOGITS: (logits, shape)})


def _logits(body: Body, head: nn.Module, hidden: str) -> tuple[str, int]:
    """A head on hidden states [batch, length, size], and how many numbers it gives."""
    graph = body.graph
    if isinstance(head, Span):
        inner = through_inner(body, head.inner, hidden)
        return body.linear("classifier", [head.classifier], inner, FULL), 2
    if isinstance(head, WordsClassification):
        return _of_words(body, head, hidden)
    place = -1 if isinstance(head, LastClassification) else 0
    at = graph.constant("place", np.array([place]))
    rows = graph.constant("rows", np.array([-1, body.config.hidden_size]))
    state = graph.add("Reshape", graph.add("Gather", hidden, at, axis=1), rows)
    if isinstance(head, LastClassification):
        state = graph.add("Tanh", body.linear("dense", [head.dense], state, FULL))
    elif isinstance(head, DenseClassification):
        state = body.linear("dense", [head.dense], state, FULL)
        tanh = head.activation is torch.tanh
        state = graph.add("Tanh", state) if tanh else body.active(head.activation, state)
    elif isinstance(head, Classification) and head.of in ("first", "mean"):
        if head.of == "mean":
            middle = graph.constant("mean.axis", np.array([1]))
            state = graph.add("ReduceMean", hidden, middle, keepdims=0)
        state = through_inner(body, head.inner, state)
    elif isinstance(head, Classification) and head.of == "pooled":
        state = graph.add("Tanh", body.linear("pooler", [body.encoder.pooler], state, FULL))
    else:
        raise ConfigError(f"{type(head).__name__} cannot be exported to ONNX")
    return body.linear("classifier", [head.classifier], state, FULL), head.classifier.out_features


def _of_words(body: Body, head: WordsClassification, hidden: str) -> tuple[str, int]:
    graph = body.graph
    axis = graph.constant("words.axis", np.array([1]))
    mean = graph.add("ReduceMean", hidden, axis, keepdims=0)
    most = graph.add("ReduceMax", hidden, axis, keepdims=0)
    both = graph.add("Concat", mean, most, axis=-1)
    state = graph.add("Tanh", body.linear("dense", [head.dense], both, FULL))
    return body.linear("classifier", [head.classifier], state, FULL), head.classifier.out_features


@torch.inference_mode()
def distance(trained: TorchTask, path: Path) -> float:
    """The largest difference of a logit between the network at `path` and torch; finite, or refused."""
    network, model, apart = Network(path), trained.model, 0.0
    draws = np.random.default_rng(0)
    for ids in random_ids(draws, model.config, trained.limits.longest):
        segments = np.sort(
            draws.integers(0, getattr(model.config, "segments", 1), ids.shape[:2]), axis=1
        )
        every = {IDS: ids, SEGMENTS: segments}
        inputs = {name: value for name, value in every.items() if name in network.inputs}
        expected = model(**{name: torch.from_numpy(value) for name, value in inputs.items()})
        logits = network.run(**inputs)
        if not np.isfinite(logits).all():
            raise ModelError(
                "the network's logits are not finite numbers; not exported: train again with a lower "
                "learning rate"
            )
        lost = np.abs(logits - expected[HEADS[trained.task.kind]].numpy()).max(initial=0.0)
        apart = max(apart, float(lost))
    return apart
