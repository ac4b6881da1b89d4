"""An LSTM whose output is projected and whose values are clipped, over packed sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from incognote.workshop.encoders.elmo.config import ElmoConfig


class State(NamedTuple):
    """What an LSTM carries on, for each sequence: [batch, projection size], [batch, cell size]."""

    output: Tensor
    cell: Tensor


@dataclass(frozen=True)
class Steps:
    """The order in which packed sequences are read, one word of each at a step.

    order: [words], the words' places by step; running: how many sequences have a word at each
    step. Longer sequences come first, so those that run are the first ones; by_length: which.
    """

    order: Tensor
    back: Tensor
    running: tuple[int, ...]
    by_length: Tensor

    @classmethod
    def of(cls, lengths: Sequence[int], *, backward: bool, device: torch.device) -> Steps:
        """For sequences end to end, read from the first word or from the last."""
        sizes = torch.tensor(lengths)
        starts = sizes.cumsum(0) - sizes
        by_length = sizes.argsort(descending=True, stable=True)
        sizes, starts = sizes[by_length], starts[by_length]
        step = torch.arange(int(sizes[0]))[:, None]
        runs = step < sizes  # [steps, batch]
        places = starts + (sizes - 1 - step if backward else step)
        order = places[runs]
        return cls(
            order.to(device),
            order.argsort().to(device),
            tuple(runs.sum(1).tolist()),
            by_length.to(device),
        )


class ClippedLstm(nn.Module):
    """One layer in one direction. Gates stand in the original's order: input, new, forget, output."""

    def __init__(self, config: ElmoConfig) -> None:
        super().__init__()
        self.cell_clip, self.output_clip = config.cell_clip, config.projection_clip
        self.cell_size = config.cell_size
        size, gates = config.projection_size, 4 * config.cell_size
        self.input = nn.Linear(size, gates)
        self.recurrent = nn.Linear(size, gates, bias=False)
        self.projection = nn.Linear(config.cell_size, size, bias=False)

    def forward(
        self, words: Tensor, steps: Steps, state: State | None = None
    ) -> tuple[Tensor, State]:
        """[words, projection size] to the same, and the state after each sequence."""
        batch = steps.running[0]
        if state is None:
            output = words.new_zeros(batch, words.shape[-1])
            cell = words.new_zeros(batch, self.cell_size)
        else:
            output, cell = state.output[steps.by_length], state.cell[steps.by_length]
        found, ended = [], []
        for gates in self.input(words)[steps.order].split(steps.running):
            if len(gates) < len(output):
                ended.append(State(output[len(gates) :], cell[len(gates) :]))
                output, cell = output[: len(gates)], cell[: len(gates)]
            output, cell = self._step(gates + self.recurrent(output), cell)
            found.append(output)
        ended.append(State(output, cell))
        back = steps.by_length.argsort()
        last = State(
            *(torch.cat(values[::-1])[back] for values in zip(*ended, strict=True)),
        )
        return torch.cat(found)[steps.back], last

    def _step(self, gates: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """Gates [running, 4 · cell size]; the forget gate is open by 1 more than its weights say."""
        enter, new, forget, leave = gates.chunk(4, dim=-1)
        cell = torch.sigmoid(forget + 1) * cell + torch.sigmoid(enter) * torch.tanh(new)
        cell = cell.clamp(-self.cell_clip, self.cell_clip)
        output = self.projection(torch.sigmoid(leave) * torch.tanh(cell))
        return output.clamp(-self.output_clip, self.output_clip), cell
