"""The model of a run: an encoder with its classifier, and what else was chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from incognote.align.decode import Transitions
from incognote.align.joining import NOTHING, OTHERS
from incognote.align.shapes import FEATURES, ROWS
from incognote.align.tags import Labels
from incognote.base.errors import TrainError
from incognote.workshop.encoders.encoder import Encoded, Encoder
from incognote.workshop.encoders.layout import ActiveTokens, layout_of
from incognote.workshop.encoders.model import Model
from incognote.workshop.finetune.crf import Crf
from incognote.workshop.finetune.settling import CERTAIN, Settling


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


class OtherPieces(nn.Module):
    """What the later pieces of a unit add to its first: their words, by weights for each place."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.gains = nn.Parameter(torch.ones(OTHERS, size))

    def forward(self, others: Tensor, words: Tensor) -> Tensor:
        """[*, others], NOTHING where none is, and the words' table to [*, size]."""
        flat = others.flatten(0, -2)
        unit, place = (flat != NOTHING).nonzero(as_tuple=True)
        rows = embedding(flat[unit, place], words) * self.gains[place]
        added = rows.new_zeros(len(flat), rows.shape[-1]).index_add(0, unit, rows)
        return added.view(*others.shape[:-1], -1)


class Tagger(nn.Module):
    """Logits for every unit; `shape`, `others`, `crf` and `settling` are None where not chosen.

    The encoder and its classifier are a plain model in `self.model`, saved as others read it.
    """

    def __init__(
        self,
        model: Model,
        *,
        shape: bool,
        crf: bool,
        settle: int | None = None,
        join: bool = False,
    ) -> None:
        super().__init__()
        self.model = model
        self.labels = Labels(model.labels)
        width = getattr(model.config, "embedding_size", None)
        if (shape or join) and width is None:
            raise TrainError("this encoder reads characters: leave out --shape and --join")
        self.shape = ShapeEmbedding(width) if shape and width else None
        self.others = OtherPieces(width) if join and width else None
        self.crf = Crf(self.labels) if crf else None
        self.settling = _settling(model, settle) if settle else None

    def forward(
        self,
        ids: Tensor,
        *,
        lengths: Sequence[int] | None = None,
        mask: Tensor | None = None,
        segments: Tensor | None = None,
        shapes: Tensor | None = None,
        others: Tensor | None = None,
    ) -> Tensor:
        """Logits [*, labels] of a batch that is packed (lengths) or padded (mask)."""
        if self.settling is not None:
            if lengths is None:
                raise TrainError("a model with early exit takes packed batches")
            return self.judged(ids, lengths, segments=segments, shapes=shapes, others=others)[0]
        added = self._added(shapes, others)
        more = {} if added is None else {"added": added}
        logits: Tensor = self.model(ids, lengths=lengths, mask=mask, segments=segments, **more)[
            "tokens"
        ]
        return logits

    def judged(
        self,
        ids: Tensor,
        lengths: Sequence[int],
        *,
        segments: Tensor | None = None,
        shapes: Tensor | None = None,
        others: Tensor | None = None,
        doubtful: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Logits of a packed batch where pieces are settled, and the doubt of each, [pieces].

        Those that are known to be `doubtful` [pieces] are read on in any case.
        """
        settling, encoder = self.settling, self.model.encoder
        assert settling is not None
        assert isinstance(encoder, Encoder)
        layout = layout_of(ids, None, lengths)
        hidden = encoder.embedded(ids, layout, segments, self._added(shapes, others))
        hidden = encoder.stack(hidden, layout, layers=settling.after)
        doubts = settling(hidden)
        reads = doubts.detach() > 0
        reads[torch.tensor((0, *lengths[:-1])).cumsum(0)] = True
        if doubtful is not None:
            reads |= doubtful
        active = ActiveTokens.of(lengths, reads.nonzero()[:, 0])
        rows = encoder.stack.forward_active(hidden, active, begin=settling.after)
        found = self.model.heads["tokens"](Encoded(rows, active.layout))
        logits = found.new_zeros(len(ids), found.shape[-1])
        logits[:, self.labels.outside] = CERTAIN - doubts.detach().to(found.dtype)
        return logits.index_copy(0, active.places, found), doubts

    def _added(self, shapes: Tensor | None, others: Tensor | None) -> Tensor | None:
        """What is known of units besides their first piece."""
        rows: Tensor | None = None
        if self.shape is not None:
            if shapes is None or shapes.shape[-1] != len(FEATURES):
                raise TrainError("this model takes the shapes of tokens")
            rows = self.shape(shapes)
        if self.others is not None:
            if others is None:
                raise TrainError("this model takes merged tokens")
            joined: Tensor = self.others(others, self.model.encoder.words)
            rows = joined if rows is None else rows + joined
        return rows

    def go_on_from(self, learned: Mapping[str, Tensor]) -> None:
        """Take the shapes, joining, CRF and settling of an earlier model, as far as this one has them."""
        own = self.state_dict()
        self.load_state_dict({k: v for k, v in learned.items() if k in own}, strict=False)

    @property
    def transitions(self) -> Transitions:
        """The CRF's, or only what BIO allows."""
        return Transitions.valid(self.labels) if self.crf is None else self.crf.transitions()


def _settling(model: Model, after: int) -> Settling:
    if not isinstance(model.encoder, Encoder):
        raise TrainError(f"{model.family.name} has no early exit: leave out --settle")
    layers = len(model.encoder.stack.order)
    if not 1 <= after < layers:
        raise TrainError(
            f"early exit (--settle) is possible after layer 1 to {layers - 1}, not {after}"
        )
    return Settling(model.config.hidden_size, after)
