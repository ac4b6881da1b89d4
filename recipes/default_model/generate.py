"""Writes invented clinical notes with PHI marks as JSONL, to train the shipped model on.

    python recipes/default_model/generate.py --data DATA --corpus corpus \
        --sets A,B,C -o notes.jsonl --notes 20000 --seed 1

A note depends on the seed and its number only: `--first 4711 --notes 1` makes note 4711 again.
Leave-one-source-out training names the sets that it may see; sets that only judge are refused.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from rich.progress import track

sys.path.insert(0, str(Path(__file__).parent))

from generator.factory import Factory, Mix, load_factory
from generator.prepare.write import write_prepared


def main(arguments: list[str] | None = None) -> int:
    """Parse, generate, write; a failure leaves no half-written file under the output's name."""
    options = _parser().parse_args(arguments)
    sets = [name for name in options.sets.split(",") if name]
    try:
        mix = Mix(options.corpus_share, options.prepared_share)
        prepared = options.prepared or options.output.with_name("prepared.jsonl")
        if not prepared.exists():
            write_prepared(options.data, prepared)
        factory = load_factory(options.data, options.corpus, sets, prepared, mix)
        _write(factory, options.output, options.seed, options.first, options.notes)
    except (OSError, ValueError) as error:
        print(f"generate: {error}", file=sys.stderr)
        return 2
    return 0


def _write(factory: Factory, output: Path, seed: int, first: int, count: int) -> None:
    unfinished = output.with_name(output.name + ".part")
    numbers = track(range(first, first + count), "notes", disable=not sys.stderr.isatty())
    with unfinished.open("w", encoding="utf-8", newline="\n") as stream:
        for number in numbers:
            json.dump(factory.note(seed, number), stream, ensure_ascii=False)
            stream.write("\n")
    unfinished.replace(output)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the shared data folder")
    parser.add_argument("--corpus", type=Path, required=True, help="the project's corpus folder")
    parser.add_argument(
        "--sets", default="A,B,C,D", help="corpus sets to learn from (default: A,B,C,D)"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, help="JSONL file to write")
    parser.add_argument("--notes", type=int, required=True, help="how many notes")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other notes")
    parser.add_argument("--first", type=int, default=0, help="number of the first note")
    parser.add_argument(
        "--corpus-share",
        type=float,
        default=Mix.corpus,
        help="share of retold corpus notes (default: 0.4)",
    )
    parser.add_argument(
        "--prepared-share",
        type=float,
        default=Mix.prepared,
        help="share of dressed clinical texts (default: 0.3)",
    )
    parser.add_argument(
        "--prepared",
        type=Path,
        help="the marked clinical texts of prepare.py (default: prepared.jsonl beside the output, made if absent)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
