"""A pretraining step of ours beside Hugging Face's, on this machine's CPU.

    python benchmarks/pretrain.py                       # ALBERT-base, MLM + SOP, AdamW
    python benchmarks/pretrain.py --clock cpu --threads 1                    # on a busy machine
    python benchmarks/pretrain.py --size hidden_size=256 --size heads=4 --size feed_forward_size=1024

Same weights, sequences, masks, threads and allocator; contenders take turns in every round, a large
matrix product among them, and the best round counts. A step is a masked batch forward and backward
with both losses, clipping and AdamW. We pack the sequences without padding and accumulate over
packs, as `incognote pretrain` does; the peer, `AlbertForPreTraining`, pads its batches. Packs and
micro-batches are those that suited each most in as many tries. All losses must agree before anything
is timed. Figures are pieces per second without padding, the ratio of ours to theirs, and the share of
the matrix-multiply peak measured here, where the work counted is what is needed: MLM logits at masked
pieces only, and the last layer there and at each sequence's first piece, which is asked about order.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from incognote.base.options import named_values
from incognote.cli.training_options import keep_memory
from incognote.workshop.encoders import Model, load, preset, save
from incognote.workshop.encoders.model import size_of
from incognote.workshop.pretrain.objectives.mlm import MaskedExample, MaskedLanguageObjective, pack
from incognote.workshop.training.optimizers import optimizer_of

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
MICRO_BATCHES = (4, 8, 16, 32)
MASK = 4
PARTS = ("mlm", "sop")
OURS, PEAK = "incognote", "product"
PEERS = ("eager", "sdpa")
SIDE = 1536
PRODUCTS = 8
"""In each round: one takes some hundredths of a second, and the best of them all is the peak."""
OPTIONS: dict[str, Any] = {"betas": (0.9, 0.999), "eps": 1e-6, "weight_decay": 0.01}


def sequences(count: int, length: int, short: float, vocabulary: int) -> list[MaskedExample]:
    """Masked pairs, a share of them of random shorter lengths, as pretraining makes them."""
    draws = np.random.default_rng(0)
    made = []
    for _ in range(count):
        size = int(draws.integers(8, length + 1)) if draws.random() < short else length
        ids = draws.integers(5, vocabulary, size)
        places = np.sort(draws.choice(np.arange(1, size - 1), round(0.15 * size), replace=False))
        targets = ids[places].copy()
        ids[places] = MASK
        segments = (np.arange(size) >= size // 2).astype(np.int64)
        made.append(MaskedExample(ids, segments, places, targets, int(draws.integers(2))))
    return made


def groups(items: Sequence[MaskedExample], pieces: int) -> list[list[MaskedExample]]:
    """Sorted by length, in packs of about so many pieces."""
    made: list[list[MaskedExample]] = []
    filled = 0
    for item in sorted(items, key=lambda item: len(item.ids)):
        if not made or filled + len(item.ids) > pieces:
            made.append([])
            filled = 0
        made[-1].append(item)
        filled += len(item.ids)
    return made


class Ours:
    """Packs without padding, heads at masked pieces only."""

    def __init__(self, folder: Path, items: Sequence[MaskedExample], pieces: int) -> None:
        self.model: Model = load(folder).train()
        tokenizer: Any = None  # sequences are made already
        self.objective = MaskedLanguageObjective(tokenizer, "sop")
        self.optimizer = optimizer_of(self.model, "adamw", lr=1e-5, **OPTIONS)
        self.batches = [pack(group, parts=PARTS) for group in groups(items, pieces)]
        self.over = {part: sum(batch.counts[part] for batch in self.batches) for part in PARTS}

    def gradients(self) -> float:
        """The loss of a step."""
        self.optimizer.zero_grad(set_to_none=True)
        lost = 0.0
        for batch in self.batches:
            total: Any = self.objective.loss(self.model, batch, over=self.over).total
            total.backward()
            lost += float(total.detach())
        return lost

    def step(self) -> None:
        """One training step."""
        self.gradients()
        clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()


class Theirs:
    """`AlbertForPreTraining` on padded micro-batches of like length."""

    def __init__(
        self, folder: Path, items: Sequence[MaskedExample], attention: str, size: int
    ) -> None:
        made = transformers.AlbertForPreTraining.from_pretrained(
            folder, attn_implementation=attention
        )
        self.model: Any = made.train()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-5, fused=True, **OPTIONS)
        ordered = sorted(items, key=lambda item: len(item.ids))
        self.batches = [
            self._padded(ordered[at : at + size]) for at in range(0, len(ordered), size)
        ]
        self.masked = sum(len(item.places) for item in items)
        self.count = len(items)

    def _padded(self, items: Sequence[MaskedExample]) -> dict[str, Tensor]:
        longest = max(len(item.ids) for item in items)
        shape = (len(items), longest)
        batch = {
            name: torch.full(shape, fill)
            for name, fill in {
                "input_ids": 0,
                "attention_mask": 0,
                "token_type_ids": 0,
                "labels": -100,
            }.items()
        }
        for row, item in enumerate(items):
            size = len(item.ids)
            batch["input_ids"][row, :size] = torch.from_numpy(item.ids)
            batch["attention_mask"][row, :size] = 1
            batch["token_type_ids"][row, :size] = torch.from_numpy(item.segments)
            batch["labels"][row, torch.from_numpy(item.places)] = torch.from_numpy(item.targets)
        batch["sentence_order_label"] = torch.tensor([item.label for item in items])
        return batch

    def gradients(self) -> float:
        """The loss of a step: each batch's means, weighted to those of the whole step."""
        self.optimizer.zero_grad(set_to_none=True)
        lost = 0.0
        for batch in self.batches:
            labels, order = batch["labels"], batch["sentence_order_label"]
            if len(self.batches) == 1:
                loss = self.model(**batch).loss
            else:
                inputs = {k: v for k, v in batch.items() if "label" not in k}
                out = self.model(**inputs)
                loss = (
                    torch.nn.functional.cross_entropy(
                        out.prediction_logits.flatten(0, 1), labels.flatten(), reduction="sum"
                    )
                    / self.masked
                    + torch.nn.functional.cross_entropy(out.sop_logits, order, reduction="sum")
                    / self.count
                )
            loss.backward()
            lost += float(loss.detach())
        return lost

    def step(self) -> None:
        """One training step."""
        self.gradients()
        clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()


def best_seconds(
    runs: dict[str, Callable[[], None]], rounds: int, clock: Callable[[], float]
) -> dict[str, float]:
    """The best of the rounds for each run, in turns; one round before them does not count."""
    best = dict.fromkeys(runs, float("inf"))
    for number in range(rounds + 1):
        for name, run in runs.items():
            print(f"round {number} of {rounds}: {name}", file=sys.stderr)
            began = clock()
            run()
            if number:
                best[name] = min(best[name], clock() - began)
    return best


def fastest(
    tried: Mapping[str, Ours | Theirs], rounds: int, clock: Callable[[], float]
) -> tuple[str, Ours | Theirs]:
    """The one that suits this machine most, with its name."""
    seconds = best_seconds({name: each.step for name, each in tried.items()}, rounds, clock)
    name = min(seconds, key=lambda name: seconds[name])
    return name, tried[name]


def multiplying(side: int = SIDE) -> Callable[[], None]:
    """A large square product, by which the peak is told."""
    left, right = torch.randn(side, side), torch.randn(side, side)

    def multiply() -> None:
        torch.mm(left, right)

    return multiply


def needed_flops(config: Any, items: Sequence[MaskedExample]) -> float:
    """Of a step: forward once and backward twice, last layer and vocabulary only where asked for."""
    flops = 0.0
    for item in items:
        length, hidden = len(item.ids), config.hidden_size
        flops += length * size_of(config, pooler=False, length=length).flops
        asked_nothing = length - len(item.places) - 1
        flops -= asked_nothing * 4 * hidden * (hidden + config.feed_forward_size + length)
        head = config.hidden_size * config.embedding_size
        head += config.embedding_size * config.vocabulary_size
        flops += 2 * head * len(item.places)
    return 3 * flops


def compare(arguments: argparse.Namespace, folder: Path) -> None:
    """Everything, printed."""
    clock = CLOCKS[arguments.clock]
    config = replace(
        preset(arguments.preset),
        classifier_dropout=0.0,
        **named_values(arguments.size or []),
    )
    torch.manual_seed(0)
    save(Model(config, heads=PARTS), folder)
    items = sequences(
        arguments.sequences, arguments.length, arguments.short, config.vocabulary_size
    )
    pieces = sum(len(item.ids) for item in items)
    sizes = [size for size in MICRO_BATCHES if size <= len(items)]
    tried: list[Mapping[str, Ours | Theirs]] = [
        {f"{OURS}, packs of {size:,}": Ours(folder, items, size) for size in arguments.pieces},
        *(
            {f"{kind}, batches of {size}": Theirs(folder, items, kind, size) for size in sizes}
            for kind in PEERS
        ),
    ]
    losses = [each.gradients() for contenders in tried for each in contenders.values()]
    if not np.allclose(losses, losses[0], rtol=1e-3):
        raise SystemExit(f"the contenders do not compute the same: {losses}")
    chosen = dict(fastest(contenders, arguments.tries, clock) for contenders in tried)
    runs = {name: each.step for name, each in chosen.items()}
    products = {f"{PEAK} {number}": multiplying() for number in range(PRODUCTS)}
    seconds = best_seconds(runs | products, arguments.rounds, clock)
    peak = 2 * SIDE**3 / min(seconds.pop(name) for name in products)
    ours, *theirs = seconds.values()
    print(
        f"{len(items)} sequences, {pieces:,} pieces; matrix-multiply peak {peak / 1e9:,.0f} GFLOP/s"
    )
    for name, value in seconds.items():
        share = needed_flops(config, items) / value / peak
        ratio = "" if name.startswith(OURS) else f"{value / ours:.2f}×"
        print(f"  {name:26} {pieces / value:8,.0f} pieces/s  {share:4.0%} of peak  {ratio}")
    if min(theirs) / ours < arguments.at_least:
        raise SystemExit(f"less than {arguments.at_least:g} times as fast as the best peer")


def main() -> None:
    """Parse and run."""
    keep_memory()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--preset", default="albert-base-v2")
    parser.add_argument("--size", action="append", metavar="NAME=VALUE", help="change the preset")
    parser.add_argument("--sequences", type=int, default=32, help="in a step")
    parser.add_argument("--length", type=int, default=128)
    parser.add_argument("--short", type=float, default=0.1, help="share of shorter sequences")
    parser.add_argument(
        "--pieces", type=int, nargs="+", default=[512, 1024, 2048], help="in a pack of ours"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tries", type=int, default=3, help="to find the best pack and batch")
    parser.add_argument(
        "--at-least", type=float, default=0.0, help="the ratio below which it fails"
    )
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    logging.getLogger("transformers").setLevel(logging.ERROR)
    progress: Any = transformers.logging
    progress.disable_progress_bar()
    print(
        f"{arguments.preset}, {arguments.threads} threads, torch {torch.__version__}, "
        f"transformers {transformers.__version__}, best of {arguments.rounds} rounds, "
        f"{os.uname().machine}"
    )
    with tempfile.TemporaryDirectory() as folder:
        compare(arguments, Path(folder))


if __name__ == "__main__":
    main()
