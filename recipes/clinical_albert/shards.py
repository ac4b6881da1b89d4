"""Tokenises the gathered text once, in the mixtures that each stage of training reads.

    python recipes/clinical_albert/shards.py work/

A file named several times in a mixture is read so many times in an epoch: clinical text is little,
and masks are drawn anew each time.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from incognote.workshop.pretrain.corpus.prepare import ShardSettings, prepare
from incognote.workshop.tokenization import load

MIXTURES = {
    "broad": {"clinical": 3, "medical": 2, "general": 1},
    "clinical": {"clinical": 6, "medical": 1, "excerpts": 1},
}
WATCHED = 0.01
"""The share of a mixture's documents that the curve of a run is drawn from."""

HELD_OUT = ("clinical", "medical", "general")


def main() -> int:
    """Make, or find made, the shards of both mixtures and of what is held out."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, help="folder with text/ and tokenizer/")
    parser.add_argument("--workers", type=int, default=1, help="processes that tokenise")
    given = parser.parse_args()
    text, folder = given.work / "text", given.work / "shards"
    tokenizer = load(given.work / "tokenizer", family="albert")
    made = {}
    for name, shares in MIXTURES.items():
        files = [text / f"{part}.jsonl" for part, copies in shares.items() for _ in range(copies)]
        settings = ShardSettings(held_out=WATCHED)
        made[name] = prepare(files, tokenizer, folder / name, settings, workers=given.workers)
    for kind in HELD_OUT:
        files, settings = [text / "held_out" / f"{kind}.jsonl"], ShardSettings(held_out=0)
        place = folder / "held_out" / kind
        made[f"held_out/{kind}"] = prepare(files, tokenizer, place, settings)
    pieces = {name: int(shards.lengths.sum()) for name, shards in made.items()}
    print(json.dumps(pieces, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
