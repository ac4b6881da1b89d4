"""The runs for public tasks: their parts are apart, every planned run can be begun, results become tables."""

from __future__ import annotations

import csv
import gzip
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT
from tiny_checkpoints import CONFIGS, every_frame
from tiny_tasks import TASKS, examples

from incognote.cli.app import load as load_command
from incognote.workshop.encoders.model import Model
from incognote.workshop.tasks.answers import AnswerRules
from incognote.workshop.tasks.checkpoint import write_checkpoint
from incognote.workshop.tasks.inputs import Limits, items
from incognote.workshop.tasks.readers import read_part
from incognote.workshop.tasks.start import frame_of
from incognote.workshop.tasks.task import SentenceExample, task_named
from incognote.workshop.tasks.torch_task import HEADS, TorchTask

sys.path.insert(0, str(ROOT))

from benchmarks import task_peer
from benchmarks.task_peer import PeerTask, features, fine_tuned, peer_model
from recipes.task_runs import parts, report, run

PLAN: dict[str, Any] = tomllib.loads(
    (ROOT / "recipes/task_runs/plan.toml").read_text(encoding="utf-8")
)
ALL_PARTS = (*parts.FINAL, *parts.CHOOSING)
LABELS = ["entailment", "not_entailment"]
SENTENCES = [
    "the film is a long and dull affair .",
    "a bright and funny little comedy .",
    "nobody could have made it worse .",
    "it is as good as anything this year .",
]


def runs(tmp_path: Path) -> run.Runs:
    """The plan, in an empty folder."""
    return run.Runs(PLAN, tmp_path, tmp_path, tmp_path, 1, False)


def test_every_planned_run_is_a_command(tmp_path: Path) -> None:
    plan = runs(tmp_path)
    planned = list(plan.planned())
    assert len(planned) == len({each.name for each in planned}) > 0
    for each in planned:
        options = ["x.tsv", "-o", "out", "--encoder", "minilm", *plan.options(each)]
        context = (
            load_command("task")
            .commands["train"]
            .make_context("train", [parts.PARTS[each.task].task, *options])
        )
        assert context.params["learning_lr"]


def test_what_a_run_begins_from_is_run_before_it(tmp_path: Path) -> None:
    names = [each.name for each in runs(tmp_path).planned()]
    for arm, start in PLAN["starts"].items():
        own = [number for number, name in enumerate(names) if name.startswith(arm)]
        assert not own or names.index(start) < own[0], arm


def test_pairs_of_one_premise_stay_on_one_side(tmp_path: Path) -> None:
    rows = [f"premise {number // 3}\thypothesis {number}\t{number % 3}" for number in range(300)]
    (tmp_path / "snli_dev").mkdir()
    with gzip.open(tmp_path / "snli_dev/snli_dev.tsv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")
    parts.snli(tmp_path, tmp_path, 60)
    premises = {name: premises_of(tmp_path / f"{name}.tsv") for name in ALL_PARTS}
    assert not premises["train"] & premises["validation"]
    assert not premises["choose-train"] & premises["choose-validation"]
    assert premises["choose-train"] | premises["choose-validation"] == premises["train"]


def premises_of(path: Path) -> set[str]:
    """The first texts of a file's pairs."""
    found = read_part(task_named("snli"), path).examples
    return {each.first for each in found if isinstance(each, SentenceExample)}


def test_no_phrase_of_a_held_out_sentence_is_learned_from() -> None:
    phrases = ["long and dull affair", "dull", "funny little comedy .", "a dull one"]
    rows = [f"{text}\t1\n" for text in (*SENTENCES, *phrases)]
    kept = parts.without_phrases(rows, rows[:1])
    assert kept == [f"{text}\t1\n" for text in (*SENTENCES[1:], "dull", *phrases[2:])]


@given(st.lists(st.integers(0, 12), max_size=60), st.integers(0, 30))
def test_dividing_keeps_all_rows_and_tears_no_group(keys: list[int], held_out: int) -> None:
    rows = list(enumerate(keys))
    first, second = parts.divided(rows, held_out, key=lambda row: row[1])
    assert sorted(first + second) == rows
    assert not {key for _, key in first} & {key for _, key in second}
    assert len(first) >= min(held_out, len(rows))


def test_drifted_answers_are_found_in_their_passages() -> None:
    text = "".join(f"Sentence number {number} says little. " for number in range(400))
    answer = "number 311 says"
    said = text.index(answer) + 40
    article = {
        "context": text,
        "qas": [
            {"id": 1, "question": "Which?", "answers": [{"text": answer, "answer_start": said}]},
            {"id": 2, "question": "None?", "answers": [{"text": "absent", "answer_start": 5}]},
        ],
    }
    (passage,) = parts.passages(article)
    (question,) = passage["qas"]
    (found,) = question["answers"]
    begin = found["answer_start"]
    assert passage["context"][begin : begin + len(answer)] == answer == found["text"]
    assert passage["context"] in text
    assert len(passage["context"]) <= parts.PASSAGE


def result(by: str, seed: int, accuracy: float) -> dict[str, Any]:
    """Of one run for RTE."""
    return {
        "task": "rte",
        "encoder": "minilm",
        "start": None,
        "by": by,
        "seed": seed,
        "options": "--lr 1e-4",
        "examples": 277,
        "figures": {"accuracy": accuracy},
        "intervals": {"accuracy": [accuracy - 0.05, accuracy + 0.05]},
        "cpu_seconds": 120.0,
    }


def test_results_become_tables_and_a_plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "results").mkdir()
    for each in (
        result("incognote", 0, 0.62),
        result("incognote", 1, 0.66),
        result("transformers", 0, 0.63),
    ):
        name = "{task}-{encoder}-{by}-{seed}.json".format(**each)
        (tmp_path / "results" / name).write_text(json.dumps(each))
    page = tmp_path / "page.md"
    page.write_text(f"Before\n{report.BEGIN}old\n{report.END}\nAfter\n")
    monkeypatch.setattr(sys, "argv", ["report.py", "-o", str(tmp_path), "--page", str(page)])
    report.main()
    told = page.read_text()
    assert "| RTE | MiniLM | accuracy | 64.0 (62.0–66.0) | 2 | 57.0–67.0 | 63.0 | 1 | 2.0 |" in told
    assert told.startswith("Before")
    assert told.endswith("After\n")
    assert "old" not in told
    with (tmp_path / "results.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 3
    assert (tmp_path / "scores.png").stat().st_size > 1000


@pytest.mark.parametrize("name", ["pair", "number", "choice", "span"])
def test_the_peer_says_what_our_model_says_and_learns(name: str, tmp_path: Path) -> None:
    """The Trainer's model opens what ours wrote, to the same logits, and its loop changes them."""
    task = TASKS[name]
    torch.manual_seed(0)
    model = Model(CONFIGS["bert"], heads=(HEADS[task.kind],), labels=task.labels or 1).eval()
    limits, rules = Limits(longest=32, stride=8), AnswerRules(longest=8)
    ours = TorchTask(model, task, frame_of(every_frame(), model), limits, rules)
    write_checkpoint(tmp_path / "model", ours, {"validation": None})
    read = list(items(task, examples(name, 6), ours.frame, limits))
    options = run_options()
    peer = peer_model(str(tmp_path / "model"), task, options)
    theirs = PeerTask(peer, task, ours.frame, limits, rules)
    before = [logits for _, logits in theirs.logits(read)]
    for (_, expected), logits in zip(ours.logits(read), before, strict=True):
        assert logits == pytest.approx(expected, abs=1e-4)
    seconds = fine_tuned(peer, task.kind, features(task.kind, read), options)
    assert seconds["cpu"] > 0
    assert any(
        (one != other).any() for one, (_, other) in zip(before, theirs.logits(read), strict=True)
    )


def run_options() -> Any:
    """Two passes in small batches."""
    from incognote.workshop.tasks.options import TaskOptions

    return TaskOptions(epochs=2, batch_size=2, lr=1e-3, longest=32, stride=8)


def test_the_peers_program_leaves_what_a_run_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = TASKS["pair"]
    model = Model(CONFIGS["bert"], heads=(HEADS[task.kind],), labels=task.labels).eval()
    frame = frame_of(every_frame(), model)
    trained = TorchTask(model, task, frame, Limits(longest=32), AnswerRules())
    write_checkpoint(tmp_path / "model", trained, {"validation": None})
    pairs = [f"{number}\tseen {number}\tsee\t{label}" for number, label in enumerate(LABELS * 3)]
    data, output = tmp_path / "rte.tsv", tmp_path / "peer.json"
    data.write_text("\n".join(["index\tsentence1\tsentence2\tlabel", *pairs]) + "\n")
    monkeypatch.setattr(task_peer, "keep_memory", lambda: None)
    options = ["--steps", "2", "--batch-size", "2", "--max-length", "32", "--seed", "3"]
    words = ["rte", data, "--validation", data, "--encoder", tmp_path / "model", "-o", output]
    monkeypatch.setattr(sys, "argv", ["task_peer.py", *map(str, words), *options])
    task_peer.main()
    told = json.loads(output.read_text())
    assert told["examples"] == 6
    assert 0 <= told["figures"]["accuracy"] <= 1
    assert told["seconds"]["wall"] > 0
    assert (told["options"]["steps"], told["options"]["seed"]) == (2, 3)


def test_a_start_that_is_not_here_is_run_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began: list[str] = []

    def ours(self: run.Runs, each: run.Run, *_: object) -> dict[str, Any]:
        began.append(each.name)
        (tmp_path / "runs" / each.name).mkdir(parents=True)
        (tmp_path / "runs" / each.name / "training.json").write_text("{}")
        return {}

    monkeypatch.setattr(run.Runs, "ours", ours)
    monkeypatch.setattr(run, "prepared", lambda *_, **__: (tmp_path, tmp_path))
    plan = runs(tmp_path)
    for seed in (0, 1):
        plan.run(run.Run("rte", "minilm", run.OURS, seed))
    assert began == ["snli-minilm-incognote-0", "rte-minilm-incognote-0", "rte-minilm-incognote-1"]
    assert (tmp_path / "rte-minilm-incognote-1.json").exists()
