"""`incognote task` as a user runs it: learned, scored, predicted, exported; one sentence for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from commands import Command, without_torch
from tiny_checkpoints import CONFIGS, every_frame
from tiny_tasks import examples

from incognote.workshop.encoders import save
from incognote.workshop.encoders.model import Model
from incognote.workshop.task_training import REPORT, write_report
from incognote.workshop.tasks.evaluate import Evaluation
from incognote.workshop.tasks.metrics import task_score
from incognote.workshop.tasks.task import GLUE, ChoiceExample, QuestionExample, SentenceExample
from incognote.workshop.training.run_folder import write_tokenizer

QUICK = ("--epochs", 2, "--lr", 3e-3, "--batch-size", 8, "--max-length", 24, "--threads", 1)


@pytest.fixture(autouse=True)
def _same_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INCOGNOTE_ALLOCATOR", "system")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encoder") / "tiny"
    torch.manual_seed(0)
    save(Model(CONFIGS["bert"], pooler=True), folder)
    write_tokenizer(folder, every_frame(), 40, segmented=True)
    return folder


def rows(name: str, count: int, first: int = 0) -> list[dict[str, object]]:
    """Examples as objects of one's own."""
    found: list[dict[str, object]] = []
    for each in examples(name, count, first):
        if isinstance(each, SentenceExample):
            label = str(each.label)
            found.append({"id": each.id, "text": each.first, "second": each.second, "label": label})
        elif isinstance(each, ChoiceExample):
            found.append(
                {
                    "context": each.context,
                    "question": each.question,
                    "options": each.options,
                    "answer": "ABC"[each.answer or 0],
                }
            )
        elif isinstance(each, QuestionExample):
            answer = each.answers[0] if each.answers else None
            found.append(
                {
                    "context": each.context,
                    "question": each.question,
                    "answer": answer.text if answer else "",
                    "start": str(answer.start) if answer else "",
                }
            )
    return found


def write_rows(path: Path, found: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")
    return path


def test_a_task_of_ones_own_from_its_file_to_a_model_without_torch(
    incognote: Command, encoder: Path, tmp_path: Path
) -> None:
    data = write_rows(tmp_path / "notes.jsonl", rows("pair", 40))
    out, model = tmp_path / "out", tmp_path / "model"
    train = ("task", "train", "pair", data, "-o", out, "--encoder", encoder, *QUICK)
    ran = incognote(*train, "--split", "60:20:20")
    assert ran.status == 0, ran.err
    assert [line.split()[0] for line in ran.out.decode().splitlines()] == [
        "%",
        "validation",
        "test",
    ]
    test = json.loads((out / "test.json").read_text())
    assert test["examples"] == 8
    assert json.loads((out / "config.json").read_text())["id2label"] == {"0": "no", "1": "yes"}
    assert incognote(*train, "--split", "60:20:20").status == 2
    ran = incognote(*train, "--split", "60:20:20", "--resume")
    assert ran.status == 0
    assert "nothing is left to do" in ran.err

    ran = incognote("task", "evaluate", "pair", out, data, "-o", tmp_path / "report")
    assert ran.status == 0, ran.err
    assert b"95 % interval" in ran.out
    report = json.loads((tmp_path / "report" / "report.json").read_text())
    assert report["examples"] == 40
    low, high = report["intervals"]["accuracy"]
    assert low <= report["figures"]["accuracy"] <= high
    ran = incognote("task", "evaluate", "pair", out, data, "--json")
    assert json.loads(ran.out) == report

    ran = incognote(
        "task", "export", "pair", out, "-o", model, "--int8", "--validation", data, "--max-loss", 1
    )
    assert ran.status == 0, ran.err
    assert b"int8: accuracy" in ran.out
    found = without_torch(
        "task", "predict", "pair", str(model), str(data), "-o", str(tmp_path / "p")
    )
    assert found.returncode == 0, found.stderr
    said = (tmp_path / "p" / "predictions.jsonl").read_text().splitlines()
    assert len(said) == 40
    assert set(json.loads(said[0])) == {"id", "label", "probabilities"}


@pytest.mark.parametrize("name", ["choice", "span"])
def test_choices_and_answers_of_ones_own(
    incognote: Command, encoder: Path, tmp_path: Path, name: str
) -> None:
    data = write_rows(tmp_path / "data.jsonl", rows(name if name == "choice" else "nullable", 24))
    out = tmp_path / "out"
    ran = incognote(
        "task",
        "train",
        name,
        data,
        "-o",
        out,
        "--encoder",
        encoder,
        *QUICK,
        "--split",
        "75:25",
        "--stride",
        6,
    )
    assert ran.status == 0, ran.err
    assert ran.out.decode().splitlines()[1].startswith("validation")
    ran = incognote(
        "task",
        "evaluate",
        name,
        out,
        data,
        "-o",
        tmp_path / "report",
        *(("--tune-threshold",) if name == "span" else ()),
    )
    assert ran.status == 0, ran.err
    assert (tmp_path / "report" / "predictions.jsonl").is_file()


def test_numbers_are_learned_where_they_are_asked_for(
    incognote: Command, encoder: Path, tmp_path: Path
) -> None:
    data = write_rows(tmp_path / "data.jsonl", rows("number", 24))
    out = tmp_path / "out"
    own = ("task", "train", "sentence", data, "-o", out, "--encoder", encoder, *QUICK)
    assert incognote(*own, "--regression", "--split", "75:25").status == 0
    settings = json.loads((out / "config.json").read_text())
    assert settings["problem_type"] == "regression"
    ran = incognote("task", "evaluate", "sentence", out, data, "--regression")
    assert b"pearson" in ran.out
    ran = incognote("task", "evaluate", "sentence", out, data)
    assert (ran.status, "cannot do" in ran.err) == (2, True)


def test_what_cannot_be_done_is_one_sentence(
    incognote: Command, encoder: Path, tmp_path: Path
) -> None:
    data = write_rows(tmp_path / "data.jsonl", rows("pair", 8))
    bare = tmp_path / "bare"
    bare.mkdir()
    train = ("task", "train", "pair", data, "-o", tmp_path / "out")
    own = (*train, "--encoder", encoder)
    for words, said in (
        (("task", "train", "glue", data, "-o", tmp_path / "out", "--encoder", encoder), "no task"),
        (train, "give --encoder or --from-hub"),
        ((*train, "--encoder", "bert-base-uncased"), "names sizes, not weights"),
        ((*train, "--encoder", tmp_path / "none"), "no such folder"),
        ((*train, "--encoder", bare), "bare"),
        ((*own, "--split", "90"), "write two or three numbers"),
        ((*own, "--split", "99:1", "--validation", data), "not both"),
        ((*own, "--patience", 1), "patience looks at a validation part"),
        ((*own, "--max-length", 41), "the encoder takes 40 tokens"),
        ((*own, "--regression"), "is no number"),
        ((*own, "--text", "nothing"), "nothing"),
        (("task", "evaluate", "pair", encoder, data), "sequence"),
        (("task", "evaluate", "pair", bare, data), "bare"),
        (("task", "evaluate", "pair", tmp_path / "none", data), "no such folder"),
        (("task", "export", "pair", encoder, "-o", tmp_path / "m", "--int8"), "--validation"),
    ):
        ran = incognote(*words)
        assert ran.status == 2, words
        assert "Traceback" not in ran.err
        assert said in " ".join(ran.err.split()), (words, ran.err)
        assert len(ran.err.strip().splitlines()) <= 3


def report_of(folder: Path, name: str, **figures: float) -> Path:
    """A report as `incognote task evaluate` writes it."""
    scored = Evaluation(figures, {}, task_score(GLUE[name], figures))
    write_report(folder / name / REPORT, GLUE[name], {"": scored}, 10)
    return folder / name


def test_reports_make_glues_table(incognote: Command, tmp_path: Path) -> None:
    mrpc = report_of(tmp_path, "mrpc", f1=0.9, accuracy=0.8)
    halves = {
        part: Evaluation({"accuracy": value}, {}, value)
        for part, value in (("matched", 0.8), ("mismatched", 0.6))
    }
    write_report(tmp_path / "mnli" / REPORT, GLUE["mnli"], halves, 20)
    ran = incognote("task", "glue", mrpc, tmp_path / "mnli" / REPORT)
    assert ran.status == 0, ran.err
    assert [line.split()[-1] for line in ran.out.decode().splitlines()[1:]] == [
        "85.00",
        "70.00",
        "77.50",
    ]
    assert "no report of cola, sst-2, sts-b, qqp, qnli, rte, wnli" in " ".join(ran.err.split())
    ran = incognote("task", "glue", mrpc, tmp_path / "mnli", "--json")
    assert json.loads(ran.out)["average"] == pytest.approx(0.775)

    snli = tmp_path / "snli.json"
    snli.write_text('{"task": "snli", "figures": {}, "score": 1}')
    for words, said in (
        ((mrpc, mrpc), "second report of mrpc"),
        ((snli,), "not one of GLUE's tasks"),
        ((tmp_path / "none",), "No such file"),
        ((write_rows(tmp_path / "rows.jsonl", [{"task": 1}, {}]),), "is not a report"),
    ):
        ran = incognote("task", "glue", *words)
        assert (ran.status, said in " ".join(ran.err.split())) == (2, True), ran.err
