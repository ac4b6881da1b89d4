"""Whatever a config.json says, loading ends soon, with a model or one sentence."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from text_models import write_encoder

from incognote.base.errors import EncoderError
from incognote.workshop.encoders import load

FAMILIES = ("bert", "albert", "roberta", "distilbert", "xlnet")
WRONG: tuple[object, ...] = (
    *(None, True, -1, 0, 1.5, "x", [], [1], {}, {"a": 1}, 10**9, 10**30, float("nan")),
    *(float("inf"), "9" * 50),
)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_value_of_the_wrong_kind_is_a_sentence(family: str, tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / family, family)
    path = folder / "config.json"
    settings = json.loads(path.read_text())
    more = ("id2label", "num_labels", "incognote", "architectures")
    for key in {*settings, *more}:
        for wrong in WRONG:
            path.write_text(json.dumps({**settings, key: wrong}))
            with suppress(EncoderError):
                load(folder)
