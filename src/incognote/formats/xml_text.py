"""The raw XML of an element's text: its pieces, what they say, and how to say something else.

XML says one text in many ways: CDATA or entities, character references, CRLF that reads as LF.
The pieces know their places in the raw string, so that a changed text keeps the rest as it was.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from incognote.document import Document, Span
from incognote.formats.container import FormatError
from incognote.formats.spelling import Edit, Spelling, edits, respell

_LINE_END = re.compile(r"\r\n?")
_REFERENCE = re.compile(r"&(?:#([0-9]+)|#x([0-9a-fA-F]+)|(lt|gt|amp|quot|apos));")
_ESCAPE = re.compile(r"&[^;&<]+;|\r\n")
_PAIR = re.compile(r"\r\n")
_HELD = re.compile("\0([0-9]+)\0")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}

OPEN, CLOSE = "<![CDATA[", "]]>"


@dataclass(frozen=True)
class Piece:
    """`raw` stands at `start` of the file; `cdata` is what is inside the marks of CDATA."""

    raw: str
    start: int
    cdata: bool

    @property
    def end(self) -> int:
        return self.start + len(self.raw)

    @property
    def text(self) -> str:
        """What it says."""
        text = self.raw if "\r" not in self.raw else _LINE_END.sub("\n", self.raw)
        return text if self.cdata or "&" not in text else _REFERENCE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if name:
        return _NAMED[str(name)]
    digits = (decimal or hexadecimal).lstrip("0")
    code = int(digits, 10 if decimal else 16) if 0 < len(digits) <= 7 else 0
    if not 0 < code <= 0x10FFFF:
        raise FormatError("a character reference that is no character")
    return chr(code)


@dataclass(frozen=True)
class Speller:
    """How new text is spelled: with which line ends, whether `>` is escaped, in which encoding."""

    newline: str = "\n"
    greater: bool = True
    encoding: str = "utf-8"

    def draft(self, text: str, cdata: bool) -> str:
        """The text as XML, but for what `finish` does when its neighbours are known."""
        only_referred = re.compile(f"[\r{re.escape(self._foreign(text))}]")
        if cdata:
            text = only_referred.sub(lambda found: f"\0{ord(found[0])}\0", text)
        else:
            text = text.replace("&", "&amp;").replace("<", "&lt;")
            text = text.replace(">", "&gt;") if self.greater else text
            text = only_referred.sub(lambda found: f"&#{ord(found[0])};", text)
        return text if self.newline == "\n" else text.replace("\n", self.newline)

    def finish(self, draft: str, cdata: bool) -> str:
        """Without a false `]]>`; CDATA is left for a character that only a reference can say."""
        if not cdata:
            return draft.replace(CLOSE, "]]&gt;")
        draft = draft.replace(CLOSE, f"]]{CLOSE}{OPEN}>")
        return _HELD.sub(lambda held: f"{CLOSE}&#{held[1]};{OPEN}", draft)

    def spell(self, text: str, cdata: bool) -> str:
        """A whole text."""
        return self.finish(self.draft(text, cdata), cdata)

    def _foreign(self, text: str) -> str:
        """The characters that the encoding has not."""
        if self.encoding.startswith("utf"):
            return ""
        return "".join(c for c in sorted(set(text)) if not c.encode(self.encoding, "ignore"))


def changed(pieces: list[Piece], old: str, new: Document, encoding: str) -> list[str]:
    """The raw pieces for a new text, all that was not replaced spelled as it was."""
    if len(pieces) == 1:
        (piece,) = pieces
        newline = "\r\n" if "\r\n" in piece.raw else "\n"
        for speller in (Speller(newline, True, encoding), Speller(newline, False, encoding)):
            if speller.spell(old, piece.cdata) == piece.raw:
                return [speller.spell(new.text, piece.cdata)]
    changes = edits(old, new)
    if changes is None:
        raise FormatError("the text was changed outside its spans, so the XML cannot be kept")
    speller = Speller(encoding=encoding)
    result: list[str] = []
    start = 0
    for last, piece in enumerate(pieces, 1 - len(pieces)):
        length = len(piece.text)
        own = _within(changes, start, start + length, last == 0)
        spelling = Spelling.of(piece.raw, 0, len(piece.raw), _PAIR if piece.cdata else _ESCAPE)
        draft = respell(piece.raw, spelling, own, partial(speller.draft, cdata=piece.cdata))
        result.append(speller.finish(draft, piece.cdata))
        start += length
    return result


def _within(changes: list[Edit], start: int, end: int, last: bool) -> list[Edit]:
    """The part of the changes, which are in order, that falls to one piece; new text goes where
    its change begins.
    """
    first = bisect_left(changes, start, key=lambda change: change.end)
    until = bisect_left(changes, end + last, lo=first, key=lambda change: change.start)
    return [
        Edit(
            max(change.start, start) - start,
            min(change.end, end) - start,
            change.new if start <= change.start and (change.start < end or last) else "",
        )
        for change in changes[first:until]
    ]


def remarked(
    pieces: list[Piece],
    old: str,
    new: Document,
    encoding: str,
    mark: Callable[[Span, str], str],
) -> str:
    """The raw text of an element for a note with marks in it, all that was not replaced as it was.

    `mark` gives a span's spelled text its marks. The spans are disjoint; one without characters
    stands where something was removed, and gets none.
    """
    changes = edits(old, new)
    if changes is None:
        raise FormatError("the text was changed outside its spans, so the XML cannot be kept")
    speller = Speller(encoding=encoding)
    raw = "".join(speller.spell(each.text, False) if each.cdata else each.raw for each in pieces)
    spelling = Spelling.of(raw, 0, len(raw), _ESCAPE)
    result: list[str] = []
    last = 0
    for span, change in zip(new.spans, changes, strict=True):
        result.append(raw[last : spelling.at(change.start)])
        if change.new:
            result.append(mark(span, speller.draft(change.new, cdata=False)))
        last = spelling.at(change.end)
    return speller.finish("".join((*result, raw[last:])), cdata=False)
