"""ELMo, composed. Its own checkpoints are read by `original`; ours keep our names."""

from __future__ import annotations

from incognote.workshop.encoders.elmo.config import ElmoConfig
from incognote.workshop.encoders.elmo.encoder import Elmo
from incognote.workshop.encoders.family import PIECE_HEAD_NAMES, PIECE_HEADS, Family

ELMO = Family(
    name="elmo",
    prefix="elmo.",
    config=ElmoConfig,
    encoder=Elmo,
    heads={"tokens": PIECE_HEADS["tokens"]},
    architectures={"ElmoModel": (), "ElmoForTokenClassification": ("tokens",)},
    body=(
        ("encoder.words", "elmo.words"),
        ("encoder.forward_layers", "elmo.forward_layers"),
        ("encoder.backward_layers", "elmo.backward_layers"),
        ("encoder.mix", "elmo.mix"),
    ),
    head_names={"tokens": PIECE_HEAD_NAMES["tokens"]},
    counts=lambda config: (),
)
