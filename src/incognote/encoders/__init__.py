"""The encoders' public names; what they are is in `incognote.workshop.encoders`.

model = incognote.encoders.load("albert-base-v2/")
incognote.encoders.fill_mask("The patient denies chest [MASK].")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from incognote.workshop.encoders import (
        Model,
        OnnxTextModel,
        TextModel,
        fill_mask,
        load,
        next_sentence_score,
        open_encoder,
        preset,
        save,
        sentence_order_score,
    )

__all__ = [
    "Model",
    "OnnxTextModel",
    "TextModel",
    "fill_mask",
    "load",
    "next_sentence_score",
    "open_encoder",
    "preset",
    "save",
    "sentence_order_score",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from incognote.workshop import encoders

    return getattr(encoders, name)
