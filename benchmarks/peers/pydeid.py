"""pyDeid: PhysioNet's deid in Python, patterns and lists of names. On no package index.

https://github.com/GEMINI-Medicine/pyDeid
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from benchmarks.peers.peer import CATEGORIES, Find, Found, Peer
from benchmarks.peers.spacy_model import SPACY

PEERS = (
    Peer(
        "pydeid",
        "pyDeid",
        "pydeid",
        "its defaults",
        ("pyDeid @ git+https://github.com/GEMINI-Medicine/pyDeid", "pandas", "tqdm", SPACY),
        categories={category: category for category in CATEGORIES},
    ),
)

_MEANINGS = (
    (re.compile(r"MRN|SIN|OHIP"), "ID"),
    (re.compile(r"Telephone|Email"), "CONTACT"),
    (re.compile(r"Address|Location|Postal|Hospital|Site"), "LOCATION"),
    (re.compile(r"Name"), "NAME"),
    (re.compile(r"day|month|year|holiday|season|date", re.IGNORECASE), "DATE"),
)


def load(variant: str) -> Find:
    """Its function for one text. A note on which it fails stays as it is, as in its own runs."""
    from pyDeid import deid_string  # type: ignore[import-not-found]

    def find(texts: Sequence[str]) -> Iterator[list[Found]]:
        for text in texts:
            try:
                rows, _ = deid_string(text)
            except Exception:
                rows = []
            yield [(row["phi_start"], row["phi_end"], label(row["types"]), 1.0) for row in rows]

    return find


def label(types: Iterable[str]) -> str:
    """One category for what it calls, say, `Male First Name (ambig)`."""
    told = " ".join(types)
    return next((meaning for pattern, meaning in _MEANINGS if pattern.search(told)), "OTHER")
