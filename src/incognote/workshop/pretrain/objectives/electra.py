"""Replaced tokens: ELECTRA, and the three steps between it and BERT that its paper tries.

A generator fills masks and stands beside the discriminator while it learns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, logsigmoid

from incognote.base.errors import ConfigError, EncoderError
from incognote.workshop.encoders.checkpoints import load
from incognote.workshop.encoders.electra import ElectraConfig
from incognote.workshop.encoders.encoder import Encoded, Encoder
from incognote.workshop.encoders.model import Model
from incognote.workshop.pretrain.examples import ExampleSettings
from incognote.workshop.pretrain.masking import Masking
from incognote.workshop.pretrain.objectives.mlm import (
    MaskedBatch,
    MaskedExample,
    MaskNoise,
    encode,
    full,
    hits,
    language_logits,
    mask_noise,
    pack,
    summed_loss,
)
from incognote.workshop.pretrain.objectives.objective import BASE, Objective, Parts

Variant = Literal["electra", "electra-15", "replace-mlm", "all-tokens-mlm"]
"""electra: is each token the original? electra-15: only the 15 % are asked about.

replace-mlm: what were the 15 %, whose fills stand there in place of masks? all-tokens-mlm: what
was every token, which may be copied with a probability of its own?
"""

PARTS = {
    "electra": "rtd",
    "electra-15": "rtd",
    "replace-mlm": "replaced",
    "all-tokens-mlm": "tokens",
}

WEIGHTS = {"rtd": 50.0, "replaced": 1.0, "tokens": 1.0}
EVERY_TOKEN = ("electra", "all-tokens-mlm")

GENERATOR = "generator"
"""The folder that it is saved in, within the discriminator's."""

Sharing = Literal["embeddings", "all", "none"]
SHARING = get_args(Sharing)
GENERATOR_HEADS = ("mlm",)


@dataclass(frozen=True)
class Generator:
    """How large the generator is beside the discriminator, and what it shares with it.

    size: of its hidden states, heads and feed-forward, as a share of the discriminator's.
    sharing: the `embeddings` (words, positions, segments and their norm; not the projection),
        the whole encoder (`all`, for a generator of full size), or `none`.
    """

    size: float = 0.25
    sharing: Sharing = "embeddings"

    def __post_init__(self) -> None:
        if not 0 < self.size <= 1:
            raise ConfigError(f"a generator's size is a share above 0 up to 1, not {self.size}")
        if self.sharing not in SHARING:
            raise ConfigError(f"sharing is one of {', '.join(SHARING)}, not {self.sharing!r}")
        if self.sharing == "all" and self.size != 1:
            raise ConfigError("a generator that shares all is as large as the discriminator")

    def config(self, discriminator: ElectraConfig) -> ElectraConfig:
        """The generator's sizes."""
        heads = max(1, round(discriminator.heads * self.size))
        width = discriminator.hidden_size // discriminator.heads
        return replace(
            discriminator,
            hidden_size=heads * width,
            heads=heads,
            feed_forward_size=max(1, round(discriminator.feed_forward_size * self.size)),
        )


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
        every = self.parts[1:] if self.variant in EVERY_TOKEN else ()
        return pack(examples, parts=self.parts, every=every)

    def losses_and_hits(
        self, module: ElectraPair, batch: MaskedBatch, score: bool
    ) -> tuple[Parts, Parts]:
        generator, part = module.generator, self.parts[1]
        context = encode(generator, batch.ids, batch, only_chosen=True)
        guesses = language_logits(generator, context, batch.rows)
        filled = batch.ids.index_copy(0, batch.places, sample_tokens(guesses))
        original = batch.original
        some = self.variant not in EVERY_TOKEN
        encoded = encode(module.discriminator, filled, batch, only_chosen=some)
        lost, right = self._discriminator_loss(
            module.discriminator, encoded, filled, original, batch, score
        )
        sums = {"mlm": summed_loss(guesses, batch.targets), part: lost}
        if not score:
            return sums, {}
        right_answers = {"mlm": hits(guesses, batch.targets), part: right}
        if part == "rtd":
            places = batch.places if some else slice(None)
            right_answers[BASE.format(part)] = (filled == original)[places].sum()
        return sums, right_answers

    def _discriminator_loss(
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
            return summed_loss(logits, batch.targets), hits(logits, batch.targets)
        replaced = full(model.heads["rtd"](encoded))
        if self.variant == "all-tokens-mlm":
            logits = full(language_logits(model, encoded, None))
            return copy_loss(logits, replaced, filled, original, score=score)
        truth = filled != original
        if self.variant == "electra-15":
            replaced, truth = replaced[batch.rows], truth[batch.places]
        with torch.autocast(replaced.device.type, enabled=False):
            lost = binary_cross_entropy_with_logits(
                replaced, truth.to(replaced.dtype), reduction="sum"
            )
        return lost, ((replaced > 0) == truth).sum()


@torch.no_grad()
def sample_tokens(logits: Tensor) -> Tensor:
    """A token for every row, drawn from its distribution by Gumbel's trick: [rows]."""
    noise = torch.empty_like(full(logits)).exponential_()
    return (full(logits) - noise.log()).argmax(-1)


def copy_loss(
    logits: Tensor, replaced: Tensor, filled: Tensor, original: Tensor, *, score: bool
) -> tuple[Tensor, Tensor]:
    """The loss where a token is copied from the input or else predicted, and the right answers.

    logits [tokens, vocabulary]; `replaced` [tokens] is the logit of not copying.
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


class ElectraPair(nn.Module):
    """A discriminator and the generator that it learns from; the generator is left behind."""

    def __init__(self, discriminator: Model, settings: Generator) -> None:
        super().__init__()
        self.discriminator = discriminator
        self.generator = Model(settings.config(discriminator.config), heads=GENERATOR_HEADS)
        ours, theirs = self.generator.encoder, discriminator.encoder
        assert isinstance(ours, Encoder)
        assert isinstance(theirs, Encoder)
        if settings.sharing == "all":
            self.generator.encoder = theirs
        elif settings.sharing == "embeddings":
            for name in ("words", "positions", "segments", "norm"):
                setattr(ours.embeddings, name, getattr(theirs.embeddings, name))


def read_generator(pair: ElectraPair, folder: Path) -> str | None:
    """Put the generator of a folder back; a note where there is none that fits.

    What it shares with the discriminator stays as it is there.
    """
    if not folder.is_dir():
        return f"there is no {folder}: the generator starts from random weights"
    try:
        state = load(folder, heads=GENERATOR_HEADS).state_dict()
    except EncoderError as error:
        return f"{error}: the generator starts from random weights"
    expected = pair.generator.state_dict()
    if {name: value.shape for name, value in state.items()} != {
        name: value.shape for name, value in expected.items()
    }:
        return f"{folder}: is of another size than generator_size says: the generator starts from random weights"
    shared = {id(parameter) for parameter in pair.discriminator.parameters()}
    own = [name for name, value in pair.generator.named_parameters() if id(value) not in shared]
    pair.generator.load_state_dict({name: state[name] for name in own}, strict=False)
    return None
