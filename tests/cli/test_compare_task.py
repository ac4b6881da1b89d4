"""`incognote compare --task` as a user runs it, and as docs/compare.md shows it."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path

import pytest
import torch
from commands import Command
from places import ROOT
from tiny_checkpoints import CONFIGS, every_frame
from tiny_tasks import examples
from workshop.compare.comparing import inline

from incognote.workshop.compare import run
from incognote.workshop.compare.report import plots
from incognote.workshop.compare.results import load_comparison
from incognote.workshop.encoders import save
from incognote.workshop.encoders.model import Model
from incognote.workshop.tasks.task import QuestionExample
from incognote.workshop.training.run_folder import write_tokenizer

PAGE = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
GRID = """
[defaults]
epochs = 1
lr = [1e-2, 3e-3]
batch_size = 8
longest = 24
stride = 6
seed = [0, 1]
"""


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells run in this process, without plots."""
    monkeypatch.setenv("INCOGNOTE_ALLOCATOR", "system")
    monkeypatch.setattr(run, "run_tasks", inline)
    monkeypatch.setattr(plots, "can_draw", lambda: False)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encoder") / "tiny"
    torch.manual_seed(0)
    save(Model(CONFIGS["bert"], pooler=True), folder)
    write_tokenizer(folder, every_frame(), 40, segmented=True)
    return folder


def write_squad(path: Path, count: int, first: int = 0) -> Path:
    """Questions as SQuAD 1.1 is published."""
    paragraphs = [
        {
            "context": each.context,
            "qas": [
                {
                    "id": each.id,
                    "question": each.question,
                    "answers": [{"text": a.text, "answer_start": a.start} for a in each.answers],
                }
            ],
        }
        for each in examples("span", count, first)
        if isinstance(each, QuestionExample)
    ]
    data = {"version": "1.1", "data": [{"title": "Towns", "paragraphs": paragraphs}]}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def write_grid(path: Path, content: str = GRID) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def test_questions_as_published_from_one_command_to_the_best_of_two_seeds(
    incognote: Command, encoder: Path, tmp_path: Path
) -> None:
    train = write_squad(tmp_path / "train.json", 16)
    dev = write_squad(tmp_path / "dev.json", 8, 16)
    grid, out = write_grid(tmp_path / "grid.toml"), tmp_path / "out"
    told = ("compare", train, "--task", "squad", "--validation", dev, "-o", out, "--grid", grid)
    more = ("--encoders", encoder, "--threads", 1)
    ran = incognote(*told, *more, "--budget", 3)
    assert ran.status == 0, ran.err
    assert "4 cells: 0 done, 0 failed, 3 to run now, 1 left for later" in ran.err
    assert "1 of 4 cells to do; the same command continues" in ran.err
    ran = incognote(*told, *more)
    assert ran.status == 0, ran.err
    assert "4 cells: 3 done, 0 failed, 1 to run now" in ran.err
    head, row = ran.out.decode().splitlines()
    assert head.split() == "validation F1 % validation exact match % seeds chosen".split()
    assert (row.split()[0], row.split()[3]) == ("tiny", "2")
    made = load_comparison(out)
    assert (made.task, made.metric) == ("squad", "f1")
    assert json.loads(
        (made.cells[0].folder / "predictions/validation/predictions.json").read_text()
    )
    for name in ("report.html", "report.md", "tables/settings.csv", "best/tiny/model.safetensors"):
        assert (out / name).is_file(), name
    scored = incognote("task", "evaluate", "squad", out / "best/tiny", dev, "--json")
    figures = json.loads(scored.out)["figures"]
    best = (out / "best/tiny/validation.json").read_text()
    assert figures == json.loads(best)["figures"]


def test_the_command_of_the_page_runs(
    incognote: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in re.findall(r"^```\w+ ([\w.]+)\n(.*?)^```$", PAGE, re.M | re.S):
        Path(name).write_text(content)
    (command,) = (
        block
        for block in re.findall(r"^```sh\n(.*?)\n```$", PAGE, re.M | re.S)
        if "kinds.csv" in block
    )
    ran = incognote(*shlex.split(command)[1:], "--threads", 1)
    assert ran.status == 0, ran.err
    out = tmp_path / "kinds-report"
    made = load_comparison(out)
    assert [each.state for each in made.cells] == ["done"] * 4
    assert sorted(each.options["seed"] for each in made.cells) == [0, 0, 1, 1]
    assert made.labels == ["result", "visit"]
    section = PAGE[PAGE.index("## Downstream tasks") :]
    tables = set(re.findall(r"`([a-z-]+)`", section[section.index("| section |") :]))
    assert tables <= {path.stem for path in (out / "tables").iterdir()}
    with (out / "tables" / "scores-test.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["seeds"] == "2"


def test_a_mistake_is_one_line(incognote: Command, encoder: Path, tmp_path: Path) -> None:
    train = write_squad(tmp_path / "train.json", 8)
    grid = write_grid(tmp_path / "grid.toml")
    table = tmp_path / "own.csv"
    table.write_text("note,kind\nseen,visit\n")
    notes = tmp_path / "notes.jsonl"
    notes.write_text('{"text": "seen", "spans": []}\n')
    on = ("--grid", grid, "--encoders", encoder)
    for words, says in (
        ((train, "--task", "squad", *on), "nothing is there to choose by: give --validation"),
        ((train, "--task", "glue", *on), "no task 'glue'"),
        ((train, "--task", "squad", "--labels", "own", *on), "--labels is for annotated notes"),
        ((train, "--task", "squad", "--with-rules", *on), "--with-rules is for annotated notes"),
        ((train, "--task", "squad", "--patient-field", "p", *on), "--patient-field is for"),
        ((train, train, "--task", "squad", *on), "name only one"),
        ((train, "--task", "squad", "--text", "note", *on), "columns are for your own data"),
        ((table, "--task", "sentence", "--split", "1:1", *on), "no column 'text'"),
        ((notes, "--text", "note", *on), "--text is for a task: name it with --task"),
        ((notes, "--regression", *on), "--regression is for a task"),
        (
            (train, "--task", "squad", "--split", "1:1", "--grid", "study"),
            "is for annotated notes, and this compares on a task",
        ),
    ):
        ran = incognote("compare", *words, "-o", tmp_path / "out")
        assert ran.status == 2, words
        assert says in ran.err, (words, ran.err)
        assert len(ran.err.strip().splitlines()) == 1, ran.err
    assert not (tmp_path / "out").exists()


def test_the_help_says_what_a_task_is(incognote: Command) -> None:
    ran = incognote("compare", "--help")
    text = " ".join(ran.out.decode().split())
    for words in ("--task", "sst-2", "--regression", "Columns of your own data", "by its mean"):
        assert words in text
