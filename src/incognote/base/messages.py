"""How messages count things and tell times."""

from __future__ import annotations


def quantity(number: int, noun: str, plural: str | None = None) -> str:
    """`1 note`, `1,250 notes`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def span(seconds: float) -> str:
    """`2 h 05 min`, `12 min`, `40 s`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"
