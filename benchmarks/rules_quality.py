"""What the rules find on the project's own corpus, and what they leave alone.

    python benchmarks/rules_quality.py             # sets A to D, and the two sets of hard cases
    python benchmarks/rules_quality.py --misses    # and what was missed or marked too much

The notes are synthetic. Set E is sealed: it is scored for final figures only.
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

CORPUS = Path(__file__).parent.parent / "corpus"


def predict(gold: Sequence[Document]) -> list[Document]:
    """The notes with what the rules find instead of their marks."""
    results = Deidentifier(detector="rules").pipe(Document(note.id, note.text) for note in gold)
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


def untouched(cases: Sequence[Document]) -> float:
    """The share of cases in which nothing is found."""
    return sum(not found.spans for found in predict(cases)) / len(cases)


def main() -> None:
    """Parse and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--misses", action="store_true")
    misses = parser.parse_args().misses
    sets = {
        part: [replace(note, id=f"{part}/{note.id}") for note in read(CORPUS / part, "inline")]
        for part in "ABCD"
    }
    show(sets)
    for name in ("positive", "negative"):
        cases = list(read_marked_jsonl(CORPUS / "traps" / f"{name}.jsonl"))
        if name == "negative":
            print(f"look-alikes left untouched: {untouched(cases):.1%} of {len(cases)}")
        else:
            release = score(cases, predict(cases), blocks=["release"])
            recall = release.value("release", "covered_recall")
            print(f"hard cases: covered recall {recall:.1%} of {release.gold_spans} identifiers")
        sets[name] = cases
    if misses:
        for notes in sets.values():
            show_misses(notes)


if __name__ == "__main__":
    main()
