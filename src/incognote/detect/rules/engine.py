r"""What rules are made of: rows, the conditions around them, and the choice between their findings.

A family of rules is a list of parsers, each of which reads a note and yields findings. Most are
rows (`Rule`): a pattern, a type, a score, and what must or must not stand around a match. What no
pattern can say is a function of the same shape.

    Rule(
        WordPattern(r"(?<!\w)aboard (?:the )?(?P<name>[A-Z]\w+)"),
        "LOCATION-OTHER",
        0.75,
        group="name",
        when=all_of(before(r"\bwas $", 8), no(after(r" train\b"))),
    )
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import FigurePattern, Pattern, WordPattern, beginnings
from incognote.document import Span


class Finding(NamedTuple):
    """A stretch of a note that identifies somebody, and how sure that is.

    `kind` is the family's own: dates tell by it which of their parts may be joined.
    """

    start: int
    end: int
    type: str
    score: float
    kind: str = ""


Parser = Callable[[NoteIndex], Iterable[Finding]]
Condition = Callable[[str, re.Match[str]], object]
"""Whether a match in a text counts."""

Resolution = Callable[[str, Iterable[Finding]], Iterable[Finding]]
"""Chooses between the findings of one family in a text."""

LAST = None
"""The group of a rule whose pattern has several: the last named one that matched."""


@dataclass(frozen=True, eq=False)
class Rule:
    """One row of a family.

    `group` is the part of the match that is found. `when` must hold of it. A `score` or a `type`
    that depends on the match is given as a function; a score of 0 finds nothing. `at` are the
    places where the pattern is tried, for patterns that cannot tell them by their first word.
    The pattern is tried only in notes that hold one of `signs` (in lower case).
    """

    pattern: Pattern
    type: str | Callable[[re.Match[str]], str]
    score: float | Callable[[str, re.Match[str]], float]
    group: int | str | None = 0
    when: Condition | None = None
    at: Callable[[NoteIndex], Sequence[int]] | None = None
    signs: tuple[str, ...] = ()
    _find: Callable[[NoteIndex], Iterable[re.Match[str]]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Most rules need no more than their pattern to know where to look."""
        simple = self.at is None and not self.signs
        object.__setattr__(self, "_find", self.pattern.find if simple else self._matches)

    @property
    def beginning(self) -> Pattern | None:
        """The pattern, if it knows the words or numbers that it may begin with."""
        knows = isinstance(self.pattern, WordPattern | FigurePattern) and self.at is None
        return self.pattern if knows else None

    def __call__(self, note: NoteIndex) -> list[Finding]:
        """What the rule finds in a note, from left to right."""
        findings: list[Finding] = []
        for match in self._find(note):
            if self.when is not None and not self.when(note.text, match):
                continue
            score = self.score
            if not isinstance(score, float):
                score = score(note.text, match)
            group = self.group if self.group is not LAST else match.lastgroup or 0
            start, end = match.span(group)
            if score and start >= 0:
                type = self.type if isinstance(self.type, str) else self.type(match)
                findings.append(Finding(start, end, type, score))
        return findings

    def _matches(self, note: NoteIndex) -> Iterable[re.Match[str]]:
        if self.signs and not any(sign in note.small for sign in self.signs):
            return ()
        if self.at is None:
            return self.pattern.find(note)
        if self.pattern.needs and not note.has(self.pattern.needs):
            return ()
        return self.pattern.at(note.text, note.once(self.at))


def before(pattern: str | Pattern, reach: int) -> Condition:
    """The pattern is found in the few characters before the match; it mostly ends with `$`."""
    expression = pattern if isinstance(pattern, Pattern) else Pattern(pattern)

    def holds(text: str, match: re.Match[str]) -> object:
        start = match.start()
        return expression.search(text, max(0, start - reach), start)

    return holds


def after(pattern: str | Pattern) -> Condition:
    """The pattern begins where the match ends."""
    expression = pattern if isinstance(pattern, Pattern) else Pattern(pattern)

    def holds(text: str, match: re.Match[str]) -> object:
        return expression.match(text, match.end())

    return holds


def value(accepts: Callable[[str], object], group: int | str = 0) -> Condition:
    """What was matched, or a group of it, is acceptable."""
    return lambda _, match: accepts(match[group])


def all_of(*conditions: Condition) -> Condition:
    """Every condition holds."""
    return lambda text, match: all(condition(text, match) for condition in conditions)


def any_of(*conditions: Condition) -> Condition:
    """At least one condition holds."""
    return lambda text, match: any(condition(text, match) for condition in conditions)


def no(condition: Condition) -> Condition:
    """The condition does not hold."""
    return lambda text, match: not condition(text, match)


def keep_all(_: str, findings: Iterable[Finding]) -> Iterable[Finding]:
    """Overlaps are left to the merging of all families."""
    return findings


def keep_longest(_: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Left to right, without those that begin inside an earlier or longer one, or are less sure."""
    reached = -1
    for finding in _longest_first(findings):
        if finding.start >= reached:
            reached = finding.end
            yield finding


def cut_overlaps(_: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Left to right; of one that reaches beyond the one before it, the rest."""
    reached = 0
    for finding in _longest_first(findings):
        if finding.end > reached:
            yield finding if finding.start >= reached else finding._replace(start=reached)
            reached = finding.end


def keep_distinct(_: str, findings: Iterable[Finding]) -> Iterable[Finding]:
    """Of findings of the very same stretch, that of the earliest rule."""
    distinct: dict[tuple[int, ...], Finding] = {}
    for finding in findings:
        distinct.setdefault(finding[:2], finding)
    return distinct.values()


def keep_first(_: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """As the rules come; a later one takes nothing that an earlier one has or touches."""
    starts: set[int] = set()
    for finding in findings:
        if starts.isdisjoint((finding.start, finding.end)):
            starts.update(range(finding.start, finding.end + 1))
            yield finding


def _longest_first(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: (finding.start, -finding.end, -finding.score))


@dataclass(frozen=True, eq=False)
class Family:
    """One kind of identifier and the rules for it; their time grows linearly with the note.

    `parts` are the parsers that one of the rules consists of, for explanations.
    """

    name: str
    types: frozenset[str]
    rules: tuple[Parser, ...]
    resolve: Resolution = keep_all
    parts: Mapping[Parser, Sequence[Parser]] = field(default_factory=dict)
    _by_beginning: tuple[tuple[Pattern | None, Parser], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """In most notes few rules may begin anywhere: the others are not even called."""
        pairs = ((rule.beginning if isinstance(rule, Rule) else None, rule) for rule in self.rules)
        object.__setattr__(self, "_by_beginning", tuple(pairs))

    @property
    def source(self) -> str:
        """What its spans name as their detector."""
        return f"rules.{self.name}"

    def find(self, note: NoteIndex) -> tuple[Span, ...]:
        """The identifiers in a note, worked out once: other families may ask for them."""
        return note.once(self._find)

    def _find(self, note: NoteIndex) -> tuple[Span, ...]:
        text, source = note.text, self.source
        findings: list[Finding] = []
        beginning = note.once(beginnings)
        for pattern, parse in self._by_beginning:
            if pattern is None or pattern in beginning:
                findings += parse(note)
        return tuple(
            Span.of(text, start, end, type, score=score, source=source)
            for start, end, type, score, _ in self.resolve(text, findings)
        )
