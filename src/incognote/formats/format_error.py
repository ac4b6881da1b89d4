"""What a format says of input that it cannot read, or of a text that it cannot hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from incognote.base.errors import UserError
from incognote.document import Document, Span


class FormatError(UserError, ValueError):
    """Input that a format cannot read, or a text that it cannot hold.

    One sentence that names the place and never quotes the note. `place` is a line, row or byte.
    """

    def __init__(self, reason: str, place: str = "") -> None:
        self.reason = reason
        self.place = place
        super().__init__(f"{place}: {reason}" if place else reason)

    def __reduce__(self) -> tuple[type[FormatError], tuple[str, str]]:
        return FormatError, (self.reason, self.place)

    def within(self, place: str) -> FormatError:
        """The same error as seen from further out: `place` goes before its own."""
        return FormatError(self.reason, ", ".join(filter(None, (place, self.place))))


class BadSpansError(FormatError):
    """A note some of whose spans contradict it. It reads as the first of them.

    `errors` has them all and `document` is the note with its sound spans, for those who want to
    know everything that is wrong with a file.
    """

    def __init__(self, errors: Sequence[FormatError], document: Document) -> None:
        self.errors = tuple(errors)
        self.document = document
        super().__init__(errors[0].reason, errors[0].place)

    def within(self, place: str) -> BadSpansError:
        return BadSpansError([error.within(place) for error in self.errors], self.document)


def with_spans(document: Document, spans_or_errors: Iterable[Span | FormatError]) -> Document:
    """The document with the spans; BadSpansError if there are errors in place of some."""
    spans: list[Span] = []
    errors: list[FormatError] = []
    for each in spans_or_errors:
        if isinstance(each, Span):
            spans.append(each)
        else:
            errors.append(each)
    document = document.with_spans(spans)
    if errors:
        raise BadSpansError(errors, document)
    return document
