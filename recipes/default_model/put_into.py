"""Writes decisions, scales and levels into an exported model folder; its networks stay as they are.

python recipes/default_model/put_into.py model/ --work work/
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from incognote.detect.suspects import Scales
from incognote.onnx.errors import ModelError
from incognote.onnx.hybrid import read_hybrid
from incognote.onnx.model_folder import read_model, write_model


def main(arguments: list[str] | None = None) -> int:
    """Read, change, write, and read again."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="folder that `incognote export` wrote")
    parser.add_argument("--work", type=Path, required=True, help="the folder of make.py")
    given = parser.parse_args(arguments)
    try:
        model = read_model(given.model)
        hybrid, scales, least = (
            json.loads((given.work / f"{name}.json").read_text())
            for name in ("hybrid", "scales", "thresholds")
        )
        scaled = Scales({type: (slope, offset) for type, (slope, offset) in scales.items()})
        thresholds = {type: scaled.of(type, level) for type, level in least.items()}
        chosen = given.work / "words.json"
        words = json.loads(chosen.read_text()) if chosen.exists() else {}
        variants = {
            name: replace(each, scales=scaled.by_type, thresholds=thresholds, words=words.get(name))
            for name, each in model.variants.items()
        }
        write_model(replace(model, variants=variants, hybrid=read_hybrid(hybrid)), given.model)
        read_model(given.model)
    except (ModelError, OSError) as error:
        print(f"put_into: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
