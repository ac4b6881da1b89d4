"""One shard: a safetensors file of whole documents, written whole or not at all, read in place.

- ids, uint16 or uint32, [pieces]: all pieces in reading order, without special tokens;
- word_starts, bool, [pieces]: whether a word (`align.words`) begins with the piece;
- sentences, int64, [sentences + 1]: where in the pieces each sentence begins, and the end;
- documents, int64, [documents + 1]: where in the sentences each document begins, and the end;
- held_out, bool, [documents]: whether the document is kept from training.

Beside them stand two figures: the empty documents that were left out, and the unknown pieces.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from incognote.align.units import Flags, Integers
from incognote.base.errors import TextError
from incognote.base.files import UNFINISHED, write_whole

PieceIds = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]

_TYPES = {"U16": np.uint16, "U32": np.uint32, "I64": np.int64, "BOOL": np.bool_}
FIGURES = ("empty", "unknown")
_SHARD = re.compile(r"shard-(\d{5,})\.safetensors")


@dataclass(frozen=True, eq=False)
class ShardFile:
    """The arrays of one shard."""

    ids: PieceIds
    word_starts: Flags
    sentences: Integers
    documents: Integers
    held_out: Flags
    empty: int
    unknown: int

    def __post_init__(self) -> None:
        fits = (
            len(self.word_starts) == len(self.ids) == self.sentences[-1]
            and self.documents[-1] == len(self.sentences) - 1
            and len(self.held_out) == len(self.documents) - 1
        )
        if not fits:
            raise TextError("the arrays of a shard do not fit each other")


def shard_path(folder: Path, number: int) -> Path:
    """Where a shard lies."""
    return folder / f"shard-{number:05}.safetensors"


def shards_made(folder: Path) -> set[int]:
    """The numbers of the shards that are there."""
    names = (_SHARD.fullmatch(path.name) for path in folder.iterdir())
    return {int(name[1]) for name in names if name}


def write_shard(path: Path, shard: ShardFile) -> None:
    """Write a shard; if that fails, nothing of it stays."""
    held = {field.name: getattr(shard, field.name) for field in fields(shard)}
    figures = {name: held.pop(name) for name in FIGURES}
    # One entry: the library writes several in any order, and shards are to be equal to the byte.
    data = save(held, metadata={"figures": json.dumps(figures)})
    write_whole(path, data, durable=True)


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed run left half written."""
    for part in folder.glob(f"*{UNFINISHED}"):
        part.unlink()


def read_shard(path: Path) -> ShardFile:
    """The arrays as views of the file, which stays on the disk until they are looked at."""
    try:
        whole = np.memmap(path, dtype=np.uint8, mode="r")
        begin = 8 + int.from_bytes(whole[:8].tobytes(), "little")
        header = json.loads(whole[8:begin].tobytes())
        figures = json.loads(header.pop("__metadata__")["figures"])
        held: dict[str, Any] = {name: int(figures[name]) for name in FIGURES}
        held |= {name: _view(whole[begin:], entry) for name, entry in header.items()}
        return ShardFile(**held)
    except FileNotFoundError:
        raise TextError(f"{path}: missing; prepare the same again to have it made") from None
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        raise TextError(f"{path}: damaged or cut short; remove it and prepare again") from None


def _view(data: npt.NDArray[np.uint8], entry: dict[str, Any]) -> Any:
    first, last = entry["data_offsets"]
    if not 0 <= first <= last <= len(data):
        raise ValueError
    return data[first:last].view(np.ndarray).view(_TYPES[entry["dtype"]])
