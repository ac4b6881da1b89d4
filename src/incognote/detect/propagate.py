"""A name or number found once in a note is found in all its mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from incognote.detect.lexicon import ACRONYMS, is_ordinary
from incognote.detect.mention_sense import names_person
from incognote.detect.people import Mention, Person, index_of, mentions
from incognote.document import Span

SOURCE = "propagated"
STEP_DOWN = 0.05
"""How much less a repeated mention is trusted than its origin."""

PEOPLE = frozenset({"PATIENT", "DOCTOR"})
NAMED = frozenset({"HOSPITAL", "ORGANIZATION", "USERNAME"})
NUMBERED = frozenset(
    "PHONE FAX SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM EMAIL".split()
)


def propagate(text: str, spans: Sequence[Span]) -> list[Span]:
    """The further mentions of what `spans` mark, none inside a span given."""
    taken = _Taken(spans)
    found = [*_people(text, spans), *_strings(text, spans)]
    return [span for span in found if not taken.covers(span)]


def _people(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    people = [Person(s.text, s.type, s.score) for s in spans if s.type in PEOPLE]
    index = index_of(sorted(people, key=lambda person: -person.score))
    if not index:
        return
    for mention in mentions(text, lambda token: index.get(token.key)):
        if is_name(text, mention):
            score = max(0.05, mention.person.score - STEP_DOWN)
            yield Span.of(
                text, mention.start, mention.end, mention.person.type, score=score, source=SOURCE
            )


def is_name(text: str, mention: Mention) -> bool:
    """Two parts together are a name unless plain words; one part must be meant as one."""
    if len({token.key for token in mention.parts}) > 1:
        words = text[mention.start : mention.end]
        return not (words.islower() and all(is_ordinary(token.key) for token in mention.parts))
    token = mention.parts[0]
    return names_person(text, token.start, token.end, token.key)


def _strings(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Facilities, organisations, logins and numbers, wherever the same string stands again."""
    origins: dict[str, Span] = {}
    for span in spans:
        if span.type in NAMED | NUMBERED and _distinct(span):
            origins.setdefault(_squeezed(span.text), span)
    if not origins:
        return
    longest = sorted(origins, key=lambda value: (-len(value), value))
    either = "|".join(r"\s+".join(map(re.escape, value.split(" "))) for value in longest)
    for match in re.finditer(rf"(?<![^\W_])(?:{either})(?![^\W_])", text, re.IGNORECASE):
        origin = origins.get(_squeezed(match[0]))
        if origin is None or (match[0].islower() and not origin.text.islower()):
            continue
        score = max(0.05, origin.score - STEP_DOWN)
        yield Span.of(text, match.start(), match.end(), origin.type, score=score, source=SOURCE)


def _squeezed(value: str) -> str:
    return " ".join(value.upper().split())


def _distinct(span: Span) -> bool:
    """Whether the string is long and odd enough to mean the same thing elsewhere."""
    value = span.text.strip()
    if span.type in NUMBERED:
        return len(value) >= 5 and any(c.isdigit() for c in value)
    if len(value) < 3 or is_ordinary(value.lower()):
        return False
    return value.lower() not in ACRONYMS


class _Taken:
    """The stretches already marked, for a quick test of containment."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.covered = bytearray(max((span.end for span in spans), default=0))
        for span in spans:
            self.covered[span.start : span.end] = b"\1" * len(span)

    def covers(self, span: Span) -> bool:
        """Whether every character of the span is marked already."""
        marked = self.covered[span.start : span.end]
        return len(marked) == len(span) and all(marked)
