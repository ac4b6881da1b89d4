"""Vaults for tests, and runs that replace anything at all, not only what a detector finds."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from incognote.document import Document, Span
from incognote.phi import TYPES
from incognote.replace import parse_operators, rewrite
from incognote.replace.vault import Secret, Vault
from incognote.runs.settings import Cleaned, Settings

KEY = b"a key of sufficient length"
SECRET = Secret.key_file(b"0123456789abcdef")


def open_vault(path: Path, *, make: bool = True, secret: Secret = SECRET) -> Vault:
    """A vault that opens at once; scrypt is for the tests of passphrases."""
    return Vault(path, secret, make=make)


def marked_anywhere(document: Document) -> Document:
    """The note with disjoint spans at places that only its text decides."""
    draw = random.Random(document.text)
    places = sorted(draw.randrange(len(document.text) + 1) for _ in range(2 * draw.randrange(5)))
    pairs = zip(places[::2], places[1::2], strict=True)
    types = sorted(TYPES)
    return document.with_spans(
        Span.of(document.text, start, end, draw.choice(types))
        for start, end in pairs
        if start < end
    )


def clean_anywhere(self: Settings) -> Callable[[Sequence[Document]], Iterator[Cleaned]]:
    """In the place of `Settings.cleaner`."""
    operators = parse_operators(self.replace, key=self.key, number=self.number)

    def clean(documents: Sequence[Document]) -> Iterator[Cleaned]:
        for note in map(marked_anywhere, documents):
            new = rewrite(note, operators)
            lengths = tuple(map(len, note.spans))
            yield Cleaned(new.document, len(note.text), new.remarks, lengths)

    return clean
