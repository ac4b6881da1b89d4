"""Asks the ALBERT that ships about the order of two texts, and whether the second comes next at all.

    python recipes/pretraining_studies/shipped.py --albert albert/ -o shipped.json

It has learned the order (SOP) for two hours, and never next sentences (NSP). Only the network in
8 bits has a head for the question, not the checkpoint that score.py would load. Pairs of 128 pieces,
as it has learned them, from held-out documents that `--albert` has as shards, cut in several ways:
figures and their intervals are pooled as score.py does.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from incognote.base.files import write_whole
from incognote.workshop.encoders.text_encoder import SHIPPED, OnnxTextModel
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.figures import wilson
from incognote.workshop.pretrain.objectives import make_objective
from incognote.workshop.pretrain.stream import NO_LABEL
from incognote.workshop.tokenization import Encoding
from recipes.pretraining_studies.score import pooled

KINDS = ("clinical", "medical")
QUESTIONS = ("sop", "nsp")


def asked(
    model: OnnxTextModel, shards: Shards, question: str, *, length: int, cut: int
) -> dict[str, float]:
    """What is right of all pairs of one cut, nothing masked."""
    objective = make_objective(f"mlm+{question}", model.pieces, shards)
    settings = replace(objective.settings, length=length)
    examples = objective.examples(shards, shards.train, settings, cut)
    right, pairs = 0, 0
    for index in range(examples.count(0)):
        example = examples.example(0, index)
        if example.label == NO_LABEL:
            continue
        ids = example.ids.copy()
        ids[example.places] = example.targets
        nowhere = np.zeros_like(ids)  # in no text: these were pieces already
        pair = Encoding(ids, example.segments, starts=nowhere, ends=nowhere, part=nowhere)
        logits = model.order_logits(pair)
        right += int(logits.argmax()) == example.label
        pairs += 1
    low, high = wilson(right, pairs)
    found = {"accuracy": right / pairs, "accuracy_low": low, "accuracy_high": high, "terms": pairs}
    return {f"{question}_{name}": value for name, value in found.items()}


def main() -> int:
    """Ask, and write one JSON file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--albert", type=Path, required=True, help="work of recipes/clinical_albert"
    )
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--length", type=int, default=128, help="pieces of a pair, at most")
    parser.add_argument("--cuts", type=int, default=4, help="of the same documents into pairs")
    given = parser.parse_args()
    model = OnnxTextModel.load(SHIPPED)
    found: dict[str, dict[str, float]] = {}
    for kind in KINDS:
        shards = Shards(given.albert / "shards/held_out" / kind, model.tokenizer)
        found[kind] = {"length": given.length, "cuts": given.cuts}
        for question in QUESTIONS:
            cuts = [
                asked(model, shards, question, length=given.length, cut=cut)
                for cut in range(given.cuts)
            ]
            found[kind] |= pooled(cuts)
        print(kind, json.dumps(found[kind]), flush=True)
    write_whole(given.output, (json.dumps(found, indent=1) + "\n").encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
