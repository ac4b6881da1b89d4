"""An XML file as its raw string and the places of the elements TEXT and TAGS in it.

lxml says whether the file is sound; the places come from a scan of the same string, because a
parser gives no offsets. A DOCTYPE is refused before anything is parsed, and with it every entity
that a file could define or fetch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from incognote.formats.container import FormatError
from incognote.formats.encoding import Encoding, Survey, codecs_named, encoding_of
from incognote.formats.xml_text import CLOSE, OPEN, Piece

_DECLARED = re.compile(r"<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
_TAG = re.compile(r"<(/?)([^\s/>]+)(?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+>")


@dataclass(frozen=True)
class Element:
    """`raw[start:end]`, of which `inside` is the content; None for `<TEXT/>`."""

    start: int
    end: int
    inside: tuple[int, int] | None


@dataclass(frozen=True)
class XmlFile:
    raw: str
    encoding: str
    text: Element
    tags: Element | None
    pieces: list[Piece]


def parse(data: bytes, said: str | None = None) -> tuple[XmlFile, Any]:
    """The file, and its root as lxml sees it; `said` is the encoding if the user named one."""
    return parsed(data, _encoding(data, said))


def parsed(data: bytes, encoding: str) -> tuple[XmlFile, Any]:
    """The file in a codec that is known, and its root."""
    raw = _decoded(data, encoding)
    root = _sound(raw)
    text, tags = _one(raw, "TEXT"), _one(raw, "TAGS")
    if text is None:
        raise FormatError("there is no element TEXT under the root")
    return XmlFile(raw, encoding, text, tags, list(_pieces(raw, text))), root


def _encoding(data: bytes, said: str | None) -> str:
    """What the user says, else the mark or the zero bytes, else the declaration, else UTF-8."""
    survey = Survey.of([data])
    declared = _DECLARED.match(data[len(survey.mark) : 200 + len(survey.mark)].decode("latin-1"))
    codec = _declared(declared[1]) if declared and said is None else "utf-8"
    if said is not None or survey.mark or b"\0" in data[:4]:
        found = encoding_of(survey, said).codec
        if declared is None or said is not None or found == codec:
            return found
    elif not codec.startswith(("utf-16", "utf-32")):
        return codec
    raise FormatError("its declaration and its bytes are of two encodings: say --encoding")


def _declared(name: str) -> str:
    try:
        return codecs_named(name.lower())[0]
    except FormatError:
        reason = "an encoding that incognote does not read; convert it to UTF-8"
        raise FormatError(reason) from None


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


def _sound(raw: str) -> Any:
    from lxml import etree

    if declared := _DECLARED.match(raw, 1 if raw.startswith("\ufeff") else 0):
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


def _tokens(raw: str, at: int, end: int) -> Iterator[tuple[int, int, re.Match[str] | None]]:
    """Comments, CDATA, instructions and, with their match, tags."""
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


def _one(raw: str, name: str) -> Element | None:
    """The one child of the root with this name."""
    found: list[Element] = []
    depth = 0
    opened: re.Match[str] | None = None
    for start, stop, tag in _tokens(raw, 0, len(raw)):
        if tag is None:
            continue
        if tag[1]:
            depth -= 1
            if depth == 1 and opened is not None:
                found.append(Element(opened.start(), stop, (opened.end(), start)))
                opened = None
        elif raw[stop - 2] == "/":
            if depth == 1 and tag[2] == name:
                found.append(Element(start, stop, None))
        else:
            if depth == 1 and tag[2] == name:
                opened = tag
            depth += 1
    if len(found) > 1:
        raise FormatError(f"there are {len(found)} elements {name} under the root")
    return found[0] if found else None


def _pieces(raw: str, element: Element) -> Iterator[Piece]:
    """The stretches of text in an element, in order.

    All else inside it is refused: it would be copied unread.
    """
    if element.inside is None:
        return
    last, end = element.inside
    for start, stop, tag in _tokens(raw, last, end):
        if tag is not None:
            raise FormatError("the element TEXT has elements inside, and should be text alone")
        if not raw.startswith(OPEN, start):
            kind = "a comment" if raw.startswith("<!--", start) else "a processing instruction"
            raise FormatError(f"the element TEXT has {kind} inside, and should be text alone")
        if last < start:
            yield Piece(raw[last:start], last, False)
        yield Piece(raw[start + len(OPEN) : stop - len(CLOSE)], start + len(OPEN), True)
        last = stop
    if last < end:
        yield Piece(raw[last:end], last, False)


def decoded(data: bytes, said: str | None = None) -> tuple[str, str]:
    """The string of an XML file and its codec, without a DOCTYPE; `said` as in `parse`."""
    encoding = _encoding(data, said)
    return _decoded(data, encoding), encoding


def _decoded(data: bytes, encoding: str) -> str:
    raw = Encoding(encoding).decode(data)
    if not raw.strip("\ufeff \t\r\n"):
        raise FormatError("the file is empty: it has no root element")
    _refuse_doctype(raw)
    return raw


def sound_element(raw: str, name: str) -> tuple[Any, Element | None]:
    """The root of a document as lxml sees it, and where its one child of that name stands."""
    return _sound(raw), _one(raw, name)


def marked_pieces(raw: str, element: Element, name: str) -> Iterator[Piece | bool]:
    """The stretches of text in an element, and where an element of that name opens (True) or
    closes (False). All else inside it is refused: it would be copied unread.
    """
    if element.inside is None:
        return
    last, end = element.inside
    for start, stop, tag in _tokens(raw, last, end):
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
