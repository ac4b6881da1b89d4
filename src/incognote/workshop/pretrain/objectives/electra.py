"""Replaced tokens: ELECTRA, and the three steps between it and BERT that its paper tries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, logsigmoid

from incognote.base.errors import ConfigError
from incognote.workshop.encoders.electra import ElectraConfig
from incognote.workshop.encoders.encoder import Encoded
from incognote.workshop.encoders.model import Model
from incognote.workshop.pretrain.examples import ExampleSettings
from incognote.workshop.pretrain.masking import Masking
from incognote.workshop.pretrain.objectives.electra_pair import (
    ElectraPair,
    Generator,
    read_generator,
)
from incognote.workshop.pretrain.objectives.mlm import (
    encode,
    full,
    hits,
    language_logits,
    mask_noise,
    summed,
)
from incognote.workshop.pretrain.objectives.objective import BASE, Objective, Parts
from incognote.workshop.pretrain.objectives.packing import (
    MaskedBatch,
    MaskedExample,
    MaskNoise,
    pack,
)

Variant = Literal["electra", "electra-15", "replace-mlm", "all-tokens-mlm"]
"""electra: is each piece the original? electra-15: only the 15 % are asked about.

replace-mlm: what were the 15 %, whose fills stand there in place of masks? all-tokens-mlm: what
was every piece, which may be copied with a probability of its own?
"""

PARTS = {
    "electra": "rtd",
    "electra-15": "rtd",
    "replace-mlm": "replaced",
    "all-tokens-mlm": "tokens",
}
WEIGHTS = {"rtd": 50.0, "replaced": 1.0, "tokens": 1.0}
EVERY_PIECE = ("electra", "all-tokens-mlm")
GENERATOR = "generator"
"""The folder that it is saved in, within the discriminator's."""


@dataclass(frozen=True)
class ElectraObjective(Objective):
    """A generator fills masks, and the discriminator judges what it filled in.

    `weight` is of the discriminator's part beside the generator's; the paper's, if None. `mask` and
    `random` are `Masking`'s.
    """

    variant: Variant = "electra"
    generator: Generator = field(default_factory=Generator)
    weight: float | None = None
    mask: float = 0.85
    random: float = 0.0

    @property
    def name(self) -> str:
        return self.variant

    @property
    def parts(self) -> tuple[str, ...]:
        return "mlm", PARTS[self.variant]

    @property
    def weights(self) -> Mapping[str, float]:
        part = self.parts[1]
        return {part: WEIGHTS[part] if self.weight is None else self.weight}

    @property
    def settings(self) -> ExampleSettings:
        return ExampleSettings(masking=Masking(mask=self.mask, random=self.random))

    def heads(self, config: Any) -> tuple[str, ...]:
        if not isinstance(config, ElectraConfig):
            raise ConfigError(f"{self.name} pretrains the family electra only")
        return {"rtd": ("rtd",), "replaced": ("mlm",), "tokens": ("mlm", "rtd")}[self.parts[1]]

    def wrap(self, model: Model) -> nn.Module:
        return ElectraPair(model, self.generator)

    def saved(self, module: nn.Module) -> Mapping[str, Model]:
        assert isinstance(module, ElectraPair)
        return {"": module.discriminator, GENERATOR: module.generator}

    def read_more(self, module: nn.Module, folder: Path) -> tuple[str, ...]:
        assert isinstance(module, ElectraPair)
        note = read_generator(module, folder / GENERATOR)
        return () if note is None else (note,)

    def noise(self, settings: ExampleSettings) -> MaskNoise:
        return mask_noise(self.tokenizer, settings)

    def batch(self, examples: Sequence[MaskedExample]) -> MaskedBatch:
        every = self.parts[1:] if self.variant in EVERY_PIECE else ()
        return pack(examples, parts=self.parts, every=every)

    def judged(self, module: ElectraPair, batch: MaskedBatch, score: bool) -> tuple[Parts, Parts]:
        generator, part = module.generator, self.parts[1]
        seen = encode(generator, batch.ids, batch, only_chosen=True)
        guesses = language_logits(generator, seen, batch.rows)
        filled = batch.ids.index_copy(0, batch.places, sampled(guesses))
        original = batch.original
        some = self.variant not in EVERY_PIECE
        encoded = encode(module.discriminator, filled, batch, only_chosen=some)
        lost, right = self._told(module.discriminator, encoded, filled, original, batch, score)
        sums = {"mlm": summed(guesses, batch.targets), part: lost}
        if not score:
            return sums, {}
        told = {"mlm": hits(guesses, batch.targets), part: right}
        if part == "rtd":
            asked = batch.places if some else slice(None)
            told[BASE.format(part)] = (filled == original)[asked].sum()
        return sums, told

    def _told(
        self,
        model: Model,
        encoded: Encoded,
        filled: Tensor,
        original: Tensor,
        batch: MaskedBatch,
        score: bool,
    ) -> tuple[Tensor, Tensor]:
        """The discriminator's summed loss, and how many answers were right."""
        if self.variant == "replace-mlm":
            logits = language_logits(model, encoded, batch.rows)
            return summed(logits, batch.targets), hits(logits, batch.targets)
        replaced = full(model.heads["rtd"](encoded))
        if self.variant == "all-tokens-mlm":
            logits = full(language_logits(model, encoded, None))
            return copied(logits, replaced, filled, original, score=score)
        truth = filled != original
        if self.variant == "electra-15":
            replaced, truth = replaced[batch.rows], truth[batch.places]
        with torch.autocast(replaced.device.type, enabled=False):
            lost = binary_cross_entropy_with_logits(
                replaced, truth.to(replaced.dtype), reduction="sum"
            )
        return lost, ((replaced > 0) == truth).sum()


@torch.no_grad()
def sampled(logits: Tensor) -> Tensor:
    """A piece for every row, drawn from its distribution by Gumbel's trick: [rows]."""
    noise = torch.empty_like(full(logits)).exponential_()
    return (full(logits) - noise.log()).argmax(-1)


def copied(
    logits: Tensor, replaced: Tensor, filled: Tensor, original: Tensor, *, score: bool
) -> tuple[Tensor, Tensor]:
    """The loss where a piece is copied from the input or else predicted, and the right answers.

    logits [pieces, vocabulary]; `replaced` [pieces] is the logit of not copying.
    """
    same = filled == original
    predicted = logsigmoid(replaced) - cross_entropy(logits, original, reduction="none")
    either = torch.logaddexp(logsigmoid(-replaced), predicted)
    lost = -torch.where(same, either, predicted).sum()
    if not score:
        return lost, same.new_zeros((), dtype=torch.long)
    with torch.no_grad():
        shares = torch.sigmoid(replaced)[:, None] * logits.softmax(-1)
        shares.scatter_add_(1, filled[:, None], torch.sigmoid(-replaced)[:, None])
        return lost, (shares.argmax(-1) == original).sum()
