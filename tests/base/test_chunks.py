"""Chunks, and items made ahead: in order, bounded, errors in their place."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.base.chunks import Ahead, chunks


@given(
    st.lists(st.integers(0, 9), max_size=40),
    st.integers(1, 9),
    st.none() | st.integers(1, 20),
    st.none() | st.integers(1, 20),
)
def test_chunks_are_as_full_as_they_may_be(
    items: list[int], most: int, enough: int | None, largest: int | None
) -> None:
    parts = list(chunks(items, most, size_of=lambda item: item, enough=enough, largest=largest))
    assert [item for part in parts for item in part] == items
    assert all(1 <= len(part) <= most for part in parts)
    for part, after in itertools.pairwise(parts):
        assert (
            len(part) == most
            or (enough is not None and sum(part) >= enough)
            or (largest is not None and sum(part) + after[0] > largest)
        )
    for part in parts:
        assert largest is None or len(part) == 1 or sum(part) <= largest
        assert enough is None or sum(part[:-1]) < enough


@settings(max_examples=30)
@given(st.lists(st.integers(), max_size=40), st.integers(1, 9))
def test_the_same_items_in_the_same_order(items: list[int], most: int) -> None:
    assert list(Ahead(items, most).items()) == items
    coming, taken = Ahead(items, most), []
    while some := coming.there(most):
        assert len(some) <= most
        taken += some
    assert taken == items
    assert coming.there(1) == []


def test_what_is_there_is_given_while_the_next_is_waited_for() -> None:
    """A source that goes on only once its first item has been taken."""
    taken = Event()

    def source() -> Iterator[int]:
        yield 1
        assert taken.wait(60)
        yield 2

    coming = Ahead(source(), 8)
    assert coming.there(8) == [1]
    taken.set()
    assert coming.there(8) == [2]
    assert coming.there(8) == []


def test_an_error_comes_after_the_items_before_it() -> None:
    def source() -> Iterator[int]:
        yield 1
        raise OSError("gone")

    items = Ahead(source(), 3).items()
    assert next(items) == 1
    with pytest.raises(OSError, match="gone"):
        next(items)


def test_no_more_are_made_than_may_wait() -> None:
    made: list[int] = []
    third = Event()

    def source() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            if number == 2:
                third.set()
            yield number

    coming = Ahead(source(), 2)
    assert third.wait(60)
    assert made == [0, 1, 2]
    coming.close()


def test_no_larger_ones_wait_than_may_unless_one_alone_is() -> None:
    made: list[str] = []
    stopped = {"bbbb": Event(), "c" * 9: Event()}

    def source() -> Iterator[str]:
        for text in ("aaa", "aa", "bbbb", "c" * 9, "d"):
            made.append(text)
            if text in stopped:
                stopped[text].set()
            yield text

    coming = Ahead(source(), 9, size_of=len, largest=5)
    assert stopped["bbbb"].wait(60)
    assert coming.there(9) == ["aaa", "aa"]
    assert stopped["c" * 9].wait(60)
    assert coming.there(9) == ["bbbb"]
    assert coming.there(9) == ["c" * 9]
    assert coming.there(9) == ["d"]
    assert made == ["aaa", "aa", "bbbb", "c" * 9, "d"]
