"""A model is given every character of a note, the same whether its words were read before or not."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from align.tiny_tokenizers import tiny_tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.align import note_reader
from incognote.align.note_reader import NoteReader
from incognote.align.tokens import spaces, within
from incognote.align.windows import coverage

texts = st.text(st.sampled_from("aJé\u0301 \n\t.\x00\x07\u200b\ufeff4/漢"), max_size=40)
READERS = {
    kind: NoteReader(tokenizer, window=6, overlap=2, shape=True)
    for kind, tokenizer in tiny_tokenizers().items()
}


@pytest.mark.parametrize("kind", READERS)
@settings(deadline=None)
@given(text=texts)
def test_no_character_is_without_a_piece(kind: str, text: str) -> None:
    (reading,) = READERS[kind].read_all([text])
    assert (within(reading.offsets, len(text)) | spaces(text)).all()
    assert coverage(text, reading.offsets, reading.windows).whole
    assert len(reading.ids) == len(reading.offsets) == len(reading.shapes)  # type: ignore[arg-type]
    solid = reading.offsets.ends > reading.offsets.starts
    assert (reading.offsets.starts[solid][1:] >= reading.offsets.starts[solid][:-1]).all()


def test_unknown_pieces_stand_in_the_place_of_what_is_dropped() -> None:
    reader = READERS["wordpiece"]
    plain, odd = reader.read_all(["John a", "John \x00\x07 a \x07"])
    ids, places = odd.ids.tolist(), list(zip(odd.offsets.starts, odd.offsets.ends, strict=True))
    assert ids == [*plain.ids[:-1], ids[-1], plain.ids[-1], ids[-1]]
    assert places[-3:] == [(5, 7), (8, 9), (10, 11)]


CHARACTERS = "aJé\u0301 \n\t\r.,-\x00\x07\x0b\x0c\x1c\x85\xa0\u2028\u200b\ufeff\ufffd\ud8004/½漢각"
texts = st.text(st.sampled_from(CHARACTERS) | st.characters(), max_size=60)
note_words = st.lists(
    st.sampled_from(
        ["Mr. ", "John ", "\n", "Smith,", " seen", " (3/14/2019).", "\t", "Núñez", "\n\n"]
    )
)


def reader(*, join: bool, shape: bool) -> NoteReader:
    return NoteReader(tiny_tokenizers()["wordpiece"], window=6, overlap=2, shape=shape, join=join)


REMEMBERING = {
    (join, shape): reader(join=join, shape=shape)
    for join in (False, True)
    for shape in (False, True)
}


def arrays(read: note_reader.Read) -> Iterator[npt.NDArray[Any]]:
    joined, shapes = read
    offsets, over = joined.offsets, joined.input_offsets
    yield from (joined.ids, offsets.starts, offsets.ends, over.starts, over.ends)
    for table in (joined.others, shapes):
        yield np.zeros(0) if table is None else table


@pytest.mark.parametrize("kind", REMEMBERING, ids=str)
@settings(deadline=None)
@given(text=texts | note_words.map("".join))
def test_what_is_remembered_is_what_is_read(kind: tuple[bool, bool], text: str) -> None:
    reads = REMEMBERING[kind]
    for ours, plain in zip(
        arrays(reads._memory.read(text)), arrays(reads._read(text)), strict=True
    ):
        assert ours.dtype == plain.dtype
        np.testing.assert_array_equal(ours, plain)


def test_only_tokenizers_that_part_at_white_space_remember() -> None:
    remembering = {
        kind
        for kind, tokenizer in tiny_tokenizers().items()
        if NoteReader(tokenizer, window=6, overlap=2)._reader.parts_at_spaces
    }
    assert remembering == {"wordpiece"}


def test_a_full_memory_forgets_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(note_reader, "STRETCHES", 8)
    monkeypatch.setattr(note_reader, "LONGEST", 40)
    reads = reader(join=True, shape=True)
    notes = [f"Mr. John Smith seen {number} times" for number in range(9)]
    notes.append(" ".join(f"word{number}" for number in range(20)))  # longer than it takes
    for note in [*notes, *notes]:
        for ours, plain in zip(
            arrays(reads._memory.read(note)), arrays(reads._read(note)), strict=True
        ):
            np.testing.assert_array_equal(ours, plain)
    assert len(reads._memory._known.numbers) <= 8


def test_threads_share_a_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(note_reader, "STRETCHES", 50)
    reads = reader(join=True, shape=True)
    notes = [
        f"Mr. John Smith {number % 37} seen on {number % 11}/14/2019." for number in range(300)
    ]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(reads._memory.read, notes))
    for read, note in zip(found, notes, strict=True):
        for ours, plain in zip(arrays(read), arrays(reads._read(note)), strict=True):
            np.testing.assert_array_equal(ours, plain)
