"""A detector: the wards of the hospital."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WARD = re.compile(r"\b(?:Ward|Wd\.?) \d[A-F]\b")


def wards(text: str) -> Iterator[tuple[int, int, str]]:
    """`Ward 3B` and `Wd. 3B`, with start, end and type."""
    for match in _WARD.finditer(text):
        yield match.start(), match.end(), "LOCATION-OTHER"
