"""Each line of the case file: a note with marked jobs, and what must hold for the fakes.

`level` is the bank's line from which the fake is, `shape` a regular expression for it, `articles`
what must go with each fake, `one` says that all are one job, `differ` that all are different.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from replace.surrogate.surrogate_shapes import cases, mentions_of

from incognote.knowledge.letters import key_of, word_keys
from incognote.replace.surrogate.banks.word_banks import profession_bank
from incognote.replace.surrogate.professions import ProfessionSurrogates, vowel_sound

CASES = cases("professions.jsonl")
KEYS = (b"one key of the tests", b"another key of the tests", b"a third key of the tests")
BANK = profession_bank("en_US")
KEPT = set("retired former student part time owner".split())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_fakes_are_what_the_case_says(case: dict[str, Any]) -> None:
    mentions = mentions_of(case["note"])
    for key in KEYS:
        fakes = ProfessionSurrogates(key, "patient").replace_all(mentions)
        if "level" in case:
            assert fakes[0] in {
                form for job in BANK.levels[case["level"]] for form in job.split("/")
            }
        if "shape" in case:
            assert re.fullmatch(case["shape"], fakes[0]), fakes[0]
        if "articles" in case:
            assert ["an" if vowel_sound(fake) else "a" for fake in fakes] == case["articles"]
        if "one" in case:
            assert {re.sub("s$", "", key_of(fake)) for fake in fakes} == {key_of(fakes[0])}
        if "differ" in case:
            assert len(set(fakes)) == len(fakes)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_no_word_of_the_job_is_in_the_fake(case: dict[str, Any]) -> None:
    mentions = mentions_of(case["note"])
    for key in KEYS:
        fakes = ProfessionSurrogates(key, "patient").replace_all(mentions)
        for mention, fake in zip(mentions, fakes, strict=True):
            real = {word for word in word_keys(mention.text) if len(word) > 2}
            assert not (real - KEPT) & set(word_keys(fake)), fake


def test_a_fixed_key_gives_these_fakes_for_ever() -> None:
    note = "[[PROFESSION|retired schoolteacher]] [[PROFESSION|actuary]] [[PROFESSION|WELDER]]"
    fakes = ProfessionSurrogates(KEYS[0], "patient").replace_all(mentions_of(note))
    assert fakes == ["retired basketball coach", "accountant", "SHEET METAL WORKER"]


def test_there_are_enough_cases_and_none_is_said_twice() -> None:
    assert len({case["note"] for case in CASES}) == len(CASES)
    assert len(CASES) >= 40
