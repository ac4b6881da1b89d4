"""A network that knows nothing may choose case and marks as it likes, and changes nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from commands import without_torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_transformers import NOTES, tiny_restorer, tiny_vocabulary

from incognote.base.errors import ModelError
from incognote.workshop.restore.restorer import (
    LONGEST_WORD,
    MOST_TOKENS,
    WORDS,
    Restorer,
    windows_of,
)
from incognote.workshop.restore.spelling import Spelling
from incognote.workshop.restore.words import MARKS, Restored, dictated, words_of

TEXTS = st.text(alphabet=st.sampled_from("abcdeXYZ 12.,?:;!-/()\"'\n\t İßΣ▁👍漢ﬁ"), max_size=60)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_restorer(tmp_path_factory.mktemp("restorer"))


@pytest.fixture(scope="module")
def restorer(folder: Path) -> Restorer:
    return Restorer(folder)


def same_words(before: str, after: str) -> bool:
    """Whether the words are the same but for case and marks after them, and so is white space."""
    old, new = before.split(), after.split()
    blanks = [[each for each in text if each.isspace()] for text in (before, after)]
    return (
        blanks[0] == blanks[1]
        and len(old) == len(new)
        and all(
            b.lower() == a.lower() or (b[-1] in MARKS and b[:-1].lower() == a.lower())
            for a, b in zip(old, new, strict=True)
        )
    )


@settings(max_examples=60)
@given(text=TEXTS)
def test_no_word_is_lost_invented_or_moved(restorer: Restorer, text: str) -> None:
    assert same_words(text, restorer.restore(text))


def test_nor_by_beams(folder: Path) -> None:
    wide = Restorer(folder, beams=3)
    for note in (*NOTES, "漢字 ok", ""):
        assert same_words(dictated(note), wide.restore(dictated(note)))


def test_a_long_note_comes_out_whole(restorer: Restorer) -> None:
    draws = random.Random(0)
    words = [word.spoken for note in NOTES for word in words_of(note)]
    text = "\n".join(" ".join(draws.choices(words, k=9)) for _ in range(40)) + "\n"
    restored = restorer.restore(text)
    assert same_words(text, restored)
    assert restored != text


def test_a_word_of_any_length_stays(restorer: Restorer) -> None:
    ruled = "=" * 5000
    text = f"no pain\n{ruled}\nfever"
    restored = restorer.restore(text)
    assert ruled in restored
    assert same_words(text, restored)


def test_the_batch_does_not_matter(restorer: Restorer) -> None:
    text = dictated(" ".join(NOTES * 12))
    words = words_of(text)
    whole = restorer.restored(words)
    assert restorer.restored(words) == whole
    assert restorer.restored(words[:20]) == restorer.restored(words[:20])


@given(st.lists(st.integers(1, LONGEST_WORD), max_size=300))
def test_windows_take_every_word_once_from_within(sizes: list[int]) -> None:
    taken = 0
    for window in windows_of(sizes):
        assert window.begin <= window.first < window.last <= window.end
        assert window.first == taken
        assert window.end - window.begin <= WORDS
        assert sum(sizes[window.begin : window.end]) <= MOST_TOKENS
        taken = window.last
    assert taken == len(sizes)


@given(TEXTS, st.randoms(use_true_random=False))
def test_whatever_is_chosen_of_what_is_allowed_spells_the_words(
    text: str, draws: random.Random
) -> None:
    words = words_of(text)
    spelling = Spelling(words, tiny_vocabulary())
    place = spelling.begin()
    tokens: list[int] = []
    while True:
        token = draws.choice(spelling.allowed(place).tolist())
        if token == tiny_vocabulary().end_id:
            break
        tokens.append(token)
        place = spelling.advance(place, token)
    assert len(tokens) < spelling.most_tokens + 1
    for each, word in zip(spelling.restored(tokens), words, strict=True):
        if "▁" not in word.text:  # the vocabulary's own sign, which no word may have
            assert each.text.lower() == word.spoken
            assert each.text == word.text or word.text == word.spoken
        if word.mark:
            assert each.mark == word.mark


def test_the_right_spelling_is_among_the_choices() -> None:
    vocabulary = tiny_vocabulary()
    for note in NOTES:
        spelling = Spelling(words_of(dictated(note)), vocabulary)
        place = spelling.begin()
        tokens: list[int] = []
        for word in words_of(note):
            tokens += vocabulary.of_word(word.text)
            tokens += [vocabulary.mark_ids[word.mark]] if word.mark else []
        for token in (*tokens, vocabulary.end_id):
            assert token in spelling.allowed(place)
            place = spelling.advance(place, token)
        assert spelling.restored(tokens) == [Restored(w.text, w.mark) for w in words_of(note)]


def test_it_needs_no_torch(folder: Path, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("no pain today\n")
    ran = without_torch("restore", str(note), "--model", str(folder))
    assert ran.returncode == 0, ran.stderr
    assert same_words("no pain today\n", ran.stdout.decode())


def test_a_model_of_another_task_or_damaged_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="was trained for 'translate'"):
        Restorer(tiny_restorer(tmp_path / "other", task="translate"))
    folder = tiny_restorer(tmp_path / "cut")
    decoder = folder / "decoder.onnx"
    decoder.write_bytes(decoder.read_bytes()[:-9])
    with pytest.raises(ModelError, match=r"decoder\.onnx is not the file that was exported"):
        Restorer(folder)
    with pytest.raises(ModelError, match=r"no model here: sequence\.json is missing"):
        Restorer(tmp_path)
