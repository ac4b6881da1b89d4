"""Fragments are written, not lifted: a fold's unseen set stays unseen."""

from __future__ import annotations

import re
from pathlib import Path

from generator.grammar import FRAGMENTS
from generator.sources.corpus_notes import load_sets

CORPUS = Path(__file__).parent.parent.parent / "corpus"
RUN = 5
COURTESIES = (
    "thank you for allowing me to participate in the care of",
    "to whom it may concern",
    "ct head without contrast no acute",
    "ekg normal sinus rhythm at",
)
"""What every hospital writes, and what stood here before this test."""
KNOWN = {"march in place x s", "neg hiv neg rpr nr", "when the family moved from"}


def runs(text: str) -> set[str]:
    words = re.findall(r"[a-z']+", text.lower())
    return {" ".join(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}


def test_no_fragment_shares_five_words_with_a_note_of_the_corpus() -> None:
    corpus: set[str] = set()
    for note in load_sets(CORPUS, ["A", "B", "C", "D"]):
        text = note.text
        for start, end, _ in reversed(note.marks):
            text = f"{text[:start]}\0{text[end:]}"
        for part in text.split("\0"):
            corpus |= runs(part)
    shared = {
        run
        for path in FRAGMENTS.iterdir()
        for line in path.read_text(encoding="utf-8").split("\n")
        for part in re.split(r"\{[\w.-]+\}|[\[\]|]", line)
        for run in runs(part) & corpus
    }
    assert {run for run in shared if not any(run in said for said in COURTESIES)} <= KNOWN
