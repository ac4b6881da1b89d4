r"""Speed beside quality, on the same notes: incognote at each speed, the same weights in the pipeline
of `transformers` and in plain onnxruntime, and Presidio.

    python recipes/default_model/generate.py … -o generated.jsonl --notes 700 --seed 99
    python benchmarks/end_to_end.py --model model/ --checkpoint checkpoint/ \
        --generated generated.jsonl --notes 1000 --rounds 3 -o figures/
    python benchmarks/end_to_end.py --model model/ --checkpoint checkpoint/ --notes 24 --tune-notes 8

Each system runs in a process of its own, all with the same threads and allocator, taking turns over
the rounds; shown is the best round. Peers run at the batch size that is best for them on some of
the notes. `--workers` and `--growth` measure the whole command on more notes. No output holds text
of a note.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.peers import presidio, speeds
from benchmarks.speed.notes import SETS, generated_notes, mixed_notes
from benchmarks.speed.report import Commands, Report, markdown
from benchmarks.speed.rounds import Bench
from incognote.base.errors import ModelError
from incognote.base.files import write_private
from incognote.models import shipped_model
from incognote.onnx.model_folder import SPEEDS, read_model
from incognote.onnx.sessions import cores, engine, kernel
from incognote.workshop.bench.operations import measure_peaks


def main(arguments: list[str] | None = None) -> int:
    """Parse, run, show."""
    options = parsed(arguments)
    try:
        gold = mixed_notes(options.notes, options.generated, options.sets)
        growing = generated_notes(options.generated) or gold
        model = options.model or shipped_model()
        variants = [] if model is None else list(read_model(model).variants)
    except (ValueError, OSError, ModelError) as error:
        print(f"end_to_end: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="incognote-speed-") as name:
        folder = Path(name)
        bench = Bench(folder, options, gold, growing)
        peers = [speeds.peer("both", model, speed) for speed in variants]
        if model is not None:
            peers.append(speeds.peer("model", model, SPEEDS[0]))
        peers.append(speeds.peer("rules"))
        if options.checkpoint is not None and model is not None:
            try:
                peers += bench.same_weights(options.checkpoint, model)
            except ValueError as error:
                print(f"end_to_end: {error}", file=sys.stderr)
                return 2
        peers += [] if options.no_presidio else [presidio.PEERS[1]]
        systems = bench.rounds(peers)
        report = Report(
            machine=f"{os.cpu_count()} cores, {platform.machine()} ({kernel()}), Python "
            f"{platform.python_version()}, onnxruntime {engine()}",
            notes=len(gold),
            words=sum(len(note.text.split()) for note in gold),
            rounds=options.rounds,
            threads=options.threads,
            clock=options.clock,
            peaks=measure_peaks(1),
            cores=cores(),
            systems=systems,
            commands=Commands({}, {}, []),
        )
        write(report, options.output)  # hours of work, should what follows fail
        report = replace(report, commands=bench.commands(model, variants, peers))
    print(markdown(report), end="")
    write(report, options.output)
    return 0


def write(report: Report, folder: Path | None) -> None:
    """As Markdown and JSON, if a folder was named."""
    if folder is None:
        return
    text = json.dumps(report.as_dict(), indent=1, ensure_ascii=False, default=str) + "\n"
    write_private(folder / "end_to_end.md", markdown(report).encode())
    write_private(folder / "end_to_end.json", text.encode())


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    add = parser.add_argument
    add("--model", type=Path, help="model folder; the shipped one without it")
    add(
        "--checkpoint",
        type=Path,
        nargs="+",
        help="what careful was exported from, one or several, for peers with the same weights",
    )
    add("--sets", nargs="+", default=list(SETS), metavar="SET", help="sets of corpus/ but E, F, H")
    add("--generated", type=Path, help="generated notes, to make up the number")
    add("--notes", type=int, default=1000)
    add("--tune-notes", type=int, default=48, help="of these, to find the best batch size")
    add("--batches", type=_numbers, default=[1, 4, 8, 16], help="sizes that peers may choose from")
    add("--rounds", type=int, default=3)
    add("--threads", type=int, default=1)
    add("--clock", choices=["wall", "cpu"], default="wall", help="what ratios are taken of")
    add("--workers", type=_numbers, default=[], help="such as 1,2: the whole command with so many")
    add("--growth", type=_numbers, default=[], help="such as 1000,4000,16000: on so many notes")
    add("--no-presidio", action="store_true")
    add("--limit", type=float, default=7200, help="seconds a run may take")
    add(
        "--work", type=Path, default=cache / "incognote" / "peers", help="where peers are installed"
    )
    add("-o", "--output", type=Path, help="folder for end_to_end.md and end_to_end.json")
    return parser.parse_args(arguments)


def _numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
