"""The published formats, written here as they are published, and what is said of files that are not."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from incognote.base.errors import RunError, TextError
from incognote.workshop.tasks.columns import Columns
from incognote.workshop.tasks.readers import published_parts, read_part
from incognote.workshop.tasks.rows import DataError, TaskPart
from incognote.workshop.tasks.task import (
    TASKS,
    Answer,
    ChoiceExample,
    QuestionExample,
    SentenceExample,
)

MNLI = (
    "index\tpromptID\tpairID\tgenre\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse"
    "\tsentence2_parse\tsentence1\tsentence2\tlabel1\tlabel2\tlabel3\tlabel4\tlabel5\tgold_label"
)


def write(path: Path, *lines: str | Sequence[str]) -> Path:
    """Lines, or rows of fields with tabs between."""
    text = "".join(f"{each if isinstance(each, str) else chr(9).join(each)}\n" for each in lines)
    path.write_text(text, encoding="utf-8")
    return path


def read(task: str, path: Path, **options: Any) -> TaskPart:
    return read_part(TASKS[task], path, **options)


def only(task: str, path: Path, **options: Any) -> Any:
    (example,) = read(task, path, **options).examples
    return example


@pytest.mark.parametrize(
    ("task", "header", "row", "wanted"),
    [
        (
            "cola",
            None,
            "gj04\t0\t*\tThem like it.",
            SentenceExample("0", "Them like it.", None, "0"),
        ),
        ("cola", "index\tsentence", "7\tA bird.", SentenceExample("7", "A bird.")),
        ("sst-2", "sentence\tlabel", "fun \t1", SentenceExample("0", "fun ", None, "1")),
        ("sst-2", "index\tsentence", "3\tfun", SentenceExample("3", "fun")),
        (
            "mrpc",
            "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String",
            '1\t70\t71\tHe said "so .\tSo he " said .',
            SentenceExample("0", 'He said "so .', 'So he " said .', "1"),
        ),
        (
            "mrpc",
            "index\t#1 ID\t#2 ID\t#1 String\t#2 String",
            "5\t1\t2\tA\tB",
            SentenceExample("5", "A", "B"),
        ),
        (
            "sts-b",
            "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore",
            "0\tm\tM\t2012\t1\tn\tn\tA plane.\tAn air plane.\t3.800",
            SentenceExample("0", "A plane.", "An air plane.", 3.8),
        ),
        (
            "qqp",
            "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate",
            "133273\t1\t2\tWhy?\tHow?\t0",
            SentenceExample("133273", "Why?", "How?", "0"),
        ),
        ("qqp", "id\tquestion1\tquestion2", "0\tWhy?\tHow?", SentenceExample("0", "Why?", "How?")),
        (
            "mnli",
            MNLI,
            "63735\t63735n\t63735n\tslate\t( a )\t( b )\t(R)\t(R)\tA\tB\tneutral\tneutral\tneutral"
            "\tentailment\tneutral\tneutral",
            SentenceExample("63735", "A", "B", "neutral"),
        ),
        (
            "qnli",
            "index\tquestion\tsentence\tlabel",
            "0\tWho?\tHe.\tnot_entailment",
            SentenceExample("0", "Who?", "He.", "not_entailment"),
        ),
        (
            "rte",
            "index\tsentence1\tsentence2\tlabel",
            "9\tA\tB\tentailment",
            SentenceExample("9", "A", "B", "entailment"),
        ),
        (
            "wnli",
            "index\tsentence1\tsentence2\tlabel",
            "0\tA\tB\t1",
            SentenceExample("0", "A", "B", "1"),
        ),
        (
            "snli",
            "gold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1\tsentence2\tpairID",
            "contradiction\t( a )\t( b )\tA\tB\t3416050480.jpg#4r1n",
            SentenceExample("3416050480.jpg#4r1n", "A", "B", "contradiction"),
        ),
        (
            "snli",
            None,
            "a cat\tan animal\t0",
            SentenceExample("0", "a cat", "an animal", "entailment"),
        ),
    ],
)
def test_published_tables(
    task: str, header: str | None, row: str, wanted: SentenceExample, tmp_path: Path
) -> None:
    lines = [row] if header is None else [header, row]
    assert only(task, write(tmp_path / "part.tsv", *lines)) == wanted
    crlf = tmp_path / "crlf.tsv"
    crlf.write_bytes("\r\n".join([*lines, ""]).encode())
    assert only(task, crlf) == wanted
    zipped = tmp_path / "part.tsv.gz"
    zipped.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert only(task, zipped) == wanted


def test_characters_that_only_look_like_line_ends_stay_in_their_text(tmp_path: Path) -> None:
    path = write(tmp_path / "t.tsv", "sentence\tlabel", "a\u2028b\x85c\x0bd\re\t1")
    assert only("sst-2", path).first == "a\u2028b\x85c\x0bd\re"


def test_pairs_without_a_gold_label_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = [
        {"gold_label": label, "sentence1": "A", "sentence2": "B", "pairID": f"p{n}"}
        for n, label in enumerate(["-", "neutral", "-", "entailment"])
    ]
    path = write(tmp_path / "snli_1.0_dev.jsonl", *map(json.dumps, rows))
    part = read("snli", path)
    assert [each.id for each in part.examples] == ["p1", "p3"]
    assert dict(part.notices) == {"pairs without a gold label, left out": 2}


def test_qqps_cut_rows_are_left_out_and_counted(tmp_path: Path) -> None:
    header = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate"
    path = write(tmp_path / "train.tsv", header, "1\t1\t2\tWhy", "2\t1\t2\tWhy?\tHow?\t1")
    part = read("qqp", path)
    assert [each.id for each in part.examples] == ["2"]
    assert sum(part.notices.values()) == 1


# SQuAD


def squad(*questions: dict[str, Any], context: str = "Denver won. Denver is high.") -> str:
    paragraph = {"context": context, "qas": list(questions)}
    return json.dumps({"version": "x", "data": [{"title": "Denver", "paragraphs": [paragraph]}]})


def asked(id: str | int, *answers: tuple[str, int], **more: Any) -> dict[str, Any]:
    listed = [{"text": text, "answer_start": start} for text, start in answers]
    return {"id": id, "question": "Who won?", "answers": listed, **more}


def test_squad(tmp_path: Path) -> None:
    content = squad(asked("a", ("Denver", 0), ("Denver won", 0)), asked(7, ("high", 22)))
    path = write(tmp_path / "dev-v1.1.json", content)
    first, second = read("squad", path).examples
    assert isinstance(first, QuestionExample)
    assert first.answers == (Answer("Denver", 0), Answer("Denver won", 0))
    assert first.title == "Denver"
    assert (second.id, read("squad", path).notices.total()) == ("7", 0)


def test_squad_2_has_questions_without_an_answer(tmp_path: Path) -> None:
    content = squad(
        asked("a", is_impossible=True, plausible_answers=[{"text": "high", "answer_start": 22}]),
        asked("b", ("high", 22), is_impossible=False),
        {"id": "c", "question": "Who?"},
    )
    path = write(tmp_path / "dev-v2.0.json", content)
    a, b, c = read("squad2", path).examples
    assert isinstance(a, QuestionExample)
    assert isinstance(c, QuestionExample)
    assert (a.impossible, a.answers, a.known) == (True, (), True)
    assert isinstance(b, QuestionExample)
    assert not b.impossible
    assert (c.known, c.impossible) == (False, False)
    with pytest.raises(DataError, match="question a: has no answer"):
        read("squad", path)
    with pytest.raises(DataError, match="example c: its answer or label is not known"):
        read("squad2", path, labelled=True)


def test_answers_that_drifted_are_found_nearby_and_counted(tmp_path: Path) -> None:
    content = squad(
        asked("a", ("Denver", 10)), asked("b", ("Denver", 1)), asked("c", ("high", 999))
    )
    part = read("squad", write(tmp_path / "q.json", content))
    starts = [each.answers[0].start for each in part.examples if isinstance(each, QuestionExample)]
    assert starts == [12, 0, 22]
    assert part.notices.total() == 3


def test_a_list_of_questions_without_offsets(tmp_path: Path) -> None:
    context = "Denver won. Denver is high."
    rows = [
        {"context": context, "question": "?", "answer": answer} for answer in ("high", "Denver")
    ]
    part = read("squad", write(tmp_path / "q.json", json.dumps(rows)))
    high, denver = part.examples
    assert isinstance(high, QuestionExample)
    assert isinstance(denver, QuestionExample)
    assert (high.answers[0].start, denver.answers[0].start) == (22, 0)
    assert part.notices.total() == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (squad(asked("a", ("Boston", 0))), "question a: an answer is not in its context"),
        (squad(asked("a", ("", 0))), "question a: an answer is empty"),
        (squad(asked("a", ("high", 22)), asked("a", ("high", 22))), "another question has this id"),
        (squad({"question": "?"}), r"data\[0\].paragraphs\[0\].qas\[0\]: 'id' must be text"),
        (squad({"id": "a"}), r"qas\[0\]: 'question' is missing"),
        (squad({"id": "a", "question": "?", "answers": "x"}), "'answers' is not a list"),
        (squad(asked("a", ("high", 2.5))), "'answer_start' must be a whole number"),  # type: ignore[arg-type]
        ('{"data": [{"paragraphs": [{"qas": []}]}]}', r"paragraphs\[0\]: 'context' is missing"),
        ('{"data": {}}', "data: 'data' is not a list"),
        ('{"rows": []}', "not in SQuAD's format"),
        ('{"data": [', "line 2: not readable as JSON"),
        ('{"data": []}', "has no examples"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_questions_that_are_wrong_are_named(content: str, sentence: str, tmp_path: Path) -> None:
    path = write(tmp_path / "q.json", content)
    with pytest.raises(DataError, match=sentence) as caught:
        read("squad", path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


# RACE


def article(**changes: Any) -> dict[str, Any]:
    return {
        "article": "He gave aspirin.",
        "questions": ["What was given?", "He gave _ ."],
        "options": [["aspirin", "water", "bread", "time"], ["up", "in", "aspirin", "out"]],
        "answers": ["A", "C"],
        "id": "high7.txt",
        **changes,
    }


def test_race_as_folders_and_as_json_lines(tmp_path: Path) -> None:
    for level in ("middle", "high"):
        folder = tmp_path / "dev" / level
        folder.mkdir(parents=True)
        (folder / "7.txt").write_text(json.dumps(article(id=f"{level}7.txt")))
    part = read("race", tmp_path / "dev")
    choices = [each for each in part.examples if isinstance(each, ChoiceExample)]
    assert [each.id for each in choices] == [
        "high7.txt-0",
        "high7.txt-1",
        "middle7.txt-0",
        "middle7.txt-1",
    ]
    assert [each.group for each in choices] == ["high", "high", "middle", "middle"]
    assert [each.answer for each in choices] == [0, 2, 0, 2]
    packed = tmp_path / "race.jsonl.xz"
    packed.write_bytes(lzma.compress((json.dumps(article()) + "\n").encode()))
    assert [each.id for each in read("race", packed).examples] == ["high7.txt-0", "high7.txt-1"]
    one = read("race", tmp_path / "dev" / "middle" / "7.txt").examples[0]
    assert isinstance(one, ChoiceExample)
    assert one.group == "middle"


def test_race_without_answers_is_a_test_part(tmp_path: Path) -> None:
    rows = article()
    del rows["answers"]
    path = write(tmp_path / "test.jsonl", json.dumps(rows))
    assert [
        each.answer for each in read("race", path).examples if isinstance(each, ChoiceExample)
    ] == [
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"answers": ["A"]}, "line 1: 2 questions, but 1 answers"),
        ({"answers": ["A", "E"]}, "line 1, question 2: the answer must be a letter from A to D"),
        ({"options": [["a", "b"]]}, "line 1: 'options' must be a list with the options of each"),
        ({"options": [["a", "b"], ["a"]]}, "line 1, question 2: must have two options or more"),
        ({"article": " "}, "line 1: 'article' is empty"),
        ({"questions": "Why?"}, "line 1: 'questions' must be a list of texts"),
    ],
)
def test_articles_that_are_wrong_are_named(
    changes: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "a.jsonl", json.dumps(article(**changes)))
    with pytest.raises(DataError, match=sentence):
        read("race", path)


# What is wrong with a table


@pytest.mark.parametrize(
    ("task", "content", "sentence"),
    [
        (
            "rte",
            b"index\tsentence1\tlabel\n0\tA\tentailment\n",
            "line 1: no column 'sentence2'; there",
        ),
        (
            "rte",
            b"index\tsentence1\tsentence2\tlabel\n0\tA\n",
            "line 2: has another number of fields",
        ),
        (
            "rte",
            b"index\tsentence1\tsentence2\tlabel\n0\tA\tB\tmaybe\n",
            "line 2: the label 'maybe' is",
        ),
        ("sts-b", b"sentence1\tsentence2\tscore\nA\tB\thigh\n", "line 2: 'high' is no number"),
        ("sts-b", b"sentence1\tsentence2\tscore\nA\tB\tnan\n", "line 2: 'nan' is no number"),
        ("sst-2", b"sentence\tlabel\n\xff\xfe\t1\n", "line 2: not UTF-8"),
        ("sst-2", b"sentence\tsentence\n", "line 1: two columns are named 'sentence'"),
        ("sst-2", b"sentence\tlabel\n", "has no examples"),
        ("sst-2", b"", "has no examples"),
        ("cola", b"gj04\t1\tfine.\n", "line 1: no column 'sentence'"),
        ("cola", b"gj04\t2\t\tfine.\n", "line 1: the label '2' is none of 0, 1"),
        ("snli", b"a\tb\t3\n", "line 1: the label '3' is none of entailment, neutral"),
        ("snli", b'{"gold_label": "neutral"}\n', "line 1: no 'sentence1'; there are 'gold_label'"),
        ("snli", b'{"gold_label"\n', "line 1: not readable as JSON"),
        ("snli", b'{"gold_label": 1}\n[]\n', "line 1: no 'sentence1'"),
    ],
)
def test_tables_that_are_wrong_are_named(
    task: str, content: bytes, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "part.tsv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=sentence) as caught:
        read(task, path)
    assert str(path) in str(caught.value)


def test_files_that_are_not_there_or_damaged(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read("rte", tmp_path / "dev.tsv")
    with pytest.raises(DataError, match="is a folder"):
        read("rte", tmp_path)
    with pytest.raises(DataError, match="no articles here"):
        read("race", tmp_path)
    cut = tmp_path / "dev.tsv.gz"
    cut.write_bytes(gzip.compress(b"sentence\tlabel\n" + b"A\t1\n" * 1000)[:-20])
    with pytest.raises(TextError, match="damaged or cut short"):
        read("sst-2", cut)
    with pytest.raises(RunError, match="columns are for your own data"):
        read("rte", cut, columns=Columns())


def test_published_parts_are_found_by_their_names(tmp_path: Path) -> None:
    for name in ("train.tsv", "dev_matched.tsv", "dev_mismatched.tsv", "train-v2.0.json.gz"):
        (tmp_path / name).touch()
    (tmp_path / "train").mkdir()
    found = published_parts(TASKS["mnli"], tmp_path)
    assert {part: path.name for part, path in found.items()} == {
        "train": "train.tsv",
        "dev_matched": "dev_matched.tsv",
        "dev_mismatched": "dev_mismatched.tsv",
    }
    assert published_parts(TASKS["squad2"], tmp_path)["train"].name == "train-v2.0.json.gz"
    assert published_parts(TASKS["race"], tmp_path)["train"].name == "train"
    assert published_parts(TASKS["sentence"], tmp_path) == {}
