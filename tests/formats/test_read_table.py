"""Tables that are read whole: any delimiter and encoding, values by row, and the lines of both."""

from __future__ import annotations

from pathlib import Path

import pytest

from incognote.formats import FormatError
from incognote.formats.tables import read_table


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "windows-1252"])
def test_any_delimiter_and_encoding(tmp_path: Path, delimiter: str, encoding: str) -> None:
    lines = ["name,note", 'Zoë,"two\nlines"', "", "René,said", "short"]
    path = tmp_path / "staff.csv"
    path.write_text("\n".join(lines).replace(",", delimiter), encoding=encoding)
    table = read_table(path, ["name"])
    assert table.names == ("name", "note")
    assert table.rows == ((2, ["Zoë", "two\nlines"]), (5, ["René", "said"]), (6, ["short"]))


def test_quotes_that_do_not_fit_are_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "staff.csv"
    path.write_text('name,note\nAnn,"x"y\n')
    with pytest.raises(FormatError, match="line 2"):
        read_table(path, ["name"])


def test_an_empty_file_has_neither_columns_nor_rows(tmp_path: Path) -> None:
    path = tmp_path / "staff.csv"
    path.touch()
    assert (read_table(path).names, read_table(path).rows) == ((), ())
