"""Every job that is drawn is found by the rules that found the job in whose place it stands."""

from __future__ import annotations

import pytest

from incognote.document import Document
from incognote.pipeline import Deidentifier
from incognote.replace.surrogate.banks.word_banks import profession_bank

LEVELS = profession_bank("en_US").levels
DETECTOR = Deidentifier(detector="rules").detector
WITH_CONTEXT = (
    "63-year-old retired {job} from the coast with pain.",
    "Father, a {job}, was grounded.",
    "works nights as a {job} and is not home.",
)
WITHOUT = ("call in a.m. ({job}, nights).", "widow of Khalid, {job} near the lake; was ill")
ROLES = ("health", "clergy", "military", "letters")
"""Levels of roles that a ward has too: no rule finds them, nor their originals, without context."""
OTHER = ("student", "chiefs", "doing", "past", "field", "workplace")
"""No rule looks for these."""


def is_found(sentence: str, job: str) -> bool:
    text = sentence.format(job=job)
    start = text.index(job)
    found = DETECTOR.detect(Document("", text)).spans
    return any((s.type, s.start, s.end) == ("PROFESSION", start, start + len(job)) for s in found)


@pytest.mark.parametrize("level", [level for level in LEVELS if level not in OTHER])
def test_jobs_are_found_wherever_one_of_their_level_is(level: str) -> None:
    sentences: tuple[str, ...] = WITH_CONTEXT if level in ROLES else (*WITH_CONTEXT, *WITHOUT)
    if level == "letters":
        sentences = sentences[-1:]
    missed = [job for job in LEVELS[level] for each in sentences if not is_found(each, job)]
    assert not missed


def test_there_are_enough_jobs_with_a_vowel_and_without() -> None:
    for level in ("professional", "teaching", "office", "trade", "manual", "transport", "service"):
        vowels = sum(job[0] in "aeiou" for job in LEVELS[level])
        assert vowels >= 4
        assert len(LEVELS[level]) - vowels >= 30
