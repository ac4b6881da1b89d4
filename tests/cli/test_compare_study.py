"""One command on notes like the study's makes all of its tables and plots."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from commands import Command
from study_notes import study_notes
from workshop.compare.comparing import ALBERT, BERT, DEFAULTS, inline, write_grid

from incognote.formats import write
from incognote.workshop.compare import run
from incognote.workshop.compare.results import load_comparison

TABLES = """
    models grid words-by-type chosen performance f1-by-type speed
    parts hyper-parameters hyper-parameter-spread with-rules
    study-models study-words-by-type study-chosen study-scores study-speed
""".split()
PLOTS = ("f1-by-type", "scores", "hyper-parameters", "learning-curves")


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "tables" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_one_command_makes_all_tables_of_the_study(
    tmp_path: Path, incognote: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "run_tasks", inline)
    monkeypatch.setenv("INCOGNOTE_ALLOCATOR", "system")
    recipe = study_notes()
    shape = recipe.study_shape()
    dense = recipe.Shape(150, {type: 4 * share for type, share in shape.shares.items()})
    write(recipe.generate(10, shape=dense), tmp_path / "notes", "i2b2")
    names = (
        ("encoders.bert]", "encoders.roberta-large]"),
        ("encoders.albert]", "encoders.albert-base-v2]"),
    )
    encoders = [BERT.replace(*names[0]), ALBERT.replace(*names[1])]
    grid = write_grid(tmp_path, 'select = "words"', DEFAULTS + "lr = [1e-2, 1e-3]", *encoders)
    out = tmp_path / "out"
    given = (
        "-o",
        out,
        "--grid",
        grid,
        "--labels",
        "study41",
        "--with-rules",
        "--threads",
        1,
        "--random",
    )
    ran = incognote("compare", tmp_path / "notes", *given)
    assert ran.status == 0, ran.err
    made = load_comparison(out)
    assert (made.select, len(made.labels), len(made.cells)) == ("words", 41, 4)
    text = (out / "report.md").read_text(encoding="utf-8")
    page = (out / "report.html").read_text(encoding="utf-8")
    for table in TABLES:
        assert rows(out, table), table
        assert f"(tables/{table}.csv)" in text
        assert f'href="tables/{table}.csv"' in page
    for plot in PLOTS:
        assert (out / "plots" / f"{plot}.png").is_file()
    for number in range(1, 7):
        assert f"**Table {number}: " in text
    assert "**Figure 3: word F1 on the test part" in text
    best = max(cell.validation_score or 0 for cell in made.cells)
    assert rows(out, "chosen")[0]["validation word F1 %"] == f"{100 * best:.4f}"
    found = [row["found by"] for row in rows(out, "with-rules")]
    assert found == ["model", "model and rules"] * 2 + ["rules"]
