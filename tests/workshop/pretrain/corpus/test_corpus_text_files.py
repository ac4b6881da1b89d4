"""Documents of files in every form, and what is said of files that cannot be read."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import struct
import tarfile
from pathlib import Path

import pytest

from incognote.base import compressed
from incognote.base.errors import TextError
from incognote.workshop.pretrain.corpus import text_files
from incognote.workshop.pretrain.corpus.text_files import Reading, documents, list_files

SECRET = "Jane Roe"


def read(path: Path, how: Reading | None = None) -> list[str]:
    return [document.text for document in documents(path, how or Reading())]


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def zstd(data: bytes, window: int = 20) -> bytes:
    """Packed as a stream, so that the frame names its window, a power of 2."""
    zstandard = pytest.importorskip("zstandard")
    settings = zstandard.ZstdCompressionParameters(window_log=window)
    packer = zstandard.ZstdCompressor(compression_params=settings).compressobj()
    return bytes(packer.compress(data) + packer.flush())


def archived(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_a_text_file_is_a_document(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "\ufeffOne.\r\n\r\nTwo.\n")
    assert read(path) == ["One.\r\n\r\nTwo.\n"]


def test_blank_lines_part_documents(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "\n\nOne.\nMore.\n \n\nTwo.")
    assert read(path, Reading(documents="blank-lines")) == ["One.\nMore.\n", "Two."]


def test_lines_may_be_documents(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "\ufeffOne.\n\nTwo.")
    assert read(path, Reading(documents="lines")) == ["One.\n", "\n", "Two."]
    with pytest.raises(TextError, match="one of file, blank-lines, lines, not 'words'"):
        Reading(documents="words")  # type: ignore[arg-type]


def test_records_give_their_fields_in_the_order_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", lines({"b": "B", "a": "A\u2028a"}, {"a": ""}))
    assert read(path, Reading(("a", "b"))) == ["A\u2028a\n\nB", ""]


def test_lists_and_objects_in_a_field_give_all_strings(tmp_path: Path) -> None:
    record = {"qa": [{"q": "Why?", "n": 3, "a": "So."}, {"q": "When?", "a": None}, " "]}
    assert read(write(tmp_path / "a.jsonl", lines(record)), Reading(("qa",))) == [
        "Why?\n\nSo.\n\nWhen?"
    ]


@pytest.mark.parametrize(
    "value",
    [[{"text": "A"}, {"text": "B"}], {"1": {"text": "A"}, "2": {"text": "B"}}],
    ids=["list", "by id"],
)
def test_json_of_several_records(tmp_path: Path, value: object) -> None:
    assert read(write(tmp_path / "a.json", json.dumps(value))) == ["A", "B"]


def test_json_of_one_record(tmp_path: Path) -> None:
    assert read(write(tmp_path / "a.json", '{"text": "A"}')) == ["A"]


def test_tables(tmp_path: Path) -> None:
    csv = write(tmp_path / "a.csv", 'id,text\n1,"One,\ntwo"\n2,Three\n')
    tsv = write(tmp_path / "a.tsv", "id\ttext\n1\tOne\n")
    assert read(csv) == ["One,\ntwo", "Three"]
    assert read(tsv) == ["One"]


def test_archives_without_what_is_about_them(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar.xz", "w:xz") as archive:
        for name, text in {
            "LICENSE.txt": "free",
            "t/1.txt": "One.",
            "t/1.references": "x",
            "t/2.jsonl": '{"text": "Two."}',
        }.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    assert read(tmp_path / "a.tar.xz") == ["One.", "Two."]


def test_compressed_files_in_an_archive_read_as_by_themselves(tmp_path: Path) -> None:
    record = b'{"text": "Two."}\n'
    members = {
        "1.txt.gz": gzip.compress(b"One."),
        "2.jsonl.xz": lzma.compress(record * 5000),
        "3.tsv.zst": zstd(b"text\nThree.\n"),
        "4.txt": b"Four.",
    }
    path = archived(tmp_path / "a.tar", members)
    assert read(path) == ["One.", *["Two."] * 5000, "Three.", "Four."]
    alone = [text for name in members for text in read(write(tmp_path / name, members[name]))]
    assert read(path) == alone
    archived(path, {"4.txt": b"Four.", "1.txt.gz": members["1.txt.gz"][:-3]})
    with pytest.raises(TextError, match=r"a\.tar: 1\.txt\.gz: compressed, but damaged"):
        read(path)


def test_links_in_an_archive_are_passed_over(tmp_path: Path) -> None:
    path = archived(tmp_path / "a.tar", {"1.txt": b"One."})
    with tarfile.open(path, "a") as archive:
        link = tarfile.TarInfo("2.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "1.txt"
        archive.addfile(link)
    assert read(path) == ["One."]


@pytest.mark.parametrize("ending", [".gz", ".xz", ".zst"])
def test_compressed_text_is_the_same_and_its_cut_is_told(tmp_path: Path, ending: str) -> None:
    data = lines(*({"text": f"Note {number}."} for number in range(3000))).encode()
    if ending == ".zst":
        packed = pytest.importorskip("zstandard").ZstdCompressor().compress(data)
    else:
        packed = {".gz": gzip, ".xz": lzma}[ending].compress(data)
    path = write(tmp_path / f"a.jsonl{ending}", packed)
    read_ends = list(documents(path, Reading()))
    assert [end.text for end in read_ends] == [f"Note {number}." for number in range(3000)]
    assert read_ends[-1].read == len(packed)
    assert len(read(write(path, packed + packed))) == 6000
    with pytest.raises(TextError, match="damaged or cut short"):
        read(write(path, packed[: len(packed) // 2]))
    with pytest.raises(TextError, match=r"damaged or cut short|not readable as JSON"):
        read(write(path, packed[:50] + b"damaged" * 50 + packed[400:]))


@pytest.mark.parametrize("number", [0, 3, 15])
def test_frames_of_zstd_that_hold_no_text_are_passed_over(tmp_path: Path, number: int) -> None:
    told = b"index" * 20_000
    skipped = struct.pack("<II", 0x184D2A50 + number, len(told)) + told
    path = write(tmp_path / "a.txt.zst", skipped + zstd(b"One.") + skipped + zstd(b" Two."))
    assert read(path) == ["One. Two."]
    with pytest.raises(TextError, match="damaged or cut short"):
        read(write(path, skipped[:50_000]))


def test_large_windows_of_zstd_are_read_and_larger_ones_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt.zst", zstd(b"One.", window=28))
    assert read(path) == ["One."]
    with pytest.raises(TextError, match="window above 256 MB; compress it again with --long=28"):
        read(write(path, zstd(b"One.", window=29)))


def test_zstd_without_a_reader_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressed, "find_spec", lambda name: None)
    with pytest.raises(TextError, match="pip install zstandard"):
        read(write(tmp_path / "a.txt.zst", b"\x28\xb5\x2f\xfd" + bytes(9)))


def test_lone_surrogates_of_json_become_characters(tmp_path: Path) -> None:
    assert read(write(tmp_path / "a.jsonl", '{"text": "a\\ud800b"}')) == ["a\ufffdb"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"\x7fELF\x00\x01", "binary file"),
        ("a.txt", f"{SECRET} ".encode() + b"\xff", "not UTF-8 at byte 9"),
        ("a.jsonl", b'{"text": "a"}\n' + SECRET.encode() + b" \xfe\n", "not UTF-8 at byte 23"),
        (
            "a.jsonl",
            f'{{"text": "a"}}\n{{"text": "{SECRET}'.encode(),
            "line 2: not readable as JSON",
        ),
        ("a.jsonl", f'{{"note": "{SECRET}"}}'.encode(), "line 1: no field text"),
        ("a.jsonl", f'["{SECRET}"]'.encode(), "line 1: not a record"),
        ("a.json", f'"{SECRET}"'.encode(), "record 1: not a record"),
        ("a.json", f'{{"text": {SECRET}}}'.encode(), "not readable as JSON"),
        ("a.csv", f"note\n{SECRET}\n".encode(), "row 1: no field text"),
        ("a.csv", f'text\n"{SECRET}"x\n'.encode(), "not a table"),
        ("a.tar", SECRET.encode() * 200, "not a tar archive"),
    ],
)
def test_bad_files_are_refused_in_one_line_without_their_text(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    with pytest.raises(TextError, match=message) as refusal:
        read(write(tmp_path / name, content))
    assert str(tmp_path / name) in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert "Roe" not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "how", "message"),
    [
        ("a.txt", "file", "too long for one document; if blank lines part"),
        ("a.txt", "blank-lines", "has a line longer"),
        ("a.jsonl", "file", "has a line longer"),
        ("a.json", "file", "write it as JSONL"),
    ],
)
def test_what_is_too_long_to_hold_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, how: str, message: str
) -> None:
    monkeypatch.setattr(text_files, "LONGEST", 2**20)
    path = write(tmp_path / name, json.dumps({"text": "word " * 2**18}))
    with pytest.raises(TextError, match=message):
        read(path, Reading(documents="blank-lines" if how == "blank-lines" else "file"))


def test_folders_give_their_texts_in_order(tmp_path: Path) -> None:
    for name in ("b.txt", "a.jsonl.gz", "SOURCE.txt", "README.md", "image.png", "c/d.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write(tmp_path / name, "x")
    found = [path.relative_to(tmp_path).as_posix() for path in list_files([tmp_path])]
    assert found == ["a.jsonl.gz", "b.txt", "c/d.csv"]


def test_paths_without_text_are_refused(tmp_path: Path) -> None:
    for paths in ([tmp_path], [tmp_path / "absent"], []):
        with pytest.raises(TextError, match=r"no text|no such file"):
            list_files(paths)
