"""Makes a checkpoint of a network that ships, so that it can teach or be gone on with.

    python recipes/default_model/reopen.py src/incognote/models/default bert-balanced -o work/balanced

It keeps its labels and structure: `incognote train --encoder work/balanced` goes on with both, as
`incognote train --encoder default:bert-balanced` does without this step.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from incognote.base.errors import ModelError
from incognote.onnx.model_folder import read_model
from incognote.workshop.export.reopen import reopen
from incognote.workshop.finetune.checkpoint import write_checkpoint


def main(arguments: list[str] | None = None) -> int:
    """Read, build, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="model folder")
    parser.add_argument("member", help="which of its networks, by the name in incognote.json")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the checkpoint")
    given = parser.parse_args(arguments)
    try:
        members = read_model(given.model).members
        if given.member not in members:
            parser.error(f"no member {given.member}; there are {', '.join(members)}")
        network = reopen(given.model, given.member)
    except (ModelError, OSError) as error:
        print(f"reopen: {error}", file=sys.stderr)
        return 2
    write_checkpoint(given.output, network.tagger, network.tokenizer, network.training)
    count = sum(each.numel() for each in network.tagger.parameters())
    print(f"{given.output}: {count:,} parameters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
