"""Figures of an encoder on the held-out documents of each kind.

    python recipes/clinical_albert/evaluate.py work/ clinical

15 % of the pieces are masked, whole words one by one, in pairs of 128 pieces. The masks are the same
for whatever is evaluated. The figures go to work/clinical.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import torch

from incognote.cli.training_options import keep_memory
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.figures import evaluate
from incognote.workshop.pretrain.loop import example_settings
from incognote.workshop.pretrain.objectives import make_objective
from incognote.workshop.pretrain.start import from_checkpoint
from incognote.workshop.tokenization import Tokenizer, load
from incognote.workshop.training.processes import Processes

KINDS = ("clinical", "medical", "general")
LENGTH, PACK = 128, 2048
SHARE = 0.15


def scored(
    folder: Path,
    objective_name: str,
    shards: Shards,
    tokenizer: Tokenizer,
    count: int,
    longest: int = 1,
    length: int = LENGTH,
    seed: int = 0,
) -> dict[str, float]:
    """Figures of one objective; a model that lacks a head for it gets a random one.

    `longest` is how many words are masked in a run, at most; each `seed` cuts the documents elsewhere.
    """
    objective = make_objective(objective_name, tokenizer, shards)
    module = from_checkpoint(folder, objective, tokenizer, 0).module
    masking = {"share": SHARE, "longest": longest, "whole_words": True, "copies": None}
    settings = example_settings(objective.settings, {"masking": masking}, length)
    examples = objective.examples(shards, shards.train, settings, seed)
    workers = Processes(torch.device("cpu"))
    return evaluate(objective, module, examples, count=count, pack=PACK, workers=workers)


def main() -> int:
    """Evaluate on each kind, and write what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, help="folder with shards/ and the encoder")
    parser.add_argument("encoder", help="its name there")
    parser.add_argument("--examples", type=int, default=2000, help="pairs of each kind, at most")
    parser.add_argument("--threads", type=int, help="of the processor")
    given = parser.parse_args()
    keep_memory()
    if given.threads:
        torch.set_num_threads(given.threads)
    folder = given.work / given.encoder
    tokenizer = load(folder, family="albert")
    found = {}
    for kind in KINDS:
        shards = Shards(given.work / "shards/held_out" / kind, tokenizer)
        found[kind] = scored(folder, "mlm+sop", shards, tokenizer, given.examples)
        print(kind, json.dumps(found[kind]), flush=True)
    output = given.work / f"{given.encoder}.json"
    part = output.with_name(output.name + ".part")
    part.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    part.replace(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
