"""What holds for all jobs, keys and patients."""

from __future__ import annotations

import time
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.knowledge.letters import key_of, word_keys
from incognote.replace.surrogate.banks.word_banks import profession_bank
from incognote.replace.surrogate.kernel import Mention
from incognote.replace.surrogate.professions import ProfessionSettings, ProfessionSurrogates

BANK = profession_bank("en_US")
JOBS = (
    "actuary", "retired schoolteacher", "coal miner", "dairy farmers", "fisherman", "CNA", "line cook",
    "picks oranges", "drive a school bus", "nursing student", "construction", "front desk", "judge",
    "Court Reporter", "TELEVISION REPAIRMAN", "xyzzyologist", "bakery owner", "preacher", "ICU nurse",
)  # fmt: skip
KEPT = set("retired student owner".split())
FEW = settings(max_examples=40, deadline=None)
KEYS = st.binary(min_size=16, max_size=24)
MENTIONS = st.lists(st.builds(Mention, st.sampled_from(JOBS), st.just("PROFESSION")), max_size=10)
ODD = st.lists(st.builds(Mention, st.text(max_size=24), st.just("PROFESSION")), max_size=4)


def replaced(
    mentions: list[Mention], key: bytes = b"a key of the tests", patient: str = "17"
) -> list[str]:
    return ProfessionSurrogates(key, patient).replace_all(mentions)


@FEW
@given(MENTIONS, KEYS, st.randoms(use_true_random=False))
def test_the_order_of_mentions_changes_nothing(
    mentions: list[Mention], key: bytes, random: Random
) -> None:
    fakes = replaced(mentions, key)
    order = list(range(len(mentions)))
    random.shuffle(order)
    assert replaced([mentions[place] for place in order], key) == [fakes[p] for p in order]


@FEW
@given(MENTIONS, KEYS)
def test_the_same_job_has_one_fake_others_have_others_and_no_word_is_left(
    mentions: list[Mention], key: bytes
) -> None:
    found: dict[str, set[str]] = {}
    fakes = replaced(mentions, key)
    for mention, fake in zip(mentions, fakes, strict=True):
        found.setdefault(mention.text, set()).add(fake)
    assert all(len(each) == 1 for each in found.values())
    assert len({min(each) for each in found.values()}) == len(found)
    for mention, fake in zip(mentions, fakes, strict=True):
        assert not ({*word_keys(mention.text)} - KEPT) & {*word_keys(fake)}


@FEW
@given(ODD, KEYS)
def test_nothing_odd_raises_or_is_kept(mentions: list[Mention], key: bytes) -> None:
    for mention, fake in zip(mentions, replaced(mentions, key), strict=True):
        assert fake.strip().lower() != mention.text.strip().lower()


@pytest.mark.parametrize("text", ["", " ", "\n", "?!", "医者", "Ⅷ", "a" * 900, "\ud800", "'s", "A"])
def test_what_is_no_job_still_gets_a_fake(text: str) -> None:
    fake = replaced([Mention(text, "PROFESSION")])[0]
    assert fake.strip()
    assert fake != text


def test_every_job_of_the_bank_gets_another_of_its_level() -> None:
    kept = 0
    jobs = [
        job
        for level in ("professional", "trade", "manual", "service")
        for job in BANK.levels[level]
    ]
    for job in jobs:
        fake = key_of(replaced([Mention(job, "PROFESSION")])[0])
        assert fake != key_of(job)
        kept += BANK.level_of[fake] == BANK.level_of[key_of(job)]
    assert kept == len(jobs)


def test_a_corpus_keeps_fakes_over_patients_and_patients_do_not() -> None:
    mentions = [Mention(job, "PROFESSION") for job in JOBS]
    corpus = ProfessionSettings(consistent="corpus")
    one, other = (
        ProfessionSurrogates(b"a key of the tests", p, corpus).replace_all(mentions)
        for p in ("1", "2")
    )
    assert one == other
    assert replaced(mentions, patient="1") != replaced(mentions, patient="2")
    with pytest.raises(ValueError, match="'patient' or within the 'corpus'"):
        ProfessionSettings(consistent="nobody")  # type: ignore[arg-type]


def test_no_fake_has_a_word_to_avoid() -> None:
    mentions = [Mention(job, "PROFESSION") for job in ("welder", "judge", "line cook")]
    first = replaced(mentions)
    words = {word for fake in first for word in word_keys(fake)}
    second = ProfessionSurrogates(b"a key of the tests", "17", avoid=words).replace_all(mentions)
    assert not words & {word for fake in second for word in word_keys(fake)}


def test_thousands_of_mentions_in_a_second() -> None:
    mentions = [Mention(job, "PROFESSION") for job in JOBS] * 40
    replaced(mentions[:20])
    start = time.process_time()
    for number in range(0, len(mentions), 4):
        replaced(mentions[number : number + 4], patient=str(number))
    assert len(mentions) / (time.process_time() - start) > 1000
