"""ModernBERT: Warner et al., 2024. Rotated queries and keys for positions, near tokens only in most layers.

Its layers norm what they read and not what they give, gate their feed-forward, and have no biases. Every
third looks at the whole sequence, the others at 64 tokens on either side, so that 8,192 tokens are
affordable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from incognote.base.errors import ConfigError
from incognote.workshop.encoders.config import ACTIVATIONS, EncoderConfig, is_positive
from incognote.workshop.encoders.dropout import Dropout
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.family import TOKEN_HEADS, Family, Row, each_layer
from incognote.workshop.encoders.heads import Classification, Head, MaskedLanguage, Source, Span
from incognote.workshop.encoders.layers import Embeddings, ResidualOutput, Stack, activation
from incognote.workshop.encoders.layout import ActiveTokens, Attending, Layout
from incognote.workshop.encoders.local_attention import SHORT, Band, Neighbours

GLOBAL, LOCAL = "full_attention", "sliding_attention"
_UNUSED = "position_embedding_type"
"""In many of its files, and of no meaning there."""
POOLING: dict[str, Source] = {"cls": "first", "mean": "mean"}


@dataclass(frozen=True, kw_only=True)
class ModernBertConfig(EncoderConfig):
    """The sizes of a ModernBERT.

    window: the tokens that a layer of local attention looks at, half of them on either side.
    layer_types: GLOBAL or LOCAL for every layer; None, global in every third. global_base, local_base:
    of their rotations. dropout: in the feed-forward. pooling: cls or mean, for sequence classifiers.

    >>> ModernBertConfig(layers=4).attention_types
    ('full_attention', 'sliding_attention', 'sliding_attention', 'full_attention')
    """

    vocabulary_size: int = 50_368
    hidden_size: int = 768
    layers: int = 22
    heads: int = 12
    feed_forward_size: int = 1152
    positions: int = 8192
    segments: int = 1
    activation: str = "gelu"
    dropout: float = 0.0
    attention_dropout: float = 0.0
    embedding_dropout: float = 0.0
    classifier_dropout: float | None = 0.0
    norm_epsilon: float = 1e-5
    initializer_range: float = 0.02
    pad_id: int = 50_283
    window: int = 128
    global_every: int = 3
    layer_types: tuple[str, ...] | None = None
    global_base: float = 160_000.0
    local_base: float = 10_000.0
    pooling: str = "cls"
    classifier_activation: str = "gelu"

    KEYS: ClassVar[Mapping[str, str]] = {
        **{field: key for field, key in EncoderConfig.KEYS.items() if field != "segments"},
        "activation": "hidden_activation",
        "norm_epsilon": "norm_eps",
        "dropout": "mlp_dropout",
        "attention_dropout": "attention_dropout",
        "embedding_dropout": "embedding_dropout",
        "window": "local_attention",
        "pooling": "classifier_pooling",
        "classifier_activation": "classifier_activation",
    }
    FIXED: ClassVar[Mapping[str, Any]] = {
        **{key: only for key, only in EncoderConfig.FIXED.items() if key != _UNUSED},
        "norm_bias": False,
        "attention_bias": False,
        "mlp_bias": False,
        "classifier_bias": False,
        "decoder_bias": True,
        "rope_scaling": None,
    }

    def __post_init__(self) -> None:
        """Check what only ModernBERT has."""
        super().__post_init__()
        if self.segments != 1:
            raise ConfigError(f"ModernBERT has one segment, not {self.segments}")
        if self.window < 2:
            raise ConfigError(f"window must be 2 tokens or more, not {self.window}")
        for name in ("global_base", "local_base"):
            if not is_positive(getattr(self, name)):
                raise ConfigError(f"{name} must be a number above 0, not {getattr(self, name)!r}")
        if self.pooling not in POOLING:
            raise ConfigError(f"pooling must be one of {', '.join(POOLING)}, not {self.pooling!r}")
        if self.hidden_size // self.heads % 2:
            raise ConfigError("the size of a head must be even, as its halves are rotated together")
        types = self.layer_types
        if types is not None and (len(types) != self.layers or not {*types} <= {GLOBAL, LOCAL}):
            raise ConfigError(f"layer_types must have {GLOBAL} or {LOCAL} for each layer")
        if self.classifier_activation not in ACTIVATIONS:
            raise ConfigError(
                f"classifier_activation must be one of {', '.join(ACTIVATIONS)}, "
                f"not {self.classifier_activation!r}"
            )

    @property
    def attention_types(self) -> tuple[str, ...]:
        """GLOBAL or LOCAL, by layer."""
        if self.layer_types is not None:
            return self.layer_types
        return tuple(LOCAL if n % self.global_every else GLOBAL for n in range(self.layers))

    @property
    def reach(self) -> int:
        """How far a layer of local attention looks to either side."""
        return self.window // 2

    @classmethod
    def from_huggingface(cls, settings: Mapping[str, Any]) -> Self:
        """Read config.json of transformers 4, or of 5, which has other keys for layers and rotations."""
        rotations = _rotations(settings)
        base = rotations.get(GLOBAL, settings.get("global_rope_theta")) or cls.global_base
        # Version 4 takes null to mean the base of the global layers, and has that of its class if absent.
        local = rotations.get(LOCAL, settings.get("local_rope_theta", cls.local_base)) or base
        more: dict[str, Any] = {"global_base": base, "local_base": local}
        if settings.get("global_attn_every_n_layers") is not None:
            more["global_every"] = settings["global_attn_every_n_layers"]
        if settings.get("layer_types") is not None:
            more["layer_types"] = tuple(settings["layer_types"])
        config = super().from_huggingface(settings)
        config = replace(config, **more)
        usual = replace(config, layer_types=None)
        return usual if usual.attention_types == config.attention_types else config

    def to_huggingface(self) -> dict[str, Any]:
        """The settings as versions 4 and 5 read them; 4 has no words for layers in another order."""
        bases = {GLOBAL: self.global_base, LOCAL: self.local_base}
        settings = {
            **super().to_huggingface(),
            "layer_types": list(self.attention_types),
            "rope_parameters": {
                name: {"rope_type": "default", "rope_theta": base} for name, base in bases.items()
            },
            "global_rope_theta": self.global_base,
            "local_rope_theta": self.local_base,
            # The published numbers, which others take where nothing is said, may exceed the vocabulary.
            **dict.fromkeys(("bos_token_id", "eos_token_id", "cls_token_id", "sep_token_id")),
        }
        if self.layer_types is None:
            settings["global_attn_every_n_layers"] = self.global_every
        return settings


def _rotations(settings: Mapping[str, Any]) -> dict[str, float]:
    """The bases that version 5 writes, by the type of layer."""
    bases = {}
    for name, rotation in (settings.get("rope_parameters") or {}).items():
        if rotation is not None and name in (GLOBAL, LOCAL):
            if rotation.get("rope_type", "default") != "default":
                raise ConfigError(
                    f"config.json: rope_type = {rotation['rope_type']!r} is not supported"
                )
            bases[name] = rotation["rope_theta"]
    return bases


@dataclass(frozen=True, eq=False)
class Rotation:
    """What turns queries and keys by their tokens' places: cosines and sines, [*, 1, head size / 2]."""

    cosines: Tensor
    sines: Tensor

    @classmethod
    def of(cls, places: Tensor, base: float, size: int, dtype: torch.dtype) -> Rotation:
        """In single precision, as published; `places` broadcasts to [*]."""
        exponents = torch.arange(0, size, 2, dtype=torch.float, device=places.device) / size
        angles = (places[..., None].float() * (1.0 / base**exponents))[..., None, :]
        return cls(angles.cos().to(dtype), angles.sin().to(dtype))

    def at(self, places: Tensor) -> Rotation:
        """Of some tokens of a packed batch."""
        return Rotation(self.cosines[places], self.sines[places])

    def __call__(self, states: Tensor) -> Tensor:
        """Queries or keys, [*, heads, head size]; each half of a head turns with the other."""
        first, second = states.chunk(2, -1)
        cosines, sines = self.cosines, self.sines
        return torch.cat((first * cosines - second * sines, second * cosines + first * sines), -1)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What all layers of one kind share: their rotation and, if they are local, who is near whom.

    That is said by `neighbours`; or, where sequences are short, by a `band` of all pairs, if not all
    are near.
    """

    rotation: Rotation
    neighbours: Neighbours | None = None
    band: Band | None = None


class RotaryAttention(nn.Module):
    """Attention to the whole sequence or to the near tokens, after a norm that the first layer lacks."""

    def __init__(self, config: ModernBertConfig, number: int) -> None:
        super().__init__()
        size = config.hidden_size
        self.head_size = size // config.heads
        self.attention_dropout = config.attention_dropout
        self.attention_type = config.attention_types[number]
        self.reach = config.reach if self.attention_type == LOCAL else None
        self.norm = _norm(config) if number else nn.Identity()
        self.qkv = nn.Linear(size, 3 * size, bias=False)
        self.output = ResidualOutput(size, size, layers=config.layers)
        self.dropout = Dropout(config.attention_dropout)

    def forward(
        self,
        hidden: Tensor,
        layout: Attending,
        rows: Tensor | None = None,
        *,
        surroundings: Mapping[str, Surroundings],
    ) -> Tensor:
        """[*, hidden size] to the same; or only of these `rows`, the active ones, which look at all."""
        around = surroundings[self.attention_type]
        query, key, value = self.projected(hidden, rows)
        turned = around.rotation
        if rows is not None:
            assert isinstance(layout, ActiveTokens)
            turned = turned.at(layout.places)
        query, key = turned(query), around.rotation(key)
        dropout = self.attention_dropout if self.training else 0.0
        if around.neighbours is None:
            mixed = layout.attend(query, key, value, dropout, around.band)
        elif isinstance(layout, ActiveTokens):
            # The others' queries are nothing, and what they find is left: attention is the least work.
            everywhere = torch.zeros_like(key).index_copy(0, layout.places, query)
            mixed = around.neighbours.attend(everywhere, key, value, dropout)[layout.places]
        else:
            mixed = around.neighbours.attend(query, key, value, dropout)
        output: Tensor = self.dropout(self.output(mixed.flatten(-2)))
        return (hidden if rows is None else rows) + output

    def projected(self, hidden: Tensor, rows: Tensor | None = None) -> tuple[Tensor, ...]:
        """Queries, keys and values, [*, heads, head size] each; queries of the `rows` only, if given."""
        normed = self.norm(hidden)
        leading, heads = hidden.shape[:-1], (-1, self.head_size)
        if rows is None:
            together: Tensor = self.qkv(normed)
            return together.view(*leading, 3, *heads).unbind(-3)
        size = hidden.shape[-1]
        query = linear(self.norm(rows), self.qkv.weight[:size])
        pair = linear(normed, self.qkv.weight[size:])
        return query.view(len(rows), *heads), *pair.view(*leading, 2, *heads).unbind(-3)

    def flops(self, length: int) -> int:
        """Of one sequence: queries with the keys within reach, and weights with values."""
        keys = length if self.reach is None else min(length, 2 * self.reach + 1)
        return 4 * length * keys * self.output.in_features


class GatedFeedForward(nn.Module):
    """Up to twice the width; one half, activated, times the other; and down."""

    def __init__(self, config: ModernBertConfig) -> None:
        super().__init__()
        self.activation = activation(config.activation)
        self.norm = _norm(config)
        self.up = nn.Linear(config.hidden_size, 2 * config.feed_forward_size, bias=False)
        self.down = ResidualOutput(
            config.feed_forward_size, config.hidden_size, layers=config.layers
        )
        self.dropout = Dropout(config.dropout)

    def forward(self, hidden: Tensor) -> Tensor:
        """[*, hidden size] to the same."""
        inner, gate = self.up(self.norm(hidden)).chunk(2, -1)
        output: Tensor = self.down(self.dropout(self.activation(inner) * gate))
        return hidden + output


class ModernBertStack(Stack):
    """Its layers, and a norm after them."""

    any_order = False

    def __init__(self, config: ModernBertConfig) -> None:
        super().__init__(
            config,
            [(layer, layer) for layer in range(config.layers)],
            attention=RotaryAttention,
            feed_forward=GatedFeedForward,
            norm=_norm(config),
        )
        self.config = config

    def around(self, hidden: Tensor, layout: Layout) -> Mapping[str, Any]:
        """What the layers of each kind share."""
        config, places, reach = self.config, layout.positions(), self.config.reach
        size, dtype = config.hidden_size // config.heads, hidden.dtype
        bases = {GLOBAL: config.global_base, LOCAL: config.local_base}
        surroundings = {}
        for type in {*config.attention_types}:
            rotation = Rotation.of(places, bases[type], size, dtype)
            if type == GLOBAL or layout.longest <= reach + 1:
                surroundings[type] = Surroundings(rotation)
            elif layout.longest <= SHORT * reach and not layout.has_padding:
                surroundings[type] = Surroundings(rotation, band=Band(reach))
            else:
                near = Neighbours.of(layout.sequences(), reach)
                surroundings[type] = Surroundings(rotation, near)
        return {"surroundings": surroundings}


def _norm(config: ModernBertConfig) -> nn.LayerNorm:
    return nn.LayerNorm(config.hidden_size, eps=config.norm_epsilon, bias=False)


def modernbert(config: ModernBertConfig, pooler: bool) -> Encoder:
    """Words alone for embeddings: positions are in the layers."""
    if pooler:
        raise ConfigError("ModernBERT has no pooler")
    embeddings = Embeddings(
        config, projection=False, segments=False, positions=False, norm_bias=False
    )
    embeddings.dropout.p = config.embedding_dropout
    return Encoder(config, embeddings, ModernBertStack(config), pooler=False)


class Transform(nn.Module):
    """What every head of ModernBERT does first: a layer of its own, an activation and a norm."""

    def __init__(self, config: ModernBertConfig) -> None:
        super().__init__()
        self.activation: Callable[[Tensor], Tensor] = activation(config.classifier_activation)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size, bias=False)
        self.norm = _norm(config)

    def forward(self, states: Tensor) -> Tensor:
        """[*, hidden size] to the same."""
        normed: Tensor = self.norm(self.activation(self.dense(states)))
        return normed


def _classifier(config: ModernBertConfig, labels: int, of: Source) -> Head:
    return Classification(
        config.hidden_size, labels, of=of, dropout=config.head_dropout, inner=Transform(config)
    )


_LAYER = "model.layers.{layer}."
_ATTENTION, _FEED_FORWARD = (
    f"encoder.stack.{part}.{{layer}}." for part in ("attentions", "feed_forwards")
)
_BODY: tuple[Row, ...] = (
    ("encoder.embeddings.words", "model.embeddings.tok_embeddings"),
    ("encoder.embeddings.norm", "model.embeddings.norm"),
    (_ATTENTION + "norm", _LAYER + "attn_norm"),
    (_ATTENTION + "qkv", _LAYER + "attn.Wqkv"),
    (_ATTENTION + "output", _LAYER + "attn.Wo"),
    (_FEED_FORWARD + "norm", _LAYER + "mlp_norm"),
    (_FEED_FORWARD + "up", _LAYER + "mlp.Wi"),
    (_FEED_FORWARD + "down", _LAYER + "mlp.Wo"),
    ("encoder.stack.norm", "model.final_norm"),
)
_HEADS: dict[str, tuple[Row, ...]] = {
    **{
        head: (
            (f"heads.{head}.inner.dense", "head.dense"),
            (f"heads.{head}.inner.norm", "head.norm"),
            (f"heads.{head}.classifier", "classifier"),
        )
        for head in ("tokens", "sequence", "choice", "span")
    },
    "answerable": (("heads.answerable.classifier", "answerable"),),
    "mlm": (
        ("heads.mlm.bias", "decoder.bias"),
        ("heads.mlm.dense", "head.dense"),
        ("heads.mlm.norm", "head.norm"),
    ),
}

MODERNBERT = Family(
    name="modernbert",
    prefix="model.",
    config=ModernBertConfig,
    encoder=modernbert,
    heads={
        "tokens": lambda c, labels: _classifier(c, labels, "hidden"),
        "sequence": lambda c, labels: _classifier(c, labels, POOLING[c.pooling]),
        "choice": lambda c, _: _classifier(c, 1, POOLING[c.pooling]),
        "span": lambda c, _: Span(c.hidden_size, dropout=c.head_dropout, inner=Transform(c)),
        "answerable": TOKEN_HEADS["answerable"],
        "mlm": lambda c, _: MaskedLanguage(
            c, activation(c.classifier_activation), inner=c.hidden_size, inner_bias=False
        ),
    },
    architectures={
        "ModernBertModel": (),
        "ModernBertForTokenClassification": ("tokens",),
        "ModernBertForSequenceClassification": ("sequence",),
        "ModernBertForMultipleChoice": ("choice",),
        "ModernBertForQuestionAnswering": ("span",),
        "ModernBertForMaskedLM": ("mlm",),
    },
    body=_BODY,
    head_names=_HEADS,
    aliases={"mlm": (("encoder.embeddings.words.weight", "decoder.weight"),)},
    counts=each_layer,
    carried=("inner.",),
)
