"""The one set of layers that all Transformer families are composed of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from torch import Tensor, nn
from torch.nn import functional

from incognote.workshop.encoders.config import EncoderConfig
from incognote.workshop.encoders.dropout import Dropout
from incognote.workshop.encoders.layout import ActiveTokens, Attending, Layout


class Embeddings(nn.Module):
    """The sum of three rows, normed; `projection` is the E → H matrix of a factorized embedding.

    Of fewer rows, where a family has no `segments` or no `positions`.
    """

    def __init__(
        self,
        config: EncoderConfig,
        *,
        projection: bool,
        pad_position: int | None = None,
        segments: bool = True,
        positions: bool = True,
        norm_bias: bool = True,
    ) -> None:
        super().__init__()
        size = config.embedding_size
        self.words = nn.Embedding(config.vocabulary_size, size, padding_idx=config.pad_id)
        self.positions = (
            nn.Embedding(config.positions, size, padding_idx=pad_position) if positions else None
        )
        self.segments = nn.Embedding(config.segments, size) if segments else None
        self.norm = nn.LayerNorm(size, eps=config.norm_epsilon, bias=norm_bias)
        self.dropout = Dropout(config.dropout)
        self.projection = nn.Linear(size, config.hidden_size) if projection else None

    def forward(
        self,
        ids: Tensor,
        positions: Tensor,
        segments: Tensor | None,
        added: Tensor | None = None,
    ) -> Tensor:
        """Ids and segments [*], positions that broadcast to them; to [*, hidden size].

        `added` [*, embedding size] is summed with the rows.
        """
        words = self.words(ids) if added is None else self.words(ids) + added
        if self.segments is not None:
            rows = self.segments.weight[0] if segments is None else self.segments(segments)
            words = words + rows
        if self.positions is not None:
            words = words + self.positions(positions)
        embedded: Tensor = self.dropout(self.norm(words))
        return embedded if self.projection is None else self.projection(embedded)


class SelfAttention(nn.Module):
    """Every token looks at every token of its sequence; the norm comes after the residual."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        size = config.hidden_size
        self.head_size = size // config.heads
        self.attention_dropout = config.attention_dropout
        self.query = nn.Linear(size, size)
        self.key = nn.Linear(size, size)
        self.value = nn.Linear(size, size)
        self.output = nn.Linear(size, size)
        self.dropout = Dropout(config.dropout)
        self.norm = nn.LayerNorm(size, eps=config.norm_epsilon)

    def forward(self, hidden: Tensor, layout: Attending, rows: Tensor | None = None) -> Tensor:
        """[*, hidden size] to the same; or only of these `rows`, which look at all."""
        rows = hidden if rows is None else rows
        query, key, value = (
            project(states).unflatten(-1, (-1, self.head_size))  # [*, heads, head size]
            for project, states in ((self.query, rows), (self.key, hidden), (self.value, hidden))
        )
        dropout = self.attention_dropout if self.training else 0.0
        mixed = layout.attend(query, key, value, dropout).flatten(-2)  # [*, hidden size]
        normed: Tensor = self.norm(rows + self.dropout(self.output(mixed)))
        return normed

    def flops(self, length: int) -> int:
        """Of one sequence: queries with keys, and weights with values."""
        return 4 * length**2 * self.output.in_features


_TANH_GELU = partial(functional.gelu, approximate="tanh")
_FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "gelu_new": _TANH_GELU,
    "gelu_pytorch_tanh": _TANH_GELU,
    "relu": functional.relu,
    "silu": functional.silu,
    "swish": functional.silu,
}


def activation(name: str) -> Callable[[Tensor], Tensor]:
    """The function of that name; the approximations of GELU by tanh are one function, and so are
    SiLU and swish.
    """
    return _FUNCTIONS[name]


class FeedForward(nn.Module):
    """Up, activation, down; dropout is applied in every family, as the papers' code does."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.activation = activation(config.activation)
        self.up = nn.Linear(config.hidden_size, config.feed_forward_size)
        self.down = nn.Linear(config.feed_forward_size, config.hidden_size)
        self.dropout = Dropout(config.dropout)
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.norm_epsilon)

    def forward(self, hidden: Tensor) -> Tensor:
        """[*, hidden size] to the same."""
        inner = self.down(self.activation(self.up(hidden)))
        normed: Tensor = self.norm(hidden + self.dropout(inner))
        return normed


class ResidualOutput(nn.Linear):
    """The last matrix before a residual, without a bias: it begins the smaller, the more layers add up."""

    def __init__(self, inputs: int, outputs: int, *, layers: int) -> None:
        super().__init__(inputs, outputs, bias=False)
        self.beginning = (2 * layers) ** -0.5


class Stack(nn.Module):
    """`order` names, for each layer, which attention and which feed-forward it uses.

    BERT's order is (0, 0), (1, 1), …; a fully shared ALBERT's is (0, 0) for every layer. A family of
    other layers says how to build each attention, by its number, and each feed-forward; it may have
    a norm after the last layer, and something that is `around` all of them. `any_order`: whether layers
    give a token the same states in whatever order the others are.
    """

    any_order: ClassVar[bool] = True

    def __init__(
        self,
        config: Any,
        order: Sequence[tuple[int, int]],
        *,
        attention: Callable[[Any, int], nn.Module] = lambda config, _: SelfAttention(config),
        feed_forward: Callable[[Any], nn.Module] = lambda config: FeedForward(config),
        norm: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.order = tuple(order)
        attentions = 1 + max(attention for attention, _ in self.order)
        feed_forwards = 1 + max(feed_forward for _, feed_forward in self.order)
        self.attentions = nn.ModuleList(attention(config, number) for number in range(attentions))
        self.feed_forwards = nn.ModuleList(feed_forward(config) for _ in range(feed_forwards))
        self.norm = norm or nn.Identity()

    def around(self, hidden: Tensor, layout: Layout) -> Mapping[str, Any]:
        """What every attention is given besides, computed once for all layers."""
        return {}

    def forward(
        self,
        hidden: Tensor,
        layout: Layout,
        states: list[Tensor] | None = None,
        *,
        layers: int | None = None,
    ) -> Tensor:
        """[*, hidden size] to the same; the output of every layer is added to `states`.

        Only the first `layers` are run, if they are given.
        """
        around = self.around(hidden, layout)
        for done, (attention, feed_forward) in enumerate(self.order[:layers], start=1):
            hidden = self.attentions[attention](hidden, layout, **around)
            hidden = self.feed_forwards[feed_forward](hidden)
            if done == len(self.order):
                hidden = self.norm(hidden)
            if states is not None:
                states.append(hidden)
        return hidden

    def forward_active(self, hidden: Tensor, active: ActiveTokens, *, begin: int) -> Tensor:
        """The last states of the active tokens, [active, hidden size]; `begin` layers have been run."""
        around = self.around(hidden, active.whole)
        rows = hidden[active.places]
        for number, (attention, feed_forward) in enumerate(self.order[begin:]):
            if number:
                hidden = hidden.index_copy(0, active.places, rows)
            rows = self.attentions[attention](hidden, active, rows, **around)
            rows = self.feed_forwards[feed_forward](rows)
        normed: Tensor = self.norm(rows)
        return normed
