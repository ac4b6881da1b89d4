"""A regular expression that is compiled when it is first needed.

The rules have some hundreds, which take a second to compile; a short note needs few of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

Matcher = Callable[..., re.Match[str] | None]


class Pattern:
    """Stands for `re.compile(source, flags)`. Each method is looked up once and then kept."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self.source = source
        self.flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The regular expression itself."""
        return re.compile(self.source, self.flags)

    @cached_property
    def match(self) -> Matcher:
        """Tries at one place."""
        return self.compiled.match

    @cached_property
    def fullmatch(self) -> Matcher:
        """Tries to match all of a stretch."""
        return self.compiled.fullmatch

    @cached_property
    def search(self) -> Matcher:
        """Looks for the first place."""
        return self.compiled.search

    @cached_property
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        """Looks for every place."""
        return self.compiled.finditer

    @cached_property
    def findall(self) -> Callable[..., list[str]]:
        """The texts of all matches, for a pattern without groups."""
        return self.compiled.findall
