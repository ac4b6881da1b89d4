"""The way back from bytes to bytes, whatever they are."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from incognote.replace.vault.stored_note import apply_delta, delta_of

pieces = st.lists(st.sampled_from([b"a", b"ab" * 20, b"-" * 40, b"\0\xff", b"Seen by Dr. "]))


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_any_bytes_come_back(output: bytes, original: bytes) -> None:
    assert apply_delta(output, delta_of(output, original)) == original


@given(pieces, pieces)
def test_bytes_that_repeat_come_back(output: list[bytes], original: list[bytes]) -> None:
    one, other = b"".join(output), b"".join(original)
    assert apply_delta(one, delta_of(one, other)) == other


def test_it_holds_little_more_than_what_was_replaced() -> None:
    draw = random.Random(8)
    words = [bytes(draw.choices(b"abcdefgh", k=draw.randrange(2, 9))) for _ in range(4000)]
    replaced = list(words)
    for at in range(0, len(words), 40):
        replaced[at] = b"[PATIENT]"
    output, original = b" ".join(replaced), b" ".join(words)
    delta = delta_of(output, original)
    assert apply_delta(output, delta) == original
    assert sum(len(literal) for literal, _, _ in delta) < 2 * sum(map(len, words[::40]))
