"""Street addresses: house number and street, units, boxes and rural routes, streets in prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from incognote.detect.reading import Reading
from incognote.detect.rules.family import Family
from incognote.detect.rules.streets import patterns
from incognote.document import Span

_Found = tuple[int, int, float]


def _numbered(text: str, houses: Sequence[int]) -> Iterator[_Found]:
    for match in patterns.NUMBERED.at(text, houses):
        name = match["name"] or ""
        if patterns.NOT_A_NAME.search(name) or name.count("\n") > 1:
            continue
        end = match.end()
        before = patterns.LEADING.search(text, max(0, match.start() - 26), match.start())
        start = before.start() if before else match.start()
        goes_on = patterns.GOES_ON.match(text, end)
        certain = bool(match["units"] or goes_on or (before and before["unit"]))
        if not certain and _is_title(text, match):
            continue
        if (match["weak"] and not match["second"]) or match["foreign"] or match["bare"]:
            led = patterns.LED.search(text, max(0, start - 45), start)
            stops = patterns.STOPS.match(text, end)
            if not certain and not (stops and (led or len(match["number"]) > 1)):
                continue
        yield start, end, 0.95 if certain else 0.85


def _is_title(text: str, match: re.Match[str]) -> bool:
    """Whether "Dr" or "St" after the number begins a person's or a saint's name, or is a unit."""
    kind = match["strong"]
    if not kind or kind.lower() not in {"dr", "st", "ct", "av", "ter"} or match["second"]:
        return False
    if "\n" in match[0][: match.end("strong") - match.start()]:
        return True
    if patterns.TITLE.match(text, match.end("strong")):
        return True
    return kind.isupper() and not patterns.STOPS.match(text, match.end())


def _in_prose(note: Reading) -> Iterator[_Found]:
    text = note.text
    for kind in patterns.PROSE_TYPE.find(note):
        if kind[1] in {"St", "ST"} and patterns.TITLE.match(text, kind.end(1)):
            continue
        name = patterns.PROSE_NAME.search(text, max(0, kind.start() - 61), kind.start())
        if name and not patterns.NOT_A_NAME.search(name["name"]):
            yield name.start("name"), kind.end(), 0.8
    for corner in patterns.CORNER.find(note):
        yield (*corner.span(1), 0.75)
        yield (*corner.span(2), 0.75)


def street_spans(note: Reading) -> tuple[Span, ...]:
    """The streets of a note. Places and postcodes ask for them too, one after the other."""
    text = note.text
    houses = [match.start() for match in patterns.HOUSE.find(note)]
    found = [*_numbered(text, houses), *_in_prose(note)]
    for pattern, score in patterns.AFTER_HOUSE:
        if not pattern.needs or note.has(pattern.needs):
            found += [(*match.span(), score) for match in pattern.at(text, houses)]
    for pattern, score in patterns.SIMPLE:
        found += [(*match.span(match.lastgroup or 0), score) for match in pattern.find(note)]
    if any(end in note.small for end in patterns.GERMAN_ENDS):
        found += [(*match.span(), 0.8) for match in patterns.GERMAN.find(note)]
    return tuple(_longest(text, found))


def _longest(text: str, found: list[_Found]) -> Iterator[Span]:
    """Of several readings of one address, the longest."""
    last = 0
    for start, end, score in sorted(found, key=lambda span: (span[0], -span[1])):
        if end > last:
            if start and text[start - 1] in "NSEW" and text[start].isdigit():
                start -= 1
            start = max(start, last)
            yield Span.of(text, start, end, "STREET", score=score, source=FAMILY.source)
            last = end


def find(note: Reading) -> Iterator[Span]:
    """The street addresses of a note."""
    return iter(note.once(street_spans))


FAMILY = Family("streets", frozenset({"STREET"}), find)
