"""The running text of a wiki article: no lists, tables, headers, references or templates.

BERT and ALBERT read the text passages of Wikipedia only. Markup that was never closed is taken for
what it is in MediaWiki, text, so that it cannot swallow the rest of an article. The time is linear in
the length of the article, however deep or broken its markup is.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Container, Iterator
from functools import cache

DROPPED_NAMESPACES = frozenset({"file", "image", "media", "category"})
"""Links of these are pictures and classes of an article; a dump names those of its own language."""

LAST_SECTIONS = frozenset(
    {
        "bibliography",
        "citations",
        "external links",
        "footnotes",
        "further reading",
        "notes",
        "notes and references",
        "references",
        "see also",
        "sources",
        "works cited",
    }
)
"""Sections that hold what an article refers to, as prose or not."""

OPAQUE = frozenset(
    {
        "categorytree",
        "ce",
        "chem",
        "gallery",
        "graph",
        "hiero",
        "imagemap",
        "inputbox",
        "mapframe",
        "maplink",
        "math",
        "nowiki",
        "pre",
        "ref",
        "references",
        "score",
        "source",
        "syntaxhighlight",
        "templatedata",
        "timeline",
    }
)
"""Elements whose content is not wikitext. Only what stands in `nowiki` is text."""

TEXT_TEMPLATES = {
    "abbr": 0,
    "as written": 0,
    "blockquote": 0,
    "ill": 0,
    "lang": 1,
    "nobr": 0,
    "nowrap": 0,
    "quote": 0,
    "sic": 0,
    "small": 0,
    "transl": -1,
    "transliteration": -1,
}
"""Templates that show one of their arguments as it is, and which; others are left out."""

CONVERSIONS = ("convert", "cvt")
RANGES = frozenset({"to", "and", "by", "or", "x", "-", "–"})

DEEPEST = 64
"""Open markup within open markup; the outermost of more is taken for text."""

_TOKEN = re.compile(
    r"<!--|<(?P<end>/?)(?P<tag>[a-z][a-z0-9]{0,20})(?=[\s/>])(?P<rest>[^<>]*)>"
    r"|\{\{|\}\}|\[\[|\]\]|^[ \t:]*\{\||^[ \t]*\|\}(?!\})",
    re.IGNORECASE | re.MULTILINE,
)
_BREAKS = {"br": " ", "p": "\n", "div": "\n", "li": "\n", "tr": "\n"}
_EXTERNAL = re.compile(r"\[(?:https?:|ftp:)?//[^\s\[\]]*(?:[^\S\n]+([^\[\]\n]*))?\]")
_EMPHASIS = re.compile(r"'{2,5}")
_MAGIC = re.compile(r"__[A-Z]{3,24}__")
_HEADING = re.compile(r"(={1,6})(.+?)(={1,6})")
_INTERWIKI = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,8})?")
_EMPTY_BRACKETS = re.compile(r"[^\S\n]*\([\s;,:–-]*\)")
_BEGUN_BRACKETS = re.compile(r"\([\s;,:]+")
_SPACES = re.compile(r"[^\S\n]+")
_BEFORE_MARK = re.compile(r" (?=[,.;:!?)](?:\s|$))", re.MULTILINE)
_NO_PARAGRAPH = ("*", "#", ":", ";", "|", "!", "----", "{", "}")


def plain_text(wikitext: str, dropped: Container[str] = DROPPED_NAMESPACES) -> str:
    r"""The paragraphs of an article, one a line.

    dropped: namespaces whose links are left out, in small letters.

    >>> plain_text("The '''[[cat]]''' (''Felis''){{cite}} is [[Small cat|small]].\n* [[Lion]]")
    'The cat (Felis) is small.'
    """
    text = _without_markup(wikitext, dropped)
    text = _EXTERNAL.sub(lambda match: match[1] or "", text)
    text = _MAGIC.sub("", _EMPHASIS.sub("", text))
    return "\n".join(_paragraphs(html.unescape(text)))


def _without_markup(wikitext: str, dropped: Container[str]) -> str:
    """What is left when comments, elements, templates, tables and links are resolved."""
    markup = _Markup()
    unclosed: set[str] = set()  # elements that are closed nowhere below
    place = 0
    while match := _TOKEN.search(wikitext, place):
        markup.add(wikitext[place : match.start()])
        token, place = match[0], match.end()
        if token == "<!--":
            end = wikitext.find("-->", place)
            place = end + len("-->") if end >= 0 else len(wikitext)
        elif match["tag"] is not None:
            tag = match["tag"].lower()
            is_end, is_empty = bool(match["end"]), match["rest"].endswith("/")
            if tag in OPAQUE and not is_end and not is_empty and tag not in unclosed:
                end = _end_of(tag, wikitext, place)
                if end >= 0:
                    markup.add(wikitext[place:end] if tag == "nowiki" else "")
                    place = wikitext.index(">", end) + 1
                elif tag != "ref":  # of which another one may be closed
                    unclosed.add(tag)
            elif tag == "table" and is_end:
                markup.close("html table", _nothing)
            elif tag == "table":
                markup.begin("html table", "")
            else:
                markup.add(_BREAKS.get(tag, ""))
        elif token in ("{{", "[["):
            markup.begin(token, token)
        elif token == "}}":
            markup.close("{{", _template)
        elif token == "]]":
            markup.close("[[", lambda content: _link(content, dropped))
        elif token.endswith("{|"):
            markup.begin("table", "{|")
        else:
            markup.close("table", _nothing)
    markup.add(wikitext[place:])
    return markup.text


class _Markup:
    """Text so far, and what of the markup in it has been opened."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._opened: list[tuple[str, int]] = []  # kinds, and where among the parts they begin

    @property
    def text(self) -> str:
        """All of it; what was never closed is text."""
        return "".join(self._parts)

    def add(self, text: str) -> None:
        """Text that is shown where it stands."""
        self._parts.append(text)

    def begin(self, kind: str, token: str) -> None:
        """Open markup; its token stays where it is never closed, so that the line is known by it."""
        if len(self._opened) == DEEPEST:
            del self._opened[0]
        self._opened.append((kind, len(self._parts)))
        self._parts.append(token)

    def close(self, kind: str, shown: Callable[[str], str]) -> None:
        """Close the innermost of a kind, and show of its content what `shown` makes of it."""
        for number in range(len(self._opened) - 1, -1, -1):
            if self._opened[number][0] == kind:
                first = self._opened[number][1]
                content = "".join(self._parts[first + 1 :])
                del self._parts[first:], self._opened[number:]
                self._parts.append(shown(content))
                return


def _nothing(content: str) -> str:
    """Of a table."""
    return ""


def _end_of(tag: str, wikitext: str, place: int) -> int:
    """Where the closing tag begins, or −1; a reference that another one follows was never closed."""
    match = _closing(tag).search(wikitext, place)
    return match.start() if match and match[0].startswith("</") else -1


@cache
def _closing(tag: str) -> re.Pattern[str]:
    again = rf"|<{tag}(?=[\s>])" if tag == "ref" else ""
    return re.compile(rf"</{tag}\s*>{again}", re.IGNORECASE)


def _template(content: str) -> str:
    """What a template shows, if it is one of those that show an argument as it is."""
    name, *rest = (part.strip() for part in content.split("|"))
    name = name.lower().replace("_", " ")
    arguments = [part for part in rest if "=" not in part]
    if name in CONVERSIONS:
        return _converted(arguments)
    if name not in TEXT_TEMPLATES or not arguments:
        return ""
    number = TEXT_TEMPLATES[name]
    return arguments[number] if number < len(arguments) else ""


def _converted(arguments: list[str]) -> str:
    """A measure in the unit it was written in: 5|km|mi, or 5|to|10|km|mi."""
    size = 4 if len(arguments) > 3 and arguments[1].lower() in RANGES else 2
    return " ".join(arguments[:size]) if len(arguments) >= size else ""


def _link(content: str, dropped: Container[str]) -> str:
    """The words of a link."""
    target, bar, label = content.partition("|")
    name, colon, _ = target.partition(":")
    prefix = name.strip().lower().replace("_", " ")
    if colon and prefix in dropped:
        return ""
    if colon and prefix and not bar and _INTERWIKI.fullmatch(prefix):
        return ""
    if not bar:
        return target.strip().removeprefix(":")
    return label.strip() or target.partition("(")[0].rpartition(":")[2].strip()


def _paragraphs(text: str) -> Iterator[str]:
    """Lines that are neither headings, lists, rows of broken tables nor in the last sections."""
    skipped = 0  # the level of the heading whose section is left out
    for line in text.split("\n"):
        line = _SPACES.sub(" ", line).strip()
        if line.startswith("=") and (match := _HEADING.fullmatch(line)):
            level = min(len(match[1]), len(match[3]))
            if not skipped or level <= skipped:
                skipped = level if match[2].strip(" =").lower() in LAST_SECTIONS else 0
            continue
        if skipped or line.startswith(_NO_PARAGRAPH):
            continue
        line = _BEGUN_BRACKETS.sub("(", _EMPTY_BRACKETS.sub("", line))
        line = line.replace("{{", "").replace("}}", "").replace("[[", "").replace("]]", "")
        line = _BEFORE_MARK.sub("", _SPACES.sub(" ", line)).strip()
        if any(map(str.isalpha, line)):
            yield line
