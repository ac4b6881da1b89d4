"""How many windows of a corpus one training step can have in a device's memory.

Two steps are tried with the longest window, once alone and once twice: what the second needs more is
a window's share. On a GPU that is the allocator's peak. On a CPU it is what autograd keeps for the
way back, and a quarter more for what is there only for a moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import Parameter

from incognote.base.errors import TrainError
from incognote.workshop.finetune.examples import Example

USED = 0.9
"""Of what is free; the rest is for other programs and for pieces that do not fit together."""
FOR_A_MOMENT = 1.25
_COPIES = 3
"""Gradients and AdamW's two moments, which are not there before the first step."""

Backward = Callable[[Sequence[Example]], object]
"""Loss and gradients of some windows."""


def windows_that_fit(
    backward: Backward,
    examples: Sequence[Example],
    parameters: Iterable[Parameter],
    device: torch.device,
    *,
    free: int | None = None,
) -> int:
    """The largest batch, at least 1 and at most all windows; `free` bytes are asked for if not given."""
    learned = [parameter for parameter in parameters if parameter.requires_grad]
    free = free_memory(device) if free is None else free
    fixed = _COPIES * sum(parameter.nbytes for parameter in learned)
    longest = max(examples, key=lambda example: example.length)
    one, two = (_needed(backward, [longest] * count, device) for count in (1, 2))
    for parameter in learned:
        parameter.grad = None
    share = max(1, two - one)
    count = int((USED * free - fixed - (one - share)) // share)
    if count < 1:
        raise TrainError(
            f"the memory of {device} has {free / 1e9:.1f} GB free, too little for one window: "
            "give --window a smaller one, or take a smaller encoder"
        )
    return min(count, len(examples))


def _needed(backward: Backward, batch: Sequence[Example], device: torch.device) -> int:
    """Bytes of a step, besides weights and gradients."""
    if device.type == "cuda":
        backward(batch)  # so that gradients are there already
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        backward(batch)
        return torch.cuda.max_memory_allocated(device) - before
    kept: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        backward(batch)
    return int(FOR_A_MOMENT * sum(kept.values()))


def free_memory(device: torch.device) -> int:
    """Bytes that a program may still take."""
    if device.type == "cuda":
        unused = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return torch.cuda.mem_get_info(device)[0] + unused
    if device.type == "mps":
        return torch.mps.recommended_max_memory() - torch.mps.driver_allocated_memory()
    try:
        import psutil
    except ModuleNotFoundError:
        raise TrainError(
            "to know how much memory is free needs psutil, which is not installed: "
            "pip install 'incognote[train]', or say how many windows"
        ) from None
    return min([int(psutil.virtual_memory().available), *_container_memory()])


def _container_memory(root: Path = Path("/sys/fs/cgroup")) -> list[int]:
    """What a container leaves free, if it has a limit (control groups, version 2 or 1)."""
    found = []
    for limit, usage, cached in (
        ("memory.max", "memory.current", "memory.stat"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat"),
    ):
        try:
            most, used = (int((root / name).read_text()) for name in (limit, usage))
            lines = (root / cached).read_text().splitlines()
        except (OSError, ValueError):  # none, or "max"
            continue
        counts = dict(line.split()[:2] for line in lines)
        given_back = int(counts.get("inactive_file", counts.get("total_inactive_file", 0)))
        found.append(max(0, most - used + given_back))
    return found
