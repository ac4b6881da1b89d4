"""The work of `incognote tokenizer`: a vocabulary from files, in a folder that is whole or not there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from incognote.corpus.output import staged
from incognote.workshop.pretrain.corpus.files import list_files
from incognote.workshop.pretrain.corpus.reading import Reading, documents
from incognote.workshop.tokenization.folder import BYTES, SENTENCEPIECE, WORDS
from incognote.workshop.tokenization.tokenizer import Tokenizer
from incognote.workshop.tokenization.training import Family, Kind, train_tokenizer

Watch = Callable[[str, int, int | None], None]
"""Told a stage, and how many bytes are done of how many, if that is known."""

TOLD = 2**20
"""Bytes between two words to whom watches."""


def make_tokenizer(
    texts: Sequence[Path],
    output: Path,
    kind: Kind,
    size: int,
    *,
    family: Family | None = None,
    cased: bool | None = None,
    reading: Reading | None = None,
    overwrite: bool = False,
    watch: Watch = lambda stage, done, total: None,
) -> Tokenizer:
    """Learn a tokenizer from these files and folders."""
    files = list_files(texts)
    with staged(output, texts, overwrite=overwrite) as folder:
        folder.mkdir()
        made = train_tokenizer(
            lambda: _lines(files, reading or Reading(), watch),
            folder,
            kind,
            size,
            family=family,
            cased=cased,
        )
        names = {path.name for path in folder.iterdir()}
    for name in {WORDS, SENTENCEPIECE, *BYTES} - names:
        (output / name).unlink(missing_ok=True)
    return made


def _lines(files: Sequence[Path], reading: Reading, watch: Watch) -> Iterator[str]:
    """The lines of all text; to which document one belongs makes no difference to pieces."""
    total = sum(path.stat().st_size for path in files)
    before = told = 0
    reading = replace(reading, documents="lines")
    for path in files:
        for document in documents(path, reading):
            if before + document.read >= told:
                watch("reading", before + document.read, total)
                told = before + document.read + TOLD
            yield from document.text.removesuffix("\n").split("\n")
        before += path.stat().st_size
    watch("learning", 0, None)
