"""Reading the tables and lists beside this file.

A list (`.txt`) is words between blanks. A table (`.tsv`) has cells between tabs, and its remarks
begin with `#`: they say what the cells mean and who uses them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

_FOLDER = Path(__file__).parent


def word_list(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset((_FOLDER / f"{name}.txt").read_text("utf-8").split())


def rows(name: str) -> Iterator[list[str]]:
    """The cells of each row of a table."""
    for line in (_FOLDER / f"{name}.tsv").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split("\t")


class WordTable:
    """A table with a word in each row, and after it the word's flags, some of them with a value.

    >>> streets = WordTable("streets")
    >>> "boulevard" in streets.words("strong")
    True
    """

    def __init__(self, name: str) -> None:
        self._words_of: dict[str, dict[str, str]] = {}
        for word, *flags in rows(name):
            for flag in flags:
                key, _, value = flag.partition("=")
                self._words_of.setdefault(key, {})[word] = value

    def words(self, flag: str) -> frozenset[str]:
        """The words with a flag."""
        return frozenset(self._words_of[flag])

    def values(self, flag: str) -> Mapping[str, str]:
        """The words with a flag, in the order of the table, and what the flag says of each."""
        return self._words_of[flag]
