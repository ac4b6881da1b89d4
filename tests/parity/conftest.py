"""One thread, and quiet: the models here are too small to share out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor
from transformers.models.modernbert import modeling_modernbert


@pytest.fixture(autouse=True)
def _rotations_as_precise_as_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hugging Face's ModernBERT rounds queries and keys to 32 bits even where all else has 64."""

    def rotated(
        query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, unsqueeze_dim: int = 1
    ) -> Any:
        rotate_half: Any = modeling_modernbert.rotate_half
        cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
        return tuple(part * cos + rotate_half(part) * sin for part in (query, key))

    monkeypatch.setattr(modeling_modernbert, "apply_rotary_pos_emb", rotated)


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    logging: Any = transformers.logging
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(before)
