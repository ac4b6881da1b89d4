"""A user's own examples, with the names of their columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from incognote.workshop.tasks.columns import Columns, parse_names
from incognote.workshop.tasks.readers import read_part
from incognote.workshop.tasks.rows import DataError
from incognote.workshop.tasks.task import (
    TASKS,
    Answer,
    ChoiceExample,
    QuestionExample,
    SentenceExample,
)


def read(task: str, folder: Path, name: str, content: str, **columns: Any) -> list[Any]:
    path = folder / name
    path.write_bytes(content.encode())
    return read_part(TASKS[task], path, Columns(**columns)).examples


def test_csv_with_quotes_and_lines_inside(tmp_path: Path) -> None:
    content = '\ufeffkind,note,nr\nfall,"He said ""ow"", and\r\nfell.",n1\npain,"chest, left",n2\n'
    found = read("sentence", tmp_path, "notes.csv", content, text="note", label="kind", id="nr")
    assert found == [
        SentenceExample("n1", 'He said "ow", and\r\nfell.', None, "fall"),
        SentenceExample("n2", "chest, left", None, "pain"),
    ]


def test_tsv_takes_quotes_as_they_are(tmp_path: Path) -> None:
    (found,) = read("pair", tmp_path, "p.tsv", 'text\tsecond\tlabel\n"A\tB"\tx\n')
    assert found == SentenceExample("0", '"A', 'B"', "x")


def test_json_lines_take_numbers_and_truth_values_as_labels(tmp_path: Path) -> None:
    rows = [{"text": "a", "label": 1}, {"text": "b", "label": True}, {"text": "c", "label": None}]
    content = "".join(json.dumps(row) + "\n\n" for row in rows)
    assert [each.label for each in read("sentence", tmp_path, "a.jsonl", content)] == [
        "1",
        "true",
        None,
    ]


def test_options_in_columns_or_in_a_list(tmp_path: Path) -> None:
    names = {"options": ("a", "b", "c")}
    content = "context,question,a,b,c,answer\nHe fell.,Who?,he,she,it,{}\n"
    for answer in ("B", "b", "1", "she"):
        (found,) = read("choice", tmp_path, "c.csv", content.format(answer), **names)
        assert found == ChoiceExample("0", "He fell.", "Who?", ("he", "she", "it"), 1)
    row = {"context": "He fell.", "question": "Who?", "options": ["1", "0"], "answer": "0"}
    (found,) = read("choice", tmp_path, "c.jsonl", json.dumps(row))
    assert found.answer == 1  # the text of an option goes before its number


def test_answers_with_and_without_their_place(tmp_path: Path) -> None:
    content = (
        "context,question,answer,start\n"
        "the arm and the leg,Which?,the,12\n"
        "the arm and the leg,Which?,leg,\n"
        "the arm and the leg,Which?,,\n"
    )
    with_place, searched, none = read("span", tmp_path, "s.csv", content)
    assert with_place.answers == (Answer("the", 12),)
    assert searched.answers == (Answer("leg", 16),)
    assert none.impossible
    row = {
        "context": "the arm and the leg",
        "question": "Which?",
        "answer": {"text": ["arm", "leg"], "answer_start": [4, 16]},
    }
    (found,) = read("span", tmp_path, "s.jsonl", json.dumps(row))
    assert found.answers == (Answer("arm", 4), Answer("leg", 16))
    (found,) = read("span", tmp_path, "s.jsonl", json.dumps({**row, "answer": ["leg"]}))
    assert found.answers == (Answer("leg", 16),)
    del row["answer"]
    (found,) = read("span", tmp_path, "s.jsonl", json.dumps(row))
    assert isinstance(found, QuestionExample)
    assert not found.known


@pytest.mark.parametrize(
    ("task", "name", "content", "sentence"),
    [
        (
            "sentence",
            "a.csv",
            "note,label\nx,y\n",
            "line 1: no column 'text'; there are 'note', 'label'",
        ),
        ("sentence", "a.csv", "text,label\nx\n", "line 2: has another number of fields"),
        ("sentence", "a.csv", 'text,label\n"x,y\nz\n', "line 2: not read as CSV"),
        ("sentence", "a.csv", 'text,label\n"a\nb",k\n"x"y,k\n', "line 4: not read as CSV"),
        ("sentence", "a.csv", "text,label\n  ,y\n", "line 2: 'text' is empty"),
        ("sentence", "a.csv", "text,label\nx,\n", "line 2: 'label' is empty"),
        ("sentence", "a.txt", "text\n", "must end in .csv, .tsv or .jsonl"),
        ("pair", "a.csv", "text,label\nx,y\n", "no column 'second'"),
        ("sentence", "a.jsonl", '{"text": ["x"]}\n', "line 1: 'text' must be text"),
        ("sentence", "a.jsonl", '"text"\n', "line 1: must be an object of JSON"),
        ("choice", "a.csv", "context,question,answer\nx,y,z\n", "no column 'options'"),
        (
            "choice",
            "a.jsonl",
            '{"context": "c", "question": "q", "options": "x"}',
            "a list of texts",
        ),
        (
            "choice",
            "a.jsonl",
            '{"context": "c", "question": "q", "options": ["x", "y"], "answer": "z"}',
            "line 1: the answer is neither an option nor",
        ),
        (
            "span",
            "a.csv",
            "context,question,answer\nx,y,z\n",
            "line 2: an answer is not in its context",
        ),
        (
            "span",
            "a.csv",
            "context,question,answer,start\nx,y,x,-1\n",
            "line 2: where an answer begins",
        ),
    ],
)
def test_rows_that_are_wrong_are_named(
    task: str, name: str, content: str, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=sentence):
        read(task, tmp_path, name, content)


def test_names_of_columns() -> None:
    assert parse_names("a, b,c") == ("a", "b", "c")
    with pytest.raises(ValueError, match="separated by commas"):
        parse_names("a,,b")
