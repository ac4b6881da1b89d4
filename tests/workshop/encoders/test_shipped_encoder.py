"""The clinical ALBERT that comes with the package: what it says, with torch and without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from commands import without_torch

from incognote.workshop.encoders import TextModel, fill_mask, open_encoder, sentence_order_score
from incognote.workshop.encoders.text_encoder import SHIPPED

MOST_BYTES = 10_000_000
PROBES = {
    "The patient denies chest [MASK].": "pain",
    "He has a history of high blood [MASK].": "pressure",
    "The patient denies fever, [MASK], nausea or vomiting.": "chills",
    "The patient is a 54-year-old [MASK] with chest pain.": "female",
}
IN_ORDER = [
    (
        "CHIEF COMPLAINT: Chest pain. HISTORY OF PRESENT ILLNESS: The patient is a 54-year-old male who "
        "presents with chest pain for two days. He denies shortness of breath.",
        "ASSESSMENT AND PLAN: Chest pain, likely musculoskeletal. We will obtain an EKG. He will follow "
        "up in two weeks.",
    ),
    (
        "The patient was brought to the operating room and placed in the supine position. General "
        "anesthesia was induced.",
        "The skin was closed with staples. The patient tolerated the procedure well and was taken to "
        "the recovery room in stable condition.",
    ),
]


def guessed(text: str, folder: Path | None = None) -> list[str]:
    fills = fill_mask(text, folder)
    return [fill["token_str"].lstrip("▁") for fill in fills]  # type: ignore[call-overload]


@pytest.mark.parametrize("text", PROBES)
def test_it_answers_sensibly(text: str) -> None:
    assert PROBES[text] in guessed(text)


def test_it_needs_neither_torch_nor_a_name() -> None:
    text = "The patient denies chest [MASK]."
    ran = without_torch("fill-mask", text, "--json")
    assert ran.returncode == 0, ran.stderr
    assert [fill["token_str"].lstrip("▁") for fill in json.loads(ran.stdout)] == guessed(text)


def test_its_checkpoint_says_the_same() -> None:
    """The network is stored in 8 bits, the checkpoint in 16."""
    exported, checkpoint = open_encoder(), TextModel.load(SHIPPED)
    for text in PROBES:
        encoding = checkpoint.pieces.prompt(text)
        masks = np.flatnonzero(encoding.ids == checkpoint.pieces.mask_id)
        ours, torchs = (each.mask_logits(encoding, masks) for each in (exported, checkpoint))
        ours, torchs = (np.exp(each) / np.exp(each).sum() for each in (ours, torchs))
        np.testing.assert_allclose(ours, torchs, atol=0.03)


@pytest.mark.parametrize(("first", "second"), IN_ORDER)
def test_it_tells_which_text_comes_first(first: str, second: str) -> None:
    assert sentence_order_score(first, second) > 0.5 > sentence_order_score(second, first)


def test_transformers_loads_it() -> None:
    from transformers import AlbertForMaskedLM

    theirs: Any = AlbertForMaskedLM.from_pretrained(SHIPPED, dtype=torch.float32)
    theirs.eval()
    ours = TextModel.load(SHIPPED)
    encoding = ours.pieces.prompt("The patient denies chest [MASK].")
    masks = np.flatnonzero(encoding.ids == ours.pieces.mask_id)
    with torch.inference_mode():
        logits = theirs(
            torch.from_numpy(encoding.ids)[None],
            token_type_ids=torch.from_numpy(encoding.segments)[None],
        ).logits[0]
    np.testing.assert_allclose(
        ours.mask_logits(encoding, masks), logits[masks].numpy(), atol=1e-4, rtol=1e-4
    )


def test_it_is_small() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) <= MOST_BYTES
