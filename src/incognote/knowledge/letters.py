"""Letters: what makes two spellings one word, and writing one word in the case of another."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal

APOSTROPHES = "'’ʼ‘`´ʻ"
NAME_APOSTROPHES = "'’ʼ‘`´"
"""In people's names ʻ is a letter: Keʻala."""
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = re.compile(r"[^\W_]+")
_MARKS = re.compile(rf"(?<=\w)[{APOSTROPHES}](?=\w)")
_SHORT = {"st": "saint", "ste": "saint", "mt": "mount", "mtn": "mountain", "ft": "fort",
          "pt": "point", "hts": "heights", "spgs": "springs", "twp": "township"}  # fmt: skip
_PLAIN = str.maketrans(
    {"’": "'", "ʻ": "'", "‐": "-", "‑": "-", "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d"}
    | {"Đ": "d", "ß": "ss", "æ": "ae", "Æ": "ae", "þ": "th", "Þ": "th", "ð": "d", "ı": "i"}
)


# What makes two spellings one word.


@lru_cache(maxsize=20_000)
def fold(text: str) -> str:
    """Small letters without accents; ß is ss."""
    if text.isascii():
        return text.lower()
    return without_accents(text.casefold())


def fold_name(word: str) -> str:
    """As `fold`, with straight apostrophes and hyphens, and plain letters for ø, ł, æ and the like.

    By this detection knows a word. The keys that surrogates are drawn by are those of `fold`: with
    other keys, Møller would have another fake than before.
    """
    if word.isascii():
        return word.lower()
    return without_accents(word.translate(_PLAIN)).casefold()


def without_accents(text: str) -> str:
    """The letters and signs of a text alone: é is e, ﬁ is fi."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


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


def split_possessive(text: str) -> tuple[str, str]:
    """A phrase and its possessive ending, which stays."""
    match = re.search(rf"(?:[{APOSTROPHES}][sS]|(?<=[sS])[{APOSTROPHES}])$", text)
    return (text[: match.start()], match[0]) if match else (text, "")


# Writing a word in the case of another, and with its gaps.


def case_of(text: str) -> Literal["upper", "lower", "mixed"]:
    """How a text is written; one capital letter alone may begin a word, so it is mixed."""
    letters = [letter for letter in text if letter.isalpha()]
    if len(letters) > 1 and not any(map(str.islower, letters)):
        return "upper"
    return "lower" if letters and not any(map(str.isupper, letters)) else "mixed"


def cased(fake: str, pattern: str) -> str:
    """A fake in capitals or small letters where the pattern is; else as it stands.

    >>> cased("Marlow", "BANGOR"), cased("Marlow", "bangor"), cased("Marlow", "Bangor")
    ('MARLOW', 'marlow', 'Marlow')
    """
    case = case_of(pattern)
    return fake.upper() if case == "upper" else fake.lower() if case == "lower" else fake


def in_case_of(word: str, pattern: str) -> str:
    """A word in capitals or small letters where the pattern is; else with a capital first.

    >>> in_case_of("april", "MAR"), in_case_of("april", "Mar")
    ('APRIL', 'April')
    """
    return cased(word[:1].upper() + word[1:], pattern)


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
