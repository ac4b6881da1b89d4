"""How long scoring takes: every figure with intervals, on one core.

    python benchmarks/scoring.py                # 10,000 notes
    python benchmarks/scoring.py --notes 1000

Notes are the project's own corpus (sets A to D), repeated, with what the rules find in them.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from incognote import Deidentifier, Document
from incognote.evaluate import BLOCKS, score
from incognote.evaluate.error_analysis import analyse
from incognote.evaluate.error_page import error_page
from incognote.formats import read

CORPUS = Path(__file__).parent.parent / "corpus"


def pairs(count: int) -> tuple[list[Document], list[Document]]:
    """So many notes with their gold, and the same with what the rules find."""
    detector = Deidentifier().detector
    notes = [document for part in "ABCD" for document in read(CORPUS / part, "inline")]
    found = [note.with_spans(detector.detect(note.with_spans(())).spans) for note in notes]

    def repeated(documents: list[Document]) -> list[Document]:
        return [
            Document(f"{number:06}", document.text, document.spans)
            for number in range(count)
            for document in [documents[number % len(documents)]]
        ]

    return repeated(notes), repeated(found)


def main() -> None:
    """Parse and measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--notes", type=int, default=10_000)
    gold, found = pairs(parser.parse_args().notes)
    characters = sum(len(note.text) for note in gold)
    spans = sum(len(note.spans) for note in gold)
    print(f"{len(gold):,} notes, {characters / 1e6:.1f} million characters, {spans:,} gold spans")
    total = 0.0
    for block in BLOCKS:
        began = time.process_time()
        report = score(gold, found, blocks=[block])
        seconds = time.process_time() - began
        total += seconds
        print(f"  {block:9} {seconds:6.1f} s, {len(report.figures)} figures")
    print(f"  in all    {total:6.1f} s of one core, 1,000 resamples for every interval")
    release = score(gold, found, blocks=["release"])
    began = time.process_time()
    analysis = analyse(gold, found)
    page = error_page(release, analysis, "rules")
    seconds = time.process_time() - began
    print(
        f"  error page {seconds:5.1f} s, {len(analysis.errors):,} errors, {len(page) / 1e6:.1f} MB"
    )


if __name__ == "__main__":
    main()
