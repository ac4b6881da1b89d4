"""What a network's arithmetic depends on: the instruction set, and who computes."""

from __future__ import annotations

import platform
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version

WIDEST_FIRST = ("AVX512F", "AVX2", "SVE", "ASIMD", "VSX")


def kernel() -> str:
    """The instruction-set family within which a model's results are the same: `x86_64 avx2`."""
    found = _features()
    widest = next((name for name in WIDEST_FIRST if found.get(name)), "")
    return f"{platform.machine()} {widest.lower()}".strip()


def _features() -> dict[str, bool]:
    """As numpy saw them when it was loaded; its versions keep them in different places."""
    for name in ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath"):
        with suppress(ImportError, AttributeError):
            return dict(import_module(name).__cpu_features__)
    return {}


def engine() -> str:
    """The version of onnxruntime."""
    return version("onnxruntime")
