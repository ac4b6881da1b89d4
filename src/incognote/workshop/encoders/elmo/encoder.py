"""ELMo: from characters to words' vectors in context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from incognote.workshop.encoders.elmo.config import ElmoConfig
from incognote.workshop.encoders.elmo.lstm import ClippedLstm, State, Steps
from incognote.workshop.encoders.elmo.words import CharacterWords
from incognote.workshop.encoders.encoder import Encoded, check_rows
from incognote.workshop.encoders.errors import ConfigError, InputError
from incognote.workshop.encoders.layers import Packed, Padded, layout_of


@dataclass(frozen=True)
class ElmoEncoded(Encoded):
    """carried: the state after each sequence, by layer, forward then backward."""

    carried: tuple[State, ...] = ()


class ScalarMix(nn.Module):
    """γ · Σ softmax(w)ₖ hₖ: the layers as a task wants them, learned with it."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(layers))
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, states: Sequence[Tensor]) -> Tensor:
        """Layers of one shape to that shape."""
        shares = self.weights.softmax(0)
        mixed = torch.stack(
            [share * state for share, state in zip(shares, states, strict=True)]
        ).sum(0)
        return self.scale * mixed


class Elmo(nn.Module):
    """Words from characters, layers of two LSTMs (forward, backward), and their mix."""

    def __init__(self, config: ElmoConfig, pooler: bool) -> None:
        super().__init__()
        if pooler:
            raise ConfigError("ELMo has no pooler")
        self.config = config
        self.words = CharacterWords(config)
        self.forward_layers = nn.ModuleList(ClippedLstm(config) for _ in range(config.layers))
        self.backward_layers = nn.ModuleList(ClippedLstm(config) for _ in range(config.layers))
        self.mix = ScalarMix(config.layers + 1)
        # Of what a layer reads, also by its residual, in pretraining; none unless it is asked for.
        self.dropout = nn.Dropout(0.0)

    def forward(
        self,
        ids: Tensor,
        *,
        segments: Tensor | None = None,
        mask: Tensor | None = None,
        lengths: Sequence[int] | None = None,
        states: bool = False,
        carried: Sequence[State] = (),
    ) -> ElmoEncoded:
        """Characters [batch, words, characters per word] with a mask [batch, words], or packed.

        Packed characters are [words, characters per word]. A sentence has its boundaries with it
        (`tokenization.characters`). Segments mean nothing here. `carried` is what the batch before
        gave, so that a text is read on; without it each sequence begins anew.
        """
        if ids.shape[-1] != self.config.characters_per_word:
            raise InputError(
                f"a word has {ids.shape[-1]} characters, not {self.config.characters_per_word}"
            )
        layout = layout_of(ids[..., 0], mask, lengths)
        check_rows("character", ids, self.config.characters)
        real = layout.mask if isinstance(layout, Padded) else None
        if isinstance(layout, Packed):
            sizes, flat = list(layout.lengths), ids
        elif real is None:
            sizes, flat = [ids.shape[1]] * ids.shape[0], ids.flatten(0, 1)
        else:
            sizes, flat = real.sum(1).tolist(), ids[real]
        layers, ends = self._run(flat, sizes, carried)
        if real is not None:
            layers = [_placed(layer, real) for layer in layers]
        elif not isinstance(layout, Packed):
            layers = [layer.view(*ids.shape[:2], -1) for layer in layers]
        return ElmoEncoded(
            self.mix(layers), layout, states=tuple(layers) if states else (), carried=tuple(ends)
        )

    def _run(
        self, ids: Tensor, lengths: Sequence[int], carried: Sequence[State]
    ) -> tuple[list[Tensor], list[State]]:
        """Packed characters to every layer, [words, hidden size], and the states at the end."""
        steps = [Steps.of(lengths, backward=b, device=ids.device) for b in (False, True)]
        words = self.words(ids)
        directions = [words, words]
        layers = [torch.cat(directions, dim=-1)]
        ends: list[State] = []
        for number, pair in enumerate(zip(self.forward_layers, self.backward_layers, strict=True)):
            for direction, lstm in enumerate(pair):
                begun = carried[len(ends)] if carried else None
                below = self.dropout(directions[direction])
                read, end = lstm(below, steps[direction], begun)
                # The residual begins with the second layer.
                directions[direction] = read + below if number else read
                ends.append(end)
            layers.append(torch.cat(directions, dim=-1))
        return layers, ends


def _placed(words: Tensor, real: Tensor) -> Tensor:
    """[words, size] to [batch, length, size], zero at padding."""
    padded = words.new_zeros(*real.shape, words.shape[-1])
    padded[real] = words
    return padded
