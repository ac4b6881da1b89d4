"""Words from pieces: ELMo's characters and its vocabulary, from shards alone."""

from __future__ import annotations

import numpy as np
import pytest
from workshop.pretrain.toy_shards import ToyShards
from workshop.tokenization.vocabulary_files import write_vocabulary

from incognote.align.word_tokenizer import character_ids
from incognote.workshop.pretrain.objectives.elmo import (
    UNKNOWN,
    Spelling,
    WordVocabulary,
    boundary_rows,
    word_keys,
)
from incognote.workshop.tokenization import load

WORDS = "the patient denies fever Ångström 2019 and".split()


@pytest.mark.parametrize("family", ["bert", "albert", "roberta"])
def test_characters_are_those_of_the_words(
    family: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tokenizer = load(write_vocabulary(tmp_path_factory.mktemp(family), family))
    spelling = Spelling.of(tokenizer)
    pieces = [tokenizer.read(f" {word}").ids for word in WORDS]
    known = [ids for ids in pieces if not set(ids.tolist()) & tokenizer.special_ids]
    assert len(known) > 3
    ids = np.concatenate(known)
    starts = np.zeros(len(ids), np.bool_)
    starts[np.cumsum([0, *(len(each) for each in known[:-1])])] = True
    rows = spelling.characters(ids, starts)
    written = [tokenizer.decode(each.tolist()).strip().replace(" ", "") for each in known]
    np.testing.assert_array_equal(rows, character_ids(written, boundaries=False))


def test_boundaries_are_those_of_the_tokenizer() -> None:
    np.testing.assert_array_equal(np.concatenate(boundary_rows()), character_ids([]))


def test_long_words_are_cut_as_published(tmp_path_factory: pytest.TempPathFactory) -> None:
    tokenizer = load(write_vocabulary(tmp_path_factory.mktemp("bert"), "bert"))
    ids = tokenizer.read("patient " * 12).ids
    starts = np.zeros(len(ids), np.bool_)
    starts[0] = True
    rows = Spelling.of(tokenizer).characters(ids, starts)
    np.testing.assert_array_equal(rows, character_ids(["patient" * 12], boundaries=False))


def test_the_vocabulary_has_the_most_frequent_words_first() -> None:
    # Words of pieces: (5 6) three times, (6 5) twice, (5) twice, (7) once.
    ids = np.array([5, 6, 5, 6, 6, 5, 5, 5, 6, 6, 5, 5, 7])
    shards = ToyShards([[[2, 2, 2, 1], [2, 2, 1, 1]]], ids)
    vocabulary = WordVocabulary.of(shards, size=6)
    assert len(vocabulary) == 6
    keys = word_keys(shards.ids(0).astype(np.int64), shards.word_starts(0))
    numbers = vocabulary.of_keys(keys).tolist()
    assert numbers[0] == numbers[1] == numbers[4] == 3
    assert sorted({numbers[2], numbers[3]}) == [4, 5]
    assert numbers[2] == numbers[5]
    assert numbers[7] == UNKNOWN
    assert len(WordVocabulary.of(shards, size=100)) == 3 + 4


def test_no_two_words_have_one_key() -> None:
    draws = np.random.default_rng(0)
    words = {tuple(draws.integers(0, 30_000, draws.integers(1, 6)).tolist()) for _ in range(15_000)}
    ids = np.array([piece for word in words for piece in word])
    starts = np.zeros(len(ids), np.bool_)
    starts[np.cumsum([0, *(len(word) for word in words)])[:-1]] = True
    assert len(np.unique(word_keys(ids, starts))) == len(words)
