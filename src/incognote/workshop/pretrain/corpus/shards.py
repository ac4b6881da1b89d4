"""A folder of tokenised text: `Shards` reads it, a `ShardFile` is one file of it, `shards.json` says what it is.

A shard is a safetensors file of whole documents, written whole or not at all, read in place:

- ids, uint16 or uint32, [tokens]: all tokens in reading order, without special ones;
- word_starts, bool, [tokens]: whether a word (`align.words`) begins with the token;
- sentences, int64, [sentences + 1]: where in the tokens each sentence begins, and the end;
- documents, int64, [documents + 1]: where in the sentences each document begins, and the end;
- held_out, bool, [documents]: whether the document is kept from training.

Beside them stand two figures: the empty documents that were left out, and the unknown tokens.

`shards.json` says what the folder was made of, and whether it is all there. It is written first, so that a
killed run is known by it, and once more when all is done.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from incognote.align.tokens import Flags, Integers
from incognote.base.errors import TextError
from incognote.base.files import UNFINISHED, JsonError, read_json, write_whole
from incognote.workshop.pretrain.corpus.arrays import edges, ranges
from incognote.workshop.tokenization.tokenizer import Tokenizer

TokenIds = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
_TYPES = {"U16": np.uint16, "U32": np.uint32, "I64": np.int64, "BOOL": np.bool_}
FIGURES = ("empty", "unknown")
_SHARD = re.compile(r"shard-(\d{5,})\.safetensors")
SCHEMA = 1
MANIFEST = "shards.json"


class Sentence(NamedTuple):
    """The tokens of a sentence, and at which of them a word begins; both [tokens]."""

    ids: TokenIds
    word_starts: Flags


class Shards:
    """A folder of tokenised text: documents in the order they were read, numbered from 0.

    documents: how many there are. None is empty; one may have a single sentence.
    train, held_out: the numbers of the documents to train on, and of those to evaluate on; each
        document is in one of them.
    lengths, sentence_counts: tokens and sentences of each document, [documents].
    vocabulary_size: of the tokenizer that was used; every id is below it.

        shards = Shards("shards/", tokenizer)
        short = shards.train[shards.lengths[shards.train] < 128]
        for ids, word_starts in shards.sentences(short[0]): ...

    Ids are without special tokens, uint16 or uint32, and never to be written to: they are the
    file. No sentence is empty. `word_starts` is true where a word (`align.words`) begins, and
    always at the first token of a sentence; the tokens from one to before the next are one whole
    word to mask. With a tokenizer given, one that others made the shards with is refused. Opening
    is cheap, and so is sending to another process, which opens the folder anew.
    """

    def __init__(self, folder: str | Path, tokenizer: Tokenizer | None = None) -> None:
        self.folder = Path(folder)
        self.manifest = read_manifest(self.folder)
        if not self.manifest["complete"]:
            raise TextError(f"{folder}: not finished; prepare it again with the same settings")
        if tokenizer is not None and tokenizer.fingerprint != self.manifest["tokenizer"]:
            raise TextError(f"{folder}: these shards were made with another tokenizer")
        self.vocabulary_size: int = self.manifest["vocabulary_size"]
        self._files = [
            read_shard(shard_path(self.folder, number)) for number in range(self.manifest["shards"])
        ]
        self._firsts = edges([len(file.held_out) for file in self._files])
        self.documents = int(self._firsts[-1])

    def __reduce__(self) -> tuple[Any, ...]:
        return Shards, (self.folder,)

    @cached_property
    def lengths(self) -> Integers:
        """Tokens of each document, [documents]."""
        return _join([np.diff(file.sentences[file.documents]) for file in self._files])

    @cached_property
    def sentence_counts(self) -> Integers:
        """Sentences of each document, [documents]."""
        return _join([np.diff(file.documents) for file in self._files])

    @cached_property
    def train(self) -> Integers:
        """The documents to train on."""
        return np.flatnonzero(~self._held_out)

    @cached_property
    def held_out(self) -> Integers:
        """The documents kept from training."""
        return np.flatnonzero(self._held_out)

    @property
    def _held_out(self) -> Flags:
        none = np.zeros(0, np.bool_)
        return np.concatenate([none, *(file.held_out for file in self._files)])

    def ids(self, document: int) -> TokenIds:
        """All tokens of a document, [tokens]."""
        file, tokens = self._place(document)
        return file.ids[tokens]

    def word_starts(self, document: int) -> Flags:
        """Where in them a word begins, [tokens]."""
        file, tokens = self._place(document)
        return file.word_starts[tokens]

    def sentence_offsets(self, document: int) -> Integers:
        """Where in them each sentence begins, and the end, [sentences + 1]."""
        file, row = self._file(document)
        offsets = file.sentences[file.documents[row] : file.documents[row + 1] + 1]
        relative: Integers = offsets - offsets[0]
        return relative

    def sentences(self, document: int) -> list[Sentence]:
        """The sentences of a document, in order."""
        ids, word_starts = self.ids(document), self.word_starts(document)
        places = self.sentence_offsets(document).tolist()
        return [
            Sentence(ids[first:last], word_starts[first:last]) for first, last in pairwise(places)
        ]

    def sentence_lengths(self, documents: Integers) -> Integers:
        """Tokens of each sentence of these documents, one after the other, flat.

        `sentence_counts` of the same documents says how many belong to each.
        """
        lengths = np.empty(int(self.sentence_counts[documents].sum()), np.int64)
        ends = np.cumsum(self.sentence_counts[documents])
        shards = np.searchsorted(self._firsts, documents, "right") - 1
        for number, file in enumerate(self._files):
            here = np.flatnonzero(shards == number)
            rows = documents[here] - self._firsts[number]
            counts = file.documents[rows + 1] - file.documents[rows]
            sentences = ranges(file.documents[rows], counts)
            places = ranges(ends[here] - counts, counts)
            lengths[places] = file.sentences[sentences + 1] - file.sentences[sentences]
        return lengths

    def _file(self, document: int) -> tuple[ShardFile, int]:
        """The shard of a document, and its row there."""
        if not 0 <= document < self.documents:
            raise IndexError(f"there is no document {document}: there are {self.documents:,}")
        number = int(np.searchsorted(self._firsts, document, "right")) - 1
        return self._files[number], int(document - self._firsts[number])

    def _place(self, document: int) -> tuple[ShardFile, slice]:
        file, row = self._file(document)
        first, last = file.sentences[file.documents[row : row + 2]].tolist()
        return file, slice(first, last)


def _join(parts: list[Integers]) -> Integers:
    return np.concatenate([np.zeros(0, np.int64), *parts])


@dataclass(frozen=True, eq=False)
class ShardFile:
    """The arrays of one shard."""

    ids: TokenIds
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
    arrays = {field.name: getattr(shard, field.name) for field in fields(shard)}
    figures = {name: arrays.pop(name) for name in FIGURES}
    # One entry: the library writes several in any order, and shards are to be equal to the byte.
    data = save(arrays, metadata={"figures": json.dumps(figures)})
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
        values: dict[str, Any] = {name: int(figures[name]) for name in FIGURES}
        values |= {name: _view(whole[begin:], entry) for name, entry in header.items()}
        return ShardFile(**values)
    except FileNotFoundError:
        raise TextError(f"{path}: missing; prepare the same again to have it made") from None
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        raise TextError(f"{path}: damaged or cut short; remove it and prepare again") from None


def _view(data: npt.NDArray[np.uint8], entry: dict[str, Any]) -> Any:
    first, last = entry["data_offsets"]
    if not 0 <= first <= last <= len(data):
        raise ValueError
    return data[first:last].view(np.ndarray).view(_TYPES[entry["dtype"]])


class OtherShardsError(TextError):
    """A folder that holds shards of something else."""


def read_manifest(folder: Path) -> dict[str, Any]:
    """The `shards.json` of a folder, finished or not."""
    path = folder / MANIFEST
    try:
        manifest = read_json(path)
    except FileNotFoundError:
        raise TextError(f"{folder}: no {MANIFEST} here; it is made from text first") from None
    except JsonError as error:
        raise TextError(f"{path}: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        raise TextError(f"{path}: not of schema {SCHEMA}, the only one known here")
    return manifest


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write `shards.json`, whole."""
    text = json.dumps(manifest, indent=2)
    write_whole(folder / MANIFEST, f"{text}\n".encode(), durable=True)


def claim(folder: Path, manifest: dict[str, Any]) -> bool:
    """Make the folder ready for what the manifest says; whether that is already there, finished.

    It is not where somebody has removed a shard. A folder that holds anything else is refused.
    """
    if folder.exists() and not folder.is_dir():
        raise TextError(f"{folder}: is a file; choose a folder")
    if (folder / MANIFEST).is_file():
        remove_unfinished(folder)
        present = read_manifest(folder)
        _check(folder, present, manifest)
        if present["complete"] and shards_made(folder) >= set(range(present["shards"])):
            return True
    elif folder.is_dir() and any(folder.iterdir()):
        raise TextError(f"{folder}: holds other files; choose an empty or a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    write_manifest(folder, {**manifest, "complete": False})
    return False


def _check(folder: Path, present: dict[str, Any], manifest: dict[str, Any]) -> None:
    if present["fingerprint"] == manifest["fingerprint"]:
        return
    differences = {
        "tokenizer": "made with another tokenizer",
        "texts": "made of other texts, or of these before they changed",
        "settings": "made with other settings",
    }
    differing = [text for name, text in differences.items() if present.get(name) != manifest[name]]
    reason = (
        differing[0] if differing else differences["settings"]
    )  # the same numbers, written otherwise
    raise OtherShardsError(f"{folder}: holds shards {reason}; choose another folder, or remove it")
