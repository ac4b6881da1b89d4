"""A peer on one note, from its start to the note with tags in place of what it found.

python -m benchmarks.peers.one_note MODULE VARIANT NOTE.txt
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path


def main(module: str, variant: str, note: str) -> int:
    """Load, find, replace, print."""
    text = Path(note).read_text(encoding="utf-8")
    (found,) = import_module(f"benchmarks.peers.{module}").load(variant)([text])
    kept, place = [], 0
    for start, end, label, _ in sorted(found):
        if start >= place:
            kept += [text[place:start], f"[{label}]"]
            place = end
    sys.stdout.write("".join([*kept, text[place:]]))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
