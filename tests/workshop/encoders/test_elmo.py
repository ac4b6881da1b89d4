"""ELMo agrees with a slow reference, and with the published fixture where it is at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import torch
from places import ROOT
from torch.testing import assert_close
from workshop.encoders.elmo_reference import TINY, draw_weights, reference_layers, write_original

from incognote.align.word_tokenizer import character_ids
from incognote.base.errors import CheckpointError, ConfigError, InputError
from incognote.workshop.encoders import load, preset, save
from incognote.workshop.encoders.elmo import Elmo, ElmoConfig
from incognote.workshop.encoders.model import Model, size_of

FIXTURE = ROOT.parent / "shared" / "fixtures" / "elmo"
SENTENCES = [
    ["Seen", "by", "Dr.", "Okafor", ",", "54", "."],
    ["naïve", "😀", "x" * 70],
    ["Discharged", "home", "in", "good", "condition"],
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("elmo") / "original"
    write_original(folder, draw_weights())
    return load(folder)


def rows(sentence: list[str]) -> torch.Tensor:
    return torch.from_numpy(character_ids(sentence))


def packed(sentences: list[list[str]]) -> dict[str, Any]:
    parts = [rows(sentence) for sentence in sentences]
    return {"ids": torch.cat(parts), "lengths": [len(part) for part in parts]}


@torch.no_grad()
def test_every_layer_agrees_with_the_reference(model: Model) -> None:
    for sentence in SENTENCES:
        (expected,) = reference_layers([sentence], draw_weights())
        encoded = model.encoder(rows(sentence)[None], states=True)
        assert len(encoded.states) == 3
        for found, wanted in zip(encoded.states, expected, strict=True):
            assert float(wanted.std()) > 0.05
            assert np.abs(found[0, 1:-1].numpy() - wanted).max() < 1e-4
    clipped = encoded.states[1].abs().max()
    assert clipped == pytest.approx(TINY.projection_clip)


@torch.no_grad()
def test_sentences_may_be_read_on_from_each_other(model: Model) -> None:
    expected = reference_layers(SENTENCES, draw_weights())
    carried: tuple[Any, ...] = ()
    for sentence, layers in zip(SENTENCES, expected, strict=True):
        encoded = model.encoder(rows(sentence)[None], states=True, carried=carried)
        carried = encoded.carried
        for found, wanted in zip(encoded.states, layers, strict=True):
            assert np.abs(found[0, 1:-1].numpy() - wanted).max() < 1e-4


@torch.no_grad()
def test_a_batch_is_its_sentences_whichever_side_is_padded(model: Model) -> None:
    together = model.encoder(**packed(SENTENCES))
    alone = [model.encoder(rows(sentence)[None]) for sentence in SENTENCES]
    joined = torch.cat([encoded.hidden[0] for encoded in alone])
    assert_close(together.hidden, joined, atol=1e-6, rtol=0)
    for place, state in enumerate(together.carried):
        for got, wanted in zip(
            state, zip(*(a.carried[place] for a in alone), strict=True), strict=True
        ):
            assert_close(got, torch.cat(wanted), atol=1e-6, rtol=0)
    longest = max(len(sentence) + 2 for sentence in SENTENCES)
    for left in (True, False):
        ids = torch.zeros(3, longest, 50, dtype=torch.long)
        mask = torch.zeros(3, longest, dtype=torch.bool)
        for row, sentence in enumerate(SENTENCES):
            part = slice(longest - len(sentence) - 2, None) if left else slice(len(sentence) + 2)
            ids[row, part], mask[row, part] = rows(sentence), True
        padded = model.encoder(ids, mask=mask)
        assert_close(padded.hidden[mask], together.hidden, atol=1e-6, rtol=0)
        assert not padded.hidden[~mask].any()


def test_the_mix_is_learned_from_equal_shares(model: Model) -> None:
    assert isinstance(model.encoder, Elmo)
    mix = model.encoder.mix
    encoded = model.encoder(**packed(SENTENCES), states=True)
    assert_close(encoded.hidden, torch.stack(encoded.states).mean(0))
    encoded.hidden.cos().sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())
    model.zero_grad()
    with torch.no_grad():
        mix.weights.copy_(torch.tensor([0.0, 50.0, 0.0]))
        mix.scale.fill_(2.0)
        encoded = model.encoder(**packed(SENTENCES), states=True)
        assert_close(encoded.hidden, 2 * encoded.states[1])
        mix.weights.zero_()
        mix.scale.fill_(1.0)


def test_saved_and_loaded_it_is_the_same(model: Model, tmp_path: Path) -> None:
    save(model, tmp_path)
    again = load(tmp_path)
    assert again.config == model.config == TINY
    assert_close(again.state_dict(), model.state_dict(), atol=0, rtol=0)
    with_head = load(tmp_path, new=["tokens"], labels=3)
    with torch.no_grad():
        assert with_head(**packed(SENTENCES))["tokens"].shape == (21, 3)


def test_a_new_one_begins_at_random() -> None:
    encoded = Model(TINY, heads=("tokens",), labels=3).eval().encoder(rows(SENTENCES[0])[None])
    assert torch.isfinite(encoded.hidden).all()
    assert float(encoded.hidden.detach().std()) > 0


@pytest.mark.parametrize(
    ("name", "millions", "exactly"),
    [
        ("elmo-small", 13.6, 13_593_312),
        ("elmo-medium", 28.0, 28_027_744),
        ("elmo-original", 93.6, 93_600_864),
    ],
)
def test_presets_have_the_published_sizes(name: str, millions: float, exactly: int) -> None:
    tensors = size_of(preset(name)).tensors
    parameters = sum(
        torch.Size(shape).numel() for tensor, shape in tensors.items() if ".mix." not in tensor
    )
    assert parameters == exactly
    assert round(parameters / 1e6, 1) == millions


def test_characters_are_bytes_between_marks() -> None:
    ids = character_ids(["é"])
    assert ids.shape == (3, 50)
    assert ids[:, :5].tolist() == [
        [259, 257, 260, 261, 261],
        [259, 0xC3 + 1, 0xA9 + 1, 260, 261],
        [259, 258, 260, 261, 261],
    ]
    assert (character_ids(["x" * 70])[1] == [259, *[ord("x") + 1] * 48, 260]).all()
    assert character_ids([]).shape == (2, 50)
    assert character_ids(["<S>"])[1, 1] == ord("<") + 1


def test_bad_files_are_refused_by_name(tmp_path: Path) -> None:
    weights = draw_weights()
    folder = tmp_path / "lacking"
    write_original(folder, {k: v for k, v in weights.items() if k != "CNN_proj/b_proj"})
    with pytest.raises(CheckpointError, match="lacks CNN_proj/b_proj"):
        load(folder)
    write_original(folder, {**weights, "softmax/W": np.zeros(3)})
    with pytest.raises(CheckpointError, match="has softmax/W, which"):
        load(folder)
    write_original(folder, {**weights, "char_embed": np.zeros((200, 3))})
    with pytest.raises(
        CheckpointError, match=r"words\.characters\.weight has the shape \[201, 3\]"
    ):
        load(folder)
    path = folder / "tiny_weights.hdf5"
    write_original(folder, weights)
    path.write_bytes(path.read_bytes()[:900])
    with pytest.raises(CheckpointError, match="damaged or cut short"):
        load(folder)
    (folder / "tiny_options.json").write_text(json.dumps({"lstm": {}}))
    with pytest.raises(ConfigError, match="lack 'char_cnn'"):
        load(folder)


def test_bad_input_is_refused(model: Model) -> None:
    with pytest.raises(InputError, match="has 9 characters, not 50"):
        model.encoder(torch.zeros(1, 3, 9, dtype=torch.long))
    with pytest.raises(InputError, match="character 262 is outside"):
        model.encoder(torch.full((1, 3, 50), 262))
    with pytest.raises(ConfigError, match="layers must be a whole number"):
        ElmoConfig(layers=0)


if FIXTURE.exists():

    @torch.no_grad()
    def test_published_word_vectors_come_out() -> None:
        words = [word.strip() for word in (FIXTURE / "vocab_test.txt").read_text().split("\n")]
        ids = character_ids(words, boundaries=False)
        ids[words.index("<S>")], ids[words.index("</S>")] = character_ids([])
        encoder = load(FIXTURE).encoder
        assert isinstance(encoder, Elmo)
        found = encoder.words(torch.from_numpy(ids)).numpy()
        with h5py.File(FIXTURE / "elmo_token_embeddings.hdf5") as file:
            assert np.abs(found - file["embedding"][...]).max() < 1e-4

    @torch.no_grad()
    def test_published_layers_come_out() -> None:
        """Three texts of ten sentences, each read on; the files hold both directions of the top."""
        model = load(FIXTURE)
        texts = json.loads((FIXTURE / "sentences.json").read_text())
        expected = [h5py.File(FIXTURE / f"lm_embeddings_{text}.hdf5") for text in range(3)]
        carried: tuple[Any, ...] = ()
        for number in range(10):
            given = packed([text[number].split() for text in texts])
            encoded = model.encoder(**given, states=True, carried=carried)
            carried = encoded.carried
            for found, file in zip(
                encoded.states[-1].split(given["lengths"]), expected, strict=True
            ):
                both = np.concatenate(list(file[str(number)][...]), axis=-1)
                assert np.abs(found[1:-1].numpy() - both).max() < 1e-4
        for file in expected:
            file.close()
