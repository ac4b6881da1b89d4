"""Alternations of words that a regular expression can skip to.

Python's engine jumps to the next possible match only when a pattern starts with a plain character
class. Word lists behind a lookbehind or an ignore-case flag lose that, and most of a note's time
goes into trying them at every character.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable


def any_word(alternatives: Iterable[str], *, after: str = "A-Za-z") -> str:
    """A pattern for any of the alternatives, in any case, not after a character of class `after`.

    Each alternative is a regular expression whose first character is a plain letter.
    """
    rests: dict[str, list[str]] = defaultdict(list)
    for alternative in alternatives:
        rests[alternative[0].lower()].append(alternative[1:])
    firsts = "".join(letter + letter.upper() for letter in rests)
    branches = "|".join(f"(?<={letter})(?:{'|'.join(rest)})" for letter, rest in rests.items())
    return f"[{firsts}](?<![{after}].)(?i:{branches})"
