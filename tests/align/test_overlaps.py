from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.align.overlaps import Mark, disjoint

marks = st.lists(
    st.builds(
        lambda a, b, type: Mark(min(a, b), max(a, b), type),
        st.integers(0, 20),
        st.integers(0, 20),
        st.sampled_from("ABC"),
    ),
    max_size=8,
)


@pytest.mark.parametrize(
    ("given_marks", "expected"),
    [
        ([(0, 4, "A"), (4, 8, "A")], [(0, 4, "A"), (4, 8, "A")]),
        ([(0, 9, "A"), (2, 5, "B")], [(0, 9, "A")]),
        ([(0, 5, "A"), (3, 9, "B")], [(0, 5, "A"), (5, 9, "B")]),
        ([(0, 3, "A"), (0, 9, "B")], [(0, 9, "B")]),
        ([(0, 3, "B"), (0, 3, "A")], [(0, 3, "A")]),
        ([(0, 5, "A"), (2, 4, "B"), (3, 8, "C")], [(0, 5, "A"), (5, 8, "C")]),
        ([(3, 3, "A")], []),
    ],
)
def test_examples(given_marks: list[tuple[int, int, str]], expected: list[object]) -> None:
    assert disjoint(Mark(*mark) for mark in given_marks) == expected


@given(marks, st.randoms())
def test_same_characters_whatever_the_order(given_marks: list[Mark], random: Random) -> None:
    result = disjoint(given_marks)
    assert all(a.end <= b.start for a, b in pairwise(result))
    covered = {place for mark in result for place in range(mark.start, mark.end)}
    assert covered == {place for mark in given_marks for place in range(mark.start, mark.end)}
    shuffled = list(given_marks)
    random.shuffle(shuffled)
    assert disjoint(shuffled) == result
