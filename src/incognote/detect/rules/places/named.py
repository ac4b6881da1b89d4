"""States, provinces, countries and large cities by name, where the words around do not forbid it."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.lexicon.places import (
    BORROWED,
    CITIES,
    COUNTRIES,
    COUNTRIES_SHARED,
    NAME_LIKE,
    PROVINCES,
    STATES,
    STATES_SHARED_WITH_NAMES,
)
from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.capitals import UPPER

Place = tuple[int, int, str, float]

_WORD = Pattern(rf"[{UPPER}](?<![^\W_].)[^\W\d_]*+")
_AFTER = Pattern(r"(?P<gap>[ \-]?)(?P<word>[^\W_]++)?")
_LINKED = Pattern(
    r"\b(?P<link>between|flight|in|from|to|near|outside|via|for|of|left|IN|FROM|TO|NEAR)(?:[ ]the|[ ]THE)?[ \n]$"
)
_MOVES = Pattern(
    r"\b(?i:born|lives?|living|lived|raised|grew[ ]up|travel(?:l?ed|s|ling)?|trip|vacation|visit(?:ing|ed)?"
    r"|moved|emigrated|immigrated|refugee|returned|back|flew|arrived|came|deployed|stationed|native"
    r"|adopted|originally|resident|citizen)(?:[ ](?:\w+[ ]){0,2}(?:in|from|to|of))?[ ]$"
)
_TOWN_BEFORE = Pattern(rf"[{UPPER}][\w'’.\-]++,?[ ]$")
_COMMA_BEFORE = Pattern(rf"[{UPPER}][\w'’.\-]++,[ \n]{{1,3}}$")
_ABBREVIATED = WordPattern(
    r"U(?<![^\W_].)(?:(?:(?<=in the U)|(?<=to the U)|(?<=from the U)|(?<=leave the U))(?:\.?S\.?|\.?K\.?)(?![^\W_])"
    r"|S(?=[ ](?:citizen|citizenship|passport|resident|national)\b)"
    r"|(?:(?<=from U)|(?<=in U))K\b|K(?=[ ](?:reg|passport|citizen)))",
    words=frozenset({"u", "us", "uk"}),
)
_SET_OFF = Pattern(r"(?:\(|[a-zA-Z.)],[ ]|[ ]-[ ])$")
_SET_OFF_AFTER = Pattern(r"[).;]|,|[ ]?\r?\n|[ ][-—]|[ ](?:call|by|office|site|clinic)\b")


def _index() -> dict[str, list[tuple[str, str]]]:
    """Names and types by first word, the longest name first; each also in capitals."""
    types = [(CITIES, "CITY"), (COUNTRIES, "COUNTRY"), (PROVINCES | STATES, "STATE")]
    index: dict[str, list[tuple[str, str]]] = {}
    for names, type in types:
        for name in names:
            for form in {name, name.upper()}:
                first = _WORD.match(form)
                if first:
                    index.setdefault(first[0], []).append((form, type))
    for entries in index.values():
        entries.sort(key=lambda entry: (-len(entry[0]), entry[1] != "STATE"))
    return index


_NAMES = _index()
_NAMED = WordPattern(_WORD.source, words=frozenset(map(str.lower, _NAMES)))


def _borrowed(text: str, start: int, end: int) -> bool:
    """Whether the name is part of another term: "Montreal classification", "Dr. Houston Reyes"."""
    after = _AFTER.match(text, end)
    word = (after and after["word"]) or ""
    if text[start - 1 : start] in {"-", "'", "’", "&", "/"} and start:
        return True
    if not word:
        return False
    if after and after["gap"] == "":
        return True
    if after and after["gap"] == "-":
        return word not in {"born", "based"}
    return (
        word in BORROWED or word.lower() in BORROWED or (word[0].isupper() and not word.isupper())
    )


def _accept(text: str, start: int, name: str, type: str) -> float:
    """The score of a name at `start`, or 0 where the context does not make it a place."""
    before = text[max(0, start - 40) : start]
    link = _LINKED.search(before)
    kind = link["link"].lower() if link else ""
    plain = name.title() if name.isupper() and len(name) > 4 else name
    if type == "CITY":
        if _MOVES.search(before):
            return 0.85
        if plain in NAME_LIKE:
            return 0.7 if kind in {"in", "near", "outside"} else 0.0
        if kind in {"in", "from", "to", "near", "outside", "via"}:
            return 0.85
        off = _SET_OFF.search(before) and _SET_OFF_AFTER.match(text, start + len(name))
        return 0.7 if off and not name.isupper() else 0.0
    if _COMMA_BEFORE.search(before) or _MOVES.search(before):
        return 0.9
    if plain in COUNTRIES_SHARED or plain in STATES_SHARED_WITH_NAMES:
        if plain in NAME_LIKE:
            return 0.7 if kind in {"in", "near", "via"} else 0.0
        return 0.75 if kind in {"in", "from", "to", "near", "via", "left"} else 0.0
    if name.isupper() and len(name) > 4 and not kind and not _TOWN_BEFORE.search(before):
        return 0.0
    return 0.9 if kind else 0.8


def named_places(note: Reading) -> Iterator[Place]:
    """Every listed name that stands as a place."""
    text = note.text
    last = 0
    for word in _NAMED.find(note):
        start = word.start()
        if start < last or word[0] not in _NAMES:
            continue
        for name, type in _NAMES[word[0]]:
            end = start + len(name)
            if not text.startswith(name, start) or text[end : end + 1].isalnum():
                continue
            last = end
            score = 0.0 if _borrowed(text, start, end) else _accept(text, start, name, type)
            if score:
                yield start, end, type, score
                break
    for match in _ABBREVIATED.find(note):
        yield (*match.span(), "COUNTRY", 0.8)
