"""Validation: every problem, with file and place, and no text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from corpus.corpus_files import inline_folder

from incognote.corpus.source import CorpusError, Source
from incognote.corpus.validate import Problem, Validation, check
from incognote.document import Document, Span

TEXT = "Seen by Dr. Okafor on 3/14."


def problems_of(path: Path, validation: Validation | None = None) -> list[Problem]:
    return list((validation or Validation()).problems(Source(path)))


def summaries(problems: list[Problem]) -> list[tuple[str, str, str]]:
    return [(each.file.name, each.place, each.finding.kind) for each in problems]


def kinds(text: str, *spans: tuple[int, int, str], consistency: bool = False) -> list[str]:
    document = Document("n", text, tuple(Span.of(text, *span) for span in spans))
    types = frozenset({"DATE", "DOCTOR"})
    return [finding.kind for finding in check(document, types, consistency=consistency)]


def test_a_sound_note_has_no_problems() -> None:
    assert kinds(TEXT, (12, 18, "DOCTOR"), (22, 26, "DATE"), consistency=True) == []


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(12, 12, "DOCTOR")], ["empty"]),
        ([(12, 18, "PERSON")], ["unknown-type"]),
        ([(12, 18, "DOCTOR"), (12, 18, "DOCTOR")], ["duplicate-span"]),
        ([(12, 18, "DOCTOR"), (12, 18, "DATE")], ["overlap"]),
        ([(12, 26, "DOCTOR"), (22, 26, "DATE")], ["overlap"]),
        ([(0, 26, "DOCTOR"), (5, 7, "DATE"), (22, 26, "DATE")], ["overlap", "overlap"]),
        ([(12, 18, "DOCTOR"), (18, 19, "DATE")], ["space"]),
        ([(11, 18, "DOCTOR")], ["space"]),
        ([(12, 15, "DOCTOR")], ["cut-word"]),
        ([(13, 18, "DOCTOR")], ["cut-word"]),
        ([(12, 18, "DOCTOR"), (18, 18, "DATE")], ["empty"]),
    ],
)
def test_what_is_wrong_with_a_span_is_named(
    spans: list[tuple[int, int, str]], expected: list[str]
) -> None:
    assert kinds(TEXT, *spans) == expected


def test_lost_characters_are_found() -> None:
    assert kinds("caf\ufffd and \x82") == ["encoding", "encoding"]
    assert kinds("one\x85two\u2028three") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Okafor. Okafor", ["unmarked"]),
        ("Okafor, OKAFOR and OKAFOR's", ["unmarked", "unmarked"]),
        ("Okafor, Okafors, xOkafor, okafor", []),
    ],
)
def test_words_marked_in_one_place_only(text: str, expected: list[str]) -> None:
    assert kinds(text, (0, 6, "DOCTOR"), consistency=True) == expected
    assert kinds(text, (0, 6, "DOCTOR")) == []


def test_short_words_say_nothing_about_consistency() -> None:
    assert kinds("54 and 54", (0, 2, "DATE"), consistency=True) == []


def test_words_with_two_types() -> None:
    spans = ((0, 6, "DOCTOR"), (7, 13, "DATE"))
    assert kinds("Okafor Okafor", *spans, consistency=True) == ["two-types", "two-types"]


def test_all_bad_tags_of_an_xml_file_are_told(tmp_path: Path) -> None:
    tags = [
        '<NAME id="P0" start="12" end="18" text="Okafor" TYPE="DOCTOR" comment="" />',
        '<NAME id="P1" start="13" end="19" text="Okafor" TYPE="DOCTOR" comment="" />',
        '<DATE id="P2" start="22" end="99" text="3/14" TYPE="DATE" comment="" />',
        '<DATE id="P3" start="x" end="26" text="3/14" TYPE="DATE" comment="" />',
        '<NAME id="P4" start="26" end="22" text="3/14" TYPE="DATE" comment="" />',
        '<NAME id="P5" start="12" end="18" text="Okafor" TYPE="NOBODY" comment="" />',
    ]
    (tmp_path / "n.xml").write_text(
        f"<deIdi2b2>\n<TEXT><![CDATA[{TEXT}]]></TEXT>\n<TAGS>\n"
        + "\n".join(tags)
        + "\n</TAGS>\n</deIdi2b2>\n"
    )
    validation = Validation()
    assert summaries(problems_of(tmp_path, validation)) == [
        ("n.xml", "line 5", "offsets"),
        ("n.xml", "line 6", "offsets"),
        ("n.xml", "line 7", "offsets"),
        ("n.xml", "line 8", "offsets"),
        ("n.xml", "", "unknown-type"),
        ("n.xml", "", "overlap"),
    ]
    assert (validation.files, validation.notes, validation.spans) == (1, 1, 6)
    assert validation.count("error") == 6


def test_all_bad_lines_of_an_ann_are_told(tmp_path: Path) -> None:
    (tmp_path / "n.txt").write_text(TEXT)
    (tmp_path / "n.ann").write_text(
        "T1\tDOCTOR 12 18\tOkafor\nT2\tDATE 22 26\t3/15\nT3\tDATE 1 2;4 5\tx y\n"
        "T4\tDATE 22 260\t3/14\nT5\tDATE 22 26\t3/14\nT6\tDATE\n"
    )
    assert summaries(problems_of(tmp_path)) == [
        ("n.txt", f"line {line} of the .ann", "offsets") for line in (2, 3, 4, 6)
    ]


def test_bad_lines_and_spans_of_jsonl_do_not_hide_each_other(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "text": "May 2", "spans": [{"start": 0, "end": 5, "type": "DATE"}]},
        {"id": "a", "text": "May 2", "spans": [{"start": 0, "end": 9, "type": "DATE"}, 3]},
        {"id": "a", "text": "May 2", "spans": [{"start": 0, "end": 0, "type": "DATE"}]},
        {"id": "b", "text": 5},
    ]
    content = "{bad\n" + "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "n.jsonl").write_text(content)
    assert summaries(problems_of(tmp_path / "n.jsonl")) == [
        ("n.jsonl", "line 1, column 2", "unreadable"),
        ("n.jsonl", "line 3", "offsets"),
        ("n.jsonl", "line 3", "offsets"),
        ("n.jsonl", "line 4", "duplicate-id"),
        ("n.jsonl", "line 4", "empty"),
        ("n.jsonl", "line 5", "unreadable"),
    ]


def test_files_that_cannot_be_read_do_not_hide_the_rest(tmp_path: Path) -> None:
    inline_folder(tmp_path, {"good": "[[DATE|May 2]]", "open": "a\n[[DATE|May 2", "same": "x"})
    (tmp_path / "latin.txt").write_bytes(b"ca\xc3\xa9\xe9")
    (tmp_path / "broken.xml").write_text("<a><TEXT>")
    (tmp_path / "bomb.xml").write_text('<!DOCTYPE a [<!ENTITY b "c">]><a><TEXT>&b;</TEXT></a>')
    (tmp_path / "same.xml").write_text("<a><TEXT>x</TEXT></a>")
    (tmp_path / "LICENSE").write_text("unknown")
    problems = problems_of(tmp_path)
    assert summaries(problems) == [
        ("LICENSE", "", "unreadable"),
        ("bomb.xml", "", "unreadable"),
        ("broken.xml", "line 1", "unreadable"),
        ("latin.txt", "byte 4", "unreadable"),
        ("open.txt", "line 2", "unreadable"),
        ("same.xml", "", "duplicate-id"),
    ]


def test_text_is_shown_only_when_asked_for(tmp_path: Path) -> None:
    inline_folder(tmp_path, {"n": "line\n[[DOCTOR|Okafor]], later OKAFOR [[DATE| 3/14]]"})
    for show_text in (False, True):
        validation = Validation(consistency=True, show_text=show_text)
        for problem in problems_of(tmp_path, validation):
            text = str(problem) + json.dumps(problem.to_json()) + repr(problem)
            assert ("OKAFOR" in text or "3/14" in text) == show_text
    first, second = problems_of(tmp_path, Validation(consistency=True))
    assert str(first).endswith(
        "n.txt: 26-31 DATE (line 2 of the note): warning: the span begins or ends with white space"
    )
    assert (second.finding.kind, second.line) == ("unmarked", 2)


def test_schemes(tmp_path: Path) -> None:
    inline_folder(tmp_path, {"n": "[[DATE|May 2]] [[FECHAS|May 3]] [[SEXO_SUJETO_ASISTENCIA|x]]"})
    validation = Validation()
    assert len(problems_of(tmp_path, validation)) == 2
    assert "--types meddocan" in str(validation.advice())
    assert len(problems_of(tmp_path, Validation("meddocan"))) == 1
    assert problems_of(tmp_path, Validation("any")) == []
    with pytest.raises(CorpusError, match="choose one of i2b2, i2b2-2006"):
        Validation("nope")
