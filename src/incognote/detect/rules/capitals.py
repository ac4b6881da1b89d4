"""Runs of capitalised words: where a note may hold the name of a place or an organisation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from incognote.detect.pattern import Pattern

UPPER = "A-ZÀ-ÖØ-ÞĀĆČĐĒĞĦĪİŁŃŌŐŒŘŚŞŠŤŪŮŹŻŽ"
LINKS = frozenset("of the and & for at de del della di la las los le du des y e on in".split())

_WORD = rf"(?:(?:Ste?|ST|Mt|MT|Ft|FT|SS|[A-Z])\.|[{UPPER}][^\W_]*+(?:['’ʻ\-][^\W_]++){{0,3}}+['’]?)"
_RUN = Pattern(
    rf"(?<![^\W_]){_WORD}"
    rf"(?:[ \u00a0](?:{_WORD}|&|\d{{1,4}}(?![\w/.:%])|(?:{'|'.join(sorted(LINKS))})(?=[ \u00a0])))*+"
)
_TOKEN = Pattern(r"[^ \u00a0]+")


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


def runs(text: str) -> Iterator[list[Word]]:
    """Capitalised words that follow each other on one line, with the small words between them."""
    for run in _RUN.finditer(text):
        offset = run.start()
        words = [
            Word(
                offset + token.start(),
                offset + token.end(),
                token[0],
                token[0].lower().replace("’", "'").rstrip("."),
            )
            for token in _TOKEN.finditer(run[0])
        ]
        while words and words[-1].links:
            words.pop()
        if words:
            yield words
