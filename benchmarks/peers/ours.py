"""incognote itself: rules, a model, or both, with one thread like everyone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.peers.peer import Find, Found, Peer
from incognote import Document
from incognote.detect.finder import Choice, choose
from incognote.onnx.model_folder import read_model


def peers(model: Path | None) -> list[Peer]:
    """Rules; and with a model, which is named by its fingerprint, it alone and the two together."""
    found = [Peer("rules", "incognote, rules only", "ours", "its defaults", variant="rules")]
    if model is not None:
        read_model(model)
        told = f"its defaults; model {Choice('both', model).fingerprint}"
        found += [
            Peer(name, f"incognote, {title}", "ours", told, variant=f"{name}={model.resolve()}")
            for name, title in (("model", "model only"), ("both", "rules and model"))
        ]
    return found


def load(variant: str) -> Find:
    """The detector alone: peers replace nothing here either."""
    name, _, folder = variant.partition("=")
    threads = int(os.environ["OMP_NUM_THREADS"])
    detector = choose(name, folder or None).detector(threads=threads)

    def find(texts: Sequence[str]) -> Iterator[list[Found]]:
        for text in texts:
            spans = detector.detect(Document("", text)).spans
            yield [(span.start, span.end, span.type, span.score) for span in spans]

    return find
