"""Which format a file is of."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from incognote.formats import FormatError, detect

XML = b"<r><TEXT>a</TEXT></r>"


@pytest.mark.parametrize(
    ("name", "data", "format"),
    [
        ("a.txt", b"", "text"),
        ("a.TXT", b"[[not a mark|x]]", "text"),
        ("a.txt", b"seen [[DATE|today]]", "inline"),
        ("a.xml", XML, "i2b2"),
        ("a.jsonl", b"", "jsonl"),
        ("a.ndjson", b"{}", "jsonl"),
        ("a.csv", b"a,b", "csv"),
        ("a.tsv", b"a\tb", "csv"),
        ("a.parquet", b"", "parquet"),
        ("export", b"PAR1...", "parquet"),
        ("export", b'{"text": 1}', "jsonl"),
        ("export", XML, "i2b2"),
    ],
)
def test_detects(name: str, data: bytes, format: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert detect(path).name == format
    zipped = tmp_path / f"{name}.gz"
    zipped.write_bytes(gzip.compress(data))
    assert detect(zipped).name == format


def test_an_unknown_file_or_format_tells_the_choices(tmp_path: Path) -> None:
    path = tmp_path / "a.doc"
    path.write_bytes(b"\xd0\xcf")
    with pytest.raises(FormatError, match="content: say it with --format: brat, csv, i2b2,"):
        detect(path)
    with pytest.raises(FormatError, match="'word' is not a format: choose one of"):
        detect(path, "word")
    assert detect(path, "text").name == "text"


def test_importing_is_light() -> None:
    code = "import sys, incognote.formats; print({'lxml', 'pyarrow'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
