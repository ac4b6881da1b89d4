"""What layers that share their weights, and a smaller vocabulary, would bring: before any training.

    python benchmarks/shapes_of_networks.py [--layers 6] [--units 1024] [--rounds 7]

8-bit networks of one shape with random weights, as `incognote export` writes them, read the same
windows in turns on one thread: layers of their own or shared (as ALBERT's), and tables of all of
MiniLM's words or of a third. The time of a network does not depend on its weights, so what these do
not save, a trained one cannot.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from incognote.onnx.sessions import Network
from incognote.phi import LABEL_SETS
from incognote.workshop.encoders.albert import AlbertConfig
from incognote.workshop.encoders.model import Model
from incognote.workshop.export.graph import Int8
from incognote.workshop.export.network import network_of

LENGTH, WINDOWS = 256, 12
WORDS, FEWER = 30_522, 10_000
WAYS = {
    "layers of their own": ("none", WORDS),
    "one layer, shared": ("all", WORDS),
    "a third of the words": ("none", FEWER),
}


def opened(folder: Path, name: str, layers: int, units: int) -> tuple[Network, float]:
    """A network of a way, and its megabytes."""
    sharing, words = WAYS[name]
    config = AlbertConfig(
        vocabulary_size=words,
        hidden_size=384,
        embedding_size=384,
        projection=False,
        layers=layers,
        heads=12,
        feed_forward_size=units,
        activation="gelu",
        sharing=sharing,
    )
    torch.manual_seed(0)
    model = Model(config, heads=("tokens",), labels=LABEL_SETS["full"])
    path = folder / f"{name}.onnx"
    path.write_bytes(network_of(model, Int8(), longest=LENGTH).SerializeToString())
    return Network(path), path.stat().st_size / 1e6


def main() -> int:
    """Build, take turns, show the best round of each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--units", type=int, default=1024, help="of each feed-forward")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    windows = np.random.default_rng(0).integers(1, FEWER, (WINDOWS, 1, LENGTH))
    with tempfile.TemporaryDirectory() as folder:
        networks = {name: opened(Path(folder), name, given.layers, given.units) for name in WAYS}
    best = dict.fromkeys(networks, float("inf"))
    for _ in range(given.rounds):
        for name, (network, _) in networks.items():
            began = time.perf_counter()
            for window in windows:
                network.run(ids=window)
            best[name] = min(best[name], time.perf_counter() - began)
    first = best[next(iter(best))]
    print("| network | MB | µs a piece | x first |\n|---|---|---|---|")
    for name, seconds in best.items():
        each = seconds / windows.size * 1e6
        print(f"| {name} | {networks[name][1]:.1f} | {each:.1f} | {first / seconds:.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
