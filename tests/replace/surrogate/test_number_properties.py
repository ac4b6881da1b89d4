"""What holds for every number: its shape, its difference, its independence of order."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.replace.surrogate.kernel import Keyed
from incognote.replace.surrogate.number_shapes import NumberMention, compact, reshaped
from incognote.replace.surrogate.numbers import NumberSurrogates
from incognote.replace.surrogate.operator import NUMBERS

KEY = b"a secret of the site"
TYPES = ("MEDICALRECORD", "IDNUM", "ACCOUNT", "DEVICE", "BIOID", "HEALTHPLAN", "LICENSE", "VEHICLE")
values = st.from_regex(r"[A-Z]{0,3}[- ]?[0-9]{2,5}[-. ]?[0-9A-Z]{0,5}", fullmatch=True)
contacts = st.sampled_from(
    [
        ("PHONE", "(410) 627-3389"),
        ("PHONE", "x4412"),
        ("FAX", "603.352.7119"),
        ("SSN", "503-88-1746"),
        ("EMAIL", "katya.sok@tundrapost.com"),
        ("URL", "https://nsuh-id.org/opat/enroll"),
        ("IPADDR", "10.44.17.203"),
        ("USERNAME", "dmalhotra3"),
    ]
)
mentions = st.one_of(
    st.builds(NumberMention, values, st.sampled_from(TYPES)),
    contacts.map(lambda each: NumberMention(each[1], each[0])),
)


def shape_of(text: str) -> str:
    return re.sub(r"[A-Z]", "A", re.sub(r"[a-z]", "a", re.sub(r"\d", "9", text)))


def fakes(several: list[NumberMention], key: bytes = KEY, patient: str = "p") -> list[str | None]:
    return NumberSurrogates(key, patient).replace_all(several)


@given(values, st.sampled_from(TYPES))
def test_the_shape_stays_and_the_number_does_not(value: str, type: str) -> None:
    (fake,) = fakes([NumberMention(value, type)])
    assert fake is not None
    assert compact(fake) != compact(value)
    if not re.search(r"(?i)x{2,}", value):
        assert shape_of(fake) == shape_of(value)


@given(st.lists(mentions, min_size=2, max_size=8, unique_by=lambda one: compact(one.text)))
def test_different_numbers_have_different_fakes(several: list[NumberMention]) -> None:
    found = [compact(fake or "") for fake in fakes(several)]
    long = [fake for fake, one in zip(found, several, strict=True) if len(compact(one.text)) > 3]
    assert len(set(long)) == len(long)


@given(st.lists(mentions, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_mentions_changes_nothing(several: list[NumberMention], random) -> None:  # type: ignore[no-untyped-def]
    before = dict(zip(several, fakes(several), strict=True))
    random.shuffle(several)
    assert dict(zip(several, fakes(several), strict=True)) == before


@given(mentions, st.lists(mentions, max_size=6))
def test_neighbours_change_nothing(one: NumberMention, others: list[NumberMention]) -> None:
    """Unless two draws meet in a small range, such as 555-01xx."""
    alone, beside = fakes([one])[0], fakes([one, *others])[0]
    met = {compact(fake or "") for other in others for fake in fakes([other]) if other != one}
    assert alone == beside or compact(alone or "") in met


@given(mentions)
def test_a_fake_depends_on_the_key_and_the_patient(one: NumberMention) -> None:
    found = {
        fakes([one], key, patient)[0] for key in (KEY, KEY + b"!") for patient in map(str, range(9))
    }
    assert len(found) > 2


@given(mentions)
def test_a_fake_that_is_to_be_avoided_is_not_given(one: NumberMention) -> None:
    (first,) = fakes([one])
    avoid = {compact(first or "")}
    (second,) = NumberSurrogates(KEY, "p", avoid=avoid).replace_all([one])
    assert compact(second or "") not in avoid


@pytest.mark.parametrize("size", [2, 3, 10, 90, 1000])
def test_a_cycle_moves_every_place_and_joins_none(size: int) -> None:
    keyed = Keyed.of(KEY, "numbers", "p")
    moved = [keyed.next_on_ring(place, size, "about") for place in range(size)]
    assert set(moved) == set(range(size))
    assert all(place != new for place, new in enumerate(moved))


@settings(max_examples=20)
@given(st.text("0123456789", min_size=3, max_size=3))
def test_three_digits_are_permuted(head: str) -> None:
    keyed = Keyed.of(KEY, "numbers", head)
    found = {reshaped(f"{number:03}", keyed, 0) for number in range(1000)}
    assert len(found) == 1000


def test_what_has_nothing_to_change_has_no_fake() -> None:
    assert fakes([NumberMention("---", "IDNUM"), NumberMention("xxx-xx-xxxx", "SSN")]) == [
        None,
        None,
    ]


def test_many_numbers_of_one_area_stay_apart() -> None:
    numbers = [NumberMention(f"410-627-{line:04}", "PHONE") for line in range(3000, 3060)]
    assert len(set(fakes(numbers))) == 60


def test_fakes_stay_what_they_are() -> None:
    """A change here breaks the link between notes of one patient from two releases."""
    several = [
        NumberMention("307-74-18", "MEDICALRECORD"),
        NumberMention("(410) 627-3389", "PHONE"),
        NumberMention("503-88-1746", "SSN"),
        NumberMention("katya.sok@tundrapost.com", "EMAIL"),
    ]
    assert fakes(several, KEY, "patient 17") == [
        "831-14-55",
        "(757) 555-0107",
        "973-25-5447",
        "kokri.iye@lavamhaika.example",
    ]


@settings(max_examples=300)
@given(
    st.text(min_size=1, max_size=24) | st.from_regex(r"[+(0-9a-zA-Z@:./ -]{1,24}", fullmatch=True),
    st.sampled_from(sorted(NUMBERS | {"ZIP"})),
)
def test_whatever_is_marked_changes_or_has_no_fake(value: str, type: str) -> None:
    (fake,) = fakes([NumberMention(value, type)])
    assert fake is None or compact(fake) != compact(value)
    assert fake is not None or not re.search(r"[0-9a-wyzA-WYZ]", value)
