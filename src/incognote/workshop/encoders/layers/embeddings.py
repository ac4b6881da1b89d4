"""Word, position and segment embeddings, projected to the hidden size where they are narrower."""

from __future__ import annotations

from torch import Tensor, nn

from incognote.workshop.encoders.config import EncoderConfig
from incognote.workshop.encoders.layers.dropout import Dropout


class Embeddings(nn.Module):
    """The sum of three rows, normed; `projection` is the E → H matrix of a factorized embedding.

    Of two rows, where a family has no `segments`.
    """

    def __init__(
        self,
        config: EncoderConfig,
        *,
        projection: bool,
        pad_position: int | None = None,
        segments: bool = True,
    ) -> None:
        super().__init__()
        size = config.embedding_size
        self.words = nn.Embedding(config.vocabulary_size, size, padding_idx=config.pad_id)
        self.positions = nn.Embedding(config.positions, size, padding_idx=pad_position)
        self.segments = nn.Embedding(config.segments, size) if segments else None
        self.norm = nn.LayerNorm(size, eps=config.norm_epsilon)
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
        embedded: Tensor = self.dropout(self.norm(words + self.positions(positions)))
        return embedded if self.projection is None else self.projection(embedded)
