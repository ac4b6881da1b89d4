"""What a fuzzer found: a broken promise, and the input that broke it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path


class FaultError(AssertionError):
    """A promise that does not hold for one input."""


@dataclass
class Findings:
    """How many inputs were tried, what became of them, and which broke a promise.

    With a folder, the inputs at fault are written there.
    """

    folder: Path | None = None
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, what: str, error: BaseException, content: bytes) -> None:
        """Keep an input at fault."""
        self.faults.append(f"{what}: {type(error).__name__}: {error}")
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / f"fault-{len(self.faults):04d}").write_bytes(content)
            (self.folder / "faults.txt").write_text("\n".join(self.faults) + "\n")
