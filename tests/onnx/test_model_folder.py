"""A model folder comes back as it was written, and what is wrong with one is said in a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from incognote.base.errors import ModelError
from incognote.onnx.model_folder import (
    Crf,
    Member,
    Model,
    Variant,
    digest,
    read_model,
    write_model,
)

CRF = Crf(between=((0.0, 0.5), (-1.0, 0.25)), start=(0.0, 1.0), end=(0.0, 0.0))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.onnx").write_bytes(b"network")
    (tmp_path / "tokenizer.json").write_bytes(b"{}")
    member = Member(
        network="model.onnx", tokenizer="tokenizer.json", shapes=1, window=24, overlap=8, crf=CRF
    )
    model = Model(
        labels=("O", "B-DATE"),
        members={"bert": member},
        variants={"careful": Variant(members=("bert",), thresholds={"DATE": 0.5})},
        files={name: digest(tmp_path / name) for name in ("model.onnx", "tokenizer.json")},
        card={"precision": "fp32"},
    )
    write_model(model, tmp_path)
    assert read_model(tmp_path) == model
    return tmp_path


def edit(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "incognote.json"
    values = json.loads(path.read_text())
    change(values)
    path.write_text(json.dumps(values))


def member(values: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = values["members"]["bert"]
    return found


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda v: v.update(schema=2), "schema version 2"),
        (lambda v: v.pop("schema"), "schema version None"),
        (lambda v: v.update(later=1), "unknown key 'later'"),
        (lambda v: member(v).update(later=1), "unknown key 'later'"),
        (lambda v: v.pop("labels"), "labels is missing"),
        (lambda v: v.update(labels="O"), "labels must be a list"),
        (lambda v: v.update(labels=["O", "O"]), "each once"),
        (lambda v: v.update(members=[]), "members must be an object"),
        (lambda v: v.update(variants={}), "careful"),
        (lambda v: v["variants"].update(quick=v["variants"]["careful"]), "none but"),
        (lambda v: v["variants"]["careful"].update(members=["x"]), "'x', which is not described"),
        (lambda v: v["variants"]["careful"].update(weights=[1, 2]), "as many weights"),
        (lambda v: v["variants"]["careful"].update(weights=[0]), "above 0"),
        (lambda v: v["variants"]["careful"]["thresholds"].update(DATE=2), "from 0 to 1"),
        (lambda v: v["variants"]["careful"]["thresholds"].update(DATE="1"), "must be a number"),
        (lambda v: member(v).update(window="24"), "window must be a whole number"),
        (lambda v: member(v).update(overlap=24), "cannot overlap by 24"),
        (lambda v: member(v).update(network="other.onnx"), "not listed"),
        (lambda v: member(v)["crf"].update(start=[0.0]), "does not fit the labels"),
        (lambda v: member(v)["crf"].update(start=[0.0, float("nan")]), "must be a number"),
        (lambda v: v["files"].update({"../secret": "0"}), "not the name of a file in the folder"),
        (lambda v: v["files"].update({"..": "0"}), "not the name of a file in the folder"),
        (lambda v: v["files"].update({"/etc/passwd": "0"}), "not the name of a file in the folder"),
        (lambda v: v["files"].update({"a\\b": "0"}), "not the name of a file in the folder"),
        (lambda v: v["files"].update({"C:x": "0"}), "not the name of a file in the folder"),
        (lambda v: v["files"].update({"a\0b": "0"}), "not the name of a file in the folder"),
        (
            lambda v: v["files"].update({"incognote.json": "0"}),
            "not the name of a file in the folder",
        ),
        (lambda v: member(v).update(any_order=True), "BIO order"),
        (lambda v: v["files"].update({"more.onnx": "0"}), "more.onnx is missing"),
    ],
)
def test_a_wrong_description_is_refused(
    folder: Path, change: Callable[[dict[str, Any]], object], says: str
) -> None:
    edit(folder, change)
    with pytest.raises(ModelError, match=says) as caught:
        read_model(folder)
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


def test_a_damaged_or_absent_file_is_refused(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"netwOrk")
    with pytest.raises(ModelError, match=r"model\.onnx is not the file that was exported"):
        read_model(folder)
    (folder / "model.onnx").unlink()
    with pytest.raises(ModelError, match=r"model\.onnx is missing"):
        read_model(folder)
    (folder / "incognote.json").write_text('{"schema": 1,')
    with pytest.raises(ModelError, match="damaged"):
        read_model(folder)
    (folder / "incognote.json").write_text("[1]")
    with pytest.raises(ModelError, match="must be an object"):
        read_model(folder)
    with pytest.raises(ModelError, match="no such folder; give a model folder"):
        read_model(folder / "nowhere")


def test_a_variant_is_chosen_by_name(folder: Path) -> None:
    model = read_model(folder)
    assert model.variant() == model.variant("careful")
    with pytest.raises(ModelError, match="no variant 'fast'"):
        model.variant("fast")
