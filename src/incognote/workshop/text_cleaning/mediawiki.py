"""The articles of a MediaWiki dump (pages-articles.xml.bz2), one after the other, in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO
from xml.parsers import expat

from incognote.base.errors import TextError
from incognote.workshop.text_cleaning.wikitext import DROPPED_NAMESPACES

BLOCK = 2**16
LONGEST = 2**24
"""Characters of the longest article; MediaWiki itself allows two million bytes."""

FILES, CATEGORIES = "6", "14"
_DISAMBIGUATION = re.compile(
    r"\{\{\s*(?:[a-z -]{0,40}\bdisambig(?:uation)?|disambig[a-z]{0,20}|hndis|geodis|dab|surname|given name)\s*[|}]",
    re.IGNORECASE,
)
_WANTED = frozenset({"title", "ns", "id", "text", "namespace"})


@dataclass(frozen=True, slots=True)
class Page:
    """An article in its markup; `dropped` are the namespaces of pictures and categories in its wiki."""

    id: str
    title: str
    wikitext: str
    dropped: frozenset[str]


def articles(stream: IO[bytes], name: str) -> Iterator[Page]:
    """The pages of the main namespace that are no redirects, no disambiguations and not endless."""
    reader = _DumpReader()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    parser.EntityDeclHandler = _refuse_entities
    try:
        while block := stream.read(BLOCK):
            parser.Parse(block, False)
            yield from reader.taken()
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise TextError(
            f"{name}: not a whole MediaWiki dump: line {error.lineno:,} cannot be read as XML; "
            "fetch it again"
        ) from None
    except _EntityError:
        raise TextError(f"{name}: declares entities, which no MediaWiki dump does") from None
    if not reader.is_dump:
        raise TextError(f"{name}: XML, but no MediaWiki dump (…-pages-articles.xml.bz2)")
    yield from reader.taken()


class _EntityError(Exception):
    pass


def _refuse_entities(*declaration: object) -> None:
    """Entities within entities can be made to fill any memory."""
    raise _EntityError


class _DumpReader:
    """Collects the fields of one page at a time, and finished pages until they are taken."""

    def __init__(self) -> None:
        self.is_dump = False
        self._pages: list[Page] = []
        self._dropped = DROPPED_NAMESPACES
        self._path: list[str] = []
        self._characters: list[str] = []
        self._size = 0
        self._fields: dict[str, str] = {}
        self._redirect = False
        self._key = ""

    def taken(self) -> list[Page]:
        """The pages that have ended since the last call."""
        pages, self._pages = self._pages, []
        return pages

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._path.append(tag)
        self._characters, self._size = [], 0
        if len(self._path) == 1:
            self.is_dump = tag == "mediawiki"
        elif tag == "page":
            self._fields, self._redirect = {}, False
        elif tag == "redirect":
            self._redirect = True
        elif tag == "namespace":
            self._key = attributes.get("key", "")

    def characters(self, text: str) -> None:
        if self._path and self._path[-1] in _WANTED and self._size <= LONGEST:
            self._characters.append(text)
            self._size += len(text)

    def end(self, tag: str) -> None:
        self._path.pop()
        if tag == "namespace" and self._key in (FILES, CATEGORIES):
            self._dropped |= {"".join(self._characters).strip().lower()}
        elif tag in _WANTED:
            # The page's own id and title come first; a revision and its author have an id as well.
            self._fields.setdefault(tag, "".join(self._characters))
        elif tag == "page":
            self._add()
        self._characters = []

    def _add(self) -> None:
        fields = self._fields
        text = fields.get("text", "")
        wanted = self.is_dump and fields.get("ns", "0") == "0" and not self._redirect
        if wanted and len(text) <= LONGEST and not _DISAMBIGUATION.search(text):
            page = Page(fields.get("id", ""), fields.get("title", ""), text, self._dropped)
            self._pages.append(page)
