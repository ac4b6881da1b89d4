"""Fine-tunes what was pretrained, on MEDDOCAN and on the project's notes; set E is never read."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from recipes.clinical_albert.make import incognote

if TYPE_CHECKING:
    from recipes.pretraining_studies.run import Studies

HERE = Path(__file__).resolve().parent
CORPUS = HERE.parent.parent / "corpus"
TRANSFER = "transfer"
PARTS = ("meddocan", "notes")
STARTS = ("albert-random", "clinical-albert", "minilm", "minilm-adapted")
BODIES = {"electra": "electra-electra", "electra-body-mlm": "electra-mlm"}
"""ELECTRA's body and that of MLM beside it, by their arms: fine-tuned on the notes where they were made."""


Comparison = tuple[list[object], str, tuple[int, int]]
"""What `incognote compare` is asked for, the labels, and the epochs of MiniLM and of the others.

They are chosen for about the same minutes: the others are smaller, but cut Spanish into more pieces.
"""


def transfer(part: str, studies: Studies) -> None:
    """One comparison; the same again goes on where it was."""
    command, labels, epochs = (meddocan if part == "meddocan" else notes)(studies)
    larger, smaller = (str(max(1, round(each * studies.scale))) for each in epochs)
    text = studies.filled((HERE / "transfer.toml").read_text(encoding="utf-8"))
    for name, value in (
        ("LABELS", labels),
        ("LARGER", larger),
        ("SMALLER", smaller),
        ("PRECISION", studies.precision),
    ):
        text = text.replace(name, value)
    grid = studies.work / f"{TRANSFER}-{part}.toml"
    grid.parent.mkdir(parents=True, exist_ok=True)
    grid.write_text(text, encoding="utf-8")
    report = studies.work / f"{TRANSFER}-{part}"
    command = ["compare", *command, "-o", report, "--grid", grid, *studies.cpu]
    command += ["--workers", studies.workers]
    if studies.dry:
        print("+ incognote", *command)
    else:
        incognote(*command)


def meddocan(studies: Studies) -> Comparison:
    """The shared task's training part; half of its development part to choose, half to test."""
    archives, place = studies.data / "annotated/meddocan_es", studies.work / "meddocan"
    for part in ("train", "dev"):
        if not (place / "corpus" / part).exists():
            place.mkdir(parents=True, exist_ok=True)
            archive = archives / f"meddocan_{part}_xml.tar.xz"
            subprocess.run(["tar", "-xJf", archive, "-C", place], check=True)
    halves = place / "parts"
    if not halves.exists():
        dev = place / "corpus/dev/xml"
        incognote("corpus", "split", dev, "-o", halves, "--ratio", "50:50", "--stratify")
    chosen: list[object] = ["--validation", halves / "train", "--test", halves / "test"]
    return [place / "corpus/train/xml", *chosen, "--encoders", ",".join(STARTS)], "own", (2, 2)


def notes(studies: Studies) -> Comparison:
    """Sets A and B, chosen on C, tested on D."""
    chosen: list[object] = ["--validation", CORPUS / "C", "--test", CORPUS / "D"]
    made = [
        name
        for name, arm in BODIES.items()
        if (studies.work / "arms" / arm / "training.json").exists()
    ]
    starts = ",".join((*STARTS, *made))
    return [CORPUS / "A", CORPUS / "B", *chosen, "--encoders", starts], "full", (11, 16)
