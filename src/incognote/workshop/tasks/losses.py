"""What a run minimizes: the losses of a batch, summed, as Hugging Face's heads define them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import mse_loss
from torch.nn.utils.rnn import pad_sequence

from incognote.workshop.tasks.batches import Target
from incognote.workshop.tasks.task import Kind


def summed_loss(
    kind: Kind, logits: Sequence[Tensor], targets: Sequence[Target], *, smoothing: float = 0.0
) -> Tensor:
    """Of the logits of each item: [labels], [options], or [tokens, 2].

    A number as target is a regression, whose loss is the squared error. That of an answer is the mean
    of what its first and its last token cost.
    """
    device = logits[0].device
    with torch.autocast(device.type, enabled=False):
        right = torch.tensor(targets, device=device)
        if right.is_floating_point():
            return mse_loss(torch.cat(list(logits)).float(), right.float(), reduction="sum")
        sizes = torch.tensor([len(each) for each in logits], device=device)
        scores = pad_sequence([each.float() for each in logits], batch_first=True)
        real = torch.arange(scores.shape[1], device=device) < sizes[:, None]
        if kind == "span":
            first = _cross_entropy(scores[..., 0], real, right[:, 0], smoothing)
            last = _cross_entropy(scores[..., 1], real, right[:, 1], smoothing)
            return (first + last) / 2
        return _cross_entropy(scores, real, right, smoothing)


def _cross_entropy(scores: Tensor, real: Tensor, right: Tensor, smoothing: float) -> Tensor:
    """Summed over rows; of the scores [rows, most] only the `real` ones count."""
    shares = scores.masked_fill(~real, -torch.inf).log_softmax(-1)
    loss = -shares.gather(1, right[:, None]).sum()
    if not smoothing:
        return loss
    spread = -shares.masked_fill(~real, 0.0).sum(1) / real.sum(1)
    return (1 - smoothing) * loss + smoothing * spread.sum()
