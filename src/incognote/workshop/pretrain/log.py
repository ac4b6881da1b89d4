"""Rows of figures in CSV files that can be watched while a run goes on."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

from incognote.base.files import naming_file, write_whole


class Log:
    """A CSV file with a row for some steps, each under its step; columns are those of the first.

    A run that goes on from an earlier step takes later rows back.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def rows(self) -> list[dict[str, str]]:
        """All rows so far."""
        if not self.path.is_file():
            return []
        with self.path.open(newline="", encoding="utf-8") as file:
            # A kill may have cut the last line.
            return [row for row in csv.DictReader(file) if None not in row.values()]

    def begin(self) -> None:
        """Drop all rows, which are an earlier run's."""
        self.path.unlink(missing_ok=True)

    def go_back(self, step: int) -> None:
        """Drop the rows after a step."""
        kept = [row for row in self.rows() if int(row["step"]) <= step]
        text = StringIO()
        if kept:
            writer = csv.DictWriter(text, list(kept[0]))
            writer.writeheader()
            writer.writerows(kept)
        write_whole(self.path, text.getvalue().encode())

    def add(self, row: Mapping[str, float]) -> None:
        """One row more; numbers are written short."""
        new = not self.path.is_file() or not self.path.stat().st_size
        with naming_file(self.path), self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(row))
            if new:
                writer.writeheader()
            writer.writerow({name: _short(value) for name, value in row.items()})


def _short(value: float) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
