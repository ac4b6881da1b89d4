"""Make the bank of jobs: python -m recipes.banks.professions --help."""

from __future__ import annotations

import argparse
from pathlib import Path

from recipes.banks.lexicon import BANKS, WORDS, line, write


def main() -> None:
    """Write the bank from the project's own list: jobs by level, one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=BANKS / "en_US.professions.txt")
    arguments = parser.parse_args()
    lines = ["incognote professions 1 en_US"]
    level = ""
    for text in (WORDS / "professions.txt").read_text("utf-8").splitlines():
        if text.startswith("["):
            level = text.strip("[]")
        else:
            jobs = sorted({job.replace("|", "/").replace("_", " ") for job in text.split()})
            lines.append(line(level, jobs))
    write(arguments.output, lines)


if __name__ == "__main__":
    main()
