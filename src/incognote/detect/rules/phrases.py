"""How patterns are written: character classes, and many phrases as one pattern."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

UPPER = "A-ZÀ-ÖØ-ÞĀĆČĐĒĞĦĪİŁŃŌŐŒŘŚŞŠŤŪŮŹŻŽ"
DASH = r"\-\u2010-\u2015\u2212"
"""Hyphen, the Unicode dashes and the minus sign."""

SPACE = r" \t\u00a0\u2007\u2009\u202f"
"""Blanks within a line. All three are for use inside a character class."""

BLANK = r"[ \t\xa0.]{1,3}+"
_END = ""
_FIRST_WORD = re.compile(r"[^\W\d_]+")

Node: TypeAlias = "dict[str, Node]"


def trie(phrases: Iterable[str], *, after: str = r"[^\W_]") -> str:
    """A pattern for any of the phrases, the longest first, in any case; it reads each letter once.

    A plain alternation tries every phrase; a trie leaves after the first letters. Cases are
    spelled out (`[Mm][Rr]`), which `re` handles faster than a flag.
    A space in a phrase is any blanks. The phrase may not stand after a character of `after`.
    """
    root: Node = {}
    for phrase in phrases:
        node = root
        for letter in phrase.lower():
            node = node.setdefault(letter, {})
        node[_END] = {}
    return f"(?<!{after})(?:{_pattern(root)})"


def heads(phrases: Iterable[str]) -> frozenset[str]:
    """The words that the phrases begin with."""
    return frozenset(_FIRST_WORD.findall(phrase.lower())[0] for phrase in phrases)


def _any_case(letter: str) -> str:
    upper = letter.upper()
    return f"[{upper}{letter}]" if upper != letter and len(upper) == 1 else re.escape(letter)


def _pattern(node: Node) -> str:
    branches = [
        (BLANK if letter == " " else _any_case(letter)) + _pattern(child)
        for letter, child in node.items()
        if letter != _END
    ]
    if not branches:
        return ""
    body = branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
    return f"(?:{body})?" if _END in node else body
