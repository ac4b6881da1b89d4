"""Identifiers in their hardest forms: the short cases of corpus/traps, told anew or as they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from generator.grammar import Grammar
from generator.pieces import Pieces, from_lines, lines
from generator.scene import Scene
from generator.sources.corpus_notes import MarkedNote, told
from incognote.formats.inline import parse

_BETWEEN = ("filler", "negative", "traps", "narrative", "course", "plan", "results")


def load_hard(corpus: Path) -> list[MarkedNote]:
    """The cases whose identifiers are marked, if there are any; look-alikes are kept for tests."""
    path = corpus / "traps" / "positive.jsonl"
    cases: list[MarkedNote] = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        text, spans = parse(json.loads(line)["text"])
        marks = tuple((span.start, span.end, span.type) for span in spans)
        cases.append(MarkedNote(text, marks, "corpus/traps"))
    return cases


def hard_note(cases: Sequence[MarkedNote], scene: Scene, grammar: Grammar) -> Pieces:
    """Several cases, with sentences between them."""
    rng = scene.rng
    pieces: Pieces = []
    for number in range(rng.randint(2, 12)):
        if number:
            pieces.append((rng.choice((" ", "\n", "\n", "\n\n")), ""))
        if rng.random() < 0.7:
            pieces += told(rng.choice(cases), scene)
        else:
            pieces += grammar.write(rng.choice(_BETWEEN), scene)
    return pieces


def with_hard(pieces: Pieces, cases: Sequence[MarkedNote], scene: Scene) -> Pieces:
    """A note with a case or two among its lines."""
    rng = scene.rng
    rows = lines(pieces)
    for _ in range(rng.randint(1, 2)):
        rows.insert(rng.randint(0, len(rows)), told(rng.choice(cases), scene))
    return from_lines(rows)
