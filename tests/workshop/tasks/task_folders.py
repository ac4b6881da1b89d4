"""Exported tasks whose networks are tables: what a token says is looked up, so that results are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from incognote.onnx.described import digest
from incognote.onnx.task_folder import (
    IDS,
    LOGITS,
    NETWORK,
    SEGMENTS,
    TOKENIZER,
    TaskFolder,
    write_task_folder,
)
from incognote.workshop.export.graph import BATCH, Graph
from incognote.workshop.tasks.task import TASKS, SentenceExample, Task, fitted
from incognote.workshop.tokenization import load

WORDS = (
    "pain chest arm left seen the it was and then there he given aspirin in nothing what a no yes . ?"
).split()
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def write_table_task(
    folder: Path,
    task: Task,
    votes: Mapping[str, Sequence[float]],
    *,
    longest: int = 48,
    segments: bool = False,
    **settings: Any,
) -> Path:
    """A folder whose network gives these words their votes, and every other token zeros.

    A sequence's logits are the sums of its tokens'; where answers are sought each token has its own.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join([*SPECIAL, *WORDS]) + "\n")
    tokenizer = load(folder, family="bert")
    width = {"sentence": len(task.labels) or 1, "choice": 1, "span": 2}[task.kind]
    table = np.zeros((tokenizer.vocabulary_size, width), np.float32)
    for word, vote in votes.items():
        table[[*SPECIAL, *WORDS].index(word)] = np.array(vote, np.float32)
    graph = Graph()
    logits = graph.add("Gather", graph.constant("table", table), IDS)
    shape: tuple[Any, ...] = (*BATCH, width)
    if task.kind != "span":
        logits = graph.add("ReduceSum", logits, graph.constant("axis", np.array([1])), keepdims=0)
        shape = (BATCH[0], width)
    inputs = {IDS: BATCH, **({SEGMENTS: BATCH} if segments else {})}
    network = graph.finish(inputs, {LOGITS: (logits, shape)})
    (folder / NETWORK).write_bytes(network.SerializeToString())
    tokenizer.save(folder)
    values: dict[str, Any] = {
        "task": task.name,
        "title": task.title,
        "kind": task.kind,
        "family": "bert",
        "labels": task.labels,
        "pairs": task.pairs,
        "regression": task.regression,
        "nullable": task.nullable,
        "metrics": task.metrics,
        "longest": longest,
        "stride": 16,
        "longest_answer": 8,
        "threshold": 0.0,
        "files": {name: digest(folder / name) for name in (NETWORK, TOKENIZER)},
    }
    write_task_folder(TaskFolder(**{**values, **settings}), folder)
    return folder


def own(name: str, *labels: str) -> Task:
    """A task on a user's own data with these labels."""
    return fitted(TASKS[name], [SentenceExample(label, "", label=label) for label in labels])
