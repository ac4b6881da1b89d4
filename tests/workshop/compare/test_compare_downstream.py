"""A comparison on a downstream task, from its first cell to its report."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from tiny_checkpoints import CONFIGS, reader_for
from tiny_tasks import TASKS, examples
from workshop.compare.comparing import Seen, compared, inline, write_grid

from incognote.base.errors import RunError
from incognote.workshop.compare import cell, run
from incognote.workshop.compare.downstream import Downstream, downstream
from incognote.workshop.compare.estimate import Budget
from incognote.workshop.compare.grid import read_grid
from incognote.workshop.compare.report import plots
from incognote.workshop.compare.results import (
    Comparison,
    best_cells,
    chosen_seeds,
    load_comparison,
)
from incognote.workshop.compare.run import Settings, compare, publish_best
from incognote.workshop.encoders import save
from incognote.workshop.encoders.bilstm import BiLstmConfig
from incognote.workshop.encoders.model import Model
from incognote.workshop.task_training import Parts, opened
from incognote.workshop.tasks.evaluate import evaluate
from incognote.workshop.tasks.options import TaskOptions
from incognote.workshop.training.run_folder import write_tokenizer

DEFAULTS = """
[defaults]
epochs = 2
lr = 3e-3
batch_size = 8
longest = 24
save_seconds = 1e9
"""
ENCODERS = '[encoders.tiny]\nstart = "bert"\n'


class Killed(BaseException):
    """As sudden as a kill, for the code that runs."""


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run everything in this process, and draw nothing."""
    monkeypatch.setattr(run, "run_tasks", inline)
    monkeypatch.setattr(plots, "can_draw", lambda: False)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders of tiny pretrained encoders, as pretraining leaves them."""
    folder = tmp_path_factory.mktemp("encoders")
    save(Model(BiLstmConfig(), heads=("tokens",)), folder / "tagger")
    for name in ("bert", "albert"):
        torch.manual_seed(0)
        config: Any = CONFIGS[name]
        save(Model(config, heads=("mlm",)), folder / name)
        write_tokenizer(folder / name, reader_for(config), 40, segmented=True)
    return folder


def subject(name: str, train: int = 16, tested: int = 8) -> Downstream:
    every = examples(name, train + 8 + tested)
    return downstream(
        TASKS[name],
        Parts(train=every[:train], validation=every[train : train + 8], test=every[train + 8 :]),
    )


def on_task(
    folder: Path,
    places: Path,
    *grid: str,
    on: Downstream,
    view: Seen | None = None,
    **settings: Any,
) -> Comparison:
    """Write a grid file among the encoders, and compare."""
    path = write_grid(places, *grid)
    return compare(
        folder,
        on,
        read_grid(str(path), kind=TaskOptions, options_of=on.options_of),
        Settings(**settings),
        view or Seen(),
        command=["incognote", "compare"],
    )


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "tables" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def figures(comparison: Comparison) -> Mapping[str, Any]:
    return {
        each.id: (
            each.state,
            each.validation,
            [row["loss"] for row in each.curve],
            {path.name: path.read_bytes() for path in sorted(each.folder.glob("predictions/*/*"))},
            json.loads((each.folder / "test.json").read_text()),
        )
        for each in comparison.cells
    }


@pytest.fixture(scope="module")
def seeds(places: Path, tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """Two encoders, two rates, two seeds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "run_tasks", inline)
        grid = DEFAULTS.replace("lr = 3e-3", "lr = [3e-3, 1e-6]\nseed = [0, 1]")
        grid = grid.replace("epochs = 2", "epochs = 4").replace("size = 8", "size = 4")
        return on_task(
            tmp_path_factory.mktemp("seeds") / "out",
            places,
            grid,
            ENCODERS,
            '[encoders.small]\nstart = "albert"\nlr = 3e-3',
            on=subject("sentence", 40),
        )


def test_a_setting_is_chosen_by_its_mean_over_seeds(seeds: Comparison) -> None:
    assert {each.state for each in seeds.cells} == {"done"}
    assert (seeds.task, seeds.metric, seeds.chosen_by) == ("sentence", "accuracy", "accuracy")
    means = {
        rate: fmean(
            each.validation_score or 0.0 for each in seeds.of("tiny") if each.options["lr"] == rate
        )
        for rate in (3e-3, 1e-6)
    }
    assert means[3e-3] > means[1e-6]
    chosen = chosen_seeds(seeds, "tiny")
    assert {each.options["lr"] for each in chosen} == {3e-3}
    assert sorted(each.options["seed"] for each in chosen) == [0, 1]
    best = best_cells(seeds)
    assert best["tiny"].validation_score == max(each.validation_score or 0.0 for each in chosen)
    kept = {each.id for each in best.values()}
    for each in seeds.cells:
        assert (each.folder / "model.safetensors").exists() == (each.id in kept)
    model = opened(seeds.folder / "best" / "tiny")
    assert model.task.labels == ("name", "town")


def test_figures_are_those_of_the_checkpoint_on_each_part(seeds: Comparison) -> None:
    best = best_cells(seeds)["small"]
    own = subject("sentence", 40)
    for part, name in (("validation", "validation.json"), ("test", "test.json")):
        told = json.loads((best.folder / name).read_text())
        again = evaluate(opened(best.folder), getattr(own.parts, part))
        assert told["figures"] == again.figures
        assert told["examples"] == 8
        low, high = told["intervals"]["accuracy"]
        assert low <= told["figures"]["accuracy"] <= high
        predicted = best.folder / "predictions" / part / "predictions.jsonl"
        assert len(predicted.read_text().splitlines()) == 8
    assert (
        best.validation["accuracy"]
        == json.loads((best.folder / "validation.json").read_text())["figures"]["accuracy"]
    )


def test_what_the_grid_does_not_say_is_the_papers(seeds: Comparison) -> None:
    tiny, small = (seeds.of(name)[0].options for name in ("tiny", "small"))
    assert (tiny["warmup"], tiny["weight_decay"]) == (0.1, 0.01)
    path = write_grid(seeds.folder.parent, "[defaults]\nbatch_tokens = 64\n")
    own = subject("pair")
    folder = seeds.folder / "best" / "small"
    grid = read_grid(str(path), [str(folder)], kind=TaskOptions, options_of=own.options_of)
    (options,) = grid.cells["small"]
    assert (options.epochs, options.lr) == (5, 2e-5)  # ALBERT's, for a task of one's own
    assert (options.batch_tokens, options.batch_size, options.longest) == (64, None, 40)
    assert small["epochs"] == 4


def test_the_report_has_means_intervals_and_effects(seeds: Comparison) -> None:
    out = seeds.folder
    for name in ("report.html", "report.md", "plots/scores.svg", "plots/learning-curves.png"):
        assert (out / name).is_file(), name
    chosen = {row["model"]: row for row in rows(out, "chosen")}
    assert set(chosen) == {"tiny", "small"}
    values = [each.validation_score or 0.0 for each in chosen_seeds(seeds, "tiny")]
    head = "validation accuracy %"
    assert float(chosen["tiny"][head]) == pytest.approx(100 * fmean(values), abs=1e-3)
    half = 12.7062 * stdev(values) / 2**0.5
    assert float(chosen["tiny"][f"{head} high"]) == pytest.approx(
        100 * min(1.0, fmean(values) + half), abs=1e-3
    )
    assert len(rows(out, "settings")) == 3
    assert [row["cells"] for row in rows(out, "grid")] == ["4", "2"]
    effects = {(row["model"], row["hyper-parameter"]) for row in rows(out, "hyper-parameters")}
    assert effects == {("tiny", "learning rate"), ("tiny", "seed"), ("small", "seed")}
    assert len(rows(out, "cells")) == 6
    assert {row["part"]: row["town"] for row in rows(out, "parts")} == {
        "train": "20",
        "validation": "4",
        "test": "4",
    }
    assert {row["seeds"] for row in rows(out, "scores-test")} == {"2"}
    assert len(rows(out, "learning-curves")) == 24
    text = (out / "report.md").read_text()
    assert not [own for own in examples("sentence", 56) if getattr(own, "first", "") in text]


def test_killed_and_continued_it_ends_the_same(places: Path, tmp_path: Path) -> None:
    grid = (DEFAULTS.replace("1e9", "0") + "seed = [0, 1]", ENCODERS)
    on = subject("sentence")
    whole = on_task(tmp_path / "whole", places, *grid, on=on)
    for moment in (2, 3):

        def kill(tick: Any, moment: int = moment) -> None:
            if tick.progress.steps == moment:
                raise Killed

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cell, "_pausing", lambda *_, kill=kill: nullcontext(kill))
            with pytest.raises(Killed):
                on_task(tmp_path / "broken", places, *grid, on=on)
    view = Seen()
    broken = on_task(tmp_path / "broken", places, *grid, on=on, view=view)
    assert len(view.run) == 2
    assert figures(broken) == figures(whole)
    weights = [load_file(each.folder / "best/tiny/model.safetensors") for each in (broken, whole)]
    assert all(weights[0][name].equal(weights[1][name]) for name in weights[1])
    again = Seen()
    assert figures(on_task(tmp_path / "whole", places, *grid, on=on, view=again)) == figures(whole)
    assert again.run == []


@pytest.mark.parametrize(
    ("name", "wanted", "files"),
    [
        ("nullable", ["f1", "exact_match"], {"predictions.json", "null_odds.json"}),
        ("choice", ["accuracy"], {"predictions.jsonl"}),
        ("number", ["pearson", "spearman"], {"predictions.jsonl"}),
    ],
)
def test_answers_choices_and_numbers(
    places: Path, tmp_path: Path, name: str, wanted: list[str], files: set[str]
) -> None:
    out = tmp_path / "out"
    made = on_task(out, places, DEFAULTS + "stride = 6", ENCODERS, on=subject(name, tested=0))
    (only,) = made.cells
    assert only.state == "done", only.reason
    assert made.figures[: len(wanted)] == wanted
    assert {path.name for path in only.folder.glob("predictions/validation/*")} == files
    assert not (only.folder / "test.json").exists()
    assert "There is no test part" in (out / "report.md").read_text()
    (row,) = rows(out, "scores-validation")
    titles = {"f1": "F1", "exact_match": "exact match"}
    title = f"{titles.get(wanted[0], wanted[0].title() if name == 'number' else wanted[0])} %"
    assert float(row[title]) == pytest.approx(100 * (only.validation_score or 0.0), abs=1e-3)


def test_a_seed_that_fails_costs_its_setting_the_choice(seeds: Comparison, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(seeds.folder, out)
    before = best_cells(seeds)["tiny"]
    (out / "cells" / before.id / "failed.json").write_text(json.dumps({"reason": "lost"}))
    after = best_cells(load_comparison(out))["tiny"]
    assert after.options["lr"] != before.options["lr"]
    assert [each.id for each in publish_best(load_comparison(out))] == [after.id]
    assert (out / "best" / "tiny" / "model.safetensors").is_file()  # that of before


def test_who_only_guesses_is_named(seeds: Comparison, tmp_path: Path) -> None:
    out, own = tmp_path / "out", subject("sentence", 40)
    shutil.copytree(seeds.folder, out)
    for accuracy, named in ((0.625, False), (0.5, True)):
        for each in seeds.of("tiny"):
            path = out / "cells" / each.id / "test.json"
            path.write_text(json.dumps({"figures": {"accuracy": accuracy}}))
        own.write_report(out, load_comparison(out))
        notices = (out / "report.md").read_text().partition("## At a glance")[0]
        said = re.search(r"right in 50\.00 % of the test part: (.*)\.", notices)
        assert ("tiny" in said[1] if said else False) == named


def test_steps_count_as_the_epochs_they_make() -> None:
    on = subject("sentence")
    assert on.passes(TaskOptions(epochs=3)) == 3
    assert on.passes(TaskOptions(steps=5, batch_size=8, accumulate=2)) == 5.0


def test_a_budget_leaves_cells_for_later(places: Path, tmp_path: Path) -> None:
    view = Seen()
    grid = (DEFAULTS + "seed = [0, 1]", ENCODERS)
    made = on_task(
        tmp_path / "out", places, *grid, on=subject("pair"), view=view, budget=Budget.parse("1")
    )
    assert [each.state for each in made.cells] == ["done", "unfinished"]
    assert all((seconds or 0) > 0 for seconds in view.estimates[0].seconds.values())


def test_what_cannot_be_done_is_refused_before_the_first_cell(places: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for grid, name, says in (
        (DEFAULTS + "window = 24", "pair", "window is for annotated notes, and this compares on"),
        ('select = "words"\n' + DEFAULTS, "pair", "select is for annotated notes"),
        (DEFAULTS + "epoch = 3", "pair", "unknown key 'epoch'"),
        (DEFAULTS.replace("24", "41"), "pair", "tiny: longest must be at most 40"),
        (DEFAULTS + "stride = 30", "span", "tiny: stride must be less than longest"),
    ):
        with pytest.raises(RunError, match=says):
            on_task(out, places, grid, ENCODERS, on=subject(name))
    for encoder, name, says in (
        ('start = "tagger"', "pair", "tagger: bilstm has no head for Same town, and cannot do it"),
        ('start = "crf"', "pair", "crf finds identifiers in notes, and does no task"),
        ('start = "nowhere"', "pair", "nowhere: no such folder"),
        ('start = "bert"\nkeep_layers = [1]', "pair", "keep_layers is for annotated notes"),
    ):
        with pytest.raises(RunError, match=says):
            on_task(out, places, DEFAULTS, f"[encoders.tiny]\n{encoder}", on=subject(name))
    assert not out.exists()
    with pytest.raises(RunError, match="steps is for a task, and this compares on annotated notes"):
        compared(out, "[defaults]\nsteps = 3", '[encoders.tiny]\nstart = "bert"')
    every, task = examples("pair", 8), replace(TASKS["pair"], labels=())
    with pytest.raises(RunError, match="nothing is there to choose by"):
        downstream(task, Parts(train=every))
    with pytest.raises(RunError, match="the label 'yes' is none of the training part's"):
        downstream(task, Parts(train=every[::2], validation=every))


def test_another_task_or_other_examples_need_another_folder(places: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    on_task(out, places, DEFAULTS, ENCODERS, on=subject("sentence"))
    with pytest.raises(RunError, match="begun on another task"):
        on_task(out, places, DEFAULTS, ENCODERS, on=subject("pair"))
    with pytest.raises(RunError, match="begun on other notes or examples"):
        on_task(out, places, DEFAULTS, ENCODERS, on=subject("sentence", 14))
