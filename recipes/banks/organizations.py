"""Make the bank of words for institutions: python -m recipes.banks.organizations --help."""

from __future__ import annotations

import argparse
from pathlib import Path

from recipes.banks.lexicon import BANKS, clinical_letters, line, lines_of, words_of, write

_KINDS = ("saints", "holy", "ladies", "devotions", "statuses")


def main() -> None:
    """Write the bank from the project's own lists."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=BANKS / "en_US.organizations.txt")
    arguments = parser.parse_args()
    lines = ["incognote organizations 1 en_US"]
    lines += [line(kind, sorted(set(words_of(f"organizations/{kind}.txt")))) for kind in _KINDS]
    lines.append(line("services", lines_of("organizations/services.txt")[0]))
    taken = {*words_of("organizations/letters.txt"), *clinical_letters()}
    lines.append(line("letters", sorted(taken)))
    write(arguments.output, lines)


if __name__ == "__main__":
    main()
