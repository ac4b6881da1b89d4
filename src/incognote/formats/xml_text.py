"""XML whose text is rewritten in place: where it stands in the file, what it says, how to change it.

lxml says whether a file is sound; the places of elements come from a scan of the same string,
because a parser gives no offsets. A DOCTYPE is refused before anything is parsed, and with it every
entity that a file could define or fetch.

XML says one text in many ways: CDATA or entities, character references, CRLF that reads as LF. A
text is therefore kept as pieces that know their places in the raw string, so that a changed text
keeps the rest as it was.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from incognote.document import Document, Span
from incognote.formats.encoding import Encoding, Survey, encoding_of
from incognote.formats.fields import codecs_named
from incognote.formats.format_error import FormatError
from incognote.formats.spelling import Edit, Spelling, edits, respell

_DECLARATION = re.compile(r"<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
_TAG = re.compile(r"<(/?)([^\s/>]+)(?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+>")
_LINE_END = re.compile(r"\r\n?")
_REFERENCE = re.compile(r"&(?:#([0-9]+)|#x([0-9a-fA-F]+)|(lt|gt|amp|quot|apos));")
_ESCAPE = re.compile(r"&[^;&<]+;|\r\n")
_PAIR = re.compile(r"\r\n")
_PLACEHOLDER = re.compile("\0([0-9]+)\0")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}

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
        """The characters that it stands for."""
        text = self.raw if "\r" not in self.raw else _LINE_END.sub("\n", self.raw)
        return text if self.cdata or "&" not in text else _REFERENCE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if name:
        return _ENTITIES[str(name)]
    digits = (decimal or hexadecimal).lstrip("0")
    code = int(digits, 10 if decimal else 16) if 0 < len(digits) <= 7 else 0
    if not 0 < code <= 0x10FFFF:
        raise FormatError("a character reference that is no character")
    return chr(code)


@dataclass(frozen=True)
class Element:
    """`raw[start:end]`, of which `inside` is the content; None for `<TEXT/>`."""

    start: int
    end: int
    inside: tuple[int, int] | None


def _encoding(data: bytes, explicit: str | None) -> str:
    """What the user says, else the mark or the zero bytes, else the declaration, else UTF-8."""
    survey = Survey.of([data])
    declared = _DECLARATION.match(data[len(survey.mark) : 200 + len(survey.mark)].decode("latin-1"))
    codec = _declared_codec(declared[1]) if declared and explicit is None else "utf-8"
    if explicit is not None or survey.mark or b"\0" in data[:4]:
        own = encoding_of(survey, explicit).codec
        if declared is None or explicit is not None or own == codec:
            return own
    elif not codec.startswith(("utf-16", "utf-32")):
        return codec
    raise FormatError("its declaration and its bytes are of two encodings: say --encoding")


def _declared_codec(name: str) -> str:
    try:
        return codecs_named(name.lower())[0]
    except FormatError:
        reason = "an encoding that incognote does not read; convert it to UTF-8"
        raise FormatError(reason) from None


def decode_xml(data: bytes, explicit: str | None = None) -> tuple[str, str]:
    """The string of an XML file and its codec; `explicit` is what `--encoding` says."""
    encoding = _encoding(data, explicit)
    return decode_as(data, encoding), encoding


def decode_as(data: bytes, encoding: str) -> str:
    """The string of an XML file in a codec that is known."""
    raw = Encoding(encoding).decode(data)
    if not raw.strip("\ufeff \t\r\n"):
        raise FormatError("the file is empty: it has no root element")
    _refuse_doctype(raw)
    return raw


def _refuse_doctype(raw: str) -> None:
    at = 1 if raw.startswith("\ufeff") else 0
    while (at := raw.find("<", at)) >= 0:
        if raw.startswith("<!--", at):
            at = raw.find("-->", at)
        elif raw.startswith("<?", at):
            at = raw.find("?>", at)
        elif raw.startswith("<!", at):
            raise FormatError("the file has a DOCTYPE; DTDs and entities are not read")
        else:
            return
        if at < 0:
            return


def parse_root(raw: str) -> Any:
    """The root as lxml sees it; nothing outside the string is read."""
    from lxml import etree

    if declared := _DECLARATION.match(raw, 1 if raw.startswith("\ufeff") else 0):
        raw = f"{raw[: declared.start(1)]}utf-8{raw[declared.end(1) :]}"
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(raw.encode(), parser)
    except etree.XMLSyntaxError as error:
        last = parser.error_log.last_error
        kind = last.type_name if last is not None else "no detail"
        raise FormatError(f"not well-formed XML ({kind})", f"line {error.lineno or 1}") from None


def markup(raw: str, at: int, end: int) -> Iterator[tuple[int, int, re.Match[str] | None]]:
    """Where comments, CDATA, instructions and tags stand; tags with their match."""
    while (at := raw.find("<", at, end)) >= 0:
        tag = None
        if raw.startswith("<!--", at):
            stop = raw.index("-->", at + 4) + 3
        elif raw.startswith(OPEN, at):
            stop = raw.index(CLOSE, at) + 3
        elif raw.startswith("<?", at):
            stop = raw.index("?>", at) + 2
        elif tag := _TAG.match(raw, at):
            stop = tag.end()
        else:
            raise FormatError("a tag that could not be located")
        yield at, stop, tag
        at = stop


def only_child(raw: str, name: str) -> Element | None:
    """The one child of the root with this name."""
    elements: list[Element] = []
    depth = 0
    opening: re.Match[str] | None = None
    for start, stop, tag in markup(raw, 0, len(raw)):
        if tag is None:
            continue
        if tag[1]:
            depth -= 1
            if depth == 1 and opening is not None:
                elements.append(Element(opening.start(), stop, (opening.end(), start)))
                opening = None
        elif raw[stop - 2] == "/":
            if depth == 1 and tag[2] == name:
                elements.append(Element(start, stop, None))
        else:
            if depth == 1 and tag[2] == name:
                opening = tag
            depth += 1
    if len(elements) > 1:
        raise FormatError(f"there are {len(elements)} elements {name} under the root")
    return elements[0] if elements else None


def parse_element(raw: str, name: str) -> tuple[Any, Element | None]:
    """The root of a document as lxml sees it, and where its one child of that name stands."""
    return parse_root(raw), only_child(raw, name)


def pieces_and_marks(raw: str, element: Element, name: str) -> Iterator[Piece | bool]:
    """The stretches of text in an element, and where an element of that name opens (True) or
    closes (False). All else inside it is refused: it would be copied unread.
    """
    if element.inside is None:
        return
    last, end = element.inside
    for start, stop, tag in markup(raw, last, end):
        if last < start:
            yield Piece(raw[last:start], last, False)
        if tag is not None and tag[2] == name:
            if not tag[1]:
                yield True
            if tag[1] or raw[stop - 2] == "/":
                yield False
        elif raw.startswith(OPEN, start):
            yield Piece(raw[start + len(OPEN) : stop - len(CLOSE)], start + len(OPEN), True)
        else:
            kind = "an element" if tag is not None else "a comment or an instruction"
            line = raw.count("\n", 0, start) + 1
            raise FormatError(f"a note has {kind} inside that is not {name}", f"line {line}")
        last = stop
    if last < end:
        yield Piece(raw[last:end], last, False)


@dataclass(frozen=True)
class Speller:
    """How new text is spelled: with which line ends, whether `>` is escaped, in which encoding."""

    newline: str = "\n"
    greater: bool = True
    encoding: str = "utf-8"

    def draft(self, text: str, cdata: bool) -> str:
        """The text as XML, but for what only `finish` can do, once its neighbours are known."""
        only_referred = re.compile(f"[\r{re.escape(self._unencodable(text))}]")
        if cdata:
            text = only_referred.sub(lambda match: f"\0{ord(match[0])}\0", text)
        else:
            text = text.replace("&", "&amp;").replace("<", "&lt;")
            text = text.replace(">", "&gt;") if self.greater else text
            text = only_referred.sub(lambda match: f"&#{ord(match[0])};", text)
        return text if self.newline == "\n" else text.replace("\n", self.newline)

    def finish(self, draft: str, cdata: bool) -> str:
        """Without a false `]]>`; CDATA is left for a character that only a reference can say."""
        if not cdata:
            return draft.replace(CLOSE, "]]&gt;")
        draft = draft.replace(CLOSE, f"]]{CLOSE}{OPEN}>")
        return _PLACEHOLDER.sub(lambda match: f"{CLOSE}&#{match[1]};{OPEN}", draft)

    def spell(self, text: str, cdata: bool) -> str:
        """A whole text as XML, ready to stand between its neighbours."""
        return self.finish(self.draft(text, cdata), cdata)

    def _unencodable(self, text: str) -> str:
        """The characters that the encoding has no bytes for."""
        if self.encoding.startswith("utf"):
            return ""
        return "".join(c for c in sorted(set(text)) if not c.encode(self.encoding, "ignore"))


def rewrite_pieces(pieces: list[Piece], old: str, new: Document, encoding: str) -> list[str]:
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


def rewrite_marked(
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
