"""Where the time goes when notes are read, by parts: the table of docs/performance.md.

    python benchmarks/parts.py [--model model/] [--sets A G] [--rounds 3]

Notes of the corpus are read one by one on one thread, with timers around the parts, at each speed of the
model in turn. Shown is the best round of each: milliseconds for 300 words, and the share of all.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from incognote.align.decode import CommonTokens
from incognote.align.note_reader import NoteReader, TokenizedNote
from incognote.detect.finder import Finder, choose
from incognote.formats import read
from incognote.models import shipped_model
from incognote.onnx.model_folder import read_model
from incognote.onnx.sessions import Network

CORPUS = Path(__file__).resolve().parent.parent / "corpus"
MODEL = "incognote.detect.model"
PARTS: dict[str, list[tuple[Any, str]]] = {
    "the networks": [(Network, "run")],
    "rules": [(Finder, "_read_by_rules")],
    "tokenizing, word shapes, windows": [(NoteReader, "read_all"), (TokenizedNote, "input")],
    "the CRF: best path and marginals; the mean of networks": [
        (MODEL, "decoded"),
        (MODEL, "shares_of"),
        (MODEL, "viterbi"),
        (MODEL, "common_tokens"),
        (CommonTokens, "mean"),
    ],
    "words that are redacted besides": [(MODEL, "uncertain_words")],
}
REST = "vetoes, decisions, propagation, spans"
WORDS = 300


@contextmanager
def timed(spent: dict[str, float]) -> Iterator[None]:
    """Count what each part takes; parts do not lie within each other."""

    def around(part: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **named: Any) -> Any:
            began = time.perf_counter()
            try:
                return work(*given, **named)
            finally:
                spent[part] += time.perf_counter() - began

        return run

    patches = []
    for part, places in PARTS.items():
        for place, name in places:
            owner = sys.modules[place] if isinstance(place, str) else place
            patches.append(patch.object(owner, name, around(part, getattr(owner, name))))
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()


def main() -> int:
    """Read at each speed in turn, and show."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="model folder; the shipped one without it")
    parser.add_argument("--sets", nargs="+", default=["A", "G"], help="sets of corpus/")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    model = given.model or shipped_model()
    if model is None:
        parser.error("no model was shipped: name one with --model")
    notes = [note.with_spans(()) for name in given.sets for note in read(CORPUS / name)]
    words = sum(len(note.text.split()) for note in notes)
    speeds = list(read_model(model).variants)
    detectors = {speed: choose("both", model, speed).detector(threads=1) for speed in speeds}
    best: dict[str, dict[str, float]] = {}
    for _ in range(given.rounds):
        for speed, detector in detectors.items():
            spent = dict.fromkeys((*PARTS, REST), 0.0)
            with timed(spent):
                began = time.perf_counter()
                for note in notes:
                    detector.detect(note)
                whole = time.perf_counter() - began
            spent[REST] = whole - sum(spent.values())
            if speed not in best or whole < sum(best[speed].values()):
                best[speed] = spent
    print(f"{len(notes)} notes, {words:,} words; ms for {WORDS} words, one thread")
    print(f"| part | {' | | '.join(speeds)} | |\n|---{'|---' * 2 * len(speeds)}|")
    for part in (*PARTS, REST):
        cells = [
            f"{each[part] / words * WORDS * 1e3:.1f} | {each[part] / sum(each.values()):.0%}"
            for each in best.values()
        ]
        print(f"| {part} | {' | '.join(cells)} |")
    wholes = [f"{sum(each.values()) / words * WORDS * 1e3:.1f} |" for each in best.values()]
    print(f"| all | {' | '.join(wholes)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
