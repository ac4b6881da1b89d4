"""Masked tokens, alone or with a question about sentence pairs; masked sequences without padding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from incognote.align.tokens import Integers
from incognote.base.errors import ConfigError, TrainError
from incognote.workshop.encoders.encoder import Encoded
from incognote.workshop.encoders.families import family_of
from incognote.workshop.encoders.heads import MaskedLanguage
from incognote.workshop.encoders.layout import ActiveTokens
from incognote.workshop.encoders.model import Model
from incognote.workshop.pretrain.examples import ExampleSettings
from incognote.workshop.pretrain.masking import Masking, Vocabulary, mask
from incognote.workshop.pretrain.objectives.objective import Batch, Objective, Parts
from incognote.workshop.pretrain.segments import PAIRS
from incognote.workshop.pretrain.stream import NO_LABEL, Framed, Origin
from incognote.workshop.tokenization.tokenizer import Tokenizer

PAPERS = {
    None: ExampleSettings(inputs="full-sentences", short=0.0),
    "nsp": ExampleSettings(inputs="segment-pair", masking=Masking(copies=10)),
    "sop": ExampleSettings(inputs="sentence-order", masking=Masking(longest=3, whole_words=True)),
}
"""RoBERTa's, BERT's and ALBERT's examples."""


class MaskedExample(NamedTuple):
    """One sequence: ids as the model gets them, and what stood at the chosen places."""

    ids: Integers
    segments: Integers
    places: Integers
    targets: Integers
    label: int


@dataclass(frozen=True, eq=False)
class MaskedBatch(Batch):
    """ids, segments: [tokens]; places: [chosen], in the packed tokens; targets: [chosen].

    labels: [sequences], −1 where there is none. Sequences of one length are neighbours, which
    attention does together. asked: [asked], the chosen tokens and the first of each sequence, all
    that the last layer need give; rows: [chosen], where the chosen are among them.
    """

    lengths: tuple[int, ...]
    ids: Tensor
    segments: Tensor
    places: Tensor
    targets: Tensor
    labels: Tensor
    asked: Tensor
    rows: Tensor

    @property
    def original(self) -> Tensor:
        """The tokens before they were masked, [tokens]."""
        return self.ids.index_copy(0, self.places, self.targets)


@dataclass(frozen=True)
class MaskedLanguageObjective(Objective):
    """Predict masked tokens and, if `question` is "nsp" or "sop", whether a pair is as written.

    Either question is put to the one head that a family has for it, so that a model trained on
    one can be asked the other. `mask` and `random` are `Masking`'s; `weight` is of the question
    beside the masked tokens, the papers' 1.
    """

    question: str | None = None
    mask: float = 0.8
    random: float = 0.1
    weight: float = 1.0

    @property
    def name(self) -> str:
        return "+".join(self.parts)

    @property
    def parts(self) -> tuple[str, ...]:
        return ("mlm",) if self.question is None else ("mlm", self.question)

    @property
    def weights(self) -> Mapping[str, float]:
        return {} if self.question is None else {self.question: self.weight}

    @property
    def settings(self) -> ExampleSettings:
        paper = PAPERS[self.question]
        masking = replace(paper.masking, mask=self.mask, random=self.random)
        return replace(paper, masking=masking)

    def heads(self, config: Any) -> tuple[str, ...]:
        family = family_of(config)
        if "mlm" not in family.heads:
            raise ConfigError(f"{family.name} has no head for masked tokens")
        if self.question is None:
            return ("mlm",)
        return "mlm", sentence_head(config)

    def noise(self, settings: ExampleSettings) -> MaskNoise:
        if self.question not in (None, PAIRS.get(settings.inputs)):
            raise TrainError(f"{settings.inputs} inputs have no labels for {self.name}")
        return mask_noise(self.tokenizer, settings)

    def batch(self, examples: Sequence[MaskedExample]) -> MaskedBatch:
        return pack(examples, parts=self.parts)

    def losses_and_hits(
        self, module: Model, batch: MaskedBatch, score: bool
    ) -> tuple[Parts, Parts]:
        encoded = encode(module, batch.ids, batch, only_chosen=True)
        logits = {"mlm": language_logits(module, encoded, batch.rows)}
        targets = {"mlm": batch.targets}
        if self.question is not None:
            logits[self.question] = module.heads[sentence_head(module.config)](encoded)
            targets[self.question] = batch.labels
        sums = {part: summed_loss(logits[part], targets[part]) for part in self.parts}
        scored = self.parts if score else ()
        return sums, {part: hits(logits[part], targets[part]) for part in scored}


def language_logits(model: Model, encoded: Encoded, rows: Tensor | None) -> Tensor:
    """Over the vocabulary, [rows, vocabulary], computed nowhere else; of all that there are if None."""
    head = model.heads["mlm"]
    assert isinstance(head, MaskedLanguage)
    words = model.encoder.words
    assert isinstance(words, Tensor)
    logits: Tensor = head(encoded, words, rows)
    return logits


def sentence_head(config: Any) -> str:
    """The head of a family that is asked about pairs."""
    family = family_of(config)
    for name in ("sop", "nsp"):
        if name in family.heads:
            return name
    raise ConfigError(f"{family.name} has no head for sentence pairs; pretrain it with mlm alone")


def encode(model: Model, ids: Tensor, batch: MaskedBatch, *, only_chosen: bool) -> Encoded:
    """Packed tokens through a model; one that knows one segment is told of none.

    The last layer is computed for all tokens, or only for those chosen and each first one, where the
    chosen are at `batch.rows`.
    """
    segments = batch.segments if model.config.segments > 1 else None
    active = ActiveTokens.of(batch.lengths, batch.asked) if only_chosen else None
    encoded: Encoded = model.encoder(ids, segments=segments, lengths=batch.lengths, active=active)
    return encoded


@dataclass(frozen=True, eq=False)
class MaskNoise:
    """Masks framed sequences; can be sent to another process."""

    vocabulary: Vocabulary
    settings: Masking

    def __call__(self, framed: Framed, origin: Origin, draws: np.random.Generator) -> MaskedExample:
        """One example."""
        masked = mask(framed.ids, framed.word_starts, self.vocabulary, self.settings, draws)
        return MaskedExample(
            masked.ids, framed.segments, masked.places, masked.targets, framed.label
        )


def mask_noise(tokenizer: Tokenizer, settings: ExampleSettings) -> MaskNoise:
    """Masks of this tokenizer's."""
    return MaskNoise(Vocabulary.of(tokenizer), settings.masking)


def pack(
    examples: Sequence[MaskedExample], *, parts: Sequence[str], every: Sequence[str] = ()
) -> MaskedBatch:
    """One batch; parts count chosen tokens, those about pairs pairs, those in `every` tokens."""
    ordered = sorted(examples, key=lambda example: len(example.ids))
    lengths = tuple(len(example.ids) for example in ordered)
    begins = np.cumsum((0, *lengths[:-1]))
    places = [example.places + begin for example, begin in zip(ordered, begins, strict=True)]
    asked = np.union1d(np.concatenate(places), begins)
    chosen = sum(map(len, places))
    counts = {}
    for part in parts:
        counts[part] = sum(lengths) if part in every else chosen
        if part in ("nsp", "sop"):
            counts[part] = sum(example.label != NO_LABEL for example in ordered)

    def joined(arrays: list[Integers]) -> Tensor:
        return torch.from_numpy(np.concatenate(arrays))

    return MaskedBatch(
        counts,
        sum(lengths),
        lengths,
        joined([example.ids for example in ordered]),
        joined([example.segments for example in ordered]),
        joined(places),
        joined([example.targets for example in ordered]),
        torch.tensor([example.label for example in ordered]),
        torch.from_numpy(asked),
        torch.from_numpy(np.searchsorted(asked, np.concatenate(places))),
    )


def summed_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy over all rows with a label, in full precision."""
    with torch.autocast(logits.device.type, enabled=False):
        return cross_entropy(full(logits), targets, reduction="sum", ignore_index=NO_LABEL)


def full(logits: Tensor) -> Tensor:
    """At least single precision."""
    return logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits


@torch.no_grad()
def hits(logits: Tensor, targets: Tensor) -> Tensor:
    """How many rows have their highest logit where it is wanted."""
    return (logits.argmax(-1) == targets).sum()
