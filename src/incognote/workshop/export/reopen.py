"""An exported network as a checkpoint again, which can be trained further, or teach.

What a model folder holds in 8 bits becomes 32-bit numbers; exported again, it gives the same
network, but for rounding. Positions beyond a window were never exported, so the checkpoint has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from tokenizers import Tokenizer

from incognote.base.errors import ModelError
from incognote.onnx.model_folder import SPEEDS, Member, read_model
from incognote.workshop.encoders.bert import BertConfig
from incognote.workshop.encoders.model import Model
from incognote.workshop.export.body import LEAST
from incognote.workshop.finetune.checkpoint import shape_settings
from incognote.workshop.finetune.tagger import Tagger

Floats = npt.NDArray[np.float32]
ACTIVATION = "gelu"
TOGETHER = {"qkv": ("query", "key", "value"), "kv": ("key", "value")}
"""Matrices that read the same and are stored as one."""

SAME = {
    "shapes.rows": "shape.rows.weight",
    "others.gains": "others.gains",
    "places": "model.encoder.embeddings.positions.weight",
    "words": "model.encoder.embeddings.words.weight",
}
ROOMS = {
    "attentions": "model.encoder.stack.",
    "feed_forwards": "model.encoder.stack.",
    "embeddings": "model.encoder.",
    "classifier": "model.heads.tokens.",
    "settling": "",
}
"""Where in a tagger the parts of a network are."""


def _constants(network: onnx.ModelProto) -> dict[str, Floats]:
    """Tables, matrices [in, out] and vectors by name, in 32 bits."""
    initializers = {each.name: numpy_helper.to_array(each) for each in network.graph.initializer}
    constants = {}
    for name, value in initializers.items():
        scale = initializers.get(f"{name.removesuffix('.weight')}.scale")
        if value.dtype == np.int8 and scale is not None:
            value = value.astype(np.float32) * scale
        if value.dtype == np.float32 and not name.endswith(".scale"):
            constants[name] = value
    for name in [name for name in constants if name.endswith(".down.bias")]:
        if initializers[name.replace("bias", "weight")].dtype == np.int8:
            # 8-bit products are of values raised to begin at 0, and the bias takes the rise back.
            rise = LEAST[ACTIVATION] * constants[name.replace("bias", "weight")].sum(axis=0)
            constants[name] = constants[name] - rise.astype(np.float32)
    return constants


def _state(constants: dict[str, Floats]) -> dict[str, torch.Tensor]:
    """The constants of a network under the names of a tagger's parameters."""
    state = {SAME[name]: value for name, value in constants.items() if name in SAME}
    for name, value in constants.items():
        room, _, rest = name.partition(".")
        kind = name.rpartition(".")[2]
        if room not in ROOMS or kind not in ("weight", "bias"):
            continue
        module = name.split(".")[-2]
        parts = TOGETHER.get(module, (module,))
        for part, own in zip(parts, np.split(value, len(parts), axis=-1), strict=True):
            place = f"{ROOMS[room]}{room}.{rest}".replace(f".{module}.", f".{part}.")
            state[place] = own.T if own.ndim == 2 else own
    return {name: torch.tensor(np.ascontiguousarray(value)) for name, value in state.items()}


def _tagger(network: onnx.ModelProto, member: Member, labels: tuple[str, ...]) -> Tagger:
    """The tagger that the network was exported from."""
    constants = _constants(network)
    operators = {node.op_type for node in network.graph.node}
    if not {"MultiHeadAttention", "Gelu"} <= operators or "places" not in constants:
        raise ModelError("only networks of BERT's kind, as the package has them, can be reopened")
    layers = len([name for name in constants if name.endswith(".down.bias")])
    heads = next(
        attribute.i
        for node in network.graph.node
        if node.op_type == "MultiHeadAttention"
        for attribute in node.attribute
        if attribute.name == "num_heads"
    )
    config = BertConfig(
        vocabulary_size=len(constants["words"]),
        hidden_size=constants["words"].shape[1],
        layers=layers,
        heads=heads,
        feed_forward_size=len(constants["feed_forwards.0.up.bias"]),
        positions=len(constants["places"]),
        activation=ACTIVATION,
    )
    # From the first layer on that reads some tokens only, queries stand apart.
    settle = next((n for n in range(layers) if f"attentions.{n}.query.weight" in constants), None)
    tagger = Tagger(
        Model(config, heads=("tokens",), labels=labels),
        shape=member.shapes is not None,
        crf=member.crf is not None,
        settle=settle,
        join=member.join is not None,
    )
    state = _state(constants)
    if (crf := member.crf) is not None:
        for name in ("between", "start", "end"):
            state[f"crf.{name}"] = torch.tensor(getattr(crf, name))
    # All tokens are of segment 0, whose row is in the positions'.
    segments = "model.encoder.embeddings.segments.weight"
    state[segments] = torch.zeros(config.segments, config.hidden_size)
    tagger.load_state_dict(state)
    return tagger.eval()


@dataclass(frozen=True, eq=False)
class Reopened:
    """A trained model again, its tokenizer, and what training.json says of its structure."""

    tagger: Tagger
    tokenizer: Tokenizer
    training: Mapping[str, Any]


def reopen(folder: Path, name: str | None = None) -> Reopened:
    """A network of a model folder, by its name or that of a speed; without a name, the careful one."""
    model = read_model(folder)
    member_name = name or SPEEDS[0]
    if member_name in model.variants:
        member_name = model.variants[member_name].members[0]
    if member_name not in model.members:
        raise ModelError(
            f"{folder}: no network {member_name}; there are {', '.join(model.members)}"
        )
    member = model.members[member_name]
    tagger = _tagger(onnx.load(str(folder / member.network)), member, model.labels)
    training = {
        "labels": list(model.labels),
        "shape": shape_settings(member.shapes is not None),
        "crf": member.crf is not None,
        "settle": None if tagger.settling is None else tagger.settling.after,
        "join": member.join,
        "window": member.window,
        "overlap": member.overlap,
    }
    return Reopened(tagger, Tokenizer.from_file(str(folder / member.tokenizer)), training)
