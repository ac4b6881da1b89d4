"""Files of models, encoders and calibrations that are damaged or malicious are one line each."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import h5py
import pytest
from commands import Command
from safetensors.torch import load_file, save_file
from text_models import write_encoder
from tiny_checkpoints import tiny_checkpoint, tiny_model
from workshop.encoders.elmo_reference import draw_weights, write_original

from incognote.workshop.export.encoder import export_encoder

CONTENTS: dict[str, str | bytes] = {
    "deep": "[" * 200_000,
    "deep objects": '{"a":' * 200_000,
    "cut": '{"schema": 1, ',
    "no object": "[1, 2]",
    "empty": "",
    "an empty object": "{}",
    "no text": b"\xff\x00\xfe",
}
FILES = {
    "incognote.json": "model",
    "tokenizer.json": "model",
    "encoder.json": "exported",
    "config.json": "encoder",
    "training.json": "checkpoint",
    "calibration.json": "calibration",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("files")
    tiny_model(home / "model", [tiny_checkpoint(home / "checkpoint")])
    write_encoder(home / "encoder", "bert")
    export_encoder(home / "encoder", home / "exported")
    (home / "calibration").mkdir()
    (home / "note.txt").write_text("Seen in Oslo.")
    return home


def commands(folder: Path) -> dict[str, list[object]]:
    """By folder, one that reads it."""
    note, out = folder / "note.txt", folder / "out"
    return {
        "model": ["deid", note, "-o", out, "--model", folder / "model"],
        "exported": ["fill-mask", "a [MASK]", "--encoder", folder / "exported"],
        "encoder": ["fill-mask", "a [MASK]", "--encoder", folder / "encoder"],
        "checkpoint": ["export", folder / "checkpoint", "-o", out],
        "calibration": [
            *("deid", note, "-o", out, "--calibration", folder / "calibration/calibration.json"),
            *("--min-recall", "0.9"),
        ],
    }


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("file", FILES)
def test_damaged_json_is_one_line(
    file: str, content: str, home: Path, incognote: Command, tmp_path: Path
) -> None:
    kind = FILES[file]
    shutil.copytree(home, tmp_path / "home")
    given = CONTENTS[content]
    path = tmp_path / "home" / kind / file
    path.write_bytes(given.encode() if isinstance(given, str) else given)
    ran = incognote(*commands(tmp_path / "home")[kind])
    assert ran.status == 2
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("incognote: ")
    assert not (tmp_path / "home" / "out").exists()


@pytest.mark.parametrize("outside", ["/etc/hostname", "../note.txt", "..", "a\0b"])
def test_an_encoder_names_no_file_outside_its_folder(
    outside: str, home: Path, incognote: Command, tmp_path: Path
) -> None:
    shutil.copytree(home / "exported", tmp_path / "exported")
    path = tmp_path / "exported" / "encoder.json"
    values = json.loads(path.read_text())
    values["files"][outside] = "0" * 64
    path.write_text(json.dumps(values))
    ran = incognote("fill-mask", "a [MASK]", "--encoder", tmp_path / "exported")
    assert ran.status == 2
    assert "is not the name of a file in the folder" in ran.err


@pytest.mark.parametrize(
    "name", ["../other.safetensors", "/etc/hostname", "..", "a\0", 7, None, ["x"]]
)
def test_an_index_of_shards_names_no_file_outside_its_folder(
    name: object, home: Path, incognote: Command, tmp_path: Path
) -> None:
    shutil.copytree(home / "encoder", tmp_path / "encoder")
    whole = tmp_path / "encoder" / "model.safetensors"
    tensors = load_file(whole)
    save_file(tensors, tmp_path / "other.safetensors", metadata={"format": "pt"})
    whole.unlink()
    index = tmp_path / "encoder" / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": dict.fromkeys(tensors, name)}))
    ran = incognote("fill-mask", "a [MASK]", "--encoder", tmp_path / "encoder")
    assert ran.status == 2
    assert "not beside it" in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("kind", ["external", "virtual"])
def test_weights_of_an_elmo_lie_in_no_other_file(
    kind: str, incognote: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "elmo"
    write_original(folder, draw_weights())
    (path,) = folder.glob("*weights.hdf5")
    with h5py.File(path, "r+") as file:
        shape = file["CNN_proj/b_proj"].shape
        del file["CNN_proj/b_proj"]
        if kind == "external":
            file.create_dataset(
                "CNN_proj/b_proj", shape, "f4", external=[("/etc/hostname", 0, 4096)]
            )
        else:
            layout = h5py.VirtualLayout(shape, "f4")
            layout[:] = h5py.VirtualSource("/etc/hostname", "x", shape)
            file.create_virtual_dataset("CNN_proj/b_proj", layout)
    note = tmp_path / "note.txt"
    note.write_text("Seen.")
    ran = incognote("features", note, "--encoder", folder)
    assert ran.status == 2
    assert "lies in another file, which is not opened" in ran.err


def test_a_checkpoint_in_the_place_of_a_model_says_to_export_it(
    home: Path, incognote: Command
) -> None:
    ran = incognote("deid", home / "note.txt", "--model", home / "checkpoint")
    assert ran.status == 2
    assert "a checkpoint; export it first: incognote export" in ran.err
