"""Gives a checkpoint a second segment that its first piece can tell from the first.

    python recipes/clinical_albert/second_segment.py CHECKPOINT SHARDS -o START --norm 1.5

MiniLM has only seen one segment: its first piece reads both halves of a pair alike, and of their order it
holds nothing that a question could be learned from. Here the second segment's embedding, and nothing
else, is fitted until the first piece's state beside a second segment is what it is without one; then
it is brought back to `--norm` from the first segment's, so that the second can still be read. No label is
used: which half comes first is not asked.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
import torch
from torch import Tensor
from torch.func import functional_call

from incognote.cli.training_options import keep_memory
from incognote.workshop.encoders import load, save
from incognote.workshop.encoders.model import Model
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.loop import example_settings
from incognote.workshop.pretrain.objectives import make_objective
from incognote.workshop.pretrain.objectives.mlm import MaskedBatch
from incognote.workshop.tokenization import load as load_tokenizer

EMBEDDING = "embeddings.segments.weight"
LENGTH, PAIRS, RATE, SEED = 128, 16, 0.03, 0
HARDLY = {"share": 0.01, "copies": None}
"""Masks that hardly matter."""


def first_segments(batch: MaskedBatch) -> tuple[Tensor, tuple[int, ...]]:
    """The pieces of all first segments, and how many each has."""
    first = batch.segments == 0
    sizes = tuple(int(part.sum()) for part in torch.split(first, list(batch.lengths)))
    return batch.ids[first], sizes


def fit(model: Model, batches: Iterator[MaskedBatch], steps: int) -> tuple[Tensor, float]:
    """How the second segment's embedding differs from the first's, and what is left of its effect.

    The effect is that on the first piece's state, a share of how these states differ among pairs.
    """
    encoder = model.encoder.eval().requires_grad_(False)
    table = encoder.get_parameter(EMBEDDING)
    change = (table[1] - table[0]).clone().requires_grad_()
    optimizer = torch.optim.Adam([change], lr=RATE)
    left = 1.0
    for _, batch in zip(range(steps), batches, strict=False):
        ids, sizes = first_segments(batch)
        with torch.no_grad():
            alone = encoder(ids, segments=torch.zeros_like(ids), lengths=sizes).first
        both = functional_call(
            encoder,
            {EMBEDDING: torch.stack([table[0], table[0] + change])},
            (batch.ids,),
            {"segments": batch.segments, "lengths": batch.lengths},
        ).first
        effect = (both - alone).square().sum() / (alone - alone.mean(0)).square().sum()
        optimizer.zero_grad()
        effect.backward()
        optimizer.step()
        left = effect.item()
    return change.detach(), left


def main() -> int:
    """Fit, and save the checkpoint with it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkpoint", type=Path, help="folder of a BERT or ALBERT")
    parser.add_argument("shards", type=Path, help="text tokenised for it")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the start")
    parser.add_argument("--norm", type=float, default=1.5, help="of the difference of segments")
    parser.add_argument("--steps", type=int, default=60, help=f"of {PAIRS} pairs")
    parser.add_argument("--threads", type=int, help="of the processor")
    given = parser.parse_args()
    keep_memory()
    if given.threads:
        torch.set_num_threads(given.threads)
    model, tokenizer = load(given.checkpoint), load_tokenizer(given.checkpoint)
    shards = Shards(given.shards, tokenizer)
    objective = make_objective("mlm+sop", tokenizer, shards)
    settings = example_settings(objective.settings, {"masking": HARDLY}, LENGTH)
    examples = objective.examples(shards, shards.train, settings, SEED)
    order = np.random.default_rng(SEED).permutation(examples.count(0)).tolist()
    parts = (order[first : first + PAIRS] for first in range(0, len(order) - PAIRS + 1, PAIRS))
    batches = (
        cast(MaskedBatch, objective.batch([examples.example(0, index) for index in part]))
        for part in parts
    )
    change, left = fit(model, batches, given.steps)
    print(f"the first piece changes by {left:.1%} beside a second segment at {change.norm():.2f}")
    with torch.no_grad():
        table = model.encoder.get_parameter(EMBEDDING)
        table[1] = table[0] + change * (given.norm / change.norm())
    given.output.mkdir(parents=True, exist_ok=True)
    tokenizer.save(given.output)
    save(model, given.output)  # its configuration last, as the sign that all is there
    return 0


if __name__ == "__main__":
    sys.exit(main())
