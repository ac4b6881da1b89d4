"""Redacting more than the default: what a lower threshold hides contains what a higher one hides.

This is so by construction, not by luck. Nothing that decides depends on the threshold but one
comparison for each word:

- What is found at the default operating point (rules, the model's decoded spans, vetoes,
  propagation, merging) is found first, and is the same at every threshold.
- Every uncertain word (`uncertain.py`) has a score and a likeliest type, which are the same at every
  threshold. A word is redacted when its score reaches the overall threshold, or its probability for
  a type that type's own. So the set of words only grows as a threshold falls.
- White space between two such words of one type is redacted with them. Both stay redacted when the
  threshold falls, and keep their types, so the gap does too.
- Nothing is propagated from these words, and nothing decoded anew: a Viterbi path or a propagated
  mention may change with each word that is added, and could give up another.
- Merging keeps exactly the characters of the spans it is given.

A veto comes before, on spans and uncertain words alike, and may look at the note only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from incognote.detect.detector import Detection
from incognote.detect.merge import merge
from incognote.detect.uncertain import UncertainWord
from incognote.document import Span

SOURCE = "threshold"


@dataclass(frozen=True)
class Thresholds:
    """From which probability a word is redacted; infinite: the default operating point."""

    overall: float = math.inf
    by_type: Mapping[str, float] = field(default_factory=dict)

    def reach(self, word: UncertainWord) -> bool:
        """Whether the word is to be redacted."""
        return word.score >= self.overall or any(
            share >= self.by_type.get(type, math.inf) for type, share in word.types
        )


def redact(text: str, detection: Detection, thresholds: Thresholds) -> Detection:
    """What was found, and every uncertain word that reaches a threshold; uncertain words are passed on."""
    words = list(redacted_words(text, detection, thresholds))
    if not words:
        return detection
    return replace(detection, spans=tuple(merge(text, [*detection.spans, *words])))


def unmarked(found: Detection) -> list[UncertainWord]:
    """The uncertain words that have a character outside all spans found, in order, each word once."""
    left: list[UncertainWord] = []
    place = 0
    spans = found.spans
    for word in sorted(found.uncertain, key=lambda word: (word.start, -word.score)):
        if left and left[-1].start == word.start:
            continue
        while place < len(spans) and spans[place].end <= word.start:
            place += 1
        if not _covers(spans, place, word):
            left.append(word)
    return left


def _covers(spans: Sequence[Span], place: int, word: UncertainWord) -> bool:
    """Whether spans that meet, from the one at `place` on, hold every character."""
    reached = word.start
    while place < len(spans) and spans[place].start <= reached < word.end:
        reached = spans[place].end
        place += 1
    return reached >= word.end


def redacted_words(text: str, found: Detection, thresholds: Thresholds) -> Iterator[Span]:
    """Spans for the words that reach a threshold; neighbours of one type are one span."""
    run: list[UncertainWord] = []
    for word in unmarked(found):
        if not thresholds.reach(word):
            continue
        if run and not _joins(text, run[-1], word):
            yield _span(text, run)
            run = []
        run.append(word)
    if run:
        yield _span(text, run)


def _joins(text: str, before: UncertainWord, after: UncertainWord) -> bool:
    between = text[before.end : after.start]
    return before.type == after.type and (not between or between.isspace())


def _span(text: str, run: Sequence[UncertainWord]) -> Span:
    score = max(word.score for word in run)
    return Span.of(text, run[0].start, run[-1].end, run[0].type, score=score, source=SOURCE)
