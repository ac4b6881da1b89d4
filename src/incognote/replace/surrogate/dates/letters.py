"""Writing a word in the case of another."""

from __future__ import annotations


def in_case_of(word: str, pattern: str) -> str:
    """`april` as `MARCH`, `march` or `March` were written.

    >>> in_case_of("april", "MAR")
    'APRIL'
    """
    letters = [letter for letter in pattern if letter.isalpha()]
    if len(letters) > 1 and all(map(str.isupper, letters)):
        return word.upper()
    if letters and all(map(str.islower, letters)):
        return word.lower()
    return word[:1].upper() + word[1:]
