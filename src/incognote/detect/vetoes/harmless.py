"""Where in a note vetoes apply: asked of a stretch and a type, each veto reads the note once."""

from __future__ import annotations

from collections.abc import Iterable

from incognote.detect.note_index import NoteIndex
from incognote.detect.vetoes.veto import Veto
from incognote.document import Span

_SHOWING = bytes(chr(code).isalnum() for code in range(128)) + bytes(128)


class Harmless:
    """The places that vetoes name, but for those that others are sure of."""

    def __init__(self, note: NoteIndex, vetoes: tuple[Veto, ...], sure: Iterable[Span]) -> None:
        self._note = note
        self._vetoes = vetoes
        self._showing = _letters_and_digits(note.text)
        self._sure = bytearray(len(note.text))
        for span in sure:
            self._sure[span.start : span.end] = self._showing[span.start : span.end]
        self._bare: dict[tuple[Veto, ...], bytearray] = {}

    def may_hold(self, start: int, end: int) -> bool:
        """Whether the stretch has letters or digits, and others are sure of none of them."""
        return self._sure.find(1, start, end) < 0 <= self._showing.find(1, start, end)

    def holds(self, start: int, end: int, besides: tuple[Veto, ...]) -> bool:
        """Whether all letters and digits of a stretch that may be held are in such places."""
        return self._left_bare(besides).find(1, start, end) < 0

    def _left_bare(self, besides: tuple[Veto, ...]) -> bytearray:
        """1 for each letter or digit that neither the vetoes nor those `besides` name."""
        bare = self._bare.get(besides)
        if bare is None:
            bare = bytearray(self._left_bare(besides[:-1]) if besides else self._showing)
            for veto in besides[-1:] or self._vetoes:
                for start, end in veto(self._note):
                    bare[start:end] = bytes(end - start)
            self._bare[besides] = bare
        return bare


def _letters_and_digits(text: str) -> bytes:
    """1 for each letter or digit of a text, 0 for whatever else."""
    if text.isascii():
        return text.encode("ascii").translate(_SHOWING)
    return bytes(map(str.isalnum, text))
