"""Finds identifiers by the label before them: `MRN: 307-74-18`, `acct UQ-553190`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.identifiers.value import any_value, quantity, repeats, value_end
from incognote.detect.rules.word_trie import heads, trie
from incognote.document import Span

_NUMBER_WORD = (
    r"[Nn][OoRr]s?\b(?!-)|[Nn]um(?:bers?)?\b|NUM(?:BERS?)?\b|[Ii][Dd]s?\b(?!/)|[Cc]ode\b|CODE\b"
)
_LINK = (
    r"(?:[ \t\xa0._*]{0,60}+(?:\((?:[^\W\d_]{2,10} ?){1,2}\)|[#:=|~^]|/(?=[ \d])|-{1,2}|[–—(\[\"]"
    rf"|'(?=[A-Z\d])|{_NUMBER_WORD}|i\.d\.|is\b|was\b|ends\b|ending\b|in\b(?= ))){{0,5}}"
    r"[ \t\xa0._*]{0,60}+(?:(?<=[:.#])\r?\n[ \t]{0,40}+)?"
)
_NUMBERED = Pattern(rf"#|{_NUMBER_WORD}")
_BLANKS = Pattern(r"[ \t\xa0.]+")


@dataclass(frozen=True)
class Labels:
    """Phrases that announce an identifier, and which values they announce.

    `phrases` are separated by commas; a space in one stands for any blanks. `numbered` labels
    need a number sign (`#`, `no.`, `id`) before the value, `capitals` must be written so.
    `spaced` takes values in groups set apart by spaces. `region` is a pattern that may stand
    before the value and stays outside, such as a state's letters.
    """

    type: str
    phrases: str
    accepts: Callable[[str], bool] = any_value
    score: float = 0.9
    spaced: bool = False
    numbered: bool = False
    capitals: bool = False
    region: str = ""


def _key(phrase: str) -> str:
    return _BLANKS.compiled.sub(" ", phrase.lower()).strip()


def labelled(groups: Sequence[Labels], source: str) -> Callable[[Reading], Iterator[Span]]:
    """A finder for several groups of labels in one pass; of a phrase's groups the first wins."""
    known: dict[str, list[Labels]] = {}
    for group in groups:
        for phrase in group.phrases.split(","):
            known.setdefault(_key(phrase), []).append(group)
    pattern = WordPattern(
        lambda: rf"(?P<label>{trie(known)})(?:(?<=#)|(?![A-Za-z]))(?P<link>{_LINK})(?=[A-Za-z0-9])",
        words=heads(known),
    )
    regions = {group: Pattern(group.region) for group in groups if group.region}

    def value(text: str, match: re.Match[str], group: Labels) -> tuple[int, int] | None:
        if group.numbered and not _NUMBERED.search(match["link"]):
            return None
        if not match["link"] and len(match["label"]) < 3 and not match["label"].endswith("#"):
            return None
        if group.capitals and not match["label"].isupper():
            return None
        start = match.end()
        region = regions[group].match(text, start) if group.region else None
        if region:
            start = region.end()
        end = value_end(text, start, spaced=group.spaced)
        if end == start or not group.accepts(text[start:end]) or quantity(text, start, end):
            return None
        return start, end

    def find(note: Reading) -> Iterator[Span]:
        text = note.text
        reached = 0
        for match in pattern.find(note):
            if match.start() < reached:
                continue
            for group in known[_key(match["label"])]:
                found = value(text, match, group)
                if found:
                    reached = found[1]
                    for start, end in (found, *repeats(text, *found)):
                        yield Span.of(
                            text, start, end, group.type, score=group.score, source=source
                        )
                    break

    return find
