"""What a shape costs, and what a budget buys of it: measured on the shards that it would train on.

    python recipes/clinical_albert/shapes.py work/ --shapes 4x256,4x320,6x384 --hours 3.5 --threads 2

A step is real: masked pairs of 128 pieces, both losses, clipping and AdamW. Time is this process'
CPU time divided by its threads, so that a busy machine changes little. `estimate` is the part of the
loss that size and text account for in Hoffmann et al.'s fit (406 / N^0.34 + 410 / D^0.28), with N the
parameters that a piece passes through, shared ones as often as it does, and D the pieces seen. It
was fitted to other models: read the order of the rows, not the numbers.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import torch
from torch import nn

from incognote.cli.training_options import keep_memory
from incognote.workshop.encoders.model import size_of
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.feed import Order, Place, make_batch, packs
from incognote.workshop.pretrain.loop import example_settings
from incognote.workshop.pretrain.objectives import make_objective
from incognote.workshop.pretrain.start import from_preset
from incognote.workshop.tokenization import load
from incognote.workshop.training.optimizers import optimizer_of

LENGTH, PIECES, PACK, STEPS = 128, 4096, 2048, 6


def measured(work: Path, layers: int, hidden: int, share: float) -> tuple[float, float, int]:
    """Pieces per second of CPU time, FLOPs of training per piece, and parameters."""
    tokenizer = load(work / "tokenizer", family="albert")
    shards = Shards(work / "shards" / "clinical", tokenizer)
    objective = make_objective("mlm+sop", tokenizer, shards)
    sizes = {"layers": layers, "hidden_size": hidden, "heads": hidden // 64}
    sizes["feed_forward_size"] = 4 * hidden
    module = from_preset("albert-base-v2", objective, tokenizer, sizes, 0).module.train()
    settings = example_settings(objective.settings, {"masking": {"share": share}}, LENGTH)
    examples = objective.examples(shards, shards.train, settings, 0)
    optimizer = optimizer_of(
        module, "adamw", lr=1e-3, betas=(0.9, 0.98), eps=1e-6, weight_decay=0.01
    )
    place, pieces = Place(0, 0), 0
    order = Order(examples, 0)
    for step in range(STEPS + 1):
        if step == 1:  # the first is slow
            began, pieces = time.process_time(), 0
        chosen, place = order.take(place, PIECES // LENGTH)
        optimizer.zero_grad(set_to_none=True)
        for pack in packs(examples, chosen, PACK):
            batch = make_batch(objective, examples, pack)
            losses = objective.loss(module, batch)
            losses.total.backward()  # type: ignore[no-untyped-call]
            pieces += batch.tokens
        nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        optimizer.step()
    seconds = (time.process_time() - began) / torch.get_num_threads()
    model = objective.saved(module)[""]
    width, rows = model.config.embedding_size, model.config.vocabulary_size
    head = 2 * share * (hidden * width + width * rows)
    flops = 3 * (size_of(model.config, pooler=False, length=LENGTH).flops + head)
    return pieces / seconds, flops, sum(each.numel() for each in module.parameters())


def main() -> int:
    """Measure each shape, print a row."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, help="folder with tokenizer/ and shards/")
    parser.add_argument("--shapes", default="3x320,4x256,4x320,4x384,6x256,6x384")
    parser.add_argument("--hours", type=float, default=3.5)
    parser.add_argument("--mask-share", type=float, default=0.2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cores", type=int, default=2, help="that the budget has")
    given = parser.parse_args()
    keep_memory()
    torch.set_num_threads(given.threads)
    print(
        "| layers x hidden | parameters | MFLOP a piece | pieces/s | GFLOP/s | pieces in", end=" "
    )
    print(f"{given.hours:g} h of {given.cores} cores | estimate |\n|---|---|---|---|---|---|---|")
    for shape in given.shapes.split(","):
        layers, hidden = map(int, shape.split("x"))
        rate, flops, parameters = measured(given.work, layers, hidden, given.mask_share)
        rate *= given.cores / given.threads
        seen = rate * given.hours * 3600
        passed = 12 * layers * hidden**2
        estimate = 406 / passed**0.34 + 410 / seen**0.28
        print(
            f"| {shape} | {parameters / 1e6:.2f} M | {flops / 1e6:.0f} | {rate:,.0f} "
            f"| {rate * flops / 1e9:.0f} | {seen / 1e6:.0f} M | {estimate:.2f} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
