"""Ages of patients, relatives and others, in every wording.

Inside the span is the number alone when it counts plain years, and the number with its unit
otherwise. Gestational age, day of life and durations are no ages.
"""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.pattern import Pattern
from incognote.detect.reading import Reading
from incognote.detect.rules.ages.contexts import find_contexts
from incognote.detect.rules.ages.relatives import find_relatives
from incognote.detect.rules.ages.wordings import find_wordings
from incognote.detect.rules.family import Family
from incognote.document import Span

TYPE = "AGE"
SOURCE = "rules.ages"

_GESTATION = Pattern(r"(?:[23]\d|4[0-4])[ -]?(?i:w(?:ee)?ks?)")
"""In a context, this many weeks are those of a pregnancy."""


def find(note: Reading) -> Iterator[Span]:
    """Ages in a note, each once; of overlapping findings the longest."""
    text = note.text
    findings = [*find_wordings(note)]
    for finding in (*find_contexts(note), *find_relatives(note)):
        if not _GESTATION.fullmatch(text, *finding[:2]):
            findings.append(finding)
    findings.sort(key=lambda finding: (finding[0], -finding[1], -finding[2]))
    reached = -1
    for start, end, score in findings:
        if start >= reached and start < end:
            reached = end
            yield Span.of(text, start, end, TYPE, score=score, source=SOURCE)


FAMILY = Family("ages", frozenset({TYPE}), find)
