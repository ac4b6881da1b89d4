"""One thread, and quiet: the models here are too small to share out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
import transformers


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
