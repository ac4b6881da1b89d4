"""A table as CSV: a field for each number."""

from __future__ import annotations

import csv
import io

from incognote.workflows.compare.report.table import Table


def csv_text(table: Table) -> str:
    """Heads and rows; a missing value is an empty field."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        [f"{column.name}{head}" for column in table.columns for head in column.kind.heads]
    )
    for row in table.rows:
        fields: list[str] = []
        for column, cell in zip(table.columns, row, strict=True):
            kind = column.kind
            fields += [""] * len(kind.heads) if cell is None else kind.fields(cell)
        writer.writerow(fields)
    return stream.getvalue()
