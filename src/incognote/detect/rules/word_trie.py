"""Many phrases as one pattern that looks at each letter once.

A plain alternation tries every phrase at every word of a note; a trie leaves after the first
letters. Cases are spelled out (`[Mm][Rr]`) and the pattern starts with a plain character class,
both of which the engine handles faster than a flag or a lookbehind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

BLANK = r"[ \t\xa0.]{1,3}+"
_END = ""

Node: TypeAlias = "dict[str, Node]"


def trie(phrases: Iterable[str], *, after: str = r"[^\W_]") -> str:
    """A pattern for any of the phrases, the longest first, in any case.

    A space in a phrase is any blanks. The phrase may not stand after a character of `after`.
    """
    root: Node = {}
    for phrase in phrases:
        node = root
        for letter in phrase.lower():
            node = node.setdefault(letter, {})
        node[_END] = {}
    firsts = "".join(sorted({form for letter in root for form in (letter, letter.upper())}))
    branches = "|".join(f"(?<={_any_case(first)}){_pattern(root[first])}" for first in root)
    return f"[{re.escape(firsts)}](?<!{after}.)(?:{branches})"


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
