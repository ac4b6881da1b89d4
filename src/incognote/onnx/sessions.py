"""A network opened with onnxruntime, the cores for it, and whether this CPU runs it as it should."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from incognote.base.errors import ModelError

if TYPE_CHECKING:
    import onnxruntime

Floats = npt.NDArray[np.float32]
ERRORS_ONLY = 3


class Network:
    """One `.onnx` file: named integer inputs in, one array of numbers out."""

    def __init__(self, path: Path, *, threads: int = 1) -> None:
        """Open the file; `threads` is how many share one run of it."""
        self._session = open_session(path, threads)
        self.inputs = frozenset(each.name for each in self._session.get_inputs())
        self.width = self._session.get_outputs()[0].shape[-1]

    def run(self, **inputs: npt.NDArray[np.int64]) -> Floats:
        """Arrays [batch, length] to [batch, length, width]."""
        return self._session.run(None, inputs)[0]  # type: ignore[no-any-return]

    def run_outputs(self, outputs: Sequence[str], **inputs: npt.NDArray[np.int64]) -> list[Floats]:
        """Some outputs of a network that has several, in the order asked for."""
        return list(self._session.run(list(outputs), inputs))


def open_session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    """As every network here is opened."""
    onnxruntime = _library()
    try:
        return onnxruntime.InferenceSession(
            str(path), _options(threads), providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime's errors share no public parent
        if not path.is_file():
            raise ModelError(f"{path}: no such file; the model folder is incomplete") from None
        raise ModelError(
            f"{path}: onnxruntime {onnxruntime.__version__} cannot load this network "
            f"({type(error).__name__}); copy the file again, or update onnxruntime"
        ) from None


def _library() -> Any:
    """onnxruntime, kept from reporting to its maker.

    Its package for Linux (1.31) sends to a server what it does, and leaves an id of the machine in the
    cache folder, unless it is told not to before it is loaded.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime


def _options(threads: int) -> Any:
    onnxruntime = _library()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.use_deterministic_compute = True
    options.log_severity_level = ERRORS_ONLY
    # A plan of memory is kept for each shape of input, and windows come in hundreds of lengths.
    options.enable_mem_pattern = False
    return options


# The cores that this process may use

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


@cache
def cores() -> int:
    """Those that the system lets it run on, and no more than its container pays for."""
    allowed = os.cpu_count() or 1
    with suppress(AttributeError, OSError):  # not every system can tell
        allowed = len(os.sched_getaffinity(0))
    return max(1, min(allowed, _paid_for(_QUOTA) or allowed))


def _paid_for(path: Path) -> int | None:
    """The whole cores that a container's quota comes to, at least one; None without a quota."""
    try:
        quota, period = path.read_text(encoding="ascii").split()
        return max(1, int(quota) // int(period))
    except (OSError, ValueError):
        return None


# What a network's arithmetic depends on: the instruction set, and who computes

WIDEST_FIRST = ("AVX512F", "AVX2", "SVE", "ASIMD", "VSX")
EIGHT_BITS = ("amx_int8", "avx512_vnni", "avx_vnni")
"""Instructions for products in 8 bits, in the order in which onnxruntime prefers them."""

_PROCESSOR = Path("/proc/cpuinfo")


def kernel() -> str:
    """The instruction-set family within which a model's results are the same, and what it has for
    8 bits, which changes speed only: `x86_64 avx2`, `x86_64 avx512f avx512_vnni`.
    """
    features = _features()
    widest = next((name for name in WIDEST_FIRST if features.get(name)), "")
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
            name, _, flags = line.partition(":")
            if name.strip() == "flags":
                return frozenset(flags.split())
    return frozenset()


def engine() -> str:
    """The version of onnxruntime."""
    return version("onnxruntime")
