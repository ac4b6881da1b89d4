"""Counts by type and split."""

from __future__ import annotations

from pathlib import Path

from corpus.corpus_files import inline_folder, jsonl_file

from incognote.corpus.source import Failure, Source, notes
from incognote.corpus.stats import Statistics, columns, statistics
from incognote.document import Document, Span

TRAIN = {
    "a": "Seen [[DATE|3/14]] by Dr. [[DOCTOR|Ito]].",
    "b": "[[DATE|May 2]], [[DATE|May 3]] and [[AGE|7]].",
    "c": "Nothing here.",
}
TEST = {"d": "[[ZIP|02115]]"}


def count(*paths: Path) -> Statistics:
    failures: list[Failure] = []
    parts = columns([Source(path) for path in paths])
    result = statistics({name: notes(part, failures) for name, part in parts.items()})
    assert not failures
    return result


def test_every_figure_of_a_split(tmp_path: Path) -> None:
    inline_folder(tmp_path / "train", TRAIN)
    inline_folder(tmp_path / "test", TEST)
    result = count(tmp_path)
    assert list(result.columns) == ["train", "test", "total"]
    train = result.to_json()["train"]
    assert train == {
        "notes": 3,
        "words": 9 + 8 + 3,
        "phi_words": 4 + 5,
        "phi_words_percent": 100 * 9 / 20,
        "characters": 21 + 19 + 13,
        "spans": 5,
        "notes_without_spans": 1,
        "words_per_note": 20 / 3,
        "phi_words_per_note": 9 / 3,
        "spans_per_note": 5 / 3,
        "types": {
            "DOCTOR": {"count": 1, "percent": 20.0, "words": 1},
            "ZIP": {"count": 0, "percent": 0.0, "words": 0},
            "AGE": {"count": 1, "percent": 20.0, "words": 1},
            "DATE": {"count": 3, "percent": 60.0, "words": 7},
        },
    }
    total = result.to_json()["total"]
    assert total["types"]["DATE"] == {"count": 3, "percent": 50.0, "words": 7}
    assert (total["words"], total["phi_words"], total["phi_words_per_note"]) == (21, 10, 10 / 4)


def test_words_of_overlapping_spans_count_once() -> None:
    text = "Ann Lee-Smith, 7"
    spans = [(0, 13, "PATIENT"), (4, 7, "DOCTOR"), (3, 3, "AGE")]
    document = Document("1", text, tuple(Span.of(text, *span) for span in spans))
    counts = statistics({"notes": [document]}).columns["notes"]
    assert (counts.words, counts.phi_words, counts.spans) == (6, 4, 3)


def test_a_corpus_without_words_has_no_share_of_them() -> None:
    figures = statistics({"notes": [Document("1", " ")]}).to_json()["notes"]
    assert (figures["words"], figures["phi_words"], figures["phi_words_percent"]) == (0, 0, None)


def test_a_column_for_each_argument_folder_or_table(tmp_path: Path) -> None:
    inline_folder(tmp_path / "one" / "b", TRAIN)
    inline_folder(tmp_path / "one" / "a", TEST)
    assert list(count(tmp_path / "one").columns) == ["a", "b", "total"]
    assert list(count(tmp_path / "one" / "b").columns) == ["b"]
    for name in ("test", "validation", "train"):
        jsonl_file(tmp_path / "tables" / f"{name}.jsonl", TRAIN.items())
    assert list(count(tmp_path / "tables").columns) == ["train", "validation", "test", "total"]
    inline_folder(tmp_path / "two" / "b", TRAIN)
    same_name = count(tmp_path / "one" / "b", tmp_path / "two" / "b")
    assert [each.notes for each in same_name.columns.values()] == [3, 3, 6]


def test_a_share_of_nothing_is_null(tmp_path: Path) -> None:
    inline_folder(tmp_path / "none", {"a": "Nothing."})
    inline_folder(tmp_path / "some", TEST)
    result = count(tmp_path / "none", tmp_path / "some").to_json()
    assert result["none"]["types"]["ZIP"] == {"count": 0, "percent": None, "words": 0}


def test_bad_files_are_told_and_the_rest_counted(tmp_path: Path) -> None:
    inline_folder(tmp_path, TRAIN)
    (tmp_path / "bad.txt").write_bytes(b"ca\xc3\xa9\xe9")
    failures: list[Failure] = []
    result = statistics({"all": notes(Source(tmp_path), failures)})
    assert result.columns["all"].notes == 3
    assert [str(failure) for failure in failures] == [
        f"{tmp_path / 'bad.txt'}: byte 4: not valid UTF-8"
    ]
