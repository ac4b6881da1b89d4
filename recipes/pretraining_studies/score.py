"""What an arm does on held-out documents, whatever it was trained for; and how it was trained.

    python recipes/pretraining_studies/score.py ARM --held-out FILE… --shards DIR -o arm.json \
        --objectives mlm+nsp,mlm+sop --minutes 45

Masks and pairs are the same for all arms. A model that has no sentence head gets a random one, and
does by chance what that does.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from incognote.cli.allocator import keep_memory
from incognote.encoders import load as load_model
from incognote.pretrain.corpus.prepare import Settings, prepare
from incognote.tokenization import load
from recipes.clinical_albert.evaluate import scored

LONGEST = 3
"""Words masked in a run, as the arms have learned it."""


def main() -> int:
    """Score, and write one JSON file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("arm", type=Path, help="folder that `incognote pretrain` wrote")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--held-out", type=Path, nargs="*", default=[], help="held-out text")
    parser.add_argument("--shards", type=Path, help="folder for it, tokenised")
    parser.add_argument("--objectives", default="", help="to be asked about, with commas")
    parser.add_argument("--examples", type=int, default=4000, help="pairs, at most")
    parser.add_argument("--minutes", type=float, required=True, help="the arm's budget")
    parser.add_argument("--threads", type=int, help="of the processor")
    given = parser.parse_args()
    keep_memory()
    if given.threads:
        torch.set_num_threads(given.threads)
    training: dict[str, Any] = json.loads((given.arm / "training.json").read_text("utf-8"))
    names = [name for name in given.objectives.split(",") if name]
    found: dict[str, Any] = {}
    if names:
        tokenizer = load(given.arm)
        shards = prepare(given.held_out, tokenizer, given.shards, Settings(held_out=0))
        for name in names:
            found[name] = scored(given.arm, name, shards, tokenizer, given.examples, LONGEST)
    model = load_model(given.arm, heads=())
    result = {
        "minutes": given.minutes,
        "threads": given.threads,
        "precision": training["settings"]["precision"],
        "parameters": sum(each.numel() for each in model.parameters()),
        "scored": found,
        **{
            name: training[name]
            for name in ("objective", "steps", "pieces", "seconds", "held_out", "curve")
        },
    }
    given.output.parent.mkdir(parents=True, exist_ok=True)
    part = given.output.with_name(given.output.name + ".part")
    part.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    part.replace(given.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
