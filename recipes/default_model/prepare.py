"""Prepares the open clinical texts for generate.py: once, in about three minutes.

    python recipes/default_model/prepare.py --data ../shared/data -o prepared.jsonl

Placeholders get names, residual ages, dates and titled names are marked, and every sentence that may
hold another identifier is dropped.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from generator.prepare.write import write_prepared


def main(arguments: list[str] | None = None) -> int:
    """Parse, prepare, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the shared data folder")
    parser.add_argument("-o", "--output", type=Path, required=True, help="JSONL file to write")
    options = parser.parse_args(arguments)
    try:
        write_prepared(options.data, options.output)
    except (OSError, ValueError) as error:
        print(f"prepare: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
