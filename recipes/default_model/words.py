"""Chooses from which probability words are redacted at each speed.

    python recipes/default_model/words.py model/ --work work/ --corpus corpus [--sets G]

`model/` is exported, with decisions and scales put into it. Careful takes the lowest level at which
over-redaction stays within --most on sets that none has learned from. At that level a smaller network
covers less. So each faster one has its own: the highest level at which it covers as much as careful
but for what it may lose (LOST). The tables show what each costs and brings; what is chosen is in
work/words.json, and put_into.py puts it into the folder.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from unseen import UnseenNote

from incognote.base.files import write_private
from incognote.corpus.predictions import read_gold
from incognote.detect.finder import Finder
from incognote.detect.model import ModelDetector
from incognote.detect.uncertain import FLOOR
from incognote.formats import Fields
from incognote.onnx.model_folder import SPEEDS, Hybrid, read_model

LEVELS = (0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1)
LOST = {"balanced": 0.003, "fast": 0.01}
"""Of careful's covered recall, at most."""


def read_at(model: Path, speed: str, corpus: Path, sets: Sequence[str]) -> list[UnseenNote]:
    """What rules and the model find at one speed."""
    rules, network = Finder(), ModelDetector(model, speed=speed, uncertain=FLOOR)
    return [
        UnseenNote(gold, rules.detect(bare).spans, network.detect(bare))
        for name in sets
        for gold in read_gold(corpus / name, None, Fields())
        for bare in [gold.with_spans(())]
    ]


def figures(notes: Sequence[UnseenNote], hybrid: Hybrid) -> tuple[float, float]:
    """Covered recall and over-redaction."""
    outcomes = [note.outcome(hybrid) for note in notes]
    covered = sum(len(outcome.covered) for outcome in outcomes)
    hidden = sum(outcome.hidden for outcome in outcomes)
    return (
        covered / max(1, sum(len(note.identifiers) for note in notes)),
        hidden / max(1, sum(len(note.outside) for note in notes)),
    )


Table = dict[float, tuple[float, float]]
"""Covered recall and over-redaction of each level."""


def chosen(table: Table, recall: float, limit: float) -> float:
    """The highest level with this recall, or the lowest within the limit."""
    within = [level for level, (_, hidden) in table.items() if hidden <= limit] or [max(table)]
    enough = [level for level in within if table[level][0] >= recall]
    return max(enough) if enough else min(within)


def main(arguments: list[str] | None = None) -> int:
    """Read, show, choose and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="folder that put_into.py has seen")
    parser.add_argument("--work", type=Path, required=True, help="the folder of make.py")
    parser.add_argument("--corpus", type=Path, required=True, help="the project's corpus folder")
    parser.add_argument("--sets", default="G", help="sets that no variant has learned from")
    parser.add_argument("--most", type=float, default=0.0165, help="over-redaction of careful")
    given = parser.parse_args(arguments)
    model, sets = read_model(given.model), given.sets.split(",")
    hybrid = model.hybrid or Hybrid()
    levels: dict[str, float] = {}
    best = 1.0
    for speed in (name for name in SPEEDS if name in model.variants):
        notes = read_at(given.model, speed, given.corpus, sets)
        table = {level: figures(notes, replace(hybrid, words=level)) for level in LEVELS}
        for level, (covered, other) in table.items():
            print(f"{speed:>10} from {level:<4}  covered {covered:.2%}  over-redaction {other:.2%}")
        if speed == SPEEDS[0]:
            levels[speed] = chosen(table, 1.0, given.most)
            best = table[levels[speed]][0]
        else:
            levels[speed] = chosen(table, best - LOST[speed], 1.0)
        print(f"{speed}: from {levels[speed]}")
    target = given.work / "words.json"
    write_private(target, json.dumps(levels, indent=1).encode() + b"\n")
    print(f"written: {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
