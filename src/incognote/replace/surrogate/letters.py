"""Letters: what makes two spellings one word, and writing a fake as the original is written."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

APOSTROPHES = "'’ʼ‘`´ʻ"
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = re.compile(r"[^\W_]+")
_MARKS = re.compile(rf"(?<=\w)[{APOSTROPHES}](?=\w)")
_SHORT = {"st": "saint", "ste": "saint", "mt": "mount", "mtn": "mountain", "ft": "fort",
          "pt": "point", "hts": "heights", "spgs": "springs", "twp": "township"}  # fmt: skip


@lru_cache(maxsize=20_000)
def fold(text: str) -> str:
    """Small letters without accents; ß is ss."""
    if text.isascii():
        return text.lower()
    broken = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in broken if not unicodedata.combining(letter))


@lru_cache(maxsize=20_000)
def key_of(text: str) -> str:
    """A phrase by its words alone: `St. Louis`, `ST LOUIS` and `Saint Louis` are one.

    Text without a letter or a digit is its own key.
    """
    if text.isalpha() and text.isascii():
        return text.lower()
    words = _LETTERS.findall(_MARKS.sub("", fold(text)))
    return " ".join(_SHORT.get(word, word) for word in words) or text.strip()


def word_keys(text: str) -> list[str]:
    """The words of a text in small letters, cut at everything that is no letter."""
    return _WORD.findall(_MARKS.sub("", fold(text)))


def cased(fake: str, pattern: str) -> str:
    """A fake in capitals or small letters where the pattern is; else as it stands.

    >>> cased("Marlow", "BANGOR"), cased("Marlow", "bangor"), cased("Marlow", "Bangor")
    ('MARLOW', 'marlow', 'Marlow')
    """
    letters = [letter for letter in pattern if letter.isalpha()]
    if len(letters) > 1 and not any(map(str.islower, letters)):
        return fake.upper()
    if letters and not any(map(str.isupper, letters)):
        return fake.lower()
    return fake


def laid_out(fake: str, pattern: str) -> str:
    """A fake of several words with the gaps of the pattern, so that no line break is lost."""
    words = fake.split()
    gaps = re.findall(r"\s+", pattern.strip())
    room = len(words) - 1
    if len(gaps) > room:
        breaks = [gap for gap in gaps if "\n" in gap or "\r" in gap]
        gaps = breaks if len(breaks) >= room else (breaks + [g for g in gaps if g not in breaks])
    gaps += [" "] * (room - len(gaps))
    laid = "".join(word + gap for word, gap in zip(words, [*gaps[:room], ""], strict=True))
    return laid + "".join(gap for gap in gaps[room:] if "\n" in gap or "\r" in gap)


def split_possessive(text: str) -> tuple[str, str]:
    """A phrase and its possessive ending, which stays."""
    match = re.search(rf"(?:[{APOSTROPHES}][sS]|(?<=[sS])[{APOSTROPHES}])$", text)
    return (text[: match.start()], match[0]) if match else (text, "")


# Writing a word in the case of another.


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
