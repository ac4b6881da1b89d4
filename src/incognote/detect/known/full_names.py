"""The full name as a table gives it, also where none of its words says that it is a name: Le, Van.

It is looked for in both orders, with and without a comma, in any case. A name in Chinese, Japanese
or Korean letters may stand within a sentence that has no blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from incognote.detect.known.values import (
    KnownValue,
    Notation,
    Place,
    folded,
    is_whole,
)
from incognote.detect.name_mentions import BESIDE_NAMES, key_of
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern
from incognote.detect.sequences import Stream
from incognote.knowledge.lexicon import NEVER_NAMES, is_ordinary
from incognote.knowledge.people import SUFFIXES

COURTESY = frozenset("mr mrs ms miss mx dr prof".split())
_CALLED = r"(?<!\w)(?:M[rsx]|Mrs|Miss|MR|MS|MRS|MISS|Mister|Madam"
_COURTESY_BEFORE = Pattern(rf"{_CALLED})\.?[ ]$")
_TITLE_BEFORE = Pattern(rf"{_CALLED}|Drs?|DR|Doctor|Prof|Professor)\.?[ ]$")
_GAP = Pattern(
    r"(?:(?<![^\W\d_][^\W\d_])\.)?[ \t\xa0]{0,4},?[ \t\xa0]{0,4}(?:\r?\n[ \t\xa0]{0,40})?"
)
_BETWEEN = Pattern(r"[\s,.]+")

_IDEOGRAPH = (
    r"[\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\U00020000-\U0003ffff]"
)
_IDEOGRAPHIC = Pattern(rf"(?:{_IDEOGRAPH}|[\s,·・、，])+")


@lru_cache(maxsize=20_000)
def _symbol(run: str) -> str:
    if run[0] in ",." or run[0].isspace():
        return " "
    return "'" if run == "’" else folded(run)


def _name_beginnings(note: NoteIndex, symbols: Iterable[str]) -> list[int]:
    firsts = set(symbols)
    words = {word for word in note.accented if folded(word) in firsts}
    return note.beginnings(words.union(note.words.keys() & firsts))


WORDS = Notation(
    Stream(re.compile(r"[^\W\d_]+|\d+|[\s,.]+|.", re.DOTALL), _symbol), _name_beginnings
)
"""Words and signs in any case, and blanks, commas and full stops between them as one."""


def _ideograph_beginnings(note: NoteIndex, symbols: Iterable[str]) -> list[int]:
    if note.text.isascii():
        return []
    anywhere = re.compile(f"[{''.join(symbols)}]")
    return [match.start() for match in anywhere.finditer(note.text)]


IDEOGRAPHS = Notation(
    Stream(re.compile(rf"[ \u3000·・]?({_IDEOGRAPH})"), str), _ideograph_beginnings
)
"""Letters each of which is a syllable or a word, with a blank between them or not."""


def full_names(type: str, name: str) -> Iterator[KnownValue]:
    """What the full name may be written as."""
    if _IDEOGRAPHIC.fullmatch(name):
        yield from _in_ideographs(type, name)
        return
    last, comma, rest = name.partition(",")
    family, given = _words(last), _words(rest)
    while family and key_of(family[0]) in COURTESY and len(family) > 1:
        family.pop(0)
    words = [*family, *given]
    for form, natural in _forms(family, given, comma=bool(comma)):
        check = _Written(_capitals_needed(words, natural=natural))
        yield KnownValue(type, WORDS, WORDS.stream.symbols(" ".join(form)), check)
    for part in _parts(family, given):
        if all(key_of(word) in BESIDE_NAMES - SUFFIXES and len(word) > 1 for word in part):
            titled = _MR if type == "PATIENT" else _DR
            yield KnownValue(type, WORDS, WORDS.stream.symbols(" ".join(part)), titled)


def _words(name: str) -> list[str]:
    return [word for part in _BETWEEN.compiled.split(name) if (word := part.strip("()\"“”'’-"))]


def _forms(
    family: Sequence[str], given: Sequence[str], *, comma: bool
) -> Iterator[tuple[tuple[str, ...], bool]]:
    """The words in each order, and whether it is the one in which a name is read or was given.

    Middle names may be missing.
    """
    words = (*family, *given)
    if len(words) < 2:
        return
    if comma and family and given:
        orders = [(*given, *family), words, (given[0], *family), (*family, given[0])]
    else:
        orders = [words, (words[-1], *words[:-1]), (*words[1:], words[0])]
        orders += [(words[0], words[-1]), (words[-1], words[0])]
    for order in dict.fromkeys(orders):
        yield order, order == orders[0]


def _parts(family: list[str], given: list[str]) -> list[list[str]]:
    """What may stand alone after a title: the family name, or the given one."""
    if given:
        return [part for part in (family, given) if part]
    return [[word] for word in (family if len(family) <= 2 else family[-1:])]


def _capitals_needed(words: Sequence[str], *, natural: bool) -> tuple[bool, ...]:
    """Whether the words in small letters are rather no name: with a comma (True), without (False).

    Will Price is will price and price, will; but the price will rise, and if he will, price it.
    """
    if all(len(word) == 1 for word in words):
        return True, False
    keys = [key_of(word) for word in words]
    plain = all(
        len(key) == 1 or key in BESIDE_NAMES or key in NEVER_NAMES or is_ordinary(key)
        for key in keys
    )
    return (natural,) if plain else ()


@dataclass(frozen=True)
class _Written:
    """Whole words with nothing but blanks, a comma or the full stop of an initial between them."""

    capitals: tuple[bool, ...]

    def __call__(self, text: str, start: int, end: int, _lowest: int) -> Place | None:
        gaps = [match.span() for match in _BETWEEN.compiled.finditer(text, start, end)]
        if is_whole(text, start, end) is None or not all(_GAP.fullmatch(text, *g) for g in gaps):
            return None
        if self.capitals and ("," in text[start:end]) in self.capitals:
            words = (start, *(after for _, after in gaps))
            return (start, end) if all(text[word].isupper() for word in words) else None
        return start, end


def _after_a_title(
    text: str, start: int, end: int, _lowest: int, *, title: Pattern
) -> Place | None:
    if not text[start].isupper() or is_whole(text, start, end) is None:
        return None
    return (start, end) if title.search(text, max(0, start - 12), start) else None


_MR = partial(_after_a_title, title=_COURTESY_BEFORE)
_DR = partial(_after_a_title, title=_TITLE_BEFORE)


def _in_ideographs(type: str, name: str) -> Iterator[KnownValue]:
    parts = re.findall(rf"{_IDEOGRAPH}+", name)
    forms = {"".join(parts), "".join(reversed(parts))}
    for form in sorted(form for form in forms if len(form) > 1):
        yield KnownValue(type, IDEOGRAPHS, tuple(form), _anywhere)


def _anywhere(_text: str, start: int, end: int, _lowest: int) -> Place:
    return start, end
