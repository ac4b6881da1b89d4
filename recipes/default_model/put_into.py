"""Writes decisions and scales into an exported model folder; its networks stay as they are.

python recipes/default_model/put_into.py model/ --hybrid hybrid.json --scales scales.json
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from incognote.onnx.errors import ModelError
from incognote.onnx.hybrid import read_hybrid
from incognote.onnx.model_folder import read_model, write_model


def main(arguments: list[str] | None = None) -> int:
    """Read, change, write, and read again."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="folder that `incognote export` wrote")
    parser.add_argument("--hybrid", type=Path, required=True, help="what decide.py wrote")
    parser.add_argument("--scales", type=Path, required=True, help="what scales.py wrote")
    given = parser.parse_args(arguments)
    try:
        model = read_model(given.model)
        hybrid = read_hybrid(json.loads(given.hybrid.read_text()))
        scales = {type: (a, b) for type, (a, b) in json.loads(given.scales.read_text()).items()}
        variants = {name: replace(each, scales=scales) for name, each in model.variants.items()}
        write_model(replace(model, variants=variants, hybrid=hybrid), given.model)
        read_model(given.model)
    except (ModelError, OSError) as error:
        print(f"put_into: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
