"""A task's model in torch, while it is trained and as a checkpoint has it: logits of packed sequences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from incognote.base.chunks import chunks
from incognote.workshop.encoders.model import Model
from incognote.workshop.tasks.answers import AnswerRules, Logits
from incognote.workshop.tasks.inputs import Frame, Item, Limits
from incognote.workshop.tasks.task import Kind, Task
from incognote.workshop.tokenization import Encoding

HEADS: dict[Kind, str] = {"sentence": "sequence", "choice": "choice", "span": "span"}
"""The head that each kind of task is learned with."""

TOKENS_AT_ONCE = 65_536
"""Tokens that are held and put into batches of like length."""
BATCH_TOKENS = 8192

Integers = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class TorchTask:
    """A model with the task that it was trained for; what `predict.TaskModel` asks of one."""

    model: Model
    task: Task
    frame: Frame
    limits: Limits
    rules: AnswerRules

    def logits(self, items: Iterable[Item]) -> Iterator[tuple[Item, Logits]]:
        """Each item with its logits, in order: [labels], [options] or [tokens, 2]."""
        for some in chunks(items, TOKENS_AT_ONCE, size_of=_tokens, enough=TOKENS_AT_ONCE):
            rows = iter(self._run([each for item in some for each in item.sequences]))
            for item in some:
                own = [next(rows) for _ in item.sequences]
                yield item, own[0] if len(own) == 1 else np.concatenate(own)

    @torch.inference_mode()
    def _run(self, sequences: Sequence[Encoding]) -> list[Logits]:
        sizes = [len(sequence) for sequence in sequences]
        order = sorted(range(len(sizes)), key=sizes.__getitem__)
        found: dict[int, Logits] = {}
        with _evaluating(self.model):
            for batch in chunks(order, len(order), size_of=sizes.__getitem__, largest=BATCH_TOKENS):
                logits = sequence_logits(
                    self.model,
                    self.task.kind,
                    [sequences[place].ids for place in batch],
                    [sequences[place].segments for place in batch],
                )
                for place, each in zip(batch, logits, strict=True):
                    found[place] = each.float().cpu().numpy()
        return [found[place] for place in range(len(sequences))]


def _tokens(item: Item) -> int:
    return sum(map(len, item.sequences))


@contextmanager
def _evaluating(model: Model) -> Iterator[None]:
    """Without dropout, for a while."""
    training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(training)


def sequence_logits(
    model: Model, kind: Kind, ids: Sequence[Integers], segments: Sequence[Integers]
) -> list[Tensor]:
    """Of every sequence, in order: [labels], [1] of an option, or [tokens, 2].

    They are packed without padding, those of one length side by side; none depends on the others.
    """
    device = next(model.parameters()).device
    order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
    lengths = [len(ids[place]) for place in order]
    inputs = {"ids": _tensor([ids[place] for place in order], device)}
    if getattr(model.config, "segments", 1) > 1:
        inputs["segments"] = _tensor([segments[place] for place in order], device)
    logits: Tensor = model(lengths=lengths, **inputs)[HEADS[kind]]
    parts = torch.split(logits, lengths) if kind == "span" else logits.unbind()
    by_place = dict(zip(order, parts, strict=True))
    return [by_place[place] for place in range(len(ids))]


def _tensor(arrays: Sequence[Integers], device: torch.device) -> Tensor:
    return torch.from_numpy(np.concatenate(arrays).astype(np.int64)).to(device)
