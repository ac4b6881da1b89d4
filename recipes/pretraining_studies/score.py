"""What an arm does on held-out documents, whatever it was trained for; and how it was trained.

    python recipes/pretraining_studies/score.py ARM --held-out FILE… --shards DIR -o arm.json \
        --objectives mlm+nsp,mlm+sop --minutes 45

Masks and pairs are the same for all arms. A model that has no sentence head gets a random one, and
does by chance what that does. With `--cuts` the documents are cut into pairs several times, each time
elsewhere; figures are means over the cuts, and so are the edges of their intervals: as wide as
one cut's, as if the others had brought nothing new.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from incognote.cli.training_options import keep_memory
from incognote.workshop.encoders import load as load_model
from incognote.workshop.pretrain.corpus.prepare import ShardSettings, prepare
from incognote.workshop.tokenization import load
from recipes.clinical_albert.evaluate import scored

LONGEST = 3
"""Words masked in a run, as the arms have learned it."""


def pooled(cuts: list[dict[str, float]]) -> dict[str, float]:
    """Means over the cuts; what was counted, in all.

    >>> pooled([{"sop_terms": 4, "sop_accuracy": 0.5}, {"sop_terms": 6, "sop_accuracy": 1.0}])
    {'sop_terms': 10, 'sop_accuracy': 0.75}
    """
    sums = {name: sum(cut[name] for cut in cuts) for name in cuts[0]}
    counted = ("examples", "_terms")
    return {name: n if name.endswith(counted) else n / len(cuts) for name, n in sums.items()}


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
    parser.add_argument("--length", type=int, default=128, help="pieces of a pair, at most")
    parser.add_argument("--cuts", type=int, default=1, help="of the same documents into pairs")
    parser.add_argument("--minutes", type=float, help="the arm's budget, if it was one of time")
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
        shards = prepare(given.held_out, tokenizer, given.shards, ShardSettings(held_out=0))
        for name in names:
            asked = (given.arm, name, shards, tokenizer, given.examples, LONGEST, given.length)
            found[name] = pooled([scored(*asked, seed=seed) for seed in range(given.cuts)])
    model = load_model(given.arm, heads=())
    result = {
        "minutes": given.minutes,
        "length": given.length,
        "cuts": given.cuts,
        "threads": given.threads,
        "precision": training["settings"]["precision"],
        "parameters": sum(each.numel() for each in model.parameters()),
        "scored": found,
        **{
            name: training[name]
            for name in ("objective", "steps", "pieces", "seconds", "held_out", "curve", "settings")
        },
    }
    given.output.parent.mkdir(parents=True, exist_ok=True)
    part = given.output.with_name(given.output.name + ".part")
    part.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    part.replace(given.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
