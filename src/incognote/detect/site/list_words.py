"""The words of a list's entries, and those of a note, cut and spelled in the same way.

A word is a run of letters and digits, with the apostrophes between its letters. Whatever else stands
between the words of an entry (blanks, a line break, hyphens, commas, brackets, the full stop of an
abbreviation) may be written otherwise in a note, or be missing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from incognote.detect.pattern import DASH, SPACE, Pattern
from incognote.knowledge.letters import fold_name

WORD = Pattern(r"[^\W_ʻʼ](?:[^\W_]|[\u0300-\u036f]|['’](?=[^\W\d_]))*+")
GAP = Pattern(
    rf"[{SPACE}]*+(?:[.,'’\"“”()&/+{DASH}][{SPACE}]*+){{0,3}}+"
    rf"(?:\r?\n[{SPACE}]*+(?:[('\"“&/+{DASH}][{SPACE}]*+)?+)?+"
)
"""What may stand between two words of one entry."""
LONGEST_ABBREVIATION = 4
"""Letters of a word that a full stop may follow within an entry; after longer ones it ends a
sentence."""
POSSESSIVE = re.compile(r"(?<=\w)['’][sS](?![^\W_]|[\u0300-\u036f]|['’][^\W\d_])")

_APOSTROPHES = str.maketrans(dict.fromkeys("'’ʻʼ", ""))
_STRAIGHT = str.maketrans(dict.fromkeys("’ʻʼ", "'"))
_SIGN = re.compile(r"[\W_]")
_INNER = re.compile(r"'(?<=[A-Za-z0-9]')(?=[A-Za-z])")
_OUTER = re.compile(r"'(?<![A-Za-z0-9]')|'(?![A-Za-z])")
_NAME_PART = re.compile(r"[^\W\d_ʻʼ](?:[^\W\d_]|[\u0300-\u036f]|['’](?=[^\W\d_]))*+|[,‐‑-]")


class Word(NamedTuple):
    """A word of a note, and where it ends without "'s"."""

    start: int
    end: int
    text: str
    bare_end: int

    @property
    def bare(self) -> str:
        """The word without "'s"."""
        return self.text[: self.bare_end - self.start]


def word_at(text: str, place: int) -> Word | None:
    """The whole word that begins at a place."""
    if place and _goes_on(text, place):
        return None
    match = WORD.match(text, place)
    if match is None:
        return None
    word, end = match[0], match.end()
    possessive = word[-2:-1] in ("'", "’") and word[-1] in "sS"
    return Word(place, end, word, end - 2 if possessive else end)


def next_word(text: str, word: Word) -> Word | None:
    """The word after another one, if both may be of one entry."""
    if text.startswith(".", word.end) and word.end - word.start > LONGEST_ABBREVIATION:
        return None
    gap = GAP.match(text, word.end)
    return word_at(text, gap.end()) if gap else None


def _goes_on(text: str, place: int) -> bool:
    """Whether a word has begun before the place."""
    before = text[place - 1]
    if before in "'’":
        return place > 1 and (text[place - 2].isalnum() or _is_mark(text[place - 2]))
    return before.isalnum() or _is_mark(before)


def _is_mark(character: str) -> bool:
    """Whether it is an accent that stands as a character of its own, as WORD has them."""
    return "\u0300" <= character <= "\u036f"


# How a word is spelled: one of a note, and those of all entries at once, which is many times faster


def folded(word: str) -> str:
    """What all spellings of a word share: no case, accents or apostrophes."""
    if word.isascii():
        return word.lower().replace("'", "")
    return _SIGN.sub("", fold_name(word.translate(_APOSTROPHES)))


def written(word: str) -> str:
    """A word as it is written, whatever code points and apostrophes write it."""
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", word.translate(_STRAIGHT))


def folded_entries(entries: Sequence[str]) -> list[str]:
    """Each entry as its folded words, with a blank between them; one with "'s" also without it.

    The order is not that of the entries.
    """
    plain, others = _by_letters([*entries, *_bare(entries)])
    phrases = _lines(_folded_ascii(plain, _FOLDED))
    if others:
        phrases += _lines(_folded_lines(WORD.findall, others))
    return phrases


def written_entries(entries: Sequence[str]) -> list[str]:
    """Each entry as its words as they are written, with a blank between them, in any order."""
    plain, others = _by_letters(entries)
    text = plain.translate(_WRITTEN)
    phrases = _lines(_OUTER.sub(" ", text) if "'" in text else text)
    if others:
        phrases += _lines(written(_lines_of(WORD.findall, others)))
    return phrases


def folded_names(entries: Sequence[str]) -> list[str]:
    """People's names as their folded words, with commas and hyphens, in any order."""
    plain, others = _by_letters(entries)
    text = _folded_ascii(plain, _FOLDED_NAME)
    if others:
        more = _folded_lines(_NAME_PART.findall, others, kept=" \n,-")
        text = f"{text}\n{more}" if text else more
    return _lines(text.replace(" -", "-").replace("- ", "-"))


def _bare(entries: Iterable[str]) -> Iterator[str]:
    for entry in entries:
        if "'" in entry or "’" in entry:
            bare = POSSESSIVE.sub("", entry)
            if bare != entry:
                yield bare


def _by_letters(entries: Sequence[str]) -> tuple[str, list[str]]:
    """The entries in ASCII as lines of one text, and the others."""
    text = "\n".join(entries)
    if text.count("\n") >= len(entries):
        entries = [" ".join(entry.split("\n")) for entry in entries]
        text = "\n".join(entries)
    if text.isascii():
        return text, []
    others = [entry for entry in entries if not entry.isascii()]
    return "\n".join(filter(str.isascii, entries)), others


def _folded_ascii(text: str, table: str) -> str:
    text = text.translate(table)
    return _INNER.sub("", text).replace("'", " ") if "'" in text else text


def _folded_lines(
    words_of: Callable[[str], list[str]], entries: Iterable[str], kept: str = " \n"
) -> str:
    text = fold_name(_lines_of(words_of, entries).translate(_APOSTROPHES))
    for sign in {sign for sign in set(text) if _SIGN.match(sign)} - {*kept}:
        text = text.replace(sign, "")
    return text


def _lines_of(words_of: Callable[[str], list[str]], entries: Iterable[str]) -> str:
    """Entries as their words, a line each."""
    return "\n".join([" ".join(words_of(entry)) for entry in entries])


def _lines(text: str) -> list[str]:
    """The lines of a text with single blanks, and none around them."""
    while "  " in text:
        text = text.replace("  ", " ")
    return text.replace("\n ", "\n").replace(" \n", "\n").strip(" ").split("\n")


def _table(kept: Callable[[str], bool], others: str) -> str:
    """What stands for each character of ASCII: itself if it is kept, else a blank."""
    return "".join(each if kept(each) or each in others else " " for each in map(chr, range(128)))


_WRITTEN = _table(str.isalnum, "\n'")
_FOLDED = _WRITTEN.lower()
_FOLDED_NAME = _table(str.isalpha, "\n',-").lower()
