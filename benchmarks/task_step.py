"""How fast `incognote task train` trains and scores, beside the `transformers` Trainer at its best.

    python benchmarks/task_step.py --data DATA [--tasks cola,mrpc] [--precision bf16] [--rounds 3]

Both get the very same sequences of some examples: short sentences (CoLA), pairs (MRPC), windows with
answers (SQuAD), questions with four options (RACE). One thread, MiniLM, batches of one size, AdamW,
dropout, clipping. Ours packs sequences without padding; the Trainer groups like lengths and pads to the
longest of a batch, its best way (`task_peer.py`). An epoch over the examples is timed from the first
batch to the end of the last step. `evaluate` is the logits of SQuAD's windows without training, sorted
by length for both. Rounds are interleaved, and the best of each counts. The clock is the processor's, so
that a busy machine does not matter; what is above 1 is our advantage.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.task_peer import PeerTask, features, fine_tuned, peer_model, quiet
from incognote.cli.training_options import keep_memory
from incognote.workshop.task_training import read_parts, task_options
from incognote.workshop.tasks.answers import AnswerRules
from incognote.workshop.tasks.inputs import Item, items
from incognote.workshop.tasks.loop import TaskRun, limits_of
from incognote.workshop.tasks.options import TaskOptions
from incognote.workshop.tasks.start import Start, start
from incognote.workshop.tasks.task import Example, Task, fitted, task_named
from incognote.workshop.tasks.torch_task import TorchTask
from recipes.task_runs.parts import PARTS, prepared

CLOCKS = {"cpu": time.process_time, "wall": time.perf_counter}
EXAMPLES = {"cola": 384, "mrpc": 192, "squad": 64, "race": 16}
BATCH_SIZES = {"cola": 16, "mrpc": 16, "squad": 16, "race": 8}
ENCODER = "minilm"
LONGEST = {"squad": 384, "race": 512}

Clock = Callable[[], float]
Round = Callable[[], float]
"""Does the work once, and says how long it took."""


@dataclass(frozen=True)
class Work:
    """What both do: a task's examples, with the options of a run over them."""

    task: Task
    examples: Sequence[Example]
    begun: Start
    options: TaskOptions
    items: Sequence[Item]

    @property
    def tokens(self) -> int:
        """Without padding."""
        return sum(len(each) for item in self.items for each in item.sequences)


def work(name: str, data: Path, place: Path, precision: str) -> Work:
    """Some examples of a task, as they come."""
    train, _ = prepared(name, data, place, choosing=False)
    task = task_named(PARTS[name].task)
    some = read_parts(task, train).train[: EXAMPLES[name]]
    task = fitted(task, some)
    begun = start(ENCODER, task)
    chosen: dict[str, Any] = {
        "epochs": 1,
        "batch_size": BATCH_SIZES[name],
        "precision": precision,
        "attention_dropout": 0.0,
        "save_seconds": 1e9,
        "longest": LONGEST.get(name),
    }
    options = task_options(chosen, task, begun.model.config)
    read = list(items(task, some, begun.frame, limits_of(options, task, begun)))
    return Work(task, some, begun, options, read)


def our_epoch(each: Work, clock: Clock) -> Round:
    """Our loop, as `incognote task train` runs it."""

    def once() -> float:
        ticks: list[float] = []
        with tempfile.TemporaryDirectory() as folder:
            run = TaskRun(
                each.begun,
                each.task,
                each.examples,
                [],
                each.options,
                Path(folder),
                watch=lambda tick: ticks.append(clock()),
            )
            run.saved.folder.mkdir(parents=True, exist_ok=True)
            began = clock()
            run.train()
        return ticks[-1] - began

    return once


def their_epoch(each: Work, clock: str) -> Round:
    """The Trainer's loop."""
    model = peer_model(ENCODER, each.task, each.options)
    data = features(each.task.kind, each.items)
    return lambda: fine_tuned(model, each.task.kind, data, each.options)[clock]


def evaluations(each: Work, clock: Clock) -> dict[str, Round]:
    """The logits of all windows, by both."""
    limits, rules = limits_of(each.options, each.task, each.begun), AnswerRules()
    ours = TorchTask(each.begun.model, each.task, each.begun.frame, limits, rules)
    model = peer_model(ENCODER, each.task, each.options)
    theirs = PeerTask(model, each.task, each.begun.frame, limits, rules)

    def timed(model: TorchTask | PeerTask) -> Round:
        def once() -> float:
            began = clock()
            for _ in model.logits(each.items):
                pass
            return clock() - began

        return once

    return {"incognote": timed(ours), "transformers": timed(theirs)}


def compare(name: str, each: Work, contenders: dict[str, Round], rounds: int) -> dict[str, Any]:
    """The best of interleaved rounds; the round before them does not count."""
    seconds: dict[str, list[float]] = {by: [] for by in contenders}
    for number in range(rounds + 1):
        for by, once in contenders.items():
            took = once()
            if number:
                seconds[by].append(took)
    ours, theirs = (min(seconds[by]) for by in contenders)
    print(
        f"{name:16} {len(each.items):5} items {each.tokens:8,} tokens   "
        f"incognote {each.tokens / ours:7,.0f} tokens/s   "
        f"transformers {each.tokens / theirs:7,.0f} tokens/s   {theirs / ours:.2f}x",
        flush=True,
    )
    return {
        "work": name,
        "items": len(each.items),
        "tokens": each.tokens,
        "seconds": {by: [round(one, 3) for one in all] for by, all in seconds.items()},
        "ratio": round(theirs / ours, 3),
    }


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder with the tasks' data")
    parser.add_argument("--parts", type=Path, help="where recipes/task_runs has put its parts")
    parser.add_argument("--tasks", default=",".join(EXAMPLES))
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clock", choices=CLOCKS, default="cpu")
    parser.add_argument("-o", "--output", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    keep_memory()
    torch.set_num_threads(1)
    quiet()
    print(
        f"MiniLM, 1 thread, {arguments.precision}, torch {torch.__version__}, "
        f"transformers {transformers.__version__}, {arguments.clock} clock, "
        f"best of {arguments.rounds} interleaved rounds"
    )
    clock = CLOCKS[arguments.clock]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.tasks.split(","):
            each = work(name, arguments.data, arguments.parts or Path(folder), arguments.precision)
            contenders = {
                "incognote": our_epoch(each, clock),
                "transformers": their_epoch(each, arguments.clock),
            }
            found.append(compare(f"{name} train", each, contenders, arguments.rounds))
            if each.task.kind == "span":
                scoring = evaluations(each, clock)
                found.append(compare(f"{name} evaluate", each, scoring, arguments.rounds))
    if arguments.output:
        told = {
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "precision": arguments.precision,
            "clock": arguments.clock,
            "figures": found,
        }
        arguments.output.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
