"""The published ELMo: options.json and weights.hdf5, in TensorFlow's layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from incognote.base.errors import CheckpointError
from incognote.workshop.encoders.elmo import ElmoConfig
from incognote.workshop.encoders.naming import listed
from incognote.workshop.encoders.tensor_files import read_json

Array = npt.NDArray[np.float32]
OPTIONS, WEIGHTS = "*options.json", "*weights.hdf5"


def is_original(folder: Path) -> bool:
    """Whether a folder holds ELMo as its authors published it."""
    return any(folder.glob(OPTIONS)) and any(folder.glob(WEIGHTS))


def read_original(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """What config.json would say, and the tensors under the names of our own files.

    The mix is not in them: a task learns it, from equal shares of all layers.
    """
    settings = {"model_type": "elmo", **read_json(_only(folder, OPTIONS))}
    config = ElmoConfig.from_huggingface(settings)
    path = _only(folder, WEIGHTS)
    arrays = _read(path)
    tensors = {
        "elmo.mix.weights": torch.zeros(config.layers + 1),
        "elmo.mix.scale": torch.ones(()),
    }
    rows = list(_rows(config))
    absent = sorted({theirs for theirs, _, _ in rows} - arrays.keys())
    left = sorted(arrays.keys() - {theirs for theirs, _, _ in rows})
    if absent or left:
        parts = [f"lacks {listed(absent)}"] if absent else []
        parts += [f"has {listed(left)}, which the options do not mention"] if left else []
        raise CheckpointError(f"{path}: {' and '.join(parts)}")
    for theirs, ours, ordered in rows:
        array = np.array(ordered(arrays[theirs]), dtype=np.float32, order="C")
        tensors[f"elmo.{ours}"] = torch.from_numpy(array)
    return settings, tensors


def _rows(config: ElmoConfig) -> Iterator[tuple[str, str, Callable[[Array], Array]]]:
    """Their name, ours, and the values in our order; matrices there are [input, output]."""
    yield "char_embed", "words.characters.weight", lambda a: np.pad(a, ((1, 0), (0, 0)))
    for number in range(len(config.filters)):
        ours = f"words.convolutions.{number}"
        # [1, width, characters, filters] to [filters, characters, width]
        yield f"CNN/W_cnn_{number}", f"{ours}.weight", lambda a: a[0].transpose(2, 1, 0)
        yield f"CNN/b_cnn_{number}", f"{ours}.bias", _as_is
    for number in range(config.highways):
        for theirs, ours in (("carry", "gate"), ("transform", "transform")):
            place = f"words.highways.{number}.{ours}"
            yield f"CNN_high_{number}/W_{theirs}", f"{place}.weight", np.transpose
            yield f"CNN_high_{number}/b_{theirs}", f"{place}.bias", _as_is
    yield "CNN_proj/W_proj", "words.projection.weight", np.transpose
    yield "CNN_proj/b_proj", "words.projection.bias", _as_is
    size = config.projection_size
    for direction, layers in enumerate(("forward_layers", "backward_layers")):
        for number in range(config.layers):
            theirs = f"RNN_{direction}/RNN/MultiRNNCell/Cell{number}/LSTMCell"
            ours = f"{layers}.{number}"
            yield f"{theirs}/W_0", f"{ours}.input.weight", lambda a: a[:size].T
            yield f"{theirs}/W_0", f"{ours}.recurrent.weight", lambda a: a[size:].T
            yield f"{theirs}/B", f"{ours}.input.bias", _as_is
            yield f"{theirs}/W_P_0", f"{ours}.projection.weight", np.transpose


def _as_is(array: Array) -> Array:
    return array


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise CheckpointError(f"{folder}: has {len(found)} files {pattern}, not one")
    return found[0]


def _read(path: Path) -> dict[str, Array]:
    try:
        import h5py
    except ImportError:
        raise CheckpointError(f"{path}: reading it needs h5py installed") from None
    arrays: dict[str, Array] = {}

    def keep(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            if item.external or item.is_virtual:
                raise CheckpointError(f"{path}: {name} lies in another file, which is not opened")
            arrays[name] = item[...]

    try:
        with h5py.File(path, "r") as file:
            file.visititems(keep)
    except OSError:
        raise CheckpointError(
            f"{path}: the file is damaged or cut short; fetch or copy it again"
        ) from None
    return arrays
