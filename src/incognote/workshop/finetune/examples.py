"""Annotated notes as windows with a tag for each token, packed into batches without padding.

How many windows fit into a device's memory is measured
(`windows_that_fit`): two steps are tried with the longest window, once alone and once twice; what the
second needs more is a window's share. On a GPU that is the allocator's peak. On a CPU it is what
autograd keeps for the way back, and a quarter more for what is there only for a moment.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import Parameter

from incognote.align.note_reader import NoteReader, TokenizedNote, WindowInput
from incognote.align.tags import Labels, spans_to_tags
from incognote.align.tokens import Integers
from incognote.base.errors import TrainError
from incognote.document import Document

USED = 0.9
"""Of what is free; the rest is for other programs and for blocks that do not fit together."""
FOR_A_MOMENT = 1.25
_COPIES = 3
"""Gradients and AdamW's two moments, which are not there before the first step."""


@dataclass(frozen=True, eq=False)
class Example:
    """One window of a note and the tags of the tokens that count in it.

    A token counts where it has most context, so once: [first, last) of the input. `opens` and
    `closes` say whether these tokens begin and end the note.
    """

    reading: TokenizedNote
    number: int
    tags: Integers
    length: int
    """Tokens with the special ones around them."""
    opens: bool
    closes: bool

    @property
    def input(self) -> WindowInput:
        """What the model is given."""
        return self.reading.input(self.number)


def examples(documents: Sequence[Document], reader: NoteReader, labels: Labels) -> list[Example]:
    """The windows of all notes in order; every token of a span is tagged, B only on its first."""
    missing = sorted({s.type for d in documents for s in d.spans} - set(labels.types))
    if missing:
        raise TrainError(
            f"the label set has no {', '.join(missing)}: train with --labels own, or rename these "
            "types (incognote corpus convert --map)"
        )
    windows = []
    for document, reading in zip(
        documents, reader.read_all([document.text for document in documents]), strict=True
    ):
        tags = spans_to_tags(document.spans, reading.offsets, labels).tags
        over = reading.windows
        for number in range(len(over)):
            first, last = int(over.owned[number]), int(over.owned[number + 1])
            windows.append(
                Example(
                    reading,
                    number,
                    tags[first:last],
                    int(over.ends[number] - over.starts[number]) + len(reading.frame),
                    opens=first == 0,
                    closes=last == over.count,
                )
            )
    return windows


def label_counts(windows: Sequence[Example], labels: Labels) -> Integers:
    """How many tokens have each label."""
    tags = np.concatenate([example.tags for example in windows])
    return np.bincount(tags, minlength=len(labels.names))


def fingerprint(windows: Sequence[Example]) -> str:
    """Changes when the training data does: ids and tags of every window."""
    digest = hashlib.sha256()
    for example in windows:
        window = example.input
        digest.update(window.ids.tobytes())
        if window.others is not None:
            digest.update(window.others.tobytes())
        digest.update(example.tags.tobytes())
    return digest.hexdigest()[:16]


def notes_fingerprint(notes: Sequence[Document]) -> str:
    """Changes when the text of a note does, or its spans."""
    digest = hashlib.sha256()
    for note in notes:
        spans = [(span.start, span.end, span.type) for span in note.spans]
        digest.update(repr((note.text, spans)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class Packed:
    """Windows end to end: ids and segments [tokens], shapes [tokens, features], others [tokens, …]."""

    ids: Tensor
    lengths: tuple[int, ...]
    segments: Tensor | None
    shapes: Tensor | None
    others: Tensor | None

    @property
    def inputs(self) -> dict[str, Any]:
        """What a tagger takes, by the names of its parameters."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


@dataclass(frozen=True, eq=False)
class Targets:
    """Which packed tokens count, and what they should be.

    places, tags: [counted]; lengths: how many of each window count; opens, closes: [windows].
    """

    places: Tensor
    tags: Tensor
    lengths: tuple[int, ...]
    opens: Tensor
    closes: Tensor


def pack(inputs: Sequence[WindowInput], device: torch.device) -> Packed:
    """One packed batch on the device."""

    def end_to_end(parts: Sequence[Integers | None]) -> Tensor | None:
        arrays = [part for part in parts if part is not None]
        return torch.from_numpy(np.concatenate(arrays)).to(device) if arrays else None

    ids = end_to_end([each.ids for each in inputs])
    assert ids is not None
    return Packed(
        ids,
        tuple(len(each.ids) for each in inputs),
        end_to_end([each.segments for each in inputs]),
        end_to_end([each.shapes for each in inputs]),
        end_to_end([each.others for each in inputs]),
    )


def pack_examples(batch: Sequence[Example], device: torch.device) -> tuple[Packed, Targets]:
    """A batch for training."""
    inputs = [example.input for example in batch]
    packed = pack(inputs, device)
    begins = np.concatenate(([0], np.cumsum(packed.lengths)[:-1]))
    places = [
        np.arange(begin + each.first, begin + each.last)
        for begin, each in zip(begins, inputs, strict=True)
    ]
    targets = Targets(
        torch.from_numpy(np.concatenate(places)).to(device),
        torch.from_numpy(np.concatenate([example.tags for example in batch])).to(device),
        tuple(len(example.tags) for example in batch),
        torch.tensor([example.opens for example in batch], device=device),
        torch.tensor([example.closes for example in batch], device=device),
    )
    return packed, targets


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
    """The largest batch, at least 1 and at most all windows; `free` bytes are looked up if not given."""
    learning = [parameter for parameter in parameters if parameter.requires_grad]
    free = free_memory(device) if free is None else free
    fixed = _COPIES * sum(parameter.nbytes for parameter in learning)
    longest = max(examples, key=lambda example: example.length)
    one, two = (_needed(backward, [longest] * count, device) for count in (1, 2))
    for parameter in learning:
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
    storages: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        storages[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        backward(batch)
    return int(FOR_A_MOMENT * sum(storages.values()))


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
    limits = []
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
        reclaimable = int(counts.get("inactive_file", counts.get("total_inactive_file", 0)))
        limits.append(max(0, most - used + reclaimable))
    return limits
