"""A model's spans without the lines and blanks at their ends, and none that has nothing to hide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from incognote.document import Span

EDGES = "-_=*~|•·☎ \t\r\n\xa0"
"""What a form is drawn with; identifiers neither begin nor end so."""


def trimmed(spans: Iterable[Span]) -> Iterator[Span]:
    """The spans that have a letter or digit, without such characters at their ends."""
    for span in spans:
        if span.text[:1].isalnum() and span.text[-1:].isalnum():
            yield span
            continue
        kept = span.text.strip(EDGES)
        if not any(map(str.isalnum, kept)):
            continue
        start = span.start + len(span.text) - len(span.text.lstrip(EDGES))
        if len(kept) < len(span):
            span = replace(span, start=start, end=start + len(kept), text=kept)
        yield span
