"""Compares generated notes with the corpus: how often each type occurs, and which forms are missing.

    python recipes/default_model/check.py notes.jsonl --corpus corpus --sets A,B,C,D

The figures per 1,000 words should be of one order. `grammar` is the share of the corpus's values whose
shape (capitals, digits, punctuation) the grammars alone produce; the commonest missing shapes follow.
Below: how many notes of each kind there are, how long they are and how dense their marks.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from generator.forms import Tally, covered, tally
from generator.redraw.note import Mark
from generator.sources.corpus_notes import load_sets

from incognote.phi import TYPES


def main(arguments: list[str] | None = None) -> int:
    """Print the table; fails when a type never occurs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notes", type=Path, help="JSONL file that generate.py wrote")
    parser.add_argument("--corpus", type=Path, required=True, help="the project's corpus folder")
    parser.add_argument("--sets", default="A,B,C,D", help="sets to compare with")
    parser.add_argument("--missing", type=int, default=4, help="missing shapes to show per type")
    options = parser.parse_args(arguments)
    try:
        corpus = tally(
            (note.text, note.marks) for note in load_sets(options.corpus, options.sets.split(","))
        )
        every = tally(_generated(options.notes, ""))
        grammar = tally(_generated(options.notes, "grammar"))
    except (OSError, ValueError) as error:
        print(f"check: {error}", file=sys.stderr)
        return 2
    _show(corpus, every, grammar, options.missing)
    _show_kinds(options.notes)
    return 1 if any(not every.types[type] for type in TYPES) else 0


def _generated(path: Path, source: str) -> Iterator[tuple[str, list[Mark]]]:
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            note = json.loads(line)
            if note["source"].startswith(source):
                yield note["text"], [(s["start"], s["end"], s["type"]) for s in note["spans"]]


def _show(corpus: Tally, every: Tally, grammar: Tally, missing: int) -> None:
    print(f"{'':15} corpus generated  per note  grammar  missing shapes")
    for type in TYPES:
        shapes = corpus.shapes[type].most_common()
        lost = [form for form, _ in shapes if form not in grammar.shapes[type]][:missing]
        print(
            f"{type:15} {corpus.per_thousand_words(type):6.2f} {every.per_thousand_words(type):9.2f}"
            f" {every.types[type] / max(1, every.notes):9.2f} {covered(corpus, grammar, type):8.0%}  "
            + "   ".join(lost)
        )


def _show_kinds(path: Path) -> None:
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            note = json.loads(line)
            marks = len(note["spans"])
            row = counts[note["source"]]
            for at, more in enumerate((1, len(note["text"].split()), marks, not marks)):
                row[at] += more
    print(f"\n{'kind':20} notes  words/note  marks/note  without marks")
    for kind, (notes, words, marks, bare) in sorted(counts.items()):
        print(f"{kind:20} {notes:5} {words / notes:11.0f} {marks / notes:11.1f} {bare:14}")


if __name__ == "__main__":
    sys.exit(main())
