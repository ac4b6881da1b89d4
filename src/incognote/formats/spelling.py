r"""How a raw string spells a text, and how to change the text without respelling the rest.

JSON and XML have several spellings of one character (`é`, `\u00e9`, `&#233;`, CRLF for LF). Where a
note is rewritten, what was not replaced must keep the bytes it had.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from incognote.document import Document


@dataclass(frozen=True)
class Edit:
    """A change of a text: `old[start:end]` became `new`."""

    start: int
    end: int
    new: str


def edits(old: str, document: Document) -> list[Edit] | None:
    """What was changed in `old` to get the document, whose spans mark all that was replaced.

    The texts between the spans are looked up in `old` in order, each as early as it can be, which
    finds a fit if there is one. None if there is none.
    """
    new = document.text
    pieces: list[tuple[int, int]] = []
    spans_end = 0
    for span in document.spans:
        if span.start >= spans_end:
            pieces.append((spans_end, span.start))
        spans_end = max(spans_end, span.end)
    if not pieces:
        return [] if old == new else None
    tail = new[spans_end:]
    limit = len(old) - len(tail)
    if not old.startswith(new[: pieces[0][1]]) or not old.endswith(tail):
        return None
    changes: list[Edit] = []
    place, after = pieces[0][1], pieces[0][1]
    for start, end in [*pieces[1:], (spans_end, spans_end)]:
        at = limit if start == spans_end else old.find(new[start:end], place, limit)
        if at < place:
            return None
        changes.append(Edit(place, at, new[after:start]))
        place, after = at + end - start, end
    return changes


@dataclass(frozen=True)
class Spelling:
    """Where each character of a text begins in the raw string that spells it."""

    text: list[int]
    raw: list[int]

    @classmethod
    def of(cls, raw: str, start: int, end: int, escapes: re.Pattern[str]) -> Spelling:
        """The spelling of `raw[start:end]`, where each match of `escapes` spells one character."""
        places, raws, shorter_by = [0], [start], 0
        for match in escapes.finditer(raw, start, end):
            here = match.start() - start - shorter_by
            places += (here, here + 1)
            raws += match.span()
            shorter_by += match.end() - match.start() - 1
        return cls(places, raws)

    def at(self, offset: int) -> int:
        """Where the character at `offset` begins; for the length of the text, where it ends."""
        nearest = bisect_right(self.text, offset) - 1
        return self.raw[nearest] + offset - self.text[nearest]


def respell(raw: str, spelling: Spelling, changes: list[Edit], spell: Callable[[str], str]) -> str:
    """The raw string with the changes made; offsets of the changes count from its own text."""
    pieces: list[str] = []
    last = spelling.raw[0]
    for change in changes:
        pieces += (raw[last : spelling.at(change.start)], spell(change.new))
        last = spelling.at(change.end)
    return "".join((*pieces, raw[last:]))
