"""Notes of the project's corpus, told anew: other people, places, days and numbers; parts left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from generator.grammar import Grammar
from generator.pieces import Pieces, from_lines, lines
from generator.redraw.note import Mark, Redraw
from generator.scene import Scene
from generator.sources.flowsheets import table
from incognote.formats.inline import parse

SEALED = ("E", "H", "I")
JUDGES = "G"
AS_IT_IS = 0.3
"""Odds that a note keeps its values."""
_INSERTED = (
    "course", "plan", "social", "family", "negative", "negative", "nursing", "narrative", "narrative", "printed",
    "printed", "traps", "traps", "results", "psychosocial", "psychosocial", "terse", "terse",
)  # fmt: skip


@dataclass(frozen=True)
class MarkedNote:
    """A note to redraw: its text, its marks, and where it is from."""

    text: str
    marks: tuple[Mark, ...]
    source: str


def load_sets(corpus: Path, sets: Sequence[str]) -> list[MarkedNote]:
    """The notes of these sets. Refused are those that only judge: the sealed ones, and G."""
    notes: list[MarkedNote] = []
    for name in sets:
        if name in SEALED:
            raise ValueError(f"set {name} is sealed: it never goes into training notes")
        if name == JUDGES:
            raise ValueError("set G judges: it never goes into training notes")
        paths = sorted((corpus / name).glob("*.txt"))
        if not paths:
            raise FileNotFoundError(f"{corpus / name}: no notes here")
        for path in paths:
            text, spans = parse(path.read_text(encoding="utf-8"))
            marks = tuple((span.start, span.end, span.type) for span in spans)
            notes.append(MarkedNote(text, marks, f"corpus/{name}"))
    return notes


def told(note: MarkedNote, scene: Scene) -> Pieces:
    """The note as it is, or with new values."""
    if scene.rng.random() >= AS_IT_IS:
        return Redraw(scene).note(note.text, note.marks)
    pieces: Pieces = []
    last = 0
    for start, end, type in note.marks:
        pieces += [(note.text[last:start], ""), (note.text[start:end], type)]
        last = end
    return [*pieces, (note.text[last:], "")]


def retell(note: MarkedNote, scene: Scene, grammar: Grammar) -> Pieces:
    """The note, mostly with new values; now and then cut, or with sentences from elsewhere in it."""
    rng = scene.rng
    rows = lines(told(note, scene))
    chance = rng.random()
    if chance < 0.25 and len(rows) > 8:
        length = rng.randint(len(rows) // 3, len(rows) - 2)
        start = rng.randrange(len(rows) - length)
        rows = rows[start : start + length]
    elif chance < 0.45:
        rows = [row for row in rows if not row or rng.random() > 0.12]
    if rng.random() < 0.3:
        for _ in range(rng.randint(1, 3)):
            rule = rng.choice(_INSERTED)
            rows.insert(rng.randint(0, len(rows)), grammar.write(rule, scene))
    if rng.random() < 0.06:
        rows += [[], *lines(table(scene, grammar))]
    return from_lines(rows)
