"""The feed-forward half of a layer, with its residual and norm."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from torch import Tensor, nn
from torch.nn import functional

from incognote.workshop.encoders.config import EncoderConfig
from incognote.workshop.encoders.layers.dropout import Dropout

_TANH_GELU = partial(functional.gelu, approximate="tanh")
_FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "gelu_new": _TANH_GELU,
    "gelu_pytorch_tanh": _TANH_GELU,
    "relu": functional.relu,
}


def activation(name: str) -> Callable[[Tensor], Tensor]:
    """The function of that name; both tanh approximations of GELU are one function."""
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
