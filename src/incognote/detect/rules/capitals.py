"""Runs of capitalised words: where a note may hold the name of a place or an organisation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

from incognote.detect.pattern import Pattern
from incognote.detect.reading import Reading

UPPER = "A-ZÀ-ÖØ-ÞĀĆČĐĒĞĦĪİŁŃŌŐŒŘŚŞŠŤŪŮŹŻŽ"
LINKS = frozenset("of the and & for at de del della di la las los le du des y e on in".split())

_WORD = rf"(?:(?:Ste?|ST|Mt|MT|Ft|FT|SS|[A-Z])\.|[{UPPER}][^\W_]*+(?:['’ʻ\-][^\W_]++){{0,3}}+['’]?)"
_RUN = Pattern(
    rf"(?<![^\W_]){_WORD}"
    rf"(?:[ \u00a0](?:{_WORD}|&|\d{{1,4}}(?![\w/.:%])|(?:{'|'.join(sorted(LINKS))})(?=[ \u00a0])))*+"
)
_ENDS = "\n,;:()"
"""Of what no run has, these are the commonest."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a run: where it is, and its form for looking up."""

    start: int
    end: int
    text: str
    key: str

    @property
    def links(self) -> bool:
        """Whether it only joins the words around it ("University of the Palisades")."""
        return (
            self.text == "&" or (self.text in LINKS) or (self.text.isupper() and self.key in LINKS)
        )


def runs(note: Reading, sought: Set[str]) -> Iterator[list[Word]]:
    """Two or more capitalised words that follow each other on one line, with the small words between.

    Only those with one of the words `sought` among them are read.
    """
    for run in _runs_with(note, sought):
        words = [
            Word(start, start + len(token), token, token.lower().replace("’", "'").rstrip("."))
            for start, token in _split(run)
        ]
        while words and words[-1].links:
            words.pop()
        if len(words) > 1:
            yield words


def _runs_with(note: Reading, sought: Set[str]) -> Iterator[re.Match[str]]:
    """The runs that hold one of the words, each read from the last mark before it that ends a run."""
    text = note.text
    reached = line_end = 0
    for place in note.at(sought):
        if place < reached:
            continue
        start = max(reached, 1 + max(text.rfind(mark, reached, place) for mark in _ENDS))
        if place >= line_end:
            line_end = text.find("\n", place)
            line_end = len(text) if line_end < 0 else line_end
        reached = line_end
        for run in _RUN.finditer(text, start, line_end):
            if run.end() > place:
                reached = run.start()
                if reached <= place:
                    reached = run.end()
                    yield run
                break


def _split(run: re.Match[str]) -> Iterator[tuple[int, str]]:
    start = run.start()
    for token in run[0].replace("\u00a0", " ").split(" "):
        yield start, token
        start += len(token) + 1
