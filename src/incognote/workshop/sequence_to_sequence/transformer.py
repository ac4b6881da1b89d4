"""The Transformer of Vaswani et al., 2017: sizes, network, and decoding token by token.

Norms come after the residuals, positions are sines and cosines, one table of embeddings serves source,
target and output, and is scaled by √(hidden size) where it is read. The attention and feed-forward
layers are those of the encoders: a decoder's tokens are `rows` that look at the encoder's states.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from incognote.base.errors import ConfigError, InputError
from incognote.workshop.encoders.config import ACTIVATIONS, EncoderConfig, is_whole
from incognote.workshop.encoders.dropout import Dropout, attend
from incognote.workshop.encoders.encoder import check_rows
from incognote.workshop.encoders.layers import FeedForward, SelfAttention
from incognote.workshop.encoders.layout import Bias, Padded, looks_at_values

_LONGEST_WAVE = 10_000.0
_EPSILON = 1e-5


@dataclass(frozen=True, kw_only=True)
class TransformerConfig(EncoderConfig):
    """The sizes of a Transformer; the defaults are the paper's base model with its 37,000 tokens.

    `layers` are the encoder's. `start_id` stands before the first token of a target, `end_id` after
    the last of source and target.

    >>> TransformerConfig().decoder_layers
    6
    """

    vocabulary_size: int = 37_000
    hidden_size: int = 512
    layers: int = 6
    decoder_layers: int = 6
    heads: int = 8
    feed_forward_size: int = 2048
    positions: int = 1024
    segments: int = 1
    activation: str = "relu"
    dropout: float = 0.1
    attention_dropout: float = 0.0
    classifier_dropout: float | None = None
    norm_epsilon: float = _EPSILON
    initializer_range: float = 0.02
    pad_id: int = 0
    start_id: int = 0
    end_id: int = 1

    KEYS: ClassVar[Mapping[str, str]] = {
        "vocabulary_size": "vocab_size",
        "hidden_size": "d_model",
        "layers": "encoder_layers",
        "decoder_layers": "decoder_layers",
        "heads": "encoder_attention_heads",
        "feed_forward_size": "encoder_ffn_dim",
        "positions": "max_position_embeddings",
        "activation": "activation_function",
        "dropout": "dropout",
        "attention_dropout": "attention_dropout",
        "initializer_range": "init_std",
        "pad_id": "pad_token_id",
        "start_id": "decoder_start_token_id",
        "end_id": "eos_token_id",
    }

    ACTIVATIONS: ClassVar[tuple[str, ...]] = (*ACTIVATIONS, "silu", "swish")

    def __post_init__(self) -> None:
        """Check what only an encoder with a decoder has."""
        super().__post_init__()
        for name in ("start_id", "end_id"):
            value = getattr(self, name)
            if not is_whole(value, least=0) or value >= self.vocabulary_size:
                raise ConfigError(f"{name} must be a row of the vocabulary, not {value!r}")
        if self.hidden_size % 2:
            raise ConfigError(
                f"hidden_size {self.hidden_size} is odd: every sine of a position has its cosine"
            )
        if (self.segments, self.norm_epsilon, self.classifier_dropout) != (1, _EPSILON, None):
            raise ConfigError(
                "segments, norm_epsilon and classifier_dropout are the same in every Transformer; "
                "leave them out"
            )


PRESETS: Mapping[str, TransformerConfig] = {
    "transformer-base": TransformerConfig(),
    "transformer-big": TransformerConfig(
        hidden_size=1024, heads=16, feed_forward_size=4096, dropout=0.3
    ),
}
"""Table 3 of the paper, with the 37,000 tokens that English and German share there."""


def sinusoids(positions: int, size: int) -> Tensor:
    """[positions, size]: sines of falling frequency in the first half, their cosines in the second.

    The paper's formula sets each cosine beside its sine; its authors' code, and Marian's, has halves,
    which is the same up to the order of columns.
    """
    columns = torch.arange(size // 2, dtype=torch.float64)
    places = torch.arange(positions, dtype=torch.float64)[:, None]
    angles = places / _LONGEST_WAVE ** (2 * columns / size)
    return torch.cat([angles.sin(), angles.cos()], dim=1).float()


@dataclass(frozen=True)
class Causal:
    """Every token of a target looks at those before it and at itself."""

    def attend(
        self, query: Tensor, key: Tensor, value: Tensor, dropout: float, bias: Bias | None = None
    ) -> Tensor:
        """All [batch, length, heads, head size]; to the same."""
        length = query.shape[1]
        mask = torch.ones(length, length, dtype=torch.bool, device=query.device).tril()[None, None]
        q, k, v = (part.transpose(1, 2) for part in (query, key, value))
        if bias is not None:
            mask = bias(q, k, None).masked_fill(~mask, -torch.inf)
        return attend(q, k, v, mask=mask, dropout=dropout).transpose(1, 2)


class DecoderLayer(nn.Module):
    """Masked attention to the target so far, attention to the source, feed-forward."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.attention = SelfAttention(config)
        self.cross_attention = SelfAttention(config)
        self.feed_forward = FeedForward(config)

    def forward(self, target: Tensor, source: Tensor, layout: Padded) -> Tensor:
        """Target states [batch, target length, hidden size] to the same; `layout` is the source's."""
        target = self.attention(target, Causal())
        target = self.cross_attention(source, layout, rows=target)
        hidden: Tensor = self.feed_forward(target)
        return hidden


@dataclass(frozen=True)
class Memory:
    """What a decoder needs of all that went before, so that each step computes one token only.

    source_keys, source_values: a layer's [batch, heads, source length, head size]; keys, values: of
    the target so far, of length 0 at the beginning. mask: [batch, 1, 1, source length], true at
    tokens; None if all are.
    """

    source_keys: tuple[Tensor, ...]
    source_values: tuple[Tensor, ...]
    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]
    mask: Tensor | None

    def rows(self, rows: Tensor) -> Memory:
        """Of these sequences of the batch, in this order; one may come several times."""
        parts = (self.source_keys, self.source_values, self.keys, self.values)
        source_keys, source_values, keys, values = (
            tuple(each[rows] for each in part) for part in parts
        )
        mask = None if self.mask is None else self.mask[rows]
        return Memory(source_keys, source_values, keys, values, mask)


class Transformer(nn.Module):
    """Encoder and decoder; ids in, logits of every next token out.

    >>> model = Transformer(replace(PRESETS["transformer-base"], layers=1, decoder_layers=1)).eval()
    >>> list(model(torch.tensor([[5, 6, 1]]), torch.tensor([[0, 7]])).shape)
    [1, 2, 37000]
    """

    positions: Tensor
    output_bias: Tensor

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.words = nn.Embedding(config.vocabulary_size, config.hidden_size)
        self.dropout = Dropout(config.dropout)
        self.attentions = nn.ModuleList(SelfAttention(config) for _ in range(config.layers))
        self.feed_forwards = nn.ModuleList(FeedForward(config) for _ in range(config.layers))
        self.decoder = nn.ModuleList(DecoderLayer(config) for _ in range(config.decoder_layers))
        table = sinusoids(config.positions, config.hidden_size)
        self.register_buffer("positions", table, persistent=False)
        # Marian's checkpoints have one; here it is not learned, as the paper has none.
        self.register_buffer("output_bias", torch.zeros(config.vocabulary_size))
        initialize(self)

    def forward(self, source: Tensor, target: Tensor, mask: Tensor | None = None) -> Tensor:
        """Source ids [batch, source length], of which `mask` is true at tokens, and the target's.

        The target begins with `start_id`. To logits [batch, target length, vocabulary]: those at a
        place are of the token after it.
        """
        states, layout = self.encode(source, mask)
        return self.logits(self.decode(target, states, layout))

    def encode(self, source: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Padded]:
        """States of the source [batch, source length, hidden size], and where its tokens are."""
        self._check(source)
        if mask is not None:
            mask = mask.bool()
            if looks_at_values(mask) and bool(mask.all()):
                mask = None
        batch, length = source.shape
        layout = Padded(batch, length, source.device, mask)
        hidden = self._embedded(source)
        for attention, feed_forward in zip(self.attentions, self.feed_forwards, strict=True):
            hidden = feed_forward(attention(hidden, layout))
        return hidden, layout

    def decode(self, target: Tensor, states: Tensor, layout: Padded) -> Tensor:
        """States of all of the target at once, [batch, target length, hidden size]."""
        self._check(target)
        hidden = self._embedded(target)
        for layer in self.decoder:
            hidden = layer(hidden, states, layout)
        return hidden

    def logits(self, hidden: Tensor) -> Tensor:
        """[*, hidden size] to [*, vocabulary]."""
        return nn.functional.linear(hidden, self.words.weight) + self.output_bias

    def begin(self, source: Tensor, mask: Tensor | None = None) -> Memory:
        """What decoding of these sources begins with."""
        states, layout = self.encode(source, mask)
        layers: Any = self.decoder
        across = [layer.cross_attention for layer in layers]
        keys = tuple(_heads(layer.key(states), layer) for layer in across)
        values = tuple(_heads(layer.value(states), layer) for layer in across)
        nothing = tuple(each[:, :, :0] for each in keys)
        mask = None if layout.mask is None else layout.mask[:, None, None, :]
        return Memory(keys, values, nothing, nothing, mask)

    def step(self, tokens: Tensor, memory: Memory) -> tuple[Tensor, Memory]:
        """The last tokens of targets, [batch]; to logits of the next [batch, vocabulary]."""
        place = memory.keys[0].shape[2]
        if place >= self.config.positions:
            raise InputError(f"a target has more than {self.config.positions} tokens")
        hidden = self._embedded(tokens[:, None], place)
        keys, values = [], []
        layers: Any = self.decoder
        for number, layer in enumerate(layers):
            attention = layer.attention
            key, value = (
                _heads(project(hidden), attention) for project in (attention.key, attention.value)
            )
            keys.append(torch.cat([memory.keys[number], key], 2))
            values.append(torch.cat([memory.values[number], value], 2))
            hidden = _attended(attention, hidden, keys[-1], values[-1], None)
            source = memory.source_keys[number], memory.source_values[number]
            hidden = _attended(layer.cross_attention, hidden, *source, memory.mask)
            hidden = layer.feed_forward(hidden)
        memory = replace(memory, keys=tuple(keys), values=tuple(values))
        return self.logits(hidden[:, 0]), memory

    def _embedded(self, ids: Tensor, first: int = 0) -> Tensor:
        words = self.words(ids) * math.sqrt(self.config.hidden_size)
        embedded: Tensor = self.dropout(words + self.positions[first : first + ids.shape[1]])
        return embedded

    def _check(self, ids: Tensor) -> None:
        if ids.dim() != 2 or not ids.numel():
            raise InputError(f"ids must be [batch, length] with a token or more, not {ids.shape}")
        if ids.shape[1] > self.config.positions:
            raise InputError(
                f"a sequence has {ids.shape[1]} tokens but the model has positions for "
                f"{self.config.positions}: split it"
            )
        check_rows("id", ids, self.config.vocabulary_size)


def _heads(states: Tensor, layer: SelfAttention) -> Tensor:
    """[batch, length, hidden size] to [batch, heads, length, head size]."""
    return states.view(*states.shape[:2], -1, layer.head_size).transpose(1, 2)


def _attended(
    layer: SelfAttention, rows: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None
) -> Tensor:
    """As the layer does, for keys and values that are there already."""
    query = _heads(layer.query(rows), layer)
    mixed = attend(query, keys, values, mask=mask).transpose(1, 2).flatten(-2)
    normed: Tensor = layer.norm(rows + layer.output(mixed))
    return normed


class TransformerScorer:
    """The model as a search asks it: rows of tokens in, logits of the next out."""

    def __init__(self, model: Transformer) -> None:
        self.model = model.eval()

    @torch.inference_mode()
    def begin(self, sources: Sequence[Sequence[int]]) -> Memory:
        """The memory of targets that are empty, a row for each source."""
        return self.model.begin(*padded(sources, self.model.config.pad_id))

    @torch.inference_mode()
    def step(
        self, tokens: npt.NDArray[np.int64], memory: Memory
    ) -> tuple[npt.NDArray[np.floating[Any]], Memory]:
        """The last token of each row; to logits [rows, vocabulary] and the memory with it."""
        logits, memory = self.model.step(torch.from_numpy(tokens), memory)
        return logits.numpy(), memory

    def rows(self, memory: Memory, rows: npt.NDArray[np.int64]) -> Memory:
        """Of these rows, in this order."""
        return memory.rows(torch.from_numpy(rows))


@torch.no_grad()
def initialize(model: Transformer) -> None:
    """As the authors' code begins: embeddings with a spread of 1/√(hidden size), matrices by Glorot."""
    for module in model.modules():
        if isinstance(module, nn.Embedding) and not module.weight.is_meta:
            nn.init.normal_(module.weight, std=model.config.hidden_size**-0.5)
        if isinstance(module, nn.Linear) and not module.weight.is_meta:
            nn.init.xavier_uniform_(module.weight)
            nn.init.zeros_(module.bias)


def parameter_count(config: TransformerConfig) -> int:
    """Numbers learned; no memory is needed for them."""
    with torch.device("meta"):
        model = Transformer(config)
    return sum(parameter.numel() for parameter in model.parameters())


def padded(rows: Sequence[Sequence[int]], pad_id: int) -> tuple[Tensor, Tensor]:
    """Rows of ids side by side [rows, longest], and a mask that is true at tokens."""
    longest = max(map(len, rows))
    ids = torch.full((len(rows), longest), pad_id)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = torch.tensor(row)
    lengths = torch.tensor([len(row) for row in rows])
    return ids, torch.arange(longest) < lengths[:, None]
