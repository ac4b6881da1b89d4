"""That an exported model computes what was trained: its logits, and its F1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from incognote.align.joined_tokens import NOTHING, OTHERS
from incognote.align.shapes import FEATURES, NO_SHAPE
from incognote.align.tokens import Integers, Scores
from incognote.base.errors import ModelError
from incognote.detect.model import ModelDetector
from incognote.document import Document
from incognote.onnx.sessions import Network
from incognote.workshop.finetune.checkpoint import Checkpoint
from incognote.workshop.finetune.predict import strict_figures
from incognote.workshop.finetune.tagger import Tagger

MOST_APART = 1e-4
"""How far logits of 32 bits may lie from torch's."""

ON_THE_BRINK = 1e-3
"""Doubt so near to 0 that rounding may let a token exit early or not."""

_LENGTHS = (1, 2, 9, 33)
_LONG = 512
"""Tokens of a trial at most, where an encoder takes any number."""


def random_ids(draws: np.random.Generator, config: Any, longest: int) -> Iterator[Integers]:
    """Ids of two sequences, [2, length], or of words [2, length, row], for some lengths up to the longest."""
    longest = min(longest, _LONG)
    for length in sorted({*(short for short in _LENGTHS if short < longest), longest}):
        if config.row:
            yield draws.integers(0, config.row_limits, (2, length, *config.row))
            continue
        ids = draws.integers(0, config.vocabulary_size, (2, length))
        ids[ids == config.pad_id] = config.pad_id + 1 if config.pad_id == 0 else 0
        yield ids


@torch.inference_mode()
def distance(checkpoint: Checkpoint, path: Path) -> float:
    """The largest difference of a logit between the network at `path` and torch."""
    tagger, apart = checkpoint.tagger, 0.0
    for inputs, logits in trial_logits(checkpoint, path):
        lengths = [inputs["ids"].shape[1]] * len(inputs["ids"])
        tensors = {name: torch.from_numpy(value).flatten(0, 1) for name, value in inputs.items()}
        expected, doubts = _expected(tagger, tensors, lengths)
        clear = ~(np.abs(doubts) <= ON_THE_BRINK)
        lost = np.abs(logits.reshape(expected.shape) - expected)[clear].max(initial=0.0)
        apart = float(np.maximum(apart, lost))  # keeps what is no number, as max would not
    if not apart <= MOST_APART:
        raise ModelError(f"the network's logits differ from torch's by {apart:.2g}; not exported")
    return apart


def check_logits(checkpoint: Checkpoint, path: Path) -> None:
    """Refuse a network whose logits are no numbers."""
    for _ in trial_logits(checkpoint, path):
        pass


def trial_logits(
    checkpoint: Checkpoint, path: Path
) -> Iterator[tuple[dict[str, Integers], Scores]]:
    """Inputs drawn at random, and the logits of the network at `path`, which must be finite."""
    network = Network(path)
    for inputs in _trials(checkpoint):
        if checkpoint.tagger.settling is not None:
            inputs = {name: value[:1] for name, value in inputs.items()}
        logits = network.run(**inputs)
        if not np.isfinite(logits).all():
            raise ModelError(
                "the network's logits are not finite numbers; not exported: train again with a lower "
                "learning rate"
            )
        yield inputs, logits


def _expected(
    tagger: Tagger, tensors: dict[str, Tensor], lengths: Sequence[int]
) -> tuple[Scores, Scores]:
    """Torch's logits, and how far each token is from being judged otherwise."""
    if tagger.settling is None:
        logits = tagger(**tensors, lengths=lengths)
        return logits.numpy(), np.full(len(logits), np.inf)
    logits, doubts = tagger.logits_and_doubts(**tensors, lengths=lengths)
    return logits.numpy(), doubts.numpy()


def _trials(checkpoint: Checkpoint) -> list[dict[str, Integers]]:
    """Inputs drawn at random from what the network may be given."""
    config, reader = checkpoint.tagger.model.config, checkpoint.reader
    draws = np.random.default_rng(0)
    trials = []
    for ids in random_ids(draws, config, reader.window + len(reader.frame)):
        inputs = {"ids": ids}
        if reader.frame.segmented:
            inputs["segments"] = np.sort(draws.integers(0, config.segments, ids.shape), axis=1)
        if reader.shape:
            values = draws.integers(0, list(FEATURES.values()), (*ids.shape[:2], len(FEATURES)))
            inputs["shapes"] = values + NO_SHAPE
        if reader.join:
            size = (*ids.shape, OTHERS)
            inputs["others"] = draws.integers(NOTHING, config.vocabulary_size, size)
        trials.append(inputs)
    return trials


def f1_of(folder: Path, notes: Sequence[Document], *, speed: str, threads: int) -> float:
    """A variant's F1 on annotated notes: type, start and end of each span as annotated."""
    detector = ModelDetector(folder, speed=speed, threads=threads)
    predicted = [
        note.with_spans(detection.spans)
        for note, detection in zip(notes, detector.detect_many(notes), strict=True)
    ]
    return strict_figures(notes, predicted)["f1"]
