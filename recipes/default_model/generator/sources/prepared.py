"""Clinical texts with the marks of what identifies in them, made once by prepare.py."""

from __future__ import annotations

import json
from pathlib import Path

from generator.grammar import Grammar
from generator.pieces import Pieces, from_lines, lines
from generator.redraw.note import Redraw
from generator.scene import Scene
from generator.sources.corpus_notes import MarkedNote
from generator.sources.flowsheets import table

_INSERTED = (
    "course", "plan", "social", "social", "family", "hpi", "nursing", "negative", "negative", "tables", "course", "narrative",
    "narrative", "narrative", "ids", "printed", "printed", "printed", "traps", "traps", "results", "psychosocial",
    "psychosocial", "psychosocial", "terse", "terse",
)  # fmt: skip


def load_prepared(path: Path) -> list[MarkedNote]:
    """The texts of a file that prepare.py wrote."""
    notes: list[MarkedNote] = []
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            item = json.loads(line)
            marks = tuple((start, end, type) for start, end, type in item["marks"])
            notes.append(MarkedNote(item["text"], marks, item["source"]))
    return notes


def dress(note: MarkedNote, scene: Scene, grammar: Grammar) -> Pieces:
    """The text with new values, a header, a signature, and sentences of a real chart put in."""
    rng = scene.rng
    rows = lines(Redraw(scene).note(note.text, note.marks))
    if len(rows) > 6 and rng.random() < 0.7:
        length = rng.randint(4, min(len(rows), 30))
        start = rng.randrange(len(rows) - length + 1)
        rows = rows[start : start + length]
    for _ in range(rng.choice((0, 1, 2, 2, 3, 4, 6))):
        written = grammar.write(rng.choice(_INSERTED), scene)
        at = rng.randint(0, len(rows))
        if at and rng.random() < 0.6 and rows[at - 1]:
            rows[at - 1] = [*rows[at - 1], (" ", ""), *written]
        else:
            rows.insert(at, written)
    pieces = from_lines(rows)
    if rng.random() < 0.08:
        pieces += [("\n\n", ""), *table(scene, grammar)]
    if rng.random() < 0.5:
        pieces = [*grammar.write("header", scene), ("\n\n", ""), *pieces]
    if rng.random() < 0.5:
        pieces += [("\n\n", ""), *grammar.write("signature", scene)]
    return pieces
