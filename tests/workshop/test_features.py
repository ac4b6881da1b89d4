"""Vectors of words: pooled, of chosen layers, from windows that cover a text of any length."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from text_models import write_encoder

from incognote.align.word_tokenizer import character_ids
from incognote.align.words import words
from incognote.base.errors import InputError, RunError
from incognote.workshop.encoders import TextModel
from incognote.workshop.features import (
    WordFeatures,
    features,
    read_texts,
    similarities,
    text_features,
    write_lines,
    write_npz,
    write_text_npz,
)

NOTE = "Mr. José Núñez,\r\nseen 3/14/2019, denies splenomegaly 😀."
every = pytest.mark.parametrize("family", ["bert", "albert", "roberta", "xlnet", "elmo"])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TextModel]:
    torch.set_num_threads(1)
    root = tmp_path_factory.mktemp("encoders")
    return {
        family: TextModel.load(write_encoder(root / family, family))
        for family in ("bert", "albert", "roberta", "xlnet", "elmo")
    }


def one(text: str, encoder: TextModel, **options: object) -> WordFeatures:
    (found,) = features([text], encoder, **options)  # type: ignore[arg-type]
    return found


@every
def test_every_word_has_a_vector(family: str, made: dict[str, TextModel]) -> None:
    found = one(NOTE, made[family])
    assert list(zip(found.words.starts, found.words.ends, strict=True)) == words(NOTE)
    size = made[family].model.config.hidden_size
    assert found.vectors.shape == (len(words(NOTE)), size)
    assert found.vectors.dtype == np.float32
    assert np.isfinite(found.vectors).all()


@pytest.mark.parametrize("family", ["bert", "albert", "roberta", "xlnet"])
def test_pooling_is_of_the_words_own_pieces(family: str, made: dict[str, TextModel]) -> None:
    encoder = made[family]
    encoding = encoder.pieces.encode(NOTE)
    with torch.no_grad():
        hidden = encoder.model.encoder(**encoder.inputs(encoding)).hidden[0].numpy()
    start = NOTE.index("splenomegaly")
    place = [span[0] for span in words(NOTE)].index(start)
    own = (encoding.part == 0) & (encoding.starts < start + 12) & (encoding.ends > start)
    assert own.sum() > 1
    pieces = hidden[own]
    for pooling, wanted in (("first", pieces[0]), ("last", pieces[-1]), ("mean", pieces.mean(0))):
        vector = one(NOTE, encoder, pooling=pooling).vectors[place]
        assert np.abs(vector - wanted).max() < 1e-5
    with pytest.raises(InputError, match="pooling must be one of"):
        one(NOTE, encoder, pooling="max")


@every
def test_layers_are_chosen(family: str, made: dict[str, TextModel]) -> None:
    encoder = made[family]
    several = one(NOTE, encoder, layers=(0, 1, -1)).vectors
    assert several.shape[1] == 3
    for number, layer in enumerate((0, 1, -1)):
        assert np.array_equal(several[:, number], one(NOTE, encoder, layers=layer).vectors)
    last = one(NOTE, encoder).vectors
    if family == "elmo":
        assert np.abs(last - several.mean(1)).max() < 1e-5
    else:
        assert np.array_equal(last, several[:, 2])
    with pytest.raises(InputError, match="no layer 7"):
        one(NOTE, encoder, layers=7)


@every
def test_long_texts_are_windowed_and_never_cut(family: str, made: dict[str, TextModel]) -> None:
    encoder = made[family]
    text = "John Smith denies chest pain. " * 150
    found = one(text, encoder)
    assert found.words.ends[-1] == len(text) - 1
    assert np.isfinite(found.vectors).all()
    assert len(np.unique(found.vectors.round(4), axis=0)) > 20


@every
def test_a_window_is_read_by_itself(family: str, made: dict[str, TextModel]) -> None:
    """Two windows that share nothing are two texts."""
    encoder = made[family]
    text = "pain pain pain pain"
    if encoder.tokenizer is None:
        half = 2
        ids = torch.from_numpy(character_ids(["pain", "pain"]))[None]
        with torch.no_grad():
            alone = encoder.model.encoder(ids).hidden[0, 1:-1].numpy()
    else:
        half = len(encoder.tokenizer.read(text).ids) // 2
        alone = one("pain pain", encoder).vectors
    found = one(text, encoder, window=half, overlap=0).vectors
    if len(encoder.tokenizer.read("pain pain").ids if encoder.tokenizer else alone) == half:
        assert np.abs(found[:2] - alone).max() < 1e-5
    with pytest.raises(InputError, match="the window must be from 1"):
        one(text, encoder, window=0)


@every
def test_a_text_without_words_has_no_vectors(family: str, made: dict[str, TextModel]) -> None:
    size = made[family].model.config.hidden_size
    for text in ("", " \r\n\t"):
        assert one(text, made[family]).vectors.shape == (0, size)
        assert one(text, made[family], layers=[0, 1]).vectors.shape == (0, 2, size)


def test_a_word_the_tokenizer_drops_has_no_vector(made: dict[str, TextModel]) -> None:
    found = one("pain \x00 pain", made["bert"])
    assert np.isnan(found.vectors).all(1).tolist() == [False, True, False]


def test_lines_are_strict_json(made: dict[str, TextModel]) -> None:
    lines: list[str] = []
    texts = ["pain \x00 pain", ""]
    names = ["a", "b"]
    write_lines(names, features(texts, made["bert"]), lines.append)
    first, empty = (json.loads(line, parse_constant=pytest.fail) for line in lines)
    assert [word["vector"] is None for word in first["words"]] == [False, True, False]
    assert empty == {"id": "b", "words": []}
    broken = one("pain", made["bert"])
    broken.vectors[0, 0] = np.inf
    with pytest.raises(RunError, match="a: the encoder gives vectors that are not finite"):
        write_lines(names[:1], [broken], lines.append)


def test_vectors_are_written_with_their_places(made: dict[str, TextModel], tmp_path: Path) -> None:
    write_npz(features(["John denies", "pain"], made["bert"]), tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as file:
        assert file["vectors"].shape == (3, 24)
        assert file["text"].tolist() == [0, 0, 1]
        assert file["start"].tolist() == [0, 5, 0]
        assert file["end"].tolist() == [4, 11, 4]
    assert [path.name for path in tmp_path.iterdir()] == ["out.npz"]


TOKENS = pytest.mark.parametrize("family", ["bert", "albert", "roberta", "xlnet"])


@TOKENS
@pytest.mark.parametrize("pool", ["cls", "mean", "max"])
def test_a_text_has_one_vector_of_all_its_tokens(
    family: str, pool: str, made: dict[str, TextModel]
) -> None:
    """As embedding models pool: special tokens count too."""
    encoder = made[family]
    encoding = encoder.pieces.encode(NOTE)
    with torch.no_grad():
        hidden = encoder.model.encoder(**encoder.inputs(encoding)).hidden[0].numpy()
    first = -1 if family == "xlnet" else 0
    wanted = {"cls": hidden[first], "mean": hidden.mean(0), "max": hidden.max(0)}[pool]
    (found,) = text_features([NOTE], encoder, pool=pool)  # type: ignore[arg-type]
    assert np.abs(found - wanted).max() < 1e-5


@every
@pytest.mark.parametrize("pool", ["mean", "max"])
def test_a_long_text_is_pooled_over_all_its_windows(
    family: str, pool: str, made: dict[str, TextModel]
) -> None:
    encoder = made[family]
    text = "John Smith denies chest pain. " * 150
    end = text + "Splenomegaly."
    one, other = text_features([text, end], encoder, pool=pool)  # type: ignore[arg-type]
    assert one.shape == (encoder.hidden_size,)
    assert np.isfinite(one).all()
    assert not np.allclose(one, other)


@every
def test_several_layers_of_a_text_and_a_text_without_words(
    family: str, made: dict[str, TextModel]
) -> None:
    encoder = made[family]
    (several,) = text_features([NOTE], encoder, layers=[0, -1])
    assert several.shape == (2, encoder.hidden_size)
    (empty,) = text_features([""], encoder)
    if family == "elmo":
        assert np.isnan(empty).all()
        with pytest.raises(InputError, match="has no"):
            next(text_features([NOTE], encoder, pool="cls"))
    with pytest.raises(InputError, match="pool must be one of"):
        next(text_features([NOTE], encoder, pool="first"))  # type: ignore[arg-type]


@every
def test_a_word_is_compared_as_it_stands_in_each_text(
    family: str, made: dict[str, TextModel]
) -> None:
    encoder = made[family]
    texts = ["John denies pain.", "Pain pain chest John.", "John denies pain."]
    cosines = similarities(texts, encoder, word="john")
    assert cosines.shape == (3, 3)
    assert np.allclose(np.diag(cosines), 1)
    assert cosines[0, 2] == pytest.approx(1)
    assert cosines[0, 1] < 1 - 1e-5
    whole = similarities(texts, encoder)
    assert whole[0, 2] == pytest.approx(1)
    pair = similarities(["I love New York.", "New York it is."], encoder, word="new york")
    assert -1 <= pair[0, 1] <= 1
    with pytest.raises(InputError, match="'crane' is not in every text"):
        similarities(texts, encoder, word="crane")


def test_texts_are_files_or_their_lines(tmp_path: Path, made: dict[str, TextModel]) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("One.\r\nTwo\u2028still.\n".encode())
    assert list(read_texts([path])) == [("a", "One.\r\nTwo\u2028still.\n")]
    lines = dict(read_texts([path], lines=True))
    assert lines == {"a:1": "One.", "a:2": "Two\u2028still."}
    write_text_npz(list(lines), text_features(lines.values(), made["bert"]), tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as file:
        assert file["id"].tolist() == ["a:1", "a:2"]
        assert file["vectors"].shape == (2, 24)
