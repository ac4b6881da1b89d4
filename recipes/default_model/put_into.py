"""Writes decisions, scales and levels into an exported model folder; its networks stay as they are.

    python recipes/default_model/put_into.py model/ --work work/
    python recipes/default_model/put_into.py model/ --work work/ --decisions another/

The levels are those of work/words.json, if it is there: of the model to ship, not of a fold. Decisions and scales those of the work folder,
or of another model folder.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from incognote.base.errors import ModelError
from incognote.detect.uncertain import Scales
from incognote.onnx.model_folder import Hybrid, read_hybrid, read_model, write_model

Decided = tuple[Hybrid | None, Mapping[str, tuple[float, float]], Mapping[str, float]]
"""How rules and model work together; by type, scales, and thresholds of scaled scores."""


def decided(work: Path) -> Decided:
    """What decide.py and scales.py wrote."""
    hybrid, scales, least = (
        json.loads((work / f"{name}.json").read_text())
        for name in ("hybrid", "scales", "thresholds")
    )
    scaled = Scales({type: (slope, offset) for type, (slope, offset) in scales.items()})
    thresholds = {type: scaled.of(type, level) for type, level in least.items()}
    return read_hybrid(hybrid), scaled.by_type, thresholds


def taken(folder: Path) -> Decided:
    """What was put into a model folder."""
    model = read_model(folder)
    variant = model.variant()
    return model.hybrid, variant.scales, variant.thresholds


def main(arguments: list[str] | None = None) -> int:
    """Read, change, write, and read again."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="folder that `incognote export` wrote")
    parser.add_argument("--work", type=Path, required=True, help="the folder of make.py")
    parser.add_argument("--no-levels", action="store_true", help="leave work/words.json aside")
    parser.add_argument("--decisions", type=Path, help="a model folder to take them from")
    given = parser.parse_args(arguments)
    try:
        model = read_model(given.model)
        hybrid, scales, thresholds = (
            decided(given.work) if given.decisions is None else taken(given.decisions)
        )
        chosen = given.work / "words.json"
        levels = chosen.exists() and not given.no_levels
        words = json.loads(chosen.read_text()) if levels else {}
        variants = {
            name: replace(each, scales=scales, thresholds=thresholds, words=words.get(name))
            for name, each in model.variants.items()
        }
        write_model(replace(model, variants=variants, hybrid=hybrid), given.model)
        read_model(given.model)
    except (ModelError, OSError) as error:
        print(f"put_into: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
