"""The weights of a checkpoint for peers, made in a process of its own, because torch is large.

python -m benchmarks.speed.weights CHECKPOINT FOLDER
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.peers.environments import ROOT


def same_weights(checkpoint: Path, folder: Path) -> None:
    """A folder for the pipeline of `transformers`, with a plain network of 8 bits in it."""
    command = [sys.executable, "-m", "benchmarks.speed.weights"]
    ended = subprocess.run(
        [*command, str(checkpoint.resolve()), str(folder)],
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if ended.returncode:
        raise ValueError(f"{checkpoint}: peers can make nothing of this checkpoint")


def main(checkpoint: str, folder: str) -> None:
    """What CRF and word shapes add is left out: peers have no place for it."""
    from benchmarks.peers.plain_int8 import prepare_network
    from incognote.workshop.export.run import export_huggingface

    export_huggingface(Path(checkpoint), Path(folder))
    prepare_network(Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
