"""Books as Project Gutenberg gives them, without its licences, and without headings and notes.

What is left are paragraphs, one a line: hard-wrapped lines are joined, as BooksCorpus has its text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from incognote.base.compressed import opened
from incognote.base.errors import TextError
from incognote.workshop.pretrain.corpus.text_files import (
    LONGEST,
    Reading,
    documents,
    form_of,
)
from incognote.workshop.text_cleaning.position import Position

_START = re.compile(
    r"^[* ]*START OF (?:THE|THIS) PROJECT GUTENBERG[^*]{0,400}\*\*\*"
    r"|^\*END[* ]*THE SMALL PRINT!.{0,200}$"
    r"|^\*\*\* ?START: FULL LICENSE.{0,200}$",
    re.IGNORECASE | re.MULTILINE,
)
_END = re.compile(
    r"^[* ]*END OF (?:THE|THIS) PROJECT GUTENBERG"
    r"|^(?:The )?End of (?:the )?Project Gutenberg"
    r"|^[* ]*START: FULL LICENSE"
    r"|^[* ]*This file should be named .{0,80}\.(?:txt|zip)",
    re.IGNORECASE | re.MULTILINE,
)
_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
_NUMBER = r"(?:[ivxlcdm]{1,9}|\d{1,3}|[a-z]+(?:-[a-z]+)?)"
_HEADING = re.compile(
    rf"(?:the )?(?:chapter|book|part|volume|vol\.|letter|canto|stave|act|scene|section)\s+(?:the\s+)?{_NUMBER}"
    r"\b[.:—–-]?.{0,100}",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"(?:contents|table of contents|preface|introduction|prologue|epilogue|appendix|index|finis|footnotes?|"
    r"the end|illustrations|list of illustrations|dedication|advertisement|errata)[.:]?",
    re.IGNORECASE,
)
_NUMERAL = re.compile(r"(?:[ivxlcdm]{1,9}|\d{1,4})[.)]?", re.IGNORECASE)
_MADE_BY = re.compile(
    r"(?:\[?transcriber'?s? note|(?:e-?text )?(?:produced|prepared|transcribed) (?:by|from)\b"
    r"|this e-?(?:text|book) (?:was|is)\b|note: (?:images|project gutenberg))",
    re.IGNORECASE,
)
_BRACKETED = re.compile(
    r"\[(?:(?:illustration|footnote|sidenote|music|transcriber)|(?:\d{1,4}|[a-z*†])\]\s*\S)",
    re.IGNORECASE,
)
"""How a picture or a note begins; a note has the mark by which the text refers to it, as `[1]`."""

_PAGE = re.compile(
    r"\[(?:pg|page|p\.)\s*[\divxlc]{1,6}\]|\{[\divxlc]{1,6}\}|\[\d{1,4}\]|\[\*\]", re.I
)
_ITALICS = re.compile(r"(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)")
_LEADERS = re.compile(r"(?:\.[ .]{2,}|\s{2,})(?:\d{1,4}|[ivxlc]{1,7})\s*$", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
_TITLE_LINE = 80
"""Characters of the longest line in capitals that is taken for a heading."""


def books(path: Path, reading: Reading, position: Position) -> Iterator[str]:
    """The books of a file: one of plain text, or those of records and archives.

    Older plain texts are not in UTF-8 but in Windows' Latin alphabet.
    """
    if form_of(path.name) not in (None, "text") or reading.documents != "file":
        for document in documents(path, reading):
            position.bytes = document.read
            yield document.text
        return
    with opened(path) as (stream, _):
        data = stream.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise TextError(
            f"{path}: longer than {LONGEST // 2**20} MB, which is no book; if it holds several, say "
            "what parts them (--documents)"
        )
    if b"\0" in data:
        raise TextError(f"{path}: a binary file, and no text")
    try:
        yield data.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError:
        yield data.decode("cp1252", errors="replace")


def plain_text(book: str) -> str:
    r"""Its paragraphs, one a line.

    >>> plain_text("CHAPTER I\n\nIt was a dark\nand _stormy_ night.\n\n[Illustration: Rain]")
    'It was a dark and stormy night.'
    """
    book = book.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")
    return "\n".join(filter(None, map(_paragraph, _BLANK.split(_without_licence(book)))))


def _without_licence(book: str) -> str:
    """What stands between the marks of Project Gutenberg; all, if there are none."""
    for match in _START.finditer(book):
        start = match.end()
        break
    else:
        start = 0
    end = _END.search(book, start)
    return book[start : end.start() if end else len(book)]


def _paragraph(block: str) -> str:
    """A block of lines as a paragraph; nothing, if it is none."""
    lines = [line for line in map(str.strip, block.split("\n")) if line]
    if not lines or not any(map(str.isalpha, block)):
        return ""
    if lines[0].startswith("#") or _MADE_BY.match(lines[0]) or _BRACKETED.match(lines[0]):
        return ""
    if all(map(_is_heading, lines)):
        return ""
    if sum(bool(_LEADERS.search(line)) or _is_heading(line) for line in lines) * 2 > len(lines):
        return ""  # a table of contents
    text = _ITALICS.sub("", _PAGE.sub("", " ".join(lines)))
    return _SPACES.sub(" ", text).strip()


def _is_heading(line: str) -> bool:
    """Whether a line by itself is the name of a part rather than a sentence."""
    if _PARTS.fullmatch(line) or _NUMERAL.fullmatch(line):
        return True
    if line[-1] in ",;!?\"'”’" or (line[-1] == "." and line.count(" ") > 6):
        return False
    if _HEADING.fullmatch(line):
        return True
    return len(line) <= _TITLE_LINE and line.isupper() and line[-1] not in ",;"
