"""What a network's arithmetic depends on: the instruction set, and who computes."""

from __future__ import annotations

import platform
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

WIDEST_FIRST = ("AVX512F", "AVX2", "SVE", "ASIMD", "VSX")
EIGHT_BITS = ("amx_int8", "avx512_vnni", "avx_vnni")
"""Instructions for products in 8 bits, in the order in which onnxruntime prefers them."""

_PROCESSOR = Path("/proc/cpuinfo")


def kernel() -> str:
    """The instruction-set family within which a model's results are the same, and what it has for
    8 bits, which changes speed only: `x86_64 avx2`, `x86_64 avx512f avx512_vnni`.
    """
    found = _features()
    widest = next((name for name in WIDEST_FIRST if found.get(name)), "")
    flags = _flags(_PROCESSOR)
    eight_bits = next((name for name in EIGHT_BITS if name in flags), "")
    return " ".join(filter(None, (platform.machine(), widest.lower(), eight_bits)))


def _features() -> dict[str, bool]:
    """As numpy saw them when it was loaded; its versions keep them in different places."""
    for name in ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath"):
        with suppress(ImportError, AttributeError):
            return dict(import_module(name).__cpu_features__)
    return {}


def _flags(path: Path) -> frozenset[str]:
    """As Linux tells them of the first core; none elsewhere."""
    with suppress(OSError, UnicodeDecodeError), path.open(encoding="ascii") as lines:
        for line in lines:
            name, _, told = line.partition(":")
            if name.strip() == "flags":
                return frozenset(told.split())
    return frozenset()


def engine() -> str:
    """The version of onnxruntime."""
    return version("onnxruntime")
