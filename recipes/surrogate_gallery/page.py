"""A page of notes before and after replacement, line beside line, that needs nothing but itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from incognote.document import Document, Span
from incognote.phi import CATEGORY_OF

STYLE = Path(__file__).with_name("style.css")
_CALLED = {
    "NAME": "names",
    "PROFESSION": "jobs",
    "LOCATION": "places, institutions",
    "AGE": "ages",
    "DATE": "dates",
    "CONTACT": "contacts",
    "ID": "numbers",
}


@dataclass(frozen=True)
class Shown:
    """A note before and after, under the name that the page gives it."""

    name: str
    what: str
    before: Document
    after: Document


def page(notes: Sequence[Shown], title: str, introduction: Sequence[str]) -> str:
    """The whole page."""
    counts = Counter(CATEGORY_OF[span.type] for note in notes for span in note.before.spans)
    legend = " ".join(
        f'<li><mark class="{name}">{called}</mark> {counts[name]}</li>'
        for name, called in _CALLED.items()
        if counts[name]
    )
    contents = "".join(
        f'<li><a href="#{_anchor(note)}">{escape(note.what)}</a></li>' for note in notes
    )
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in introduction)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE.read_text('utf-8')}</style>\n</head>\n"
        f"<body>\n<header>\n<h1>{escape(title)}</h1>\n{paragraphs}\n"
        f'<ul class="legend">{legend}<li><mark class="same">unchanged</mark></li></ul>\n'
        f'<nav><ol class="contents">{contents}</ol></nav>\n</header>\n<main>\n'
        + "".join(map(_section, notes))
        + "</main>\n</body>\n</html>\n"
    )


def _anchor(note: Shown) -> str:
    return note.name.replace("/", "-")


def _section(note: Shown) -> str:
    rows = zip(_lines(note.before, note.after), _lines(note.after, note.before), strict=True)
    body = "".join(f"<tr><td>{left}</td><td>{right}</td></tr>\n" for left, right in rows)
    return (
        f'<section id="{_anchor(note)}">\n<h2>{escape(note.what)} '
        f"<small>corpus/{escape(note.name)}, {len(note.before.spans)} marks</small></h2>\n"
        '<table>\n<thead><tr><th scope="col">before</th><th scope="col">after</th></tr></thead>\n'
        f"<tbody>\n{body}</tbody>\n</table>\n</section>\n"
    )


def _lines(note: Document, other: Document) -> list[str]:
    """The note's lines with its marks; a mark that goes over a line's end is closed and reopened."""
    pieces: list[str] = []
    read = 0
    for span, counterpart in zip(note.spans, other.spans, strict=True):
        pieces.append(escape(note.text[read : span.start]))
        pieces.append("\n".join(_marked(span, counterpart)))
        read = span.end
    pieces.append(escape(note.text[read:]))
    return "".join(pieces).rstrip("\n").split("\n")


def _marked(span: Span, counterpart: Span) -> Iterator[str]:
    same = " same" if span.text == counterpart.text else ""
    for line in span.text.split("\n"):
        yield f'<mark class="{CATEGORY_OF[span.type]}{same}" title="{span.type}">{escape(line)}</mark>'
