"""Which words a pattern can begin with, so that a reader may look at those places only.

Labels and phrases are written as patterns ("attending(?: physician)?"); this reads their first
words out of the pattern, so that no second list must be kept in step with it.
"""

from __future__ import annotations

import re

_END = "\0"
"""Stands for the first character that is no letter: what follows it does not matter."""

_ANY = "\1"
"""Stands for a letter that may be any, or for more of the same."""

_EDGE = "\2"
"""Stands for a place that ends a word begun before it."""

_NO_LETTER = re.compile(r"\?!\[?(?:\\w|a-z|A-Za-z)")
_OPENING = re.compile(r"\?(?:[:>]|P<\w+>|[a-z]*-?[a-z]*:|<?(?P<look>[=!]))|")
_LITERAL = re.compile(r"[^\W\d_]+(?:(?=[^\W\d_][?*+{])|(?![?*+{\w]))")
_MARK = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]")
_ESCAPED = re.compile(r"\\(?:x..|u....|.)")
_COUNT = re.compile(r"[?*+]|\{(\d+),(\d*)\}|\{(\d+)\}|")


def first_words(source: str) -> frozenset[str]:
    """The first runs of letters, in lower case, of all that the pattern matches.

    Only patterns whose first word is one of finitely many can be read; others are an error.
    """
    heads, end = _either(source, 0)
    words = {head.partition(_END)[0].strip(_EDGE) for head in heads}
    if end < len(source) or any(not word or _ANY in word for word in words):
        raise ValueError("the pattern may begin with anything")
    return frozenset(words)


def _either(source: str, at: int) -> tuple[set[str], int]:
    """Heads of alternatives, up to the bracket that closes them."""
    heads, at = _sequence(source, at)
    while source[at : at + 1] == "|":
        more, at = _sequence(source, at + 1)
        heads |= more
    return heads, at


def _sequence(source: str, at: int) -> tuple[set[str], int]:
    heads = {""}
    while at < len(source) and source[at] not in "|)":
        letters = _LITERAL.match(source, at)
        if letters:
            heads = {_joined(head, letters[0].lower()) for head in heads}
            at = letters.end()
            continue
        following, at = _counted(source, at)
        heads = {_joined(head, more) for head in heads for more in following}
        if all(_END in head for head in heads):
            return heads, _skipped(source, at)
    return heads, at


def _skipped(source: str, at: int) -> int:
    """The end of the alternative, whose rest does not matter."""
    depth = 0
    for mark in _MARK.finditer(source, at):
        if mark[0] == "(":
            depth += 1
        elif depth and mark[0] == ")":
            depth -= 1
        elif not depth and mark[0] in "|)":
            return mark.start()
    return len(source)


def _joined(head: str, more: str) -> str:
    if _END in head:
        return head
    ended = more.startswith(_EDGE) and head.strip(_EDGE)
    return head + (_END if ended else more)


def _counted(source: str, at: int) -> tuple[set[str], int]:
    heads, at = _atom(source, at)
    count = _COUNT.match(source, at)
    if count and count[0]:
        at = count.end() + source.startswith(("+", "?"), count.end())
        if count[0] != "?":
            heads = heads | {head + _ANY for head in heads if head and _END not in head}
        if count[0] in "?*" or count[1] == "0":
            heads = heads | {""}
    return heads, at


def _atom(source: str, at: int) -> tuple[set[str], int]:
    char = source[at]
    if char == "(":
        opening = _OPENING.match(source, at + 1)
        assert opening
        heads, end = _either(source, opening.end())
        if opening["look"]:
            heads = {_EDGE} if _NO_LETTER.match(source, opening.start()) else {""}
        return heads, end + 1
    if char == "[":
        close = source.index("]", at + 2)
        return _letters(source[at + 1 : close]), close + 1
    if char == "\\":
        escaped = _ESCAPED.match(source, at)
        assert escaped
        if escaped[0] == r"\b":
            return {_EDGE}, escaped.end()
        heads = {""} if escaped[0][1] in "BAZ" else _letters(escaped[0])
        return heads, escaped.end()
    if char == ".":
        return {_ANY, _END}, at + 1
    if char in "^$":
        return {""}, at + 1
    return _letters(char), at + 1


def _letters(chars: str) -> set[str]:
    """A character, or the class of a few; of a range, any."""
    if chars.startswith("^") or re.search(r"[A-Za-z]-[A-Za-z]|\\[wWDS]", chars):
        return {_ANY, _END}
    plain = _ESCAPED.sub("-", chars)
    return {char.lower() if char.isalpha() else _END for char in plain}
