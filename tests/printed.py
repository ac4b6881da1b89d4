"""The printed tables of the papers, `tests/printed_tables`, as rows by the names of their columns."""

from __future__ import annotations

import csv

from places import TESTS

TABLES = TESTS / "printed_tables"


def printed(name: str) -> list[dict[str, str]]:
    """The rows of a table."""
    with (TABLES / f"{name}.tsv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
