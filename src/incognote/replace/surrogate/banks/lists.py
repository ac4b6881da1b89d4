"""Banks that are lists under heads: a line has a head, a tab, and values between bars."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

_HERE = Path(__file__).parent


@lru_cache(maxsize=8)
def bank_lists(locale: str, kind: str) -> dict[str, str]:
    """The values of a locale's bank of a kind, unsplit, by their heads."""
    path = _HERE / f"{locale}.{kind}.txt"
    if not path.exists():
        locales = sorted(each.name.partition(".")[0] for each in _HERE.glob(f"*.{kind}.txt"))
        raise ValueError(f"there is no bank of {kind} for '{locale}': choose {', '.join(locales)}")
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    if not head.startswith(f"incognote {kind} 1 "):
        raise ValueError(
            f"the bank of {kind} is of another version: make it anew with recipes/banks"
        )
    return {key: values for key, _, values in (line.partition("\t") for line in lines)}
