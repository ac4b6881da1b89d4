"""A network opened with onnxruntime, set up so that the same input gives the same output."""

from __future__ import annotations

from collections.abc import Sequence
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
        self.inputs = frozenset(given.name for given in self._session.get_inputs())
        self.width = self._session.get_outputs()[0].shape[-1]

    def run(self, **inputs: npt.NDArray[np.int64]) -> Floats:
        """Arrays [batch, length] to [batch, length, width]."""
        return self._session.run(None, inputs)[0]  # type: ignore[no-any-return]

    def named(self, outputs: Sequence[str], **inputs: npt.NDArray[np.int64]) -> list[Floats]:
        """Some outputs of a network that has several, in the order asked for."""
        return list(self._session.run(list(outputs), inputs))


def open_session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    """As every network here is opened."""
    import onnxruntime

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


def _options(threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.use_deterministic_compute = True
    options.log_severity_level = ERRORS_ONLY
    # A plan of memory is kept for each shape of input, and windows come in hundreds of lengths.
    options.enable_mem_pattern = False
    return options
