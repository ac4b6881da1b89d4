"""ELMo written out slowly in numpy, from weights as TensorFlow lays them out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from incognote.workshop.encoders.elmo import ElmoConfig

Array = npt.NDArray[np.float64]
TINY = ElmoConfig(
    character_size=3,
    filters=((1, 4), (2, 5), (3, 6)),
    highways=2,
    cell_size=11,
    projection_size=7,
    cell_clip=1.5,
    projection_clip=0.8,
)
CELL = "RNN_{}/RNN/MultiRNNCell/Cell{}/LSTMCell"


def draw_weights(config: ElmoConfig = TINY, seed: int = 5) -> dict[str, Array]:
    """Every array of a weights file, from N(0, 0.5)."""
    draws = np.random.default_rng(seed)
    size = sum(count for _, count in config.filters)
    cell, out = config.cell_size, config.projection_size
    shapes: dict[str, tuple[int, ...]] = {"char_embed": (261, config.character_size)}
    for number, (width, count) in enumerate(config.filters):
        shapes[f"CNN/W_cnn_{number}"] = (1, width, config.character_size, count)
        shapes[f"CNN/b_cnn_{number}"] = (count,)
    for number in range(config.highways):
        for part in ("carry", "transform"):
            shapes[f"CNN_high_{number}/W_{part}"] = (size, size)
            shapes[f"CNN_high_{number}/b_{part}"] = (size,)
    shapes |= {"CNN_proj/W_proj": (size, out), "CNN_proj/b_proj": (out,)}
    for direction in range(2):
        for layer in range(config.layers):
            place = CELL.format(direction, layer)
            shapes[f"{place}/W_0"] = (2 * out, 4 * cell)
            shapes[f"{place}/B"] = (4 * cell,)
            shapes[f"{place}/W_P_0"] = (cell, out)
    return {name: draws.normal(0, 0.5, shape) for name, shape in shapes.items()}


def write_original(folder: Path, weights: Mapping[str, Any], config: ElmoConfig = TINY) -> None:
    """A folder as ELMo was published."""
    folder.mkdir(exist_ok=True)
    with h5py.File(folder / "tiny_weights.hdf5", "w") as file:
        for name, array in weights.items():
            file[name] = array.astype(np.float32)
    (folder / "tiny_options.json").write_text(json.dumps(config.to_huggingface()))


def reference_layers(
    sentences: list[list[str]], weights: Mapping[str, Array], config: ElmoConfig = TINY
) -> list[list[Array]]:
    """For sentences read one after the other, each one's layers [words, 2 · projection size].

    The boundaries' rows are left out of the result.
    """
    carried = {
        (layer, direction): (np.zeros(config.projection_size), np.zeros(config.cell_size))
        for layer in range(config.layers)
        for direction in range(2)
    }
    found = []
    for sentence in sentences:
        rows = [[256], *(list(word.encode()[:48]) for word in sentence), [257]]
        words = np.array([word_vector(row, weights, config) for row in rows])
        layers = [np.concatenate([words, words], -1)]
        streams = [words, words[::-1]]
        for layer in range(config.layers):
            for direction in range(2):
                read = []
                for word in streams[direction]:
                    output, cell = lstm_step(
                        word,
                        *carried[layer, direction],
                        weights,
                        CELL.format(direction, layer),
                        config,
                    )
                    carried[layer, direction] = (output, cell)
                    read.append(output + word if layer else output)
                streams[direction] = np.array(read)
            layers.append(np.concatenate([streams[0], streams[1][::-1]], -1))
        found.append([layer[1:-1] for layer in layers])
    return found


def word_vector(row: list[int], weights: Mapping[str, Array], config: ElmoConfig) -> Array:
    """One word: convolutions by hand, their highest place, two gated layers, projection."""
    codes = [258, *row, 259]
    codes += [260] * (50 - len(codes))
    characters = weights["char_embed"][codes]
    found: list[float] = []
    for number, (width, count) in enumerate(config.filters):
        kernel, bias = weights[f"CNN/W_cnn_{number}"][0], weights[f"CNN/b_cnn_{number}"]
        for unit in range(count):
            highest = max(
                float((characters[at : at + width] * kernel[:, :, unit]).sum())
                for at in range(50 - width + 1)
            )
            found.append(max(0.0, highest + float(bias[unit])))
    vector = np.array(found)
    for number in range(config.highways):
        place = f"CNN_high_{number}"
        carry = sigmoid(vector @ weights[f"{place}/W_carry"] + weights[f"{place}/b_carry"])
        new = vector @ weights[f"{place}/W_transform"] + weights[f"{place}/b_transform"]
        vector = carry * np.maximum(new, 0) + (1 - carry) * vector
    return np.asarray(vector @ weights["CNN_proj/W_proj"] + weights["CNN_proj/b_proj"])


def lstm_step(
    word: Array,
    output: Array,
    cell: Array,
    weights: Mapping[str, Array],
    place: str,
    config: ElmoConfig,
) -> tuple[Array, Array]:
    """TensorFlow's LSTMCell: gates i, j, f, o, a forget bias of 1, both clips."""
    gates = np.concatenate([word, output]) @ weights[f"{place}/W_0"] + weights[f"{place}/B"]
    i, j, f, o = np.split(gates, 4)
    cell = sigmoid(f + 1.0) * cell + sigmoid(i) * np.tanh(j)
    cell = np.clip(cell, -config.cell_clip, config.cell_clip)
    output = (sigmoid(o) * np.tanh(cell)) @ weights[f"{place}/W_P_0"]
    return np.clip(output, -config.projection_clip, config.projection_clip), cell


def sigmoid(values: Array) -> Array:
    """1 / (1 + e⁻ˣ)."""
    return np.asarray(1 / (1 + np.exp(-values)))
