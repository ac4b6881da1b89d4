"""What the rules find on the project's own corpus, and what they leave alone.

    python benchmarks/rules_quality.py             # sets A to D, and the two sets of hard cases
    python benchmarks/rules_quality.py --misses    # and what was missed or marked too much
    python benchmarks/rules_quality.py --both      # the hard cases only, with the shipped model too,
                                                   # at each of its speeds

The shipped model has learned from sets A to D and the forms of the hard cases, so they cannot judge
it; the look-alikes can, as far as vetoes were not written for them.

The notes are synthetic. Sets E and H are sealed: they are scored for final figures only.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from incognote import Deidentifier, Document, Span
from incognote.evaluate import Figure, Resampling, score
from incognote.formats import read
from incognote.formats.inline import read_marked_jsonl
from incognote.onnx.model_folder import SPEEDS

CORPUS = Path(__file__).parent.parent / "corpus"


def predict(gold: Sequence[Document], speed: str | None = None) -> list[Document]:
    """The notes with what is found instead of their marks: by rules, at a speed by the model too."""
    deidentify = Deidentifier(detector="both" if speed else "rules", speed=speed)
    results = deidentify.pipe(Document(note.id, note.text) for note in gold)
    return [result.found for result in results]


def show(sets: dict[str, list[Document]]) -> None:
    """Print covered recall per type, and the figures of a release, a column for each set."""
    columns = {**sets, "A-D": [note for notes in sets.values() for note in notes]}
    reports = {
        name: score(notes, predict(notes), blocks=["release"], resampling=Resampling(resamples=0))
        for name, notes in columns.items()
    }
    print(f"{'covered recall':20}", *(f"{name:>8}" for name in reports), f"{'spans':>8}")
    total = reports["A-D"].under("release", "covered_recall_by_type")
    for (type,), figure in sorted(total.items(), key=lambda row: -(row[1].whole or 0)):
        found = [
            report.figures.get(("release", "covered_recall_by_type", type))
            for report in reports.values()
        ]
        print(f"  {type:18}", *(_cell(value) for value in found), f"{figure.whole:8.0f}")
    print(f"{'identifiers':20}", *(f"{report.gold_spans:8,}" for report in reports.values()))
    for name in ("covered_recall", "leaked_notes", "over_redaction"):
        print(
            f"{name:20}", *(_cell(report.figures["release", name]) for report in reports.values())
        )


def _cell(figure: Figure | None) -> str:
    return " " * 8 if figure is None or figure.value is None else f"{figure.value:8.2%}"


def show_misses(notes: list[Document]) -> None:
    """Print what leaked and what was hidden for nothing, each with its line."""
    for gold, found in zip(notes, predict(notes), strict=True):
        hidden = {i for span in found.spans for i in range(span.start, span.end)}
        real = {i for span in gold.spans for i in range(span.start, span.end)}
        for span in gold.spans:
            if any(gold.text[i].isalnum() and i not in hidden for i in range(span.start, span.end)):
                print(f"missed {span.type}: {span.text!r} in {_line(gold.text, span)!r}")
        for span in found.spans:
            if not real.intersection(range(span.start, span.end)):
                print(
                    f"too much {span.type} ({span.source}): {span.text!r} "
                    f"in {_line(gold.text, span)!r}"
                )


def _line(text: str, span: Span) -> str:
    return text[max(0, span.start - 40) : span.end + 40]


def hard_cases(speed: str | None = None) -> dict[str, list[Document]]:
    """Print what is covered of the hardest identifiers, and how many look-alikes are left alone."""
    cases = {
        name: list(read_marked_jsonl(CORPUS / "traps" / f"{name}.jsonl"))
        for name in ("positive", "negative")
    }
    hard, alike = cases.values()
    release = score(hard, predict(hard, speed), blocks=["release"])
    recall = release.value("release", "covered_recall")
    untouched = sum(not found.spans for found in predict(alike, speed)) / len(alike)
    print(f"hard cases: covered recall {recall:.1%} of {release.gold_spans} identifiers")
    print(f"look-alikes left untouched: {untouched:.1%} of {len(alike)}")
    return cases


def main() -> None:
    """Parse and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--both", action="store_true", help="rules and model, on hard cases")
    given = parser.parse_args()
    if given.both:
        for speed in SPEEDS:
            print(f"{speed}:")
            hard_cases(speed)
        return
    sets = {
        part: [replace(note, id=f"{part}/{note.id}") for note in read(CORPUS / part, "inline")]
        for part in "ABCD"
    }
    show(sets)
    sets |= hard_cases()
    if given.misses:
        for notes in sets.values():
            show_misses(notes)


if __name__ == "__main__":
    main()
