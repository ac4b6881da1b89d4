"""Which detector a promise was made for: any other has none."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import incognote.align
import incognote.detect
from incognote import __version__
from incognote.workflows.run.settings import Settings


def described(settings: Settings) -> dict[str, Any]:
    """What decides which words are found; a difference in any of it breaks the promise."""
    description = settings.describe()
    return {
        "detectors": description["detectors"],
        "model": description["model"],
        "rules": rules_version(),
        "known": sorted(set(settings.fields.known.values())),
    }


@cache
def rules_version() -> str:
    """The version, and a fingerprint of the code and word lists that find identifiers."""
    mixed = hashlib.sha256()
    for package in (incognote.align, incognote.detect):
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                mixed.update(path.relative_to(root).as_posix().encode() + b"\0")
                mixed.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{__version__}-{mixed.hexdigest()[:16]}"
