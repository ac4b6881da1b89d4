"""Where the weights of a run come from: a folder, a package, or a preset with changed sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from incognote.base.errors import EncoderError, TrainError
from incognote.workshop.encoders.families import PRESETS
from incognote.workshop.encoders.text_encoder import MINILM, checkpoint_folder

__all__ = ["MINILM", "checkpoint_folder", "sized"]


def sized(name: str, values: Mapping[str, Any], sizes: Mapping[str, Any]) -> Any:
    """A preset's configuration with `values`, and with the user's `sizes` over them."""
    config: Any = PRESETS[name].config
    known = {field.name for field in fields(config)}
    for size in sizes:
        if size not in known:
            raise TrainError(f"{name} has no size {size}; it has {', '.join(sorted(known))}")
    try:
        return replace(config, **{**values, **sizes})
    except EncoderError as error:
        raise TrainError(f"{name}: {error}") from None
