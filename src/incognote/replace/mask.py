"""Mask: same length, same shape, no content."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from incognote.document import Document
from incognote.replace.operator import Replacer


@dataclass(frozen=True)
class Mask:
    """`Okafor, 3/14/19` becomes `Xxxxxx, 0/00/00`: offsets in the note stay what they were."""

    def begin(self, document: Document) -> Replacer:
        """Each character by its kind."""
        return lambda span: "".join(map(_masked, span.text))


def _masked(character: str) -> str:
    if character.isdigit() or character.isnumeric():
        return "0"
    if character.isupper() or character.istitle():
        return "X"
    if character.isalpha() or unicodedata.category(character)[0] in "MC":
        return character if character in "\r\n\t\v\f" else "x"
    return character
