"""incognote over many notes at once, at one of its model's speeds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.peers.peer import Find, Found, Peer

TITLES = {"both": "", "model": ", model only", "rules": ", rules only"}


def peer(detector: str, folder: Path | None = None, speed: str | None = None) -> Peer:
    """One way to run it."""
    asked = {"detector": detector, "folder": folder and str(folder.resolve()), "speed": speed}
    return Peer(
        "-".join(filter(None, ["incognote", speed, detector if detector != "both" else ""])),
        f"incognote{'' if speed is None else f' {speed}'}{TITLES[detector]}",
        "speeds",
        "notes as a stream, in the order given",
        variant=json.dumps(asked),
    )


def load(variant: str) -> Find:
    """The detector alone: peers replace nothing here either."""
    from incognote import Document
    from incognote.detect.detector import detect_many
    from incognote.detect.finder import choose

    asked = json.loads(variant)
    chosen = choose(asked["detector"], asked["folder"], asked["speed"])
    detector = chosen.detector(threads=int(os.environ["OMP_NUM_THREADS"]))

    def find(texts: Sequence[str]) -> Iterator[list[Found]]:
        notes = [Document("", text) for text in texts]
        for found in detect_many(detector, notes):
            yield [(span.start, span.end, span.type, span.score) for span in found.spans]

    return find
