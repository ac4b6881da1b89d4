"""Philter, in the fork that is kept up: lists of safe words, patterns, parts of speech.

    https://github.com/BCHSI/philter-ucsf and its fork philter-lite

It wants NLTK's tagger, which NLTK fetches from its own place. Where that is out of reach, the
weights come from the package textblob-aptagger: the tagger that NLTK's was made from.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.peer import Find, Found, Peer

PEERS = (
    Peer(
        "philter",
        "Philter",
        "philter",
        "philter-lite with its shipped filters (philter_delta), all of them",
        ("philter-lite==0.6.0", "nltk==3.9.4"),
        ("textblob-aptagger==0.2.0",),
    ),
)

TAGGER = "averaged_perceptron_tagger_eng"


def prepare() -> str:
    """Put the tagger into the environment; says which one it is."""
    import nltk  # type: ignore[import-not-found]

    folder = Path(sys.prefix) / "nltk_data"
    if nltk.download(TAGGER, download_dir=str(folder), quiet=True):
        return "NLTK's tagger"
    _write_tagger(folder / "taggers" / TAGGER)
    nltk.pos_tag(["ready"])
    return "the tagger of textblob-aptagger 0.2.0, since NLTK's place was out of reach"


def _write_tagger(folder: Path) -> None:
    """The weights as NLTK stores them."""
    import pickle
    from importlib.metadata import distribution

    files = distribution("textblob-aptagger").files or []
    stored = next(file for file in files if file.name.endswith(".pickle"))
    with Path(str(stored.locate())).open("rb") as stream:
        weights, tags, classes = pickle.load(stream, encoding="latin-1")
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in (("weights", weights), ("tagdict", tags), ("classes", sorted(classes))):
        (folder / f"{TAGGER}.{name}.json").write_text(json.dumps(value), encoding="utf-8")


def load(variant: str) -> Find:
    """Its filters as they ship."""
    import philter_lite  # type: ignore[import-not-found]

    shipped = Path(philter_lite.__file__).parent / "configs" / "philter_delta.toml"
    filters = philter_lite.load_filters(str(shipped))

    def find(texts: Sequence[str]) -> Iterator[list[Found]]:
        for text in texts:
            keep, _, phi = philter_lite.detect_phi(text, filters)
            starred = philter_lite.transform_text_asterisk(text, keep)
            yield list(_named(starred_runs(text, starred), phi.phi))

    return find


def starred_runs(text: str, starred: str) -> Iterator[tuple[int, int]]:
    """The runs of characters that became asterisks: a starred text has the text's own offsets."""
    if len(text) != len(starred):
        raise ValueError("the starred text has another length")
    start = None
    for place, (before, after) in enumerate(zip(text, starred, strict=True)):
        hidden = after == "*" and before != "*"
        if hidden and start is None:
            start = place
        elif not hidden and start is not None:
            yield start, place
            start = None
    if start is not None:
        yield start, len(text)


def _named(runs: Iterator[tuple[int, int]], entries: Sequence[Any]) -> Iterator[Found]:
    dates = [(entry.start, entry.stop) for entry in entries if entry.phi_type == "DATE"]
    for start, end in runs:
        is_date = any(first < end and start < last for first, last in dates)
        yield start, end, "DATE" if is_date else "OTHER", 1.0
