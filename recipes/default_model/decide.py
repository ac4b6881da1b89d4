"""Decides, type by type, whether rules, the model, either or both together mark an identifier.

    python recipes/default_model/decide.py --work work/ --corpus corpus [--sets A,B,C,D,G]

It reads what rules and each fold's model found in the set that the fold had not seen
(fold-X-found/rules.jsonl, model.jsonl), and tries for one type at a time:

union        spans of either count (so it is for all types that nothing is decided for)
rules        the model's spans of the type do not count
model        the rules' spans of the type do not count
both agree   a span counts where the other has one too, of whatever type

Then, for each type that the model has a say in, it tries to leave out the model's spans below a
score (thresholds.json).

Recall comes first: among the decisions under which at most 0.2 points of the type's number fewer
identifiers (of any type) are covered than under the best, the one that hides least else is taken.
Where a rule and the model mark the same place as different types, whoever was right more often for
that type of rule names it: in set G, because rules were written while reading A to D; where G does
not tell, in all sets.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parent))

from unseen import UnseenNote, kept_findings

from incognote.base.files import write_private
from incognote.detect.decisions import alike, over
from incognote.onnx.model_folder import DECISIONS, Hybrid
from incognote.phi import TYPES

TOLERANCE = 0.002
"""The share of a type's identifiers that may be lost for less over-redaction."""

UNREAD = "G"
LEVELS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)

Way = TypeVar("Way", str, float)


def decide(notes: Sequence[UnseenNote], unread: Sequence[UnseenNote] = ()) -> Hybrid:
    """The decisions, and the table of what was tried; `unread` notes tell who names."""
    hybrid = Hybrid(names=named(notes) | named(unread, ties=False))
    print(f"{'':15} gold" + "".join(f"{each:>19}" for each in DECISIONS) + "   decided")
    print(" " * 20 + "   covered   hidden" * len(DECISIONS))
    gold = Counter(span[2] for note in notes for span in note.identifiers)
    chosen = {}
    for type in TYPES:
        concerned = [note for note in notes if _has(note, type)]
        if concerned:
            tried = {
                each: _counted(concerned, replace(hybrid, decisions={type: each}))
                for each in DECISIONS
            }
            chosen[type] = best(tried, gold[type])
            figures = "".join(f"{covered:10,} {hidden:8,}" for covered, hidden in tried.values())
            print(f"{type:15} {gold[type]:4}{figures}   {chosen[type]}")
    return replace(hybrid, decisions=chosen)


def thresholds(notes: Sequence[UnseenNote], hybrid: Hybrid) -> dict[str, float]:
    """By type, the score below which the model's spans are left out."""
    print(f"\n{'spans from':15}" + "".join(f"{level:>16}" for level in LEVELS) + "   chosen")
    gold = Counter(span[2] for note in notes for span in note.identifiers)
    chosen: dict[str, float] = {}
    for type in TYPES:
        concerned = [note for note in notes if any(s.type == type for s in note.model.spans)]
        if concerned and hybrid.decision(type) != "rules":
            tried = {
                level: _counted([note.above({type: level}) for note in concerned], hybrid)
                for level in LEVELS
            }
            level = best(tried, gold[type])
            figures = "".join(f"{covered:8,}{hidden:8,}" for covered, hidden in tried.values())
            print(f"{type:15}{figures}   {level}")
            if level:
                chosen[type] = level
    return chosen


def best(tried: Mapping[Way, tuple[int, int]], gold: int) -> Way:
    """The way with the best trade; the first of equals.

    `tried` has how many identifiers of any type are covered, and how many characters hidden.
    """
    most = max(covered for covered, _ in tried.values())
    enough = [each for each in tried if tried[each][0] >= most - TOLERANCE * gold]
    return min(enough, key=lambda each: tried[each][1])


def named(notes: Sequence[UnseenNote], *, ties: bool = True) -> dict[str, str]:
    """Who names a place, by the type that a rule gives it; of ties, rules, or nobody."""
    right: Counter[tuple[str, str]] = Counter()
    for note in notes:
        for rule in note.rules:
            for guess in over(note.model.spans, rule.start, rule.end):
                if guess.type != rule.type and alike(rule, guess):
                    gold = {
                        type
                        for start, end, type in note.identifiers
                        if max(start, rule.start, guess.start) < min(end, rule.end, guess.end)
                    }
                    right[rule.type, "rules"] += rule.type in gold
                    right[rule.type, "model"] += guess.type in gold
    types = [type for type in TYPES if right[type, "rules"] or right[type, "model"]]
    print(
        "who is right where the two differ: "
        + (
            ", ".join(
                f"{type} rules {right[type, 'rules']} model {right[type, 'model']}"
                for type in types
            )
            or "nobody differs"
        )
    )
    return {
        type: "model" if right[type, "model"] > right[type, "rules"] else "rules"
        for type in types
        if ties or right[type, "model"] != right[type, "rules"]
    }


def summary(notes: Sequence[UnseenNote], hybrid: Hybrid, least: Mapping[str, float]) -> None:
    """Figures of each finder alone, of all together, and of what was decided."""
    outcomes = {
        "rules": [note.judged(note.rules) for note in notes],
        "model": [note.judged(note.model.spans) for note in notes],
        "union": [note.outcome(Hybrid()) for note in notes],
        "decided": [note.above(least).outcome(hybrid) for note in notes],
    }
    gold = Counter(each[2] for note in notes for each in note.identifiers)
    outside = sum(len(note.outside) for note in notes)
    print(f"\n{'':10} covered   PATIENT    DOCTOR  over-redaction   on {len(notes)} unseen notes")
    for name, each in outcomes.items():
        covered = Counter(span[2] for outcome in each for span in outcome.covered)
        shares = [covered.total() / max(1, gold.total())]
        shares += [covered[type] / max(1, gold[type]) for type in ("PATIENT", "DOCTOR")]
        hidden = sum(outcome.hidden for outcome in each) / max(1, outside)
        print(f"{name:10}" + "".join(f"{share:8.2%}  " for share in shares) + f"{hidden:14.2%}")


def _has(note: UnseenNote, type: str) -> bool:
    return any(span.type == type for span in (*note.rules, *note.model.spans))


def _counted(notes: Sequence[UnseenNote], hybrid: Hybrid) -> tuple[int, int]:
    outcomes = [note.outcome(hybrid) for note in notes]
    return sum(len(each.covered) for each in outcomes), sum(each.hidden for each in outcomes)


def main(arguments: list[str] | None = None) -> int:
    """Decide, show and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, help="the folder of make.py")
    parser.add_argument("--corpus", type=Path, required=True, help="the project's corpus folder")
    parser.add_argument("--sets", default="A,B,C,D,G", help="the sets that a model had not seen")
    given = parser.parse_args(arguments)
    sets = given.sets.split(",")
    notes = list(kept_findings(given.work, given.corpus, sets))
    unread = list(kept_findings(given.work, given.corpus, [UNREAD])) if UNREAD in sets else []
    hybrid = decide(notes, unread)
    least = thresholds(notes, hybrid)
    summary(notes, hybrid, least)
    for name, values in (("hybrid", asdict(hybrid)), ("thresholds", least)):
        path = given.work / f"{name}.json"
        write_private(path, json.dumps(values, indent=1).encode() + b"\n")
        print(f"written: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
