"""Makes note number N: draws its source, writes it, gives it a look, counts its spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from generator.gazetteer import Gazetteers
from generator.gazetteer_files import load_gazetteers
from generator.grammar import Grammar, load_grammar
from generator.pieces import Pieces, join
from generator.pool import Pool, pool_of
from generator.scene import NO_POOL, Scene
from generator.sources.composed import compose
from generator.sources.corpus_notes import MarkedNote, load_sets, retell
from generator.sources.hard import hard_note, load_hard, with_hard
from generator.sources.prepared import dress, load_prepared
from generator.style import restyle

_DIALOGUES_PASSED = 0.6
"""Odds that a dialogue is put back once: they are many, and poor in what identifies."""

_HARD = 0.08
"""Of all notes, those of hard cases alone; in twice as many others one or two are put in."""


@dataclass(frozen=True)
class Mix:
    """Shares of notes from the corpus and from prepared clinical texts; the rest is composed."""

    corpus: float = 0.4
    prepared: float = 0.3

    def __post_init__(self) -> None:
        if min(self.corpus, self.prepared) < 0 or self.corpus + self.prepared > 1:
            raise ValueError("the shares of a mix are not negative and not more than 1 together")


@dataclass(frozen=True)
class Factory:
    """All that notes are made of."""

    lists: Gazetteers
    grammar: Grammar
    corpus: Sequence[MarkedNote] = ()
    prepared: Sequence[MarkedNote] = ()
    mix: Mix = Mix()
    hard: Sequence[MarkedNote] = ()
    pool: Pool = NO_POOL

    def note(self, seed: int, number: int) -> dict[str, Any]:
        """The JSONL document of one note; the same for the same seed and number."""
        rng = Random(f"{seed}:{number}")
        scene = Scene(rng, self.lists, self.pool)
        pieces, source = self._pieces(scene)
        text, spans = join(restyle(pieces, rng))
        return {
            "id": f"{seed}-{number:07}",
            "text": text,
            "spans": [{"start": start, "end": end, "type": type} for start, end, type in spans],
            "source": source,
        }

    def _pieces(self, scene: Scene) -> tuple[Pieces, str]:
        chance = scene.rng.random()
        if self.hard and chance < _HARD:
            return hard_note(self.hard, scene, self.grammar), "corpus/traps"
        pieces, source = self._usual(scene)
        if self.hard and chance < 3 * _HARD:
            pieces = with_hard(pieces, self.hard, scene)
        return pieces, source

    def _usual(self, scene: Scene) -> tuple[Pieces, str]:
        chance = scene.rng.random()
        if chance < self.mix.corpus and self.corpus:
            note = scene.rng.choice(self.corpus)
            return retell(note, scene, self.grammar), note.source
        if chance < self.mix.corpus + self.mix.prepared and self.prepared:
            note = scene.rng.choice(self.prepared)
            if note.source == "mts_dialog" and scene.rng.random() < _DIALOGUES_PASSED:
                note = scene.rng.choice(self.prepared)
            return dress(note, scene, self.grammar), note.source
        pieces, kind = compose(scene, self.grammar)
        return pieces, f"grammar/{kind}"


def load_factory(
    data: Path, corpus: Path, sets: Sequence[str], prepared: Path, mix: Mix
) -> Factory:
    """A factory from the folders on disk."""
    notes = load_sets(corpus, sets)
    return Factory(
        lists=load_gazetteers(data / "gazetteers"),
        grammar=load_grammar(),
        corpus=notes,
        pool=pool_of((type, n.text[start:end]) for n in notes for start, end, type in n.marks),
        hard=load_hard(corpus),
        prepared=load_prepared(prepared),
        mix=mix,
    )
