from __future__ import annotations

import numpy as np
import pytest
from align.tiny_tokenizers import tiny_tokenizers
from hypothesis import given
from hypothesis import strategies as st

from incognote.align.tokens import TokenOffsets, TokenReader
from incognote.align.windows import Coverage, Windows, coverage, windows
from incognote.base.errors import AlignError

settings_of_windows = st.tuples(st.integers(0, 200), st.integers(1, 40)).flatmap(
    lambda pair: st.tuples(st.just(pair[0]), st.just(pair[1]), st.integers(0, pair[1] - 1))
)


def context(token: int, window: int, over: Windows) -> float:
    start, end = over.starts[window], over.ends[window]
    if not start <= token < end:
        return -1
    left = np.inf if start == 0 else token - start
    right = np.inf if end == over.count else end - 1 - token
    return float(min(left, right))


@given(settings_of_windows)
def test_every_unit_is_owned_where_it_has_most_context(setting: tuple[int, int, int]) -> None:
    over = windows(*setting)
    best = [
        max(range(len(over)), key=lambda window: (context(token, window, over), -window))
        for token in range(over.count)
    ]
    assert over.owner.tolist() == best
    assert all(context(token, window, over) >= 0 for token, window in enumerate(over.owner))


@given(settings_of_windows)
def test_windows_cover_the_note_with_the_overlap_asked_for(setting: tuple[int, int, int]) -> None:
    count, size, overlap = setting
    over = windows(count, size, overlap)
    assert set().union(*map(range, over.starts, over.ends)) == set(range(count))
    lengths = over.ends - over.starts
    assert (lengths == lengths[:1]).all()
    assert (lengths <= size).all()
    assert lengths.sum() < count + max(0, len(over) - 1) * overlap + max(1, len(over))
    assert (over.ends[:-1] - over.starts[1:] >= overlap).all()
    assert len(over) == (0 if not count else 1 + max(0, -(-(count - size) // (size - overlap))))


def test_windows_are_spread_evenly() -> None:
    over = windows(10, 4, 1)
    assert over.starts.tolist() == [0, 3, 6]
    assert over.owner.tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]


@given(settings_of_windows)
def test_each_prediction_comes_from_the_window_that_owns_its_unit(
    setting: tuple[int, int, int],
) -> None:
    over = windows(*setting)
    predictions = [
        np.stack([np.arange(start, end), np.full(end - start, window)], axis=1)
        for window, (start, end) in enumerate(zip(over.starts, over.ends, strict=True))
    ]
    if over.count:
        stitched = over.stitch(predictions)
        assert stitched[:, 0].tolist() == list(range(over.count))
        assert stitched[:, 1].tolist() == over.owner.tolist()


def test_windows_that_cannot_be_are_refused() -> None:
    for size, overlap in ((0, 0), (4, 4), (4, -1)):
        with pytest.raises(AlignError, match="cannot overlap"):
            windows(10, size, overlap)
    with pytest.raises(AlignError, match="one prediction for each"):
        windows(3, 2, 1).stitch([np.zeros(2)])
    with pytest.raises(AlignError, match="without tokens"):
        windows(0, 2, 1).stitch([])


@pytest.mark.parametrize("kind", ["wordpiece", "byte_bpe", "unigram"])
def test_a_long_note_is_fed_whole(kind: str) -> None:
    text = "Seen 3/14/2019 by José Núñez 李 😀.\r\n" * 300
    offsets = TokenReader(tiny_tokenizers()[kind]).read(text).offsets
    found = coverage(text, offsets, windows(len(offsets), 62, 16))
    assert found.whole
    assert found.fed == sum(not character.isspace() for character in text)


def test_what_no_window_holds_is_not_counted_as_fed() -> None:
    offsets = TokenOffsets.of([(0, 3), (4, 7), (8, 9)])
    hole = Windows(3, np.array([0, 2]), np.array([1, 3]), np.array([0, 1, 3]))
    assert coverage("May was 4", offsets, hole) == Coverage(characters=7, fed=4)
    assert not coverage("May was 4", offsets, hole).whole
    assert coverage(" \r\n", TokenOffsets.of([]), windows(0, 8, 2)).whole
