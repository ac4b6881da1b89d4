"""Folders go in and come out whole, or the error names what is wrong."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
import torch
from encoder_oracle import TINY, edit_config
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.testing import assert_close

from incognote.base.errors import CheckpointError, ConfigError
from incognote.workshop.encoders import Model, load, save
from incognote.workshop.encoders.families import FAMILIES

LABELS = ("O", "B-NAME", "I-NAME")
FILE = "model.safetensors"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save(Model(TINY["bert"], heads=("mlm", "nsp")), tmp_path)
    return tmp_path


def _edit(folder: Path, drop: str = "", more: Mapping[str, Tensor] = MappingProxyType({})) -> None:
    tensors = load_file(folder / FILE)
    tensors = {name: value.clone() for name, value in tensors.items() if name != drop}
    save_file({**tensors, **more}, folder / FILE)


@pytest.mark.parametrize("name", TINY)
def test_every_head_comes_back(name: str, tmp_path: Path) -> None:
    family = FAMILIES[name]
    for architecture, heads in family.architectures.items():
        model = Model(
            TINY[name], heads=heads, labels=LABELS, pooler=not heads and family.has_pooler
        )
        save(model, tmp_path / architecture)
        settings = json.loads((tmp_path / architecture / "config.json").read_text())
        assert settings["architectures"] == [architecture]
        again = load(tmp_path / architecture)
        assert again.config.to_huggingface() == model.config.to_huggingface()
        assert_close(again.state_dict(), model.state_dict(), atol=0, rtol=0)
        if {"tokens", "sequence"} & set(heads):
            assert again.labels == LABELS


@pytest.mark.parametrize("name", TINY)
def test_the_table_of_names_is_reversible(name: str) -> None:
    family = FAMILIES[name]
    for head in family.heads:
        rows = list(family.names(TINY[name], [head]))
        assert len({theirs for _, theirs in rows}) == len(rows)
        assert len({ours for ours, _ in rows}) == len(rows)


def test_tied_tensors_are_written_once(folder: Path) -> None:
    tensors = load_file(folder / FILE)
    assert "cls.predictions.decoder.weight" not in tensors
    assert sum(value.shape[0] == 97 and value.dim() == 2 for value in tensors.values()) == 1


def test_who_may_read_the_folder_may_read_its_weights(folder: Path) -> None:
    modes = {path.stat().st_mode for path in folder.iterdir()}
    assert (len(modes), (folder / "model.safetensors").exists()) == (1, True)


def test_answerability_is_saved_beside_the_span(tmp_path: Path) -> None:
    save(Model(TINY["albert"], heads=("span", "answerable")), tmp_path)
    assert set(load(tmp_path).heads) == {"span", "answerable"}


def test_fine_tuning_takes_the_encoder_and_begins_a_head(folder: Path) -> None:
    pretrained = load(folder)
    model = load(folder, heads=(), new=("tokens",), labels=LABELS)
    assert set(model.heads) == {"tokens"}
    assert model.labels == LABELS
    assert model.encoder.pooler is None
    assert_close(model.encoder.words, pretrained.encoder.words)
    assert model(torch.tensor([[5, 6]]))["tokens"].shape == (1, 2, 3)


def test_pretraining_goes_on_with_one_head_more(tmp_path: Path) -> None:
    save(Model(TINY["albert"], heads=("mlm",)), tmp_path)
    model = load(tmp_path, new=("sop",))
    assert set(model.heads) == {"mlm", "sop"}
    assert model(torch.tensor([[5, 6]]))["sop"].shape == (1, 2)


def test_the_encoder_alone_keeps_its_pooler(folder: Path) -> None:
    model = load(folder, heads=())
    assert not model.heads
    assert model.encoder.pooler is not None


def test_a_head_that_is_not_there_is_not_invented(folder: Path) -> None:
    with pytest.raises(CheckpointError, match=r"no head 'tokens' here \(but mlm, nsp\)"):
        load(folder, heads=("tokens",))


def test_missing_and_unknown_tensors_are_named(folder: Path) -> None:
    missing = "bert.encoder.layer.1.output.dense.bias"
    _edit(folder, missing)
    with pytest.raises(CheckpointError, match=f"1 tensors are missing: {missing}$"):
        load(folder)
    odd = "bert.encoder.layer.9.odd"
    _edit(folder, "", {missing: torch.zeros(24), odd: torch.zeros(1)})
    with pytest.raises(CheckpointError, match=r"unknown: bert\.encoder\.layer\.9\.odd$"):
        load(folder)


@pytest.mark.parametrize("prefix", ["bert.", ""], ids=["with heads", "bare"])
def test_an_encoder_is_taken_from_under_heads_that_nobody_knows(folder: Path, prefix: str) -> None:
    tensors = load_file(folder / "model.safetensors")
    body = {
        prefix + name.removeprefix("bert."): value
        for name, value in tensors.items()
        if name.startswith("bert.")
    }
    odd = {
        "scorer.inner.weight": torch.ones(3, 24),
        "scorer.inner.bias": torch.ones(3),
        "bias": torch.ones(1),
    }
    save_file({**body, **odd}, folder / "model.safetensors")
    edit_config(folder, architectures=["BertForNobody"])
    with pytest.raises(
        CheckpointError, match=r"scorer\.inner\.\w+, .*no head that is known here.*heads=\(\)"
    ):
        load(folder)
    model = load(folder, heads=(), new=("tokens",))
    assert set(model.left_out) == {"scorer.inner", "bias"}
    ids = torch.tensor([[5, 6, 7]])
    own = {name: value for name, value in tensors.items() if name.startswith("bert.")}
    save_file(own, folder / "model.safetensors")
    wanted = load(folder, heads=())
    assert not wanted.left_out
    assert torch.equal(model.encoder(ids).hidden, wanted.encoder(ids).hidden)


def test_a_wrong_vocabulary_size_is_named(folder: Path) -> None:
    edit_config(folder, vocab_size=98)
    with pytest.raises(
        CheckpointError,
        match=r"word_embeddings\.weight has the shape \[97, 24\] where .* \[98, 24\]",
    ):
        load(folder)


def test_a_truncated_file_is_said_to_be_so(folder: Path) -> None:
    whole = (folder / FILE).read_bytes()
    for size in (0, 5, 200, len(whole) // 2, len(whole) - 1):
        (folder / FILE).write_bytes(whole[:size])
        with pytest.raises(CheckpointError, match="damaged or cut short"):
            load(folder)


def test_a_foreign_checkpoint_is_refused(folder: Path) -> None:
    edit_config(folder, model_type="gpt2")
    with pytest.raises(
        CheckpointError, match=r"model_type of config.json is 'gpt2', not one of bert"
    ):
        load(folder)
    edit_config(folder, model_type="roberta", pad_token_id=1)
    with pytest.raises(
        CheckpointError, match=r"missing: roberta.embeddings.word_embeddings.weight"
    ):
        load(folder)
    edit_config(folder, model_type="bert", position_embedding_type="relative_key")
    with pytest.raises(ConfigError, match="position_embedding_type"):
        load(folder)


def test_folders_without_a_model_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"no checkpoint here \(config.json is missing"):
        load(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(CheckpointError, match="not readable as JSON"):
        load(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(CheckpointError, match="no weights here"):
        load(tmp_path)
    (tmp_path / "model.ckpt-best.index").touch()
    with pytest.raises(CheckpointError, match="TensorFlow"):
        load(tmp_path)
    (tmp_path / "config.json").rename(tmp_path / "bert_config.json")  # as Google names it
    with pytest.raises(CheckpointError, match="TensorFlow"):
        load(tmp_path)
    with pytest.raises(CheckpointError, match=r"no such folder; give the folder of a checkpoint"):
        load(tmp_path / "bert-base-uncased")


def test_the_hub_needs_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(CheckpointError, match="needs huggingface_hub"):
        load("bert-base-uncased", hub=True)


def test_older_files_are_read(folder: Path) -> None:
    """Norms as gamma and beta, buffers, tied tensors repeated: as checkpoints once were written."""
    expected = load(folder).state_dict()
    old: dict[str, Tensor] = {}
    for name, value in load_file(folder / FILE).items():
        if "LayerNorm" in name:
            name = name.replace(".weight", ".gamma").replace(".bias", ".beta")
        old[name] = value.clone()
    old["bert.embeddings.position_ids"] = torch.arange(30)[None]
    old["cls.predictions.decoder.weight"] = old["bert.embeddings.word_embeddings.weight"].clone()
    old["cls.predictions.decoder.bias"] = old.pop("cls.predictions.bias")
    (folder / FILE).unlink()
    torch.save(old, folder / "pytorch_model.bin")
    edit_config(folder, architectures=["BertForMaskedLM"])
    assert_close(load(folder).state_dict(), expected, atol=0, rtol=0)
    old["cls.predictions.decoder.weight"] += 1
    torch.save(old, folder / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match=r"cls\.predictions\.decoder\.weight differs"):
        load(folder)


def test_a_legacy_file_that_runs_code_is_not_opened(folder: Path) -> None:
    (folder / FILE).unlink()
    torch.save({"weight": Path("anything")}, folder / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match="more than tensors"):
        load(folder)
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"weight": Path("anything")}))
    with pytest.raises(CheckpointError, match="more than tensors"):
        load(folder)


def test_shards_are_put_together(folder: Path) -> None:
    expected = load(folder).state_dict()
    tensors = load_file(folder / FILE)
    names = list(tensors)
    parts = {"a.safetensors": names[::2], "b.safetensors": names[1::2]}
    for file, some in parts.items():
        save_file({name: tensors[name].clone() for name in some}, folder / file)
    (folder / FILE).unlink()
    index = {"weight_map": {name: file for file, some in parts.items() for name in some}}
    (folder / f"{FILE}.index.json").write_text(json.dumps(index))
    assert_close(load(folder).state_dict(), expected, atol=0, rtol=0)
    (folder / "b.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"names the file b.safetensors"):
        load(folder)


def test_a_classifier_no_one_names_is_not_guessed_at(tmp_path: Path) -> None:
    save(Model(TINY["bert"], heads=("tokens",), labels=LABELS), tmp_path)
    edit_config(tmp_path, architectures=None)
    with pytest.raises(CheckpointError, match=r"classifier\.bias.*: of no head that is whole here"):
        load(tmp_path)


def test_saving_over_the_folder_in_use_is_safe(folder: Path) -> None:
    model = load(folder)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    save(model, folder)
    save(model, folder)
    assert_close(model.state_dict(), before, atol=0, rtol=0)
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", FILE]
