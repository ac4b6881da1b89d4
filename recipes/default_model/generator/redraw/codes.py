"""New numbers for old: digits for digits, letters for letters, punctuation where it was."""

from __future__ import annotations

import re
from random import Random

_WORDS = re.compile(
    r"\b(?:ext|extension|x+|box|opt|pager|NPI|DEA|MRN|CHI|NHS|TRN|RN|MD)\b", re.IGNORECASE
)


def reshape(text: str, rng: Random, letters: float = 0.5) -> str:
    """A code of the same shape; its letters change with odds of `letters`, masks and words never."""
    fixed = {at for found in _WORDS.finditer(text) for at in range(*found.span())}
    change = rng.random() < letters and any(char.isdigit() for char in text)
    out: list[str] = []
    for at, char in enumerate(text):
        if char.isdigit() and char.isascii():
            first = at == 0 or not text[at - 1].isdigit()
            zero = char == "0" or not first
            char = str(rng.randrange(10) if zero else rng.randint(1, 9))
        elif change and char.isascii() and char.isalpha() and at not in fixed:
            new = rng.choice("ABCDEFGHJKLMNPRSTUVWXYZ")
            char = new if char.isupper() else new.lower()
        out.append(char)
    return "".join(out)
