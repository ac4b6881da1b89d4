"""Bytes in and out: gzip, and files that cannot be read."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from formats.note_strategies import pass_through, records

from incognote.formats import FORMATS, Fields, FormatError
from incognote.formats.streams import read_bytes

TABLES = {
    "csv": b'id,text\r\n1,"a\nb"\r\n\r\n2,c\n3,d',
    "jsonl": b'{"text": "a"}\r\n\n{"text": "b", "n": 1.0}\n{"text": "c"}',
}


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_absent_and_unreadable_files(name: str, tmp_path: Path) -> None:
    format = FORMATS[name]
    (tmp_path / "dir.txt").mkdir()
    for path in (tmp_path / f"absent{format.extensions[0]}", tmp_path / "dir.txt"):
        with pytest.raises(FormatError, match="cannot be read"):
            records(format, path)


@pytest.mark.parametrize("name", ["text", "jsonl", "csv"])
def test_damaged_gzip(name: str, tmp_path: Path) -> None:
    format = FORMATS[name]
    path = tmp_path / f"a{format.extensions[0]}.gz"
    data = TABLES.get(name, b"note") + os.urandom(3000).hex().encode()
    whole = gzip.compress(data)
    for content, reason in (
        (whole[:-9], "cut short"),
        (whole[:500] + b"\0\xff\0" + whole[503:], "damaged"),
        (b"", "not gzip"),
        (b"plain", "not gzip"),
    ):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=reason):
            records(format, path)


def test_gzip_out_says_neither_name_nor_time(tmp_path: Path) -> None:
    path, out = tmp_path / "SMITH.txt.gz", tmp_path / "1.txt.gz"
    path.write_bytes(gzip.compress(b"note\r\n"))
    pass_through(FORMATS["text"], path, out)
    assert out.read_bytes()[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
    assert gzip.decompress(out.read_bytes()) == b"note\r\n"
    temporary = tmp_path / ".2.txt.gz.part"
    pass_through(FORMATS["text"], path, temporary)
    assert temporary.read_bytes() == out.read_bytes()


def test_a_gzip_file_unpacks_to_a_bound(tmp_path: Path) -> None:
    path = tmp_path / "bomb.txt.gz"
    path.write_bytes(gzip.compress(b"a" * (80 << 20), 9))
    with pytest.raises(FormatError, match="more than 200 times its size; if it should, gunzip"):
        read_bytes(path)
    assert len(read_bytes(path, Fields(max_unpack=2000))) == 80 << 20
