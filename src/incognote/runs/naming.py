"""What outputs are called. Names of files and folders are PHI too, so by default they go.

The key list, which leads from outputs back to inputs, is a file of its own.
"""

from __future__ import annotations

import csv
import hmac
import io
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import Literal

from incognote.base.errors import RunError, reason_of
from incognote.base.files import write_private
from incognote.runs.inputs import Input

Names = Literal["number", "hash", "keep"]
KEY_LIST_COLUMNS = ("input", "original", "output")
KNOWN_SUFFIXES = frozenset(".txt .text .xml .ann .jsonl .ndjson .csv .tsv .parquet .gz".split())


_SUFFIX = "|".join(re.escape(suffix) for suffix in sorted(KNOWN_SUFFIXES))
_OWN_NAME = re.compile(
    rf"((folder-[0-9]{{4,18}}|[0-9a-f]{{16}})/)*(note-[0-9]{{6,18}}|[0-9a-f]{{16}})({_SUFFIX}){{0,2}}"
)
"""What outputs are called by number or by hash: nothing hidden, no way out of the folder."""

_NUMBER = re.compile(r"(?:note|folder)-([0-9]+)")


def suffix_of(path: PurePath, fallback: str = "") -> str:
    """The part of a file's name that tells its format: `.csv.gz`, never `.smith`."""
    known: list[str] = []
    for suffix in reversed(path.suffixes):
        if suffix.lower() not in KNOWN_SUFFIXES:
            break
        known.insert(0, suffix.lower())
    return "".join(known[-2:]) or fallback


def name_outputs(
    inputs: Iterable[Input],
    names: Names,
    *,
    key: bytes | None = None,
    earlier: Mapping[str, str] | None = None,
    fallback_suffix: str = "",
) -> dict[int, PurePath]:
    """From each input's index to its output, relative to the output folder.

    `earlier` (original to output) are names given by a run that is being resumed: they stay.
    """
    if names == "keep":
        kept = {input.index: input.relative for input in inputs}
        if len(set(kept.values())) < len(kept):
            raise RunError("two inputs have the same name: --names keep would lose one of them")
        return kept
    if names == "hash":
        if not key:
            raise RunError("--names hash needs a key: give one with --key-file")
        return {input.index: _hashed(input.relative, key, fallback_suffix) for input in inputs}
    return _numbered(inputs, earlier or {}, fallback_suffix)


def _hashed(relative: PurePath, key: bytes, fallback: str) -> PurePath:
    codes = [hmac.digest(key, os.fsencode(part), "sha256").hex()[:16] for part in relative.parts]
    return PurePath(*codes[:-1], codes[-1] + suffix_of(relative, fallback))


def _numbered(
    inputs: Iterable[Input], earlier: Mapping[str, str], fallback: str
) -> dict[int, PurePath]:
    folders: dict[PurePath, PurePath] = {PurePath(): PurePath()}
    for original, output in earlier.items():
        _remember_folders(folders, PurePath(original).parent, PurePath(output).parent)
    next_note = _next_number(PurePath(output) for output in earlier.values())
    next_folder = _next_number(folders.values())
    outputs = {}
    for input in inputs:
        known = earlier.get(str(input.relative))
        if known is not None:
            outputs[input.index] = PurePath(known)
            continue
        for parent in reversed(input.relative.parents):
            if parent not in folders:
                folders[parent] = folders[parent.parent] / f"folder-{next_folder:04d}"
                next_folder += 1
        name = f"note-{next_note:06d}{suffix_of(input.relative, fallback)}"
        outputs[input.index] = folders[input.relative.parent] / name
        next_note += 1
    return outputs


def _next_number(names: Iterable[PurePath]) -> int:
    """The first number above all that are taken; those of inputs that are gone stay unused."""
    numbers = (_NUMBER.match(name.name) for name in names)
    return max((int(number[1]) for number in numbers if number), default=0) + 1


def _remember_folders(
    folders: dict[PurePath, PurePath], original: PurePath, output: PurePath
) -> None:
    while original.parts:
        folders[original] = output
        original, output = original.parent, output.parent


def write_key_list(path: Path, inputs: Iterable[Input], outputs: Mapping[int, PurePath]) -> None:
    """Write the list, readable by its owner only."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(KEY_LIST_COLUMNS)
    for input in inputs:
        writer.writerow([input.index, input.relative, outputs[input.index]])
    write_private(path, buffer.getvalue().encode("utf-8", "surrogateescape"))


def read_key_list(path: Path) -> dict[str, str]:
    """From original to output, each such as a run would have named it.

    A list can be edited: names that no run gives are refused, for they might lead anywhere.
    """
    earlier: dict[str, str] = {}
    try:
        with path.open(encoding="utf-8", errors="surrogateescape", newline="") as lines:
            rows = csv.DictReader(lines)
            if not {"original", "output"}.issubset(rows.fieldnames or ()):
                raise _bad_list(path, "it lacks the columns 'original' and 'output'")
            for count, row in enumerate(rows, start=2):
                original, output = row.get("original"), row.get("output")
                if not original or not output or not _OWN_NAME.fullmatch(output):
                    raise _bad_list(path, f"line {count} was not written by incognote")
                if original in earlier:
                    raise _bad_list(path, f"line {count} names an input a second time")
                earlier[original] = output
    except csv.Error:
        raise _bad_list(path, "it is damaged") from None
    except OSError as error:
        raise _bad_list(path, reason_of(error)) from None
    if len(set(earlier.values())) < len(earlier):
        raise _bad_list(path, "two inputs have the same output")
    return earlier


def _bad_list(path: Path, reason: str) -> RunError:
    return RunError(
        f"{path}: the list of names cannot be used: {reason}; put it back as it was, or move it "
        "away and write to another output"
    )
