"""An encoder by itself, exported to fill masks and to give vectors without torch."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from incognote import __version__
from incognote.align.word_tokenizer import ByteWords
from incognote.base.errors import ModelError
from incognote.corpus.output import staged
from incognote.onnx.encoder_folder import (
    CHOSEN,
    IDS,
    MIXED,
    MLM,
    NETWORK,
    NSP,
    PLM,
    SEGMENTS,
    SOP,
    TOKENIZER,
    WORDS,
    EncoderFolder,
    state_name,
    write_encoder_folder,
)
from incognote.onnx.model_folder import digest
from incognote.onnx.sessions import Network
from incognote.workshop.encoders.checkpoints import load
from incognote.workshop.encoders.elmo import Elmo
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.text_model import TextModel
from incognote.workshop.export.graph import Int8Weights
from incognote.workshop.export.network import encoder_network
from incognote.workshop.export.proof import MOST_APART, random_ids


def export_encoder(
    source: Path,
    output: Path,
    *,
    int8: bool = False,
    card: Mapping[str, Any] | None = None,
    overwrite: bool = False,
    tell: Callable[[str], None] = lambda sentence: None,
) -> None:
    """A folder that `fill-mask` and `features` read without torch, from a pretrained checkpoint.

    int8: matrices are stored in 8 bits, and still multiplied in 32. `card` joins what the folder
    says of itself.
    """
    text_model = TextModel.load(source)
    tokenizer, whole = text_model.tokenizer, text_model.model
    heads = tuple(head for head in (MLM, PLM, SOP, NSP) if head in whole.heads)
    model = load(source, heads=heads)
    with staged(output, [source], overwrite=overwrite) as folder:
        folder.mkdir()
        path = folder / NETWORK
        path.write_bytes(encoder_network(model).SerializeToString())
        apart = distance(model, path)
        tell(f"fp32: {path.stat().st_size / 1e6:.1f} MB; within {apart:.1e} of torch's")
        if not apart <= MOST_APART:
            raise ModelError(f"the network differs from torch's by {apart:.2g}; not exported")
        if int8:
            path.write_bytes(encoder_network(model, Int8Weights()).SerializeToString())
            lost = distance(model, path)
            if not math.isfinite(lost):
                raise ModelError("the network in 8 bits gives what is no number; not exported")
            tell(f"int8: {path.stat().st_size / 1e6:.1f} MB; within {lost:.1e} of torch's")
        if tokenizer is None:
            read = ByteWords(model.config.characters_per_word)
            read.save(str(folder / WORDS))
        else:
            tokenizer.save(folder)
            _tighten(folder / TOKENIZER)
        longest = model.config.longest
        description = EncoderFolder(
            family=model.family.name,
            vocabulary_size=getattr(model.config, "vocabulary_size", 0),
            hidden_size=model.config.hidden_size,
            layers=model.config.layers,
            longest=longest if longest < sys.maxsize else None,
            heads=heads,
            files={
                name: digest(folder / name)
                for name in (NETWORK, WORDS if tokenizer is None else TOKENIZER)
            },
            card={
                "incognote": __version__,
                "precision": "int8" if int8 else "fp32",
                **(card or {}),
            },
        )
        write_encoder_folder(description, folder)


def _tighten(path: Path) -> None:
    """JSON without the white space that makes it half as large again."""
    values = json.loads(path.read_text(encoding="utf-8"))
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf-8")


def _expected(model: Model, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """What torch gives, by the names of the network's outputs."""
    chosen = inputs.pop(CHOSEN, None)
    more: dict[str, Tensor] = {} if chosen is None else {"chosen": chosen}
    if PLM in model.heads and chosen is not None:
        length = inputs[IDS].shape[1]
        unseen = torch.zeros(1, length, length)
        unseen[:, :, chosen] = 1
        mapping = torch.eye(length)[chosen][None]
        own = model(**inputs, perm_mask=unseen, target_mapping=mapping)
        more = {"perm_mask": unseen}
        expected = {PLM: own[PLM][0]}
    else:
        expected = model(**inputs, **more)
        more = {}
    encoded = model.encoder(**inputs, **more, states=True)
    expected |= {state_name(layer): state for layer, state in enumerate(encoded.states)}
    return {**expected, MIXED: encoded.hidden} if isinstance(model.encoder, Elmo) else expected


@torch.inference_mode()
def distance(model: Model, path: Path) -> float:
    """The largest difference, of states and of logits, between the network at `path` and torch.

    Beside the largest number of them where that is above 1: some families do not norm their states.
    """
    network, config = Network(path), model.config
    draws = np.random.default_rng(0)
    apart = 0.0
    for ids in random_ids(draws, config, config.longest):
        if PLM in model.heads:
            ids = ids[:1]
        segments = np.sort(draws.integers(0, getattr(config, "segments", 1), ids.shape[:2]), axis=1)
        count = ids.shape[0] * ids.shape[1]
        chosen = draws.permutation(count)[:5]
        every = {IDS: ids, SEGMENTS: segments, CHOSEN: chosen}
        inputs = {name: value for name, value in every.items() if name in network.inputs}
        expected = _expected(model, {name: torch.from_numpy(each) for name, each in inputs.items()})
        outputs = network.run_outputs(list(expected), **inputs)
        for one, other in zip(outputs, expected.values(), strict=True):
            wanted = other.numpy()
            lost = np.abs(one - wanted).max(initial=0.0) / np.abs(wanted).max(initial=1.0)
            apart = float(np.maximum(apart, lost))  # keeps what is no number, as max would not
    return apart
