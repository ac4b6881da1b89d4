"""A word's vector from its characters."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from incognote.workshop.encoders.elmo.config import ElmoConfig


class Highway(nn.Module):
    """A layer that a gate may pass by; the gate opens to the layer, as in the original."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.transform = nn.Linear(size, size)
        self.gate = nn.Linear(size, size)

    def forward(self, vectors: Tensor) -> Tensor:
        """[words, size] to the same."""
        gate = torch.sigmoid(self.gate(vectors))
        return gate * torch.relu(self.transform(vectors)) + (1 - gate) * vectors


class CharacterWords(nn.Module):
    """Characters, convolutions of several widths, highways, projection."""

    def __init__(self, config: ElmoConfig) -> None:
        super().__init__()
        size = sum(count for _, count in config.filters)
        self.characters = nn.Embedding(config.characters, config.character_size, padding_idx=0)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(config.character_size, count, width) for width, count in config.filters
        )
        self.activation = torch.relu if config.activation == "relu" else torch.tanh
        self.highways = nn.ModuleList(Highway(size) for _ in range(config.highways))
        self.projection = nn.Linear(size, config.projection_size)

    def forward(self, ids: Tensor) -> Tensor:
        """[words, characters per word] to [words, projection size]."""
        characters = self.characters(ids).transpose(1, 2)  # [words, character size, characters]
        found = [
            self.activation(convolution(characters).amax(-1)) for convolution in self.convolutions
        ]
        vectors = torch.cat(found, dim=-1)
        for highway in self.highways:
            vectors = highway(vectors)
        projected: Tensor = self.projection(vectors)
        return projected
