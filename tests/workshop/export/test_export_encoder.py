"""An encoder that was exported gives what torch gives, without torch and in no more space."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import pytest
from text_models import write_encoder

from incognote.base.errors import InputError, ModelError
from incognote.workshop.encoders import (
    OnnxTextModel,
    TextModel,
    fill_mask,
    open_encoder,
    sentence_order_score,
    text_encoder,
)
from incognote.workshop.encoders.text_encoder import Fill
from incognote.workshop.export import encoder as exporting
from incognote.workshop.export.encoder import export_encoder
from incognote.workshop.features import features
from incognote.workshop.training import sources

ALBERT = {"hidden_size": 96, "layers": 12, "feed_forward_size": 384, "embedding_size": 16}
TEXT = "John denies [MASK] pain."


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder") / "albert", "albert", **ALBERT)


@pytest.fixture(scope="module")
def exported(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "albert"
    export_encoder(checkpoint, folder)
    return folder


def guesses(fills: Any) -> list[Fill]:
    return cast(list[Fill], fills)


@pytest.mark.parametrize(
    "family", ["bert", "albert", "roberta", "distilbert", "modernbert", "deberta-v2"]
)
def test_guesses_order_and_vectors_are_those_of_torch(family: str, tmp_path: Path) -> None:
    source = write_encoder(tmp_path / "checkpoint", family)
    export_encoder(source, tmp_path / "exported")
    ours, torchs = OnnxTextModel.load(tmp_path / "exported"), TextModel.load(source)
    mask = torchs.pieces.mask_token
    text = f"John denies {mask} pain."
    for one, other in zip(
        guesses(fill_mask(text, ours)), guesses(fill_mask(text, torchs)), strict=True
    ):
        assert one["score"] == pytest.approx(other["score"], abs=1e-4)
        assert (one["token"], one["sequence"]) == (other["token"], other["sequence"])
    both = fill_mask(f"{mask} denies {mask}.", ours, top_k=3)
    assert [len(cast(list[Fill], fills)) for fills in both] == [3, 3]
    long = "John was seen.\nThe patient denies pain. " * 60
    for layers in (None, 0, [0, -1]):
        (found,), (wanted,) = (features([long], each, layers=layers) for each in (ours, torchs))
        assert np.abs(found.vectors - wanted.vectors).max() < 1e-4
    if family == "albert":
        pair = ("John was seen.", "The patient denies pain.")
        assert sentence_order_score(*pair, ours) == pytest.approx(
            sentence_order_score(*pair, torchs), abs=1e-4
        )
    else:
        with pytest.raises(InputError, match="no sentence-order head"):
            sentence_order_score("a", "b", ours)


def test_shared_weights_stay_shared(checkpoint: Path, exported: Path, tmp_path: Path) -> None:
    network = onnx.load(exported / "encoder.onnx")
    sizes = [int(np.prod(constant.dims)) for constant in network.graph.initializer]
    assert sizes.count(96 * 384) == 2
    saved = (checkpoint / "model.safetensors").stat().st_size
    nodes = 12 * 1_300  # bytes, which do not grow with the weights
    assert (exported / "encoder.onnx").stat().st_size < saved + nodes
    export_encoder(checkpoint, tmp_path / "int8", int8=True)
    assert (tmp_path / "int8/encoder.onnx").stat().st_size < saved / 2
    small, full = OnnxTextModel.load(tmp_path / "int8"), OnnxTextModel.load(exported)
    (near,), (exact,) = (features(["John denies pain."], each) for each in (small, full))
    closeness = (near.vectors * exact.vectors).sum() / (
        np.linalg.norm(near.vectors) * np.linalg.norm(exact.vectors)
    )
    assert closeness > 0.999


def test_without_a_name_the_shipped_encoder_is_meant(
    exported: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(text_encoder, "SHIPPED", exported)
    assert fill_mask(TEXT) == fill_mask(TEXT, exported) == fill_mask(TEXT, open_encoder())
    assert len(list(features(["John"]))) == 1
    monkeypatch.setattr(text_encoder, "SHIPPED", tmp_path / "absent")
    with pytest.raises(InputError, match="no encoder came with this package"):
        fill_mask(TEXT)


def test_training_begins_from_the_shipped_checkpoint_by_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(text_encoder, "SHIPPED", tmp_path / "clinical-albert")
    assert sources.checkpoint_folder("clinical-albert") is None
    (tmp_path / "clinical-albert").mkdir()
    assert sources.checkpoint_folder("clinical-albert") == tmp_path / "clinical-albert"


def test_a_folder_that_was_changed_is_refused(exported: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    for path in exported.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    described = json.loads((folder / "encoder.json").read_text())
    changes: list[tuple[dict[str, Any], str]] = [
        ({"schema": 2}, "schema version 2"),
        ({"layers": "many"}, "layers must be a whole number"),
        ({"heads": ["tagger"]}, "heads must be among"),
        ({"colour": 1}, "unknown key 'colour'"),
    ]
    for change, said in changes:
        (folder / "encoder.json").write_text(json.dumps({**described, **change}))
        with pytest.raises(ModelError, match=said):
            open_encoder(folder)
    (folder / "encoder.json").write_text("{")
    with pytest.raises(ModelError, match="not readable as JSON"):
        open_encoder(folder)
    (folder / "encoder.json").write_text(json.dumps(described))
    with (folder / "encoder.onnx").open("ab") as file:
        file.write(b"x")
    with pytest.raises(ModelError, match="is not the file that was exported"):
        open_encoder(folder)
    (folder / "encoder.onnx").unlink()
    with pytest.raises(ModelError, match=r"encoder\.onnx is missing"):
        open_encoder(folder)


def test_what_cannot_be_asked_of_it_is_said(
    exported: Path, checkpoint: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    encoder = OnnxTextModel.load(exported)
    with pytest.raises(InputError, match="no layer 13: the encoder has 0 to 12"):
        list(features(["John"], encoder, layers=13))
    with pytest.raises(InputError, match="split it into windows"):
        sentence_order_score("pain " * 400, "pain " * 400, encoder)
    with pytest.raises(InputError, match="reads tokens"):
        encoder.word_vectors(["John"], None)
    monkeypatch.setattr(exporting, "MOST_APART", 1e-12)
    with pytest.raises(ModelError, match="differs from torch's"):
        export_encoder(checkpoint, tmp_path / "out")
    assert not (tmp_path / "out").exists()
