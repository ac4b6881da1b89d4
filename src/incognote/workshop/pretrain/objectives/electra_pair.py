"""ELECTRA's two models, and what they have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from torch import nn

from incognote.base.errors import ConfigError, EncoderError
from incognote.workshop.encoders.checkpoints import load
from incognote.workshop.encoders.electra import ElectraConfig
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.model import Model

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
        found = load(folder, heads=GENERATOR_HEADS).state_dict()
    except EncoderError as error:
        return f"{error}: the generator starts from random weights"
    wanted = pair.generator.state_dict()
    if {name: value.shape for name, value in found.items()} != {
        name: value.shape for name, value in wanted.items()
    }:
        return f"{folder}: is of another size than generator_size says: the generator starts from random weights"
    shared = {id(parameter) for parameter in pair.discriminator.parameters()}
    own = [name for name, value in pair.generator.named_parameters() if id(value) not in shared]
    pair.generator.load_state_dict({name: found[name] for name in own}, strict=False)
    return None
