"""An encoder with its heads, and how it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from incognote.base.errors import ConfigError
from incognote.workshop.encoders.families import family_of
from incognote.workshop.encoders.heads import MaskedLanguage, PermutationLanguage


class Model(nn.Module):
    """An encoder and any number of heads, by name; `labels` are those of its classifier.

    >>> from incognote.workshop.encoders.bert import BertConfig
    >>> model = Model(BertConfig(layers=2), heads=("tokens",), labels=("O", "B-NAME", "I-NAME"))
    >>> sorted(model.heads)
    ['tokens']
    """

    def __init__(
        self,
        config: Any,
        *,
        heads: Sequence[str] = (),
        labels: Sequence[str] | int = 2,
        pooler: bool | None = None,
    ) -> None:
        """Labels are names, or only how many; a pooler is built where a head needs one."""
        super().__init__()
        self.family = family_of(config)
        self.config = config
        self.labels = _named(labels)
        for head in heads:
            if head not in self.family.heads:
                raise ConfigError(
                    f"{self.family.name} has no head {head!r}; it has "
                    f"{', '.join(self.family.heads)}"
                )
        built = {head: self.family.heads[head](config, len(self.labels)) for head in heads}
        needed = any(head.needs_pooler for head in built.values())
        self.encoder = self.family.encoder(config, needed if pooler is None else pooler or needed)
        self.heads = nn.ModuleDict(built)
        initialize(self, config.initializer_range)

    def resized(self, **sizes: int) -> Model:
        """A new model with other sizes, and the same heads, labels and pooler or none."""
        pooler = getattr(self.encoder, "pooler", None) is not None
        config = replace(self.config, **sizes)
        return Model(config, heads=tuple(self.heads), labels=self.labels, pooler=pooler)

    def forward(
        self,
        ids: Tensor,
        *,
        segments: Tensor | None = None,
        mask: Tensor | None = None,
        lengths: Sequence[int] | None = None,
        chosen: Tensor | None = None,
        **more: Any,
    ) -> dict[str, Tensor]:
        """The logits of every head; arguments as `Encoder.forward`, and `more` as XLNet's.

        `chosen` has the tokens at which the masked-language head is computed; all, if not given.
        """
        encoded = self.encoder(ids, segments=segments, mask=mask, lengths=lengths, **more)
        logits = {}
        for name, head in self.heads.items():
            if isinstance(head, MaskedLanguage | PermutationLanguage):
                logits[name] = head(encoded, self.encoder.words, chosen)
            else:
                logits[name] = head(encoded)
        return logits


def _named(labels: Sequence[str] | int) -> tuple[str, ...]:
    if isinstance(labels, int):
        labels = [f"LABEL_{number}" for number in range(labels)]
    if not labels or len(set(labels)) != len(labels):
        raise ConfigError("labels must be given, and each only once")
    return tuple(labels)


@torch.no_grad()
def initialize(model: nn.Module, spread: float) -> None:
    """Weights from a normal cut at two standard deviations, biases 0, norms 1: BERT's own start.

    Repeatable under `torch.manual_seed`. Nothing is done to parameters without memory.
    """
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding) and not module.weight.is_meta:
            nn.init.trunc_normal_(module.weight, std=spread, a=-2 * spread, b=2 * spread)
            if isinstance(module, nn.Linear):
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            elif module.padding_idx is not None:
                module.weight[module.padding_idx].zero_()
