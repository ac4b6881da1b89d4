"""The recipe that makes notes with the study's proportions, as a module."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from typing import Any

RECIPE = Path(__file__).parent.parent / "recipes" / "study_corpus"


@cache
def study_notes() -> Any:
    """Its script, which is no module of the product."""
    spec = importlib.util.spec_from_file_location("make_notes", RECIPE / "make_notes.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module
