"""New names for old, word by word, so that every mention of a person changes alike.

The shape of a name stays (order, hyphens, particles, initials); the words in it are new. A word is
a first or a family name by where it stands in the fullest mention of it in the note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from random import Random

from generator.capitals import like, surname_case
from generator.gazetteer import Gazetteers
from generator.values.people import draw_first, draw_last

_KEPT = frozenset(
    "de la las los del della da das dos do di du le van der den ten ter von zu al el bin ibn ben bint abu "
    "st ste saint ní ó nic mac ap y e jr sr ii iii iv v baby boy girl twin infant bg bb unknown male female "
    "doe trauma mr mrs ms dr fr sister brother".split()
)
_WORD = re.compile(r"[^\W\d_]+(?:['’ʻ][^\W\d_]+)*['’]?", re.UNICODE)
_INITIALS = re.compile(r"(?:[A-Za-z]\.? ?){1,4}")
_TITLED = re.compile(
    r"(?:\b(?:mr|mrs|ms|miss|mx|dr|doctor|drs|prof|professor|sr|fr|rev)\.?|\bdear)\s*$",
    re.IGNORECASE,
)
_DEGREE_NEXT = re.compile(
    r"\s*,?\s*(?:M\.?D|D\.?O|RN|R\.N|NP|PA|PhD|LPN|CNP|LCSW|MSW|PT|OT|RD|PharmD|DPM|DDS|ARNP|CRNA)\b"
)

Lend = Callable[[str, Random], str | None]
"""A first or a last name of another note, or none."""


class NameRedraw:
    """The new names of one note."""

    def __init__(self, rng: Random, lists: Gazetteers, lend: Lend = lambda kind, rng: None) -> None:
        self._rng = rng
        self._lend = lend
        self._lists = lists
        self._kinds: dict[str, str] = {}
        self._new: dict[str, str] = {}
        self._firsts: dict[str, str] = {}
        self._turned = rng.random() < 0.12
        self._raised = rng.random() < 0.08

    def learn(self, names: Iterable[str]) -> None:
        """Note which words are first and which are family names, from mentions of two words up."""
        for name in names:
            first, last = split_name(name)
            for word in last:
                self._kinds.setdefault(word.casefold(), "last")
            for word in first:
                self._kinds.setdefault(word.casefold(), "first")
            if first and last and len(first[0]) > 1:
                self._firsts.setdefault(last[-1].casefold(), first[0])

    def draw(self, name: str, before: str, after: str, staff: bool) -> str:
        """The new name in the shape of the old one; `before` and `after` are what surrounds it."""
        words = _WORD.findall(name)
        if _INITIALS.fullmatch(name) and (len(name) <= 3 or "." in name) and name.upper() == name:
            return self._initials(name)
        if name.islower() and len(name) <= 3 and staff:
            return self._initials(name)
        if len(words) == 1 and words[0].casefold() not in self._kinds:
            family = bool(_TITLED.search(before)) or (staff and bool(_DEGREE_NEXT.match(after)))
            self._kinds[words[0].casefold()] = "last" if family else "first"
        new = _WORD.sub(lambda match: self._word(match, name), name)
        return new if _TITLED.search(before) else self._reform(new)

    def _reform(self, name: str) -> str:
        """A full name turned round or raised to capitals, in the notes where that is done."""
        family, comma, given = name.partition(", ")
        if comma and self._turned:
            name = f"{given} {family}"
        elif self._turned and re.fullmatch(r"[^\W\d_]+ [^\W\d_]+(?:-[^\W\d_]+)?", name):
            first, last = name.split(" ")
            name = f"{last}, {first}"
        return name.upper() if self._raised and " " in name else name

    def _word(self, match: re.Match[str], name: str) -> str:
        word = match[0]
        key = word.casefold().rstrip("'’")
        if key in _KEPT and len(name) != len(word):
            return word
        if len(word) == 1:
            return self._letter(word, name)
        if key not in self._new:
            self._new[key] = self._fresh(self._kinds.get(word.casefold(), "last"), word, name)
        return like(self._new[key], word)

    def _fresh(self, kind: str, word: str, name: str) -> str:
        rng = self._rng
        if lent := self._lend(kind, rng):
            return lent
        if kind == "first":
            return draw_first(rng, self._lists, "F" if rng.random() < 0.5 else "M").split(" ")[0]
        joined = f"-{word}" in name or f"{word}-" in name
        if joined or rng.random() < 0.75:
            listing = self._lists.world_last if rng.random() < 0.3 else self._lists.surnames
            return surname_case(listing.draw(rng)).split(" ")[-1]
        return draw_last(rng, self._lists)

    def _letter(self, letter: str, name: str) -> str:
        _, last = split_name(name)
        first = self._firsts.get(last[-1].casefold(), "") if last else ""
        known = self._new.get(first.casefold(), "")
        if known and first[:1].upper() == letter.upper():
            return like(known[0], letter + letter)
        return self._initials(letter)

    def _initials(self, text: str) -> str:
        key = f"initials {text.casefold()}"
        if key not in self._new:
            fresh = self._rng.choices("ABCDEFGHIJKLMNOPRSTVWYZ", k=len(text))
            self._new[key] = "".join(
                (new if old.isupper() else new.lower()) if old.isalpha() else old
                for old, new in zip(text, fresh, strict=True)
            )
        new = self._new[key]
        return new.lower() if text.islower() else new


def split_name(name: str) -> tuple[list[str], list[str]]:
    """First-name and family-name words of a full mention; nothing of a mention of one word."""
    outside = re.sub(r'["“(].*?["”)]', " ", name)
    if "," in outside:
        family, _, given = outside.partition(",")
        return _names(given), _names(family)
    words = _names(outside)
    if len(words) < 2:
        return [], []
    tail = len(_names(outside.rstrip().rsplit(" ", 1)[-1])) or 1
    return words[:-tail], words[-tail:]


def _names(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if word.casefold() not in _KEPT]
