"""Going on from a checkpoint: with its own tokenizer, and with all that was trained beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from encoder_oracle import TINY
from torch.testing import assert_close
from workshop.pretrain.toy_shards import drawn_shards, toy_tokenizer

from incognote.base.errors import TrainError
from incognote.workshop.encoders import Model, save
from incognote.workshop.encoders.elmo import ElmoConfig
from incognote.workshop.pretrain.objectives import Objective, make_objective
from incognote.workshop.pretrain.objectives.electra import ElectraPair
from incognote.workshop.pretrain.start import from_checkpoint
from incognote.workshop.tokenization import Tokenizer
from incognote.workshop.tokenization import load as load_tokenizer
from incognote.workshop.tokenization.tokenizer import TEMPLATES
from incognote.workshop.training.sources import checkpoint_folder

SHARDS = drawn_shards(6)


def reordered(family: str) -> Tokenizer:
    """The toy tokenizer's pieces under other numbers."""
    import tokenizers
    from tokenizers import models

    toy = toy_tokenizer(family)
    size = toy.vocabulary_size
    pieces = toy.tokens([*range(5), *reversed(range(5, size))])
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    unknown = TEMPLATES[family].names["unknown"]
    return Tokenizer(tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token=unknown)), family)


def electra(**options: Any) -> Objective:
    return make_objective("electra", toy_tokenizer("electra"), SHARDS, **options)


def saved_pair(folder: Path) -> ElectraPair:
    torch.manual_seed(5)
    objective = electra()
    pair = objective.build(TINY["electra"])
    assert isinstance(pair, ElectraPair)
    for name, model in objective.saved(pair).items():
        save(model, folder / name)
    return pair


def test_another_tokenizer_of_the_same_size_is_refused(tmp_path: Path) -> None:
    own, other = toy_tokenizer("albert"), reordered("albert")
    assert own.vocabulary_size == other.vocabulary_size
    save(Model(TINY["albert"], heads=("mlm",)), tmp_path)
    own.save(tmp_path)
    from_checkpoint(tmp_path, make_objective("mlm", own, SHARDS), own, 0)
    with pytest.raises(TrainError, match=r"made with another tokenizer.*leave out --tokenizer"):
        from_checkpoint(tmp_path, make_objective("mlm", other, SHARDS), other, 0)


def test_a_checkpoint_alone_takes_a_tokenizer_of_its_size(tmp_path: Path) -> None:
    save(Model(TINY["albert"], heads=("mlm",)), tmp_path)
    other = reordered("albert")
    assert not from_checkpoint(tmp_path, make_objective("mlm", other, SHARDS), other, 0).random


def test_minilm_goes_on_with_its_own_tokenizer() -> None:
    folder = checkpoint_folder("minilm")
    assert folder is not None
    tokenizer = load_tokenizer(folder, family="bert")
    start = from_checkpoint("minilm", make_objective("mlm", tokenizer, SHARDS), tokenizer, 0)
    assert any("no head for mlm" in note for note in start.notes)


def test_a_generator_goes_on_too(tmp_path: Path) -> None:
    pair = saved_pair(tmp_path)
    start = from_checkpoint(tmp_path, electra(), toy_tokenizer("electra"), 0)
    assert start.notes == ()
    assert_close(dict(start.module.state_dict()), dict(pair.state_dict()))


def test_what_a_generator_shares_stays_the_discriminators(tmp_path: Path) -> None:
    pair = saved_pair(tmp_path)
    words: Any = pair.discriminator.encoder.words
    with torch.no_grad():
        words.add_(1.0)  # trained further without its generator
    save(pair.discriminator, tmp_path)
    start = from_checkpoint(tmp_path, electra(), toy_tokenizer("electra"), 0)
    assert_close(dict(start.module.state_dict()), dict(pair.state_dict()))


def test_a_generator_that_is_not_there_or_does_not_fit_begins_afresh(tmp_path: Path) -> None:
    pair = saved_pair(tmp_path)
    start = from_checkpoint(tmp_path, electra(generator_size=1.0), toy_tokenizer("electra"), 0)
    assert "another size than generator_size says" in start.notes[0]
    save(pair.discriminator, tmp_path / "alone")
    start = from_checkpoint(tmp_path / "alone", electra(), toy_tokenizer("electra"), 0)
    assert "the generator starts from random weights" in start.notes[0]


def test_elmo_says_that_its_softmax_begins_afresh(tmp_path: Path) -> None:
    config = ElmoConfig(cell_size=12, projection_size=6, filters=((1, 4), (2, 4)), highways=1)
    tokenizer = toy_tokenizer("roberta")
    objective = make_objective("elmo", tokenizer, SHARDS, words=60)
    save(objective.saved(objective.build(config))[""], tmp_path)
    assert "softmax" in from_checkpoint(tmp_path, objective, tokenizer, 0).notes[0]
