"""`incognote ask` and `incognote classify`: exported tasks on the command line, without torch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Command, without_torch
from workshop.tasks.task_folders import own, write_table_task

from incognote.workshop.tasks.task import GLUE, TASKS

NOTE = "the arm was seen .\nthe chest was seen .\nhe was given aspirin .\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tasks")
    answers = {"aspirin": (5.0, 5.0), "chest": (3.0, 3.0)}
    write_table_task(root / "squad", TASKS["squad"], answers)
    write_table_task(root / "squad2", TASKS["squad2"], answers, threshold=-7.0)
    write_table_task(
        root / "kinds", own("sentence", "no", "yes"), {"pain": (0, 3), "chest": (2, 0)}
    )
    write_table_task(root / "rte", GLUE["rte"], {"pain": (2, 0)})
    write_table_task(root / "sts", GLUE["sts-b"], {"pain": (1.5,)})
    (root / "note.txt").write_text(NOTE)
    return root


def test_ask_gives_the_answer_its_probability_and_line(incognote: Command, folder: Path) -> None:
    ran = incognote("ask", "given ?", "--context", folder / "note.txt", "--model", folder / "squad")
    assert ran.status == 0
    share, answer, line = ran.out.decode().strip().split("  ")
    assert 0 < float(share) <= 1
    assert (answer, line) == ("aspirin", "line 3")


def test_ask_lists_the_best_as_json(incognote: Command, folder: Path) -> None:
    ran = incognote(
        "ask",
        "given ?",
        "-c",
        folder / "note.txt",
        "--model",
        folder / "squad",
        "--top-k",
        "3",
        "--json",
    )
    content = json.loads(ran.out)
    assert ran.status == 0
    assert content["question"] == "given ?"
    assert content["answer"] == "aspirin"
    assert len(content["answers"]) == 3
    for answer in content["answers"]:
        assert NOTE[answer["start"] : answer["end"]] == answer["text"]
    assert "null_odds" not in content


def test_ask_prints_no_endless_line(incognote: Command, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("a" * 100_000)
    ran = incognote("ask", "given ?", "-c", tmp_path / "one.txt", "--model", folder / "squad")
    assert ran.status == 0
    assert len(ran.out.decode()) < 600


def test_ask_may_say_that_there_is_no_answer(
    incognote: Command, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "other.txt").write_text("nothing was seen .")
    words = ["ask", "given ?", "--model", folder / "squad2", "-c"]
    assert "aspirin" in incognote(*words, folder / "note.txt").out.decode()
    assert incognote(*words, tmp_path / "other.txt").out.decode() == "no answer in this text\n"
    content = json.loads(incognote(*words, tmp_path / "other.txt", "--json").out.decode())
    assert content["answer"] is None
    assert content["null_odds"] == pytest.approx(0.0)


def test_ask_and_classify_read_standard_input(incognote: Command, folder: Path) -> None:
    ran = incognote("ask", "given ?", "--model", folder / "squad", stdin=NOTE.encode())
    assert b"aspirin" in ran.out
    ran = incognote("classify", "--lines", "--model", folder / "kinds", stdin=b"chest\npain\n")
    assert [line.split(b"\t")[1] for line in ran.out.splitlines()] == [b"no", b"yes"]
    assert "pipe" in incognote("ask", "given ?", "--model", folder / "squad").err


def test_classify_takes_texts_files_and_lines(
    incognote: Command, folder: Path, tmp_path: Path
) -> None:
    words = ["classify", "--model", folder / "kinds"]
    ran = incognote(*words, "pain", "chest")
    assert ran.status == 0
    assert [line.split("\t")[:2] for line in ran.out.decode().splitlines()] == [
        ["1", "yes"],
        ["2", "no"],
    ]
    file = tmp_path / "texts.txt"
    file.write_text("chest\npain\r\npain\n")
    out = incognote(*words, file, "--lines").out.decode()
    assert [line.split("\t")[:2] for line in out.splitlines()] == [
        ["texts:1", "no"],
        ["texts:2", "yes"],
        ["texts:3", "yes"],
    ]
    assert incognote(*words, file).out.decode().split("\t")[:2] == ["texts", "yes"]
    (ranked,) = incognote(*words, "pain", "--top-k", "2").out.decode().splitlines()
    assert ranked.split("\t")[1::2] == ["yes", "no"]


def test_classify_writes_json_lines(incognote: Command, folder: Path) -> None:
    content = json.loads(incognote("classify", "pain", "--model", folder / "kinds", "--json").out)
    assert content["label"] == "yes"
    assert sum(content["probabilities"].values()) == pytest.approx(1, abs=1e-5)


def test_classify_takes_pairs_and_gives_numbers(incognote: Command, folder: Path) -> None:
    out = incognote(
        "classify", "pain", "--second", "the pain", "--model", folder / "rte"
    ).out.decode()
    assert out.split("\t")[1] == "entailment"
    out = incognote(
        "classify", "pain", "--second", "the pain", "--model", folder / "sts"
    ).out.decode()
    assert out == "1\t3.0000\n"


def test_classify_says_what_it_did_not_read(incognote: Command, folder: Path) -> None:
    ran = incognote("classify", "pain " * 60, "pain", "--model", folder / "kinds")
    assert ran.status == 0
    assert "1 text longer than the 48 tokens" in ran.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["ask", "who ?", "--model", "rte", "-c", "note.txt"],
            "is for RTE; use incognote classify",
        ),
        (["classify", "a", "--model", "squad"], "is for SQuAD 1.1; use incognote ask"),
        (["classify", "a", "--model", "rte"], "is for pairs: give the second text with --second"),
        (["classify", "a", "--second", "b", "--model", "kinds"], "takes one text, not --second"),
        (
            ["ask", "who ?", "--model", ".", "-c", "note.txt"],
            "no exported task (task.json is missing)",
        ),
        (["ask", " ", "--model", "squad", "-c", "note.txt"], "the question is empty"),
        (["ask", "who ?", "--model", "squad", "-c", "none.txt"], "none.txt: no such file"),
        (["ask", "who ?", "--model", "squad", "-c", "bytes"], "bytes: not UTF-8 (byte 1)"),
    ],
)
def test_mistakes_are_one_sentence(
    incognote: Command,
    words: list[str],
    sentence: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    Path("bytes").write_bytes(b"a\xff")
    ran = incognote(*words)
    assert ran.status == 2
    assert sentence in ran.err
    assert "Traceback" not in ran.err


def test_neither_needs_torch(folder: Path) -> None:
    words = ["ask", "given ?", "-c", str(folder / "note.txt"), "--model", str(folder / "squad")]
    assert b"aspirin" in without_torch(*words).stdout
    assert b"yes" in without_torch("classify", "pain", "--model", str(folder / "kinds")).stdout


def test_neither_do_predictions_and_figures_of_an_exported_task(
    folder: Path, tmp_path: Path
) -> None:
    data = tmp_path / "dev.tsv"
    data.write_text("index\tsentence1\tsentence2\tlabel\n0\tpain\tchest\tentailment\n")
    ran = without_torch("task", "evaluate", "rte", str(folder / "rte"), str(data), "--json")
    assert json.loads(ran.stdout)["figures"] == {"accuracy": 1.0}
    ran = without_torch(
        "task", "predict", "rte", str(folder / "rte"), str(data), "-o", str(tmp_path / "said")
    )
    assert ran.returncode == 0
    assert (tmp_path / "said" / "RTE.tsv").read_text() == "index\tprediction\n0\tentailment\n"


def test_classify_learns_from_features_and_keeps_what_it_learned(
    incognote: Command, tmp_path: Path
) -> None:
    table, kept = tmp_path / "labelled.csv", tmp_path / "plain.npz"
    rows = ["A rash from penicillin.,allergy", "Hives after latex.,allergy"]
    rows += ["Return in two weeks.,plan", "Refer to cardiology.,plan"]
    table.write_text("text,label\n" + "\n".join(rows) + "\n")
    learned = incognote("classify", "--from-features", table, "--save", kept)
    assert learned.status == 0, learned.err
    assert "cross-validated accuracy" in learned.err
    ran = incognote("classify", "Itching after penicillin.", "--model", kept, "--json")
    assert json.loads(ran.out)["label"] == "allergy"
    assert incognote("classify", "a", "--from-features", table, "--save", kept).status == 2
    for words in (["a"], ["a", "--model", kept, "--from-features", table]):
        assert "give either --model or --from-features" in incognote("classify", *words).err
