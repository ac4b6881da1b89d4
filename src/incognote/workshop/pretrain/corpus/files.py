"""Which files hold the text, and what they are."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path, PurePath
from typing import Literal

from incognote.base.errors import TextError
from incognote.base.files import files_below
from incognote.workshop.pretrain.corpus.compression import ENDINGS

Form = Literal["text", "jsonl", "json", "csv", "tsv", "tar"]

FORMS: dict[str, Form] = {
    ".txt": "text",
    ".text": "text",
    ".md": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tar": "tar",
    ".tgz": "tar",
    ".txz": "tar",
}
ABOUT = ("license", "licence", "copying", "readme", "source")
"""Files of these names beside the text tell of it, and are not part of it."""

BLOCK = 2**20


def form_of(name: str) -> Form | None:
    """What a file is by its name: `notes.jsonl.gz` is JSONL."""
    path = PurePath(name.lower())
    if path.suffix in ENDINGS:
        path = path.with_suffix("")
    return FORMS.get(path.suffix)


def is_about(name: str) -> bool:
    """Whether a file in a folder or an archive is a licence or the like."""
    return PurePath(name.lower()).name.split(".")[0] in ABOUT


def list_files(paths: Iterable[str | Path]) -> list[Path]:
    """The files named, and of folders those with a known ending, in the order of their names."""
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = [
                each
                for each in sorted(files_below(path))
                if each.is_file() and form_of(each.name) and not is_about(each.name)
            ]
            if not inside:
                raise TextError(f"{path}: no text here (looked for {', '.join(FORMS)})")
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise TextError(f"{path}: no such file or folder")
    if not found:
        raise TextError("no text was named")
    return found


def digests(files: Sequence[Path], advance: Callable[[int], None]) -> list[str]:
    """SHA-256 of each file, so that changed text is never taken for the old; told each block."""
    found = []
    for path in files:
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
                advance(len(block))
        found.append(digest.hexdigest())
    return found
