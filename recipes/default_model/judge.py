"""What the model is worth as it ships, with all that was decided: the tables of its card.

    python recipes/default_model/judge.py --work work/ --corpus corpus
    python recipes/default_model/judge.py --work work/ --corpus corpus --sealed

Sets A to D are each read by the fold that had not seen them, and G, which it has not seen either, by
the model to ship in each of its variants; all five were decided by, so their figures flatter a
little. With --sealed it reads sets E and H, for the one time: figures that are there are not made
again.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from incognote.onnx.model_folder import read_model

HERE = Path(__file__).parent
SETS, NEVER, SEALED = ("A", "B", "C", "D"), "G", ("E", "H")
OVERALL = {
    "covered_recall": "all types",
    "leaked_notes": "notes that leak",
    "over_redaction": "over-redaction",
}
Figures = Mapping[str, Any]


def judged(model: Path, notes: Path, speed: str, found: Path, *, once: bool = False) -> Figures:
    """The figures of one variant on one set; with `once`, those that are there are read."""
    spans, figures = found.with_suffix(".jsonl"), found.with_suffix(".json")
    if not (once and figures.exists()):
        found.parent.mkdir(parents=True, exist_ok=True)
        _incognote("find", notes, "-o", spans, "--model", model, "--speed", speed, "--overwrite")
        part = figures.with_suffix(".part")
        part.write_bytes(_incognote("score", notes, spans, "--json"))
        part.replace(figures)
    read: Figures = json.loads(figures.read_text())["systems"][0]["release"]
    return read


def _incognote(*words: object) -> bytes:
    command = [sys.executable, "-m", "incognote", *map(str, words)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def folds(work: Path, corpus: Path) -> dict[str, Figures]:
    """Each fold on the set that it had not seen, with the decisions; the model to ship on G."""
    found = {}
    for name in SETS:
        trained, model = work / f"fold-{name}-model", work / "judged" / f"fold-{name}-model"
        if trained.exists():
            shutil.copytree(trained, model, dirs_exist_ok=True)
            put = [sys.executable, HERE / "put_into.py", model, "--work", work, "--no-levels"]
            subprocess.run([str(word) for word in put], check=True)
            place = work / "judged" / f"{name}-careful"
            found[f"{name} unseen"] = judged(model, corpus / name, "careful", place)
    return found | shipped(work, corpus, (NEVER,))


def sealed(work: Path, corpus: Path) -> dict[str, Figures]:
    """The model to ship on the sets that nobody has read."""
    return shipped(work, corpus, SEALED, once=True)


def shipped(
    work: Path, corpus: Path, sets: Sequence[str], *, once: bool = False
) -> dict[str, Figures]:
    """The model to ship in each of its variants, on sets that it has not seen."""
    model = work / "model"
    return {
        f"{name}, {speed}": judged(
            model, corpus / name, speed, work / "judged" / f"{name}-{speed}", once=once
        )
        for name in sets
        for speed in read_model(model).variants
    }


def table(found: Mapping[str, Figures]) -> Iterator[str]:
    """In Markdown, a column for each set; per cent with 95 % intervals."""
    yield f"| | {' | '.join(found)} |"
    yield f"|---|{'---|' * len(found)}"
    for key, name in OVERALL.items():
        yield _row(name, [_cell(each[key]) for each in found.values()])
    yield _row("overlap F1, typed", [_cell(each["overlap"]["f1"]) for each in found.values()])
    by_type = [each["covered_recall_by_type"] for each in found.values()]
    count = {
        type: sum(each[type]["whole"] for each in by_type if type in each)
        for type in {type for each in by_type for type in each}
    }
    for type in sorted(count, key=lambda type: (-count[type], type)):
        yield _row(type, [_cell(each.get(type), counted=True) for each in by_type])


def _row(name: str, cells: Sequence[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |"


def _cell(rate: Figures | None, *, counted: bool = False) -> str:
    if rate is None or rate["whole"] == 0:
        return "–"
    value, low, high = (f"{100 * rate[key]:.1f}" for key in ("value", "low", "high"))
    of = f" of {rate['whole']:,.0f}" if counted else ""
    return f"{value} ({low}–{high}){of}"


def main(arguments: list[str] | None = None) -> int:
    """Read, find, score, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, help="the folder of make.py")
    parser.add_argument("--corpus", type=Path, required=True, help="the folder of the sets")
    parser.add_argument("--sealed", action="store_true", help="sets E and H, when all is decided")
    given = parser.parse_args(arguments)
    try:
        found = (sealed if given.sealed else folds)(given.work, given.corpus)
    except subprocess.CalledProcessError as error:
        return int(error.returncode)
    print("\n".join(table(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
