"""A long note in portions: the tokens, windows, tags and probabilities of the whole note."""

from __future__ import annotations

import numpy as np
import pytest
from align.test_paths import LABELS, drawn
from align.tiny_tokenizers import tiny_tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st

from incognote.align import long_notes, note_reader, tokens
from incognote.align.decode import Transitions, decoded, shares_of
from incognote.align.long_notes import LongNote, MisjudgedError, passages, portions_of
from incognote.align.note_reader import NoteReader
from incognote.align.tokens import Integers, Scores

CHARACTERS = "aJé\u0301 \n\t\r.,-\x00\x07\x0b\x0c\x1c\x85\xa0\u2028\u200b\ufeff\ufffd\ud8004/½漢각"
texts = st.text(st.sampled_from(CHARACTERS) | st.characters(), max_size=80)
note_words = st.lists(
    st.sampled_from(
        [
            "Mr. ",
            "John ",
            "\n",
            "Smith,",
            " seen",
            " (3/14/2019).",
            "\t",
            "Núñez",
            "\n\n",
            "\f",
            " \f ",
        ]
    ),
    max_size=60,
).map("".join)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_notes, "PORTION", 7)
    monkeypatch.setattr(note_reader, "LONGEST", 30)
    monkeypatch.setattr(tokens, "LONGEST_PART", 40)
    monkeypatch.setattr(tokens, "_SPACE_WITHIN", 8)


READERS = {
    (kind, join): NoteReader(tokenizer, window=6, overlap=2, shape=True, join=join)
    for kind, tokenizer in tiny_tokenizers().items()
    for join in (False, True)
}


@pytest.mark.parametrize("kind", READERS, ids=str)
@pytest.mark.usefixtures("small")
@settings(deadline=None, max_examples=60)
@given(text=texts | note_words, most=st.integers(1, 4))
@example(text="  \r\r\r\r\r\n0", most=1)
def test_a_note_is_read_in_portions_as_at_once(
    kind: tuple[str, bool], text: str, most: int
) -> None:
    reader = READERS[kind]
    (whole,) = reader.read_all([text])
    parts = portions_of(text, at_spaces=reader.parts_at_spaces)
    assert "".join(part.of(text) for part in parts) == text
    note = LongNote(reader, text, parts)
    inputs = [some.input(number) for some in note.some(most) for number in range(len(some.windows))]
    for one, other in zip(inputs, whole.inputs(), strict=True):
        assert (one.first, one.last) == (other.first, other.last)
        for name in ("ids", "shapes", "others"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for place in ("offsets", "input_offsets"):
        for edge in ("starts", "ends"):
            ours = [getattr(getattr(read, place), edge) + part.begin for part, read in note.waiting]
            np.testing.assert_array_equal(
                np.concatenate(ours), getattr(getattr(whole, place), edge)
            )


def test_portions_are_short_where_there_is_white_space() -> None:
    text = "Seen by Dr. Ruiz on Monday.\n" * 4_000
    sizes = [part.end - part.begin for part in portions_of(text, at_spaces=True)]
    assert max(sizes) < long_notes.PORTION + 30


def in_passages(
    scores: Scores, told: Transitions, sizes: list[int], ahead: int
) -> tuple[Integers, Scores, Scores, int]:
    """Tags and probabilities, these without the tags too, and how many passages there were."""
    parts = np.split(scores, np.minimum(np.cumsum(sizes), len(scores)))
    try:
        found = list(passages(parts, told, LABELS.outside, ahead))
    except MisjudgedError as error:
        return in_passages(scores, told, sizes, 10**6 if error.hopeless else 4 * ahead)
    tags, shares = zip(
        *(decoded(each.scores, each.transitions, each.usual) for each in found), strict=True
    )
    likely = [shares_of(each.scores, each.transitions, each.usual) for each in found]
    return np.concatenate(tags), np.concatenate(shares), np.concatenate(likely), len(found)


def kinds(seed: int, length: int, steepness: float) -> list[tuple[Scores, Transitions]]:
    """With a CRF, with what BIO allows, and in any order."""
    scores, crf = drawn(seed, length, steepness)
    return [
        (scores, crf),
        (scores, Transitions.valid(LABELS)),
        (scores, Transitions.any_order(LABELS)),
    ]


@settings(deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(0, 150),
    st.sampled_from([0.0, 9.0, 20.0, 40.0]),
    st.lists(st.integers(0, 20), max_size=40),
    st.integers(1, 40),
)
def test_passages_are_decoded_as_the_whole_note(
    seed: int, length: int, steepness: float, sizes: list[int], ahead: int
) -> None:
    for scores, told in kinds(seed, length, steepness):
        tags, shares, likely, _ = in_passages(scores, told, sizes, ahead)
        wanted, probable = decoded(scores, told)
        assert tags.tolist() == wanted.tolist()
        assert np.abs(shares - probable).max(initial=0) < 1e-12
        assert np.abs(likely - probable).max(initial=0) < 1e-12


def test_a_clear_note_has_many_passages() -> None:
    for scores, told in kinds(1, 3_000, 40.0):
        assert in_passages(scores, told, [10] * 300, 50)[3] > 20


def test_identifiers_that_outweigh_what_was_looked_at_are_noticed() -> None:
    """A run of I so long that a path might have left O before all that was looked at."""
    for scores, told in kinds(1, 400, 40.0)[:2]:
        scores[250:, 2] += 90
        parts = np.split(scores, range(10, 400, 10))
        with pytest.raises(MisjudgedError):
            list(passages(parts, told, LABELS.outside, 20))
        tags, shares, _, _ = in_passages(scores, told, [10] * 39, 20)
        wanted, probable = decoded(scores, told)
        assert tags.tolist() == wanted.tolist()
        assert np.abs(shares - probable).max() < 1e-12
