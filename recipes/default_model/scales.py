"""Makes the shipped probabilities mean what they say, and chooses from which one words are redacted.

    python recipes/default_model/scales.py --work work/ --corpus corpus [--sets A,B,C,D,G]

Each fold's model reads the set it has not seen, and says of every word how likely it is part of an
identifier. From these, two numbers for each type are fitted (work/scales.json). Then words that
neither rules nor model marked are redacted from a probability on: the table shows what each costs
and brings, and the lowest one that keeps over-redaction within the limit is written into the
decisions (work/hybrid.json), which decide.py has made before with thresholds.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from unseen import UnseenNote

from incognote.base.files import write_private
from incognote.corpus.calibrate import fit_scales
from incognote.corpus.evidence import evidence_of
from incognote.corpus.predictions import read_gold
from incognote.detect.finder import Finder
from incognote.detect.model import ModelDetector
from incognote.detect.uncertain import FLOOR, Scales
from incognote.formats import Fields
from incognote.onnx.model_folder import Hybrid, read_hybrid

LEVELS = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05)


def read_again(work: Path, corpus: Path, sets: Sequence[str]) -> Iterator[UnseenNote]:
    """Each set by the model of its fold, with the words that it suspects."""
    rules = Finder()
    for name in sets:
        model = ModelDetector(work / f"fold-{name}-model", uncertain=FLOOR)
        for gold in read_gold(corpus / name, None, Fields()):
            bare = gold.with_spans(())
            yield UnseenNote(gold, rules.detect(bare).spans, model.detect(bare))


def fitted(notes: Sequence[UnseenNote]) -> Scales:
    """The scales, from what the models themselves say: rules and vetoes come after."""
    return fit_scales([evidence_of(note.gold, note.model) for note in notes])


def rescaled(note: UnseenNote, scales: Scales) -> UnseenNote:
    """The note as a model with these scales would have seen it."""
    suspects = tuple(map(scales.rescaled, note.model.uncertain))
    return replace(note, model=replace(note.model, uncertain=suspects))


def level_of(notes: Sequence[UnseenNote], hybrid: Hybrid, limit: float) -> float | None:
    """The lowest probability that keeps over-redaction within the limit; shows the others too."""
    gold = max(1, sum(len(note.identifiers) for note in notes))
    outside = max(1, sum(len(note.outside) for note in notes))
    chosen = None
    print(f"{'words from':>10}   covered  over-redaction")
    for level in (None, *LEVELS):
        outcomes = [note.outcome(replace(hybrid, words=level)) for note in notes]
        covered = sum(len(outcome.covered) for outcome in outcomes) / gold
        hidden = sum(outcome.hidden for outcome in outcomes) / outside
        print(f"{level or 'none':>10}  {covered:8.2%}  {hidden:14.2%}")
        if hidden <= limit:
            chosen = level
    return chosen


def main(arguments: list[str] | None = None) -> int:
    """Fit, choose and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, help="the folder of make.py")
    parser.add_argument("--corpus", type=Path, required=True, help="the project's corpus folder")
    parser.add_argument("--sets", default="A,B,C,D,G", help="the sets that a model had not seen")
    parser.add_argument("--over-redaction", type=float, default=0.008, help="the limit")
    given = parser.parse_args(arguments)
    decisions = given.work / "hybrid.json"
    hybrid = read_hybrid(json.loads(decisions.read_text())) or Hybrid()
    notes = list(read_again(given.work, given.corpus, given.sets.split(",")))
    scales = fitted(notes)
    for type, (slope, offset) in scales.by_type.items():
        print(f"{type:15} slope {slope:5.2f}  offset {offset:6.2f}")
    least = json.loads((given.work / "thresholds.json").read_text())
    scaled = [rescaled(note.above(least), scales) for note in notes]
    hybrid = replace(hybrid, words=level_of(scaled, hybrid, given.over_redaction))
    for path, values in (
        (given.work / "scales.json", dict(scales.by_type)),
        (decisions, asdict(hybrid)),
    ):
        write_private(path, json.dumps(values, indent=1).encode() + b"\n")
        print(f"written: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
