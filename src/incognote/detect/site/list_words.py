"""The words of a list's entries, and those of a note, cut and spelled in the same way.

A word is a run of letters and digits, with the apostrophes between its letters. Whatever else stands
between the words of an entry (blanks, a line break, hyphens, commas, brackets, the full stop of an
abbreviation) may be written otherwise in a note, or be missing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

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
PORTION = 20_000
"""Words of a long note that are looked at together."""
POSSESSIVE = re.compile(r"(?<=\w)['’][sS](?![^\W_]|[\u0300-\u036f]|['’][^\W\d_])")

_APOSTROPHE = re.compile(r"[ʻʼ]|['’](?!(?:ll|[dmt]|re|ve)(?!\w))", re.IGNORECASE)
_STRAIGHT = str.maketrans(dict.fromkeys("’ʻʼ", "'"))
_SIGN = re.compile(r"[^\w']|_")
_OUTER = re.compile(r"'(?<![A-Za-z0-9]')|'(?![A-Za-z])")
_NAME_PART = re.compile(r"[^\W\d_ʻʼ](?:[^\W\d_]|[\u0300-\u036f]|['’](?=[^\W\d_]))*+|[,‐‑-]")


class NoteWords:
    """Some words of a note, one after the other."""

    def __init__(self, text: str, matches: Sequence[re.Match[str]]) -> None:
        self.text = text
        self.matches = matches
        self.words = [match[0] for match in matches]
        self.keys = [word.lower() for word in self.words]
        """The words folded."""
        self.bare: dict[int, str] = {}
        """By their place, the words that end in "'s", folded without it."""
        if "'" in text or not text.isascii():
            for place, word in enumerate(self.words):
                if not (word.isascii() and word.isalnum()):
                    self.keys[place] = folded(word)
                    if is_possessive(word):
                        self.bare[place] = folded(word[:-2])

    def are_joined(self, first: int, last: int) -> bool:
        """Whether the words from one place to another may be of one entry."""
        return all(self._is_joined(place) for place in range(first, last))

    def _is_joined(self, place: int) -> bool:
        start, end = self.matches[place].span()
        if self.text.startswith(".", end) and end - start > LONGEST_ABBREVIATION:
            return False
        return GAP.fullmatch(self.text, end, self.matches[place + 1].start()) is not None


def note_words(text: str, longest: int) -> Iterator[tuple[NoteWords, int]]:
    """The words of a note in portions, and how many of each begin no entry of the next one.

    The last `longest` words of a portion come again in the next one, so that none is torn.
    """
    matches = WORD.finditer(text)
    portion = list(islice(matches, PORTION + longest))
    while following := list(islice(matches, PORTION)):
        yield NoteWords(text, portion), len(portion) - longest
        portion = portion[-longest:] + following
    yield NoteWords(text, portion), len(portion)


def is_possessive(word: str) -> bool:
    """Whether a word ends as "Rask's" does."""
    return word[-2:-1] in ("'", "’") and word[-1] in "sS"


# How a word is spelled: one of a note, and those of all entries at once, which is many times faster


def folded(word: str) -> str:
    """What all spellings of a word share: no case or accents, and no apostrophe but that of "she'll".

    Otherwise a ward called Shell would be found in it.
    """
    if word.isascii():
        return _APOSTROPHE.sub("", word).lower() if "'" in word else word.lower()
    return _SIGN.sub("", fold_name(_APOSTROPHE.sub("", word)))


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
    text = plain.translate(_FOLDED)
    phrases = _lines(_APOSTROPHE.sub("", _OUTER.sub(" ", text)) if "'" in text else text)
    if others:
        text = _APOSTROPHE.sub("", _lines_of(WORD.findall, others))
        phrases += _lines(_without_signs(fold_name(text), " \n'"))
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
    text = plain.translate(_FOLDED_NAME)
    text = _OUTER.sub(" ", text).replace("'", "") if "'" in text else text
    if others:
        more = _without_signs(fold_name(_lines_of(_NAME_PART.findall, others)), " \n,-")
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


def _without_signs(text: str, kept: str) -> str:
    for sign in {sign for sign in set(text) if not sign.isalnum()} - {*kept}:
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
