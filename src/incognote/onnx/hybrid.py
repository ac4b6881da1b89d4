"""Who has the say, rules or model, type by type: an optional part of `incognote.json`.

Without it all that either of the two finds counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from incognote.base.errors import ModelError
from incognote.onnx.json_values import MAY_LACK, read

VERSION = 1
DECISIONS = ("union", "rules", "model", "both agree")
"""Whose spans of a type count: of either, of one, or where a span of the other lies too."""

NAMERS = ("rules", "model")


@dataclass(frozen=True, kw_only=True)
class Hybrid:
    """By type: whose spans count, and who names the place where a rule sees this type and the
    model another one. Types that are not listed: either's spans count, and the longer one names.

    `words` is the probability from which words are redacted that neither marked; None: none are.
    """

    decisions: Mapping[str, str] = field(default_factory=dict, metadata=MAY_LACK)
    names: Mapping[str, str] = field(default_factory=dict, metadata=MAY_LACK)
    words: float | None = field(default=None, metadata=MAY_LACK)
    version: int = VERSION

    def __post_init__(self) -> None:
        if self.version != VERSION:
            raise ModelError(
                f"has decisions of version {self.version!r}, and this incognote reads {VERSION}; "
                "use the incognote that the model was made for"
            )
        check_words(self.words)
        _one_of(self.decisions, DECISIONS, "decision")
        _one_of(self.names, NAMERS, "name")

    def decision(self, type: str) -> str:
        """Whose spans of the type count."""
        return self.decisions.get(type, DECISIONS[0])


def read_hybrid(value: Any) -> Hybrid | None:
    """From the file; None where it has none."""
    return None if value is None else cast(Hybrid, read(Hybrid, value, "hybrid"))


def check_words(level: float | None) -> None:
    """Refuse what is no probability to redact words from."""
    if level is not None and not 0 < level <= 1:
        raise ModelError(f"words must be above 0 and at most 1, not {level}")


def _one_of(given: Mapping[str, str], allowed: tuple[str, ...], what: str) -> None:
    for type, value in given.items():
        if value not in allowed:
            raise ModelError(f"the {what} of {type} must be one of {', '.join(allowed)}")
