"""`shards.json`: what a folder of shards was made of, and whether it is all there.

It is written first, so that a killed run is known by it, and once more when all is done.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from incognote.base.errors import TextError
from incognote.base.files import JsonError, read_json, write_whole
from incognote.workshop.pretrain.corpus.shard_file import remove_unfinished, shards_made

SCHEMA = 1
MANIFEST = "shards.json"


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
    """Write it, whole."""
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
        there = read_manifest(folder)
        _check(folder, there, manifest)
        if there["complete"] and shards_made(folder) >= set(range(there["shards"])):
            return True
    elif folder.is_dir() and any(folder.iterdir()):
        raise TextError(f"{folder}: holds other files; choose an empty or a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    write_manifest(folder, {**manifest, "complete": False})
    return False


def _check(folder: Path, there: dict[str, Any], wanted: dict[str, Any]) -> None:
    if there["fingerprint"] == wanted["fingerprint"]:
        return
    differences = {
        "tokenizer": "made with another tokenizer",
        "texts": "made of other texts, or of these before they changed",
        "settings": "made with other settings",
    }
    reason = next(said for name, said in differences.items() if there.get(name) != wanted[name])
    raise OtherShardsError(f"{folder}: holds shards {reason}; choose another folder, or remove it")
