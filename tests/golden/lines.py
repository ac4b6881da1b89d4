"""Lines of a record: tab-separated, the note and the place first, so that a change can be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from incognote.document import Document, Span

Records = Mapping[str, Sequence[str]]
"""Lines by the name of their record."""

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def line(note: Document, start: int, end: int, *values: object) -> str:
    """One line; what would break it is escaped, as in Python."""
    return "\t".join(str(value).translate(_ESCAPES) for value in (note.id, start, end, *values))


def note_line(note: Document, *values: object) -> str:
    """What is said of a whole note."""
    return line(note, 0, 0, *values)


def finding(note: Document, span: Span, *values: object) -> str:
    """A span with its score, its source and, where it differs from its type, its label."""
    label = () if span.label == span.type else (f"label {span.label}",)
    return line(
        note,
        span.start,
        span.end,
        span.type,
        number(span.score),
        span.source,
        span.text,
        *label,
        *values,
    )


def number(value: float) -> str:
    """Rounded, for a sum of the same numbers may differ in its last digit between Pythons."""
    return f"{value:.9g}"
