"""The model of a run: an encoder with its classifier, and what else was chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from incognote.align.decode import Transitions
from incognote.align.shapes import FEATURES, ROWS
from incognote.align.tags import Labels
from incognote.encoders.model import Model
from incognote.finetune.crf import Crf
from incognote.training.dropout import set_dropout
from incognote.training.errors import TrainError


class ShapeEmbedding(nn.Module):
    """A vector for each value of each shape feature, summed; all begin at 0 and change nothing."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.rows = nn.Embedding(ROWS, size)
        nn.init.zeros_(self.rows.weight)

    def forward(self, shapes: Tensor) -> Tensor:
        """[*, features] to [*, size]."""
        # As one multiplication: the sum of six rows without six vectors for each piece.
        hot = torch.zeros(
            *shapes.shape[:-1], ROWS, dtype=self.rows.weight.dtype, device=shapes.device
        )
        return hot.scatter_(-1, shapes, 1.0) @ self.rows.weight


class Tagger(nn.Module):
    """Logits for every piece; `shape` and `crf` are None where not chosen.

    The encoder and its classifier are a plain model in `self.model`, saved as others read it.
    """

    def __init__(self, model: Model, *, shape: bool, crf: bool) -> None:
        super().__init__()
        self.model = model
        self.labels = Labels(model.labels)
        width = getattr(model.config, "embedding_size", None)
        if shape and width is None:
            raise TrainError("this encoder reads characters itself and takes no word shapes")
        self.shape = ShapeEmbedding(width) if shape and width else None
        self.crf = Crf(self.labels) if crf else None

    def forward(
        self,
        ids: Tensor,
        *,
        lengths: Sequence[int] | None = None,
        mask: Tensor | None = None,
        segments: Tensor | None = None,
        shapes: Tensor | None = None,
    ) -> Tensor:
        """Logits [*, labels] of a batch that is packed (lengths) or padded (mask)."""
        more = {}
        if self.shape is not None:
            if shapes is None or shapes.shape[-1] != len(FEATURES):
                raise TrainError("this model takes the shapes of pieces")
            more["added"] = self.shape(shapes)
        logits: Tensor = self.model(ids, lengths=lengths, mask=mask, segments=segments, **more)[
            "tokens"
        ]
        return logits

    def go_on_from(self, learned: Mapping[str, Tensor]) -> None:
        """Take the word shapes and the CRF of an earlier model, as far as this one has them."""
        own = self.state_dict()
        self.load_state_dict({k: v for k, v in learned.items() if k in own}, strict=False)

    @property
    def transitions(self) -> Transitions:
        """The CRF's, or only what BIO allows."""
        return Transitions.valid(self.labels) if self.crf is None else self.crf.transitions()

    def set_dropout(self, share: float | None, attention: float | None) -> None:
        """Change the dropout of hidden states and of attention weights; None leaves it."""
        set_dropout(self, share, attention)
