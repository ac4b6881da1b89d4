"""An encoder with its heads, how it begins, and how large it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from incognote.base.errors import ConfigError
from incognote.workshop.encoders.elmo import Elmo
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.families import family_of
from incognote.workshop.encoders.heads import MaskedLanguage, PermutationLanguage
from incognote.workshop.encoders.layers import ResidualOutput


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
        self.labels = _label_names(labels)
        for head in heads:
            if head not in self.family.heads:
                raise ConfigError(
                    f"{self.family.name} has no head {head!r}; it has "
                    f"{', '.join(self.family.heads)}"
                )
        modules = {head: self.family.heads[head](config, len(self.labels)) for head in heads}
        needed = any(head.needs_pooler for head in modules.values())
        self.left_out: tuple[str, ...] = ()
        """Modules of the checkpoint that are of no head known here."""
        self.encoder = self.family.encoder(config, needed if pooler is None else pooler or needed)
        self.heads = nn.ModuleDict(modules)
        initialize(self, config.initializer_range)

    def resized(self, **sizes: Any) -> Model:
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


def _label_names(labels: Sequence[str] | int) -> tuple[str, ...]:
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
            own = spread * module.beginning if isinstance(module, ResidualOutput) else spread
            nn.init.trunc_normal_(module.weight, std=own, a=-2 * own, b=2 * own)
            if isinstance(module, nn.Linear):
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            elif module.padding_idx is not None:
                module.weight[module.padding_idx].zero_()


@dataclass(frozen=True)
class Size:
    """tensors: each parameter's name and shape; flops: multiply and add, per token."""

    tensors: dict[str, tuple[int, ...]]
    flops: float

    @property
    def parameters(self) -> int:
        """Numbers learned."""
        return sum(torch.Size(shape).numel() for shape in self.tensors.values())

    @property
    def bytes(self) -> int:
        """Memory for them in float32."""
        return 4 * self.parameters


def size_of(
    config: Any,
    *,
    heads: Sequence[str] = (),
    labels: int = 2,
    pooler: bool | None = None,
    length: int = 512,
) -> Size:
    """The size of an encoder with these heads; a bare one has its pooler, if its family does.

    FLOPs are those of the encoder's matrix multiplications for one sequence of `length` tokens (or
    the longest it takes), divided by its tokens.
    """
    if pooler is None:
        pooler = not heads and family_of(config).has_pooler
    with torch.device("meta"):
        model = Model(config, heads=heads, labels=labels, pooler=pooler).eval()
        ids = torch.zeros(1, min(length, config.longest), *config.row, dtype=torch.long)
    tensors = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    return Size(tensors, _flops(model.encoder, ids) / ids.shape[1])


def _flops(encoder: nn.Module, ids: Tensor) -> int:
    """In closed form where there is one: counting by running takes half a second a model."""
    if isinstance(encoder, Elmo):  # every word costs the same, so four tell
        return counted_flops(encoder, ids[:, :4]) * ids.shape[1] // ids[:, :4].shape[1]
    if not isinstance(encoder, Encoder):
        return counted_flops(encoder, ids)
    stack = encoder.stack
    each, mixing = _linear(encoder.embeddings), 0
    for attention, feed_forward in stack.order:
        each += _linear(stack.attentions[attention]) + _linear(stack.feed_forwards[feed_forward])
        mixing += stack.attentions[attention].flops(ids.shape[1])  # type: ignore[operator]
    return (
        ids.numel() * each + mixing + (_linear(encoder.pooler) if encoder.pooler is not None else 0)
    )


def _linear(module: nn.Module) -> int:
    layers = (layer for layer in module.modules() if isinstance(layer, nn.Linear))
    return sum(2 * layer.weight.numel() for layer in layers)


@torch.no_grad()
def counted_flops(encoder: nn.Module, ids: Tensor) -> int:
    """By running the encoder on ids [1, length] and counting its matrix multiplications."""
    with FlopCounterMode(display=False) as counter:
        encoder(ids)
    return int(counter.get_total_flops())
