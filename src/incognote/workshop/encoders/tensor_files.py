"""The tensors of a checkpoint folder, from whichever files hold them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any
from warnings import catch_warnings, simplefilter

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from incognote.base import files
from incognote.base.errors import CheckpointError
from incognote.base.files import JsonError, is_plain_name, whole_file
from incognote.workshop.encoders.naming import listed

SAFETENSORS = "model.safetensors"
LEGACY = "pytorch_model.bin"
_SYSTEM = re.compile(r"([^:]+) \(os error (\d+)\)")


def read_tensors(folder: Path) -> dict[str, Tensor]:
    """All tensors, by the names in the files; safetensors before the legacy format."""
    for name in (SAFETENSORS, LEGACY):
        if (folder / name).is_file():
            return read_tensor_file(folder / name)
        if (folder / f"{name}.index.json").is_file():
            return _read_shards(folder / f"{name}.index.json")
    raise CheckpointError(f"{folder}: no weights here (looked for {SAFETENSORS} and {LEGACY})")


def refuse_tensorflow(folder: Path) -> None:
    """Say what a folder as Google published it is: nothing small reads its format."""
    if any(folder.glob("*.ckpt*")) and not any(
        next(folder.glob(f"{name}*"), None) for name in (SAFETENSORS, LEGACY)
    ):
        raise CheckpointError(
            f"{folder}: a TensorFlow checkpoint is read by TensorFlow only; "
            f"convert it to {SAFETENSORS} and config.json first"
        )


def not_finite(tensors: Mapping[str, Tensor]) -> list[str]:
    """The names of tensors in which a number is NaN or infinite."""
    return [
        name
        for name, tensor in tensors.items()
        if tensor.is_floating_point()
        and not tensor.is_meta
        # Numbers of 8 bits have no test of their own.
        and not bool(torch.isfinite(tensor if tensor.itemsize > 1 else tensor.float()).all())
    ]


def write_tensors(tensors: Mapping[str, Tensor], path: Path) -> None:
    """The weights of a checkpoint, or what the system refused; never weights that are no numbers."""
    if wrong := not_finite(tensors):
        raise CheckpointError(
            f"{path}: not written, for there are numbers that are not finite in {listed(wrong)}; "
            "try a lower learning rate or more warm-up"
        )
    try:
        write_safetensors(tensors, path, {"format": "pt"})
    except SafetensorError as error:
        raise _unwritten(path, error) from None


def write_safetensors(
    tensors: Mapping[str, Tensor],
    path: Path,
    metadata: Mapping[str, str],
    *,
    durable: bool = False,
) -> None:
    """A safetensors file, whole or not at all: an old one may still be mapped into memory.

    durable: so even if the machine stops, for which the disk is waited for.
    """
    apart: dict[str, Tensor] = {}
    places: set[int] = set()
    for name, tensor in tensors.items():
        # The format holds no tensor under two names.
        flat = tensor.detach().cpu().contiguous()
        apart[name] = flat.clone() if flat.data_ptr() in places else flat
        places.add(flat.data_ptr())
    with whole_file(path, durable=durable) as part:
        part.touch()
        mode = part.stat().st_mode  # the library's own lets nobody else read
        save_file(apart, part, metadata=dict(metadata))
        part.chmod(mode)


def _unwritten(path: Path, error: SafetensorError) -> Exception:
    """What the system said, such as that the disk is full; the library has it in a sentence."""
    match = _SYSTEM.search(str(error))
    return OSError(int(match[2]), match[1].strip(), str(path)) if match else error


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object."""
    try:
        value = files.read_json(path)
    except FileNotFoundError:
        raise CheckpointError(
            f"{path.parent}: no checkpoint here ({path.name} is missing); give the folder of one"
        ) from None
    except JsonError as error:
        raise CheckpointError(f"{path}: {error}") from None
    if not isinstance(value, dict):
        raise CheckpointError(f"{path}: not a JSON object")
    return value


def _read_shards(index: Path) -> dict[str, Tensor]:
    places = read_json(index).get("weight_map")
    if not isinstance(places, dict):
        raise CheckpointError(f"{index}: has no weight_map")
    tensors: dict[str, Tensor] = {}
    names = places.values()
    if not all(isinstance(name, str) and is_plain_name(name) for name in names):
        raise CheckpointError(f"{index}: names a file that is not beside it, which is not opened")
    for name in sorted(set(names)):
        shard = index.parent / name
        if not shard.is_file():
            raise CheckpointError(f"{index}: names the file {name}, which is not beside it")
        tensors.update(read_tensor_file(shard))
    absent = sorted(set(places) - set(tensors))
    if absent:
        raise CheckpointError(f"{index}: names {listed(absent)}, which its files do not hold")
    return tensors


def read_tensor_file(path: Path) -> dict[str, Tensor]:
    """The tensors of one file, by name; every number in them is finite."""
    tensors = _read(path)
    if wrong := not_finite(tensors):
        raise CheckpointError(
            f"{path}: has numbers that are not finite in {listed(wrong)}; the file is damaged, or of "
            "a training that diverged"
        )
    return tensors


def _read(path: Path) -> dict[str, Tensor]:
    try:
        if path.suffix == ".safetensors":
            tensors = load_file(path)
        else:
            with catch_warnings():
                simplefilter("ignore")  # what it warns of, the error says
                tensors = torch.load(path, map_location="cpu", weights_only=True)
    except SafetensorError:
        raise CheckpointError(
            f"{path}: the file is damaged or cut short; fetch or copy it again"
        ) from None
    except (UnpicklingError, RuntimeError, EOFError, ValueError):
        raise CheckpointError(
            f"{path}: the file is damaged, or holds more than tensors and is not opened"
        ) from None
    if not isinstance(tensors, dict) or not all(
        isinstance(value, Tensor) for value in tensors.values()
    ):
        raise CheckpointError(f"{path}: does not hold tensors by name")
    return tensors
