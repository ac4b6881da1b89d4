"""The real MEDDOCAN corpus, where it is at hand: nothing of it is lost."""

from __future__ import annotations

import tarfile
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from places import ROOT

from incognote.corpus.convert import Target, convert
from incognote.corpus.source import Failure, Source, notes
from incognote.corpus.stats import columns, statistics
from incognote.corpus.validate import Validation
from incognote.formats import FORMATS, Fields, Record, read, read_records

ARCHIVES = ROOT.parent / "shared" / "data" / "annotated" / "meddocan_es"

if ARCHIVES.is_dir():

    @pytest.fixture(scope="module")
    def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
        folder = tmp_path_factory.mktemp("meddocan")
        for part in ("train", "dev"):
            with tarfile.open(ARCHIVES / f"meddocan_{part}_xml.tar.xz") as archive:
                archive.extractall(folder, filter="data")
        return folder

    def test_statistics_are_as_counted_by_its_source(corpus: Path) -> None:
        failures: list[Failure] = []
        parts = columns([Source(corpus)])
        result = statistics({name: notes(part, failures) for name, part in parts.items()})
        assert not failures
        counts = {name: (each.notes, each.spans) for name, each in result.columns.items()}
        assert counts == {"train": (500, 11333), "dev": (250, 5801), "total": (750, 17134)}
        assert len(result.types) == 22

    def test_it_is_valid(corpus: Path) -> None:
        validation = Validation("meddocan")
        problems = list(validation.problems(Source(corpus)))
        assert [each for each in problems if each.finding.level == "error"] == []
        assert (validation.files, validation.spans) == (750, 17134)
        assert validation.counts == Counter({("warning", "encoding"): 1, ("info", "cut-word"): 10})

    def test_it_is_written_back_byte_for_byte(corpus: Path, tmp_path: Path) -> None:
        format, out = FORMATS["i2b2"], tmp_path / "out.xml"
        count = 0
        for each in read_records(corpus):
            assert isinstance(each.record, Record)
            with closing(format.open(each.path, Fields())) as source:
                sink = format.sink(out, source)
                sink.write(each.record, each.record.documents)
                sink.close()
            assert out.read_bytes() == each.path.read_bytes()
            out.unlink()
            count += 1
        assert count == 750

    def test_it_comes_back_from_other_formats(corpus: Path, tmp_path: Path) -> None:
        table, pairs = tmp_path / "all.jsonl", tmp_path / "brat"
        there = convert(Source(corpus), Target.of(table, "jsonl"))
        assert (there.notes, there.spans, there.lost_details) == (750, 17134, frozenset())
        assert convert(Source(table), Target.of(pairs, "brat")).spans == 17134
        original = {note.id: note for note in read(corpus)}
        back = {note.id: note for note in read(pairs)}
        assert original.keys() == back.keys()
        for id, note in original.items():
            assert note.text == back[id].text
            assert [(s.start, s.end, s.type) for s in note.spans] == [
                (s.start, s.end, s.type) for s in back[id].spans
            ]
