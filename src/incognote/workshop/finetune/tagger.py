"""The model of a run: an encoder with its classifier, and a word-shape input, merged tokens, a CRF and
an early exit where these were chosen.

Early exit is less work for the same answer. After some layers a small network gives each token a doubt.
Doubtful ones go on through all layers; the others, surely no identifiers, are read no further. They
stay as they are, for the doubtful to look at, and are given to the CRF as what they surely are. Most
tokens of a note are, so most of the later layers' work is saved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, embedding

from incognote.align.decode import Transitions, allowed, may_start
from incognote.align.joined_tokens import NOTHING, OTHERS
from incognote.align.shapes import FEATURES, ROWS
from incognote.align.tags import Labels
from incognote.base.errors import TrainError
from incognote.workshop.encoders.encoder import Encoded, Encoder
from incognote.workshop.encoders.layout import ActiveTokens, layout_of
from incognote.workshop.encoders.model import Model

EXIT_WIDTH = 64
CERTAIN = 16.0
"""The score of O, above that of all others, where a token just exits early; more where it is surer."""

MISS_WEIGHT = 50.0
"""How much worse it is to let a token of an identifier exit early than to read on in vain."""

EXIT_SHARE = 0.1
"""Of the early exit's loss in that of a run."""


class Tagger(nn.Module):
    """Logits for every token; `shape`, `others`, `crf` and `settling` are None where not chosen.

    The encoder and its classifier are a plain model in `self.model`, saved as others read it. The names
    of the others are those of their tensors in checkpoints: `settling` is the early exit.
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
            raise TrainError("this encoder reads words: leave out --shape and --join")
        self.shape = ShapeEmbedding(width) if shape and width else None
        self.others = OtherTokens(width) if join and width else None
        self.crf = Crf(self.labels) if crf else None
        self.settling = _early_exit(model, settle) if settle else None

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
            return self.logits_and_doubts(
                ids, lengths, segments=segments, shapes=shapes, others=others
            )[0]
        added = self._added(shapes, others)
        more = {} if added is None else {"added": added}
        logits: Tensor = self.model(ids, lengths=lengths, mask=mask, segments=segments, **more)[
            "tokens"
        ]
        return logits

    def logits_and_doubts(
        self,
        ids: Tensor,
        lengths: Sequence[int],
        *,
        segments: Tensor | None = None,
        shapes: Tensor | None = None,
        others: Tensor | None = None,
        doubtful: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Logits of a packed batch whose certain tokens exit early, and the doubt of each, [tokens].

        Those that are known to be `doubtful` [tokens] are read on in any case.
        """
        early_exit, encoder = self.settling, self.model.encoder
        assert early_exit is not None
        assert isinstance(encoder, Encoder)
        layout = layout_of(ids, None, lengths)
        hidden = encoder.embedded(ids, layout, segments, self._added(shapes, others))
        hidden = encoder.stack(hidden, layout, layers=early_exit.after)
        doubts = early_exit(hidden)
        reads = doubts.detach() > 0
        reads[torch.tensor((0, *lengths[:-1])).cumsum(0)] = True
        if doubtful is not None:
            reads |= doubtful
        active = ActiveTokens.of(lengths, reads.nonzero()[:, 0])
        rows = encoder.stack.forward_active(hidden, active, begin=early_exit.after)
        late = self.model.heads["tokens"](Encoded(rows, active.layout))
        logits = late.new_zeros(len(ids), late.shape[-1])
        logits[:, self.labels.outside] = CERTAIN - doubts.detach().to(late.dtype)
        return logits.index_copy(0, active.places, late), doubts

    def _added(self, shapes: Tensor | None, others: Tensor | None) -> Tensor | None:
        """What is known of tokens besides their embedding: their shape, and what is merged into them."""
        rows: Tensor | None = None
        if self.shape is not None:
            if shapes is None or shapes.shape[-1] != len(FEATURES):
                raise TrainError("this model takes the shapes of tokens")
            rows = self.shape(shapes)
        if self.others is not None:
            if others is None:
                raise TrainError("this model takes merged tokens")
            merged: Tensor = self.others(others, self.model.encoder.words)
            rows = merged if rows is None else rows + merged
        return rows

    def take(self, learned: Mapping[str, Tensor]) -> None:
        """Take the shapes, merging, CRF and early exit of an earlier model, as far as this one has them."""
        own = self.state_dict()
        self.load_state_dict({k: v for k, v in learned.items() if k in own}, strict=False)

    @property
    def transitions(self) -> Transitions:
        """The CRF's, or only what BIO allows."""
        return Transitions.valid(self.labels) if self.crf is None else self.crf.transitions()


def _early_exit(model: Model, after: int) -> EarlyExit:
    if not isinstance(model.encoder, Encoder):
        raise TrainError(f"{model.family.name} has no early exit: leave out --settle")
    layers = len(model.encoder.stack.order)
    if not model.encoder.stack.any_order:
        raise TrainError(
            f"{model.family.name} has no early exit, as its layers go by places: leave out --settle"
        )
    if not 1 <= after < layers:
        raise TrainError(
            f"early exit (--settle) is possible after layer 1 to {layers - 1}, not {after}"
        )
    return EarlyExit(model.config.hidden_size, after)


class ShapeEmbedding(nn.Module):
    """A vector for each value of each shape feature, summed; all begin at 0 and change nothing."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.rows = nn.Embedding(ROWS, size)
        nn.init.zeros_(self.rows.weight)

    def forward(self, shapes: Tensor) -> Tensor:
        """[*, features] to [*, size]."""
        # As one multiplication: the sum of six rows without six vectors for each token.
        hot = torch.zeros(
            *shapes.shape[:-1], ROWS, dtype=self.rows.weight.dtype, device=shapes.device
        )
        return hot.scatter_(-1, shapes, 1.0) @ self.rows.weight


class OtherTokens(nn.Module):
    """What the later tokens of a merged one add to its first: their embeddings, weighted by place."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.gains = nn.Parameter(torch.ones(OTHERS, size))

    def forward(self, others: Tensor, words: Tensor) -> Tensor:
        """[*, others], NOTHING where none is, and the words' table to [*, size]."""
        flat = others.flatten(0, -2)
        token, place = (flat != NOTHING).nonzero(as_tuple=True)
        rows = embedding(flat[token, place], words) * self.gains[place]
        sums = rows.new_zeros(len(flat), rows.shape[-1]).index_add(0, token, rows)
        return sums.view(*others.shape[:-1], -1)


class EarlyExit(nn.Module):
    """The doubt of every token after `after` layers: above 0, it is read on."""

    def __init__(self, size: int, after: int) -> None:
        super().__init__()
        self.after = after
        self.inner = nn.Linear(size, EXIT_WIDTH)
        self.outer = nn.Linear(EXIT_WIDTH, 1)
        nn.init.ones_(self.outer.bias)  # at first, nearly all is read on

    def forward(self, hidden: Tensor) -> Tensor:
        """[tokens, size] to [tokens]."""
        doubts: Tensor = self.outer(torch.relu(self.inner(hidden)))[:, 0]
        return doubts

    def loss(self, doubts: Tensor, identifying: Tensor) -> Tensor:
        """The loss of doubts [tokens] where it is known which tokens identify, summed."""
        wanted = identifying.to(doubts.dtype)
        weight = doubts.new_tensor(MISS_WEIGHT)
        lost = binary_cross_entropy_with_logits(doubts, wanted, pos_weight=weight, reduction="sum")
        return EXIT_SHARE * lost


class Crf(nn.Module):
    """A linear-chain CRF over packed sequences, in log space: scores of label pairs, and of a note's first and last label; what BIO forbids is impossible.

    All begin at 0, where decoding is that without a CRF. A sequence may be a stretch of a note: it
    then neither opens nor closes it, may begin with any label and scores nothing for its edges.
    """

    forbidden: Tensor
    forbidden_start: Tensor

    def __init__(self, labels: Labels) -> None:
        super().__init__()
        count = len(labels.names)
        self.between = nn.Parameter(torch.zeros(count, count))
        self.start = nn.Parameter(torch.zeros(count))
        self.end = nn.Parameter(torch.zeros(count))
        self.register_buffer("forbidden", torch.from_numpy(~allowed(labels)), persistent=False)
        self.register_buffer(
            "forbidden_start", torch.from_numpy(~may_start(labels)), persistent=False
        )

    def forward(
        self,
        scores: Tensor,
        tags: Tensor,
        lengths: Sequence[int],
        opens: Tensor,
        closes: Tensor,
    ) -> Tensor:
        """The negative log-likelihood of each sequence, [sequences].

        scores [tokens, labels] and tags [tokens] are packed; opens and closes are [sequences].
        """
        between = self.between.masked_fill(self.forbidden, -torch.inf)
        start = self.start.masked_fill(self.forbidden_start, -torch.inf)
        sizes = torch.tensor(lengths, device=scores.device)
        padded = _padded(scores, lengths)  # [sequences, longest, labels]
        first = torch.where(opens[:, None], start, 0.0)  # [sequences, labels]
        final = torch.where(closes[:, None], self.end, 0.0)
        gold = self._gold(padded, _padded(tags, lengths), sizes, between, first, final)
        return _log_partition(padded, sizes, between, first, final) - gold

    def transitions(self) -> Transitions:
        """For decoding in numpy."""
        between = self.between.masked_fill(self.forbidden, -torch.inf)
        start = self.start.masked_fill(self.forbidden_start, -torch.inf)
        return Transitions(
            *(part.detach().cpu().numpy().astype(np.float64) for part in (between, start, self.end))
        )

    def _gold(
        self,
        scores: Tensor,
        tags: Tensor,
        sizes: Tensor,
        between: Tensor,
        first: Tensor,
        final: Tensor,
    ) -> Tensor:
        real = torch.arange(scores.shape[1], device=scores.device) < sizes[:, None]
        emitted = scores.gather(2, tags[..., None]).squeeze(2)
        moved = between[tags[:, :-1], tags[:, 1:]]
        last = tags.gather(1, sizes[:, None] - 1)
        return (
            torch.where(real, emitted, 0.0).sum(1)
            + torch.where(real[:, 1:], moved, 0.0).sum(1)
            + first.gather(1, tags[:, :1]).squeeze(1)
            + final.gather(1, last).squeeze(1)
        )


def _padded(packed: Tensor, lengths: Sequence[int]) -> Tensor:
    """[tokens, …] to [sequences, longest, …], 0 where there is nothing."""
    return nn.utils.rnn.pad_sequence(list(torch.split(packed, list(lengths))), batch_first=True)


def _log_partition(
    scores: Tensor, sizes: Tensor, between: Tensor, first: Tensor, final: Tensor
) -> Tensor:
    """The log of the sum over all paths, [sequences]."""
    opening, *following = scores.unbind(
        1
    )  # apart, so that the way back does not fill the whole each time
    reached = first + opening
    for place, own in enumerate(following, 1):
        paths = reached[:, :, None] + between  # [sequences, from, to]
        moved = paths.logsumexp(1) + own
        reached = torch.where((place < sizes)[:, None], moved, reached)
    return (reached + final).logsumexp(1)
