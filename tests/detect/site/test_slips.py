"""Slips of the pen, against every listed word compared with every other."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from incognote.detect.site.slips import SlipIndex

_WORDS = st.lists(st.text(st.sampled_from("abcdé"), max_size=11), max_size=12)


@settings(max_examples=300, deadline=None)
@given(_WORDS, _WORDS)
def test_all_words_that_are_near(names: list[str], words: list[str]) -> None:
    near = SlipIndex(set(names)).near(sorted(set(words)))
    expected = {word: {name for name in names if is_near(word, name)} for word in words}
    assert {word: set(meant) for word, meant in near.items()} == {
        word: meant for word, meant in expected.items() if meant
    }


def is_near(word: str, name: str) -> bool:
    allowed = 1 if len(name) < 8 else 2
    long = min(len(word), len(name)) >= 5
    return long and word[0] == name[0] and 0 < OSA.distance(word, name) <= allowed


def test_long_words_are_compared_to_their_end() -> None:
    index = SlipIndex(["brackenfield", "brackenforde"])
    assert index.near(["brackenfeilt", "brakenfield"]) == {
        "brackenfeilt": ["brackenfield"],
        "brakenfield": ["brackenfield"],
    }
