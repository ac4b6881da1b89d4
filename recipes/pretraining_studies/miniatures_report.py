"""The section of the report on the papers' ablations in miniature: tables beside the printed ones, curves."""

from __future__ import annotations

import csv
import json
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from incognote.evaluate.plots import COLOURS, GRID, QUIET, STYLE
from recipes.pretraining_studies.downstream import figures as downstream_figures

HERE = Path(__file__).resolve().parent
PRINTED = HERE.parent.parent / "tests/printed_tables"
RESULTS = "miniatures.json"

# For each printed table: the columns by whose words a row is named, and those that are shown.
TABLES: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "albert_table_3": (
        ("sharing", "embedding"),
        {"parameters": "parameters", "mnli": "MNLI", "sst_2": "SST-2", "average": "average"},
    ),
    "albert_table_4": (
        ("embedding", "sharing"),
        {"parameters": "parameters", "mnli": "MNLI", "sst_2": "SST-2", "average": "average"},
    ),
    "electra_ablations": (("model",), {"glue": "GLUE"}),
    "roberta_table_2": (
        ("model",),
        {"squad_1_1_and_2_0": "SQuAD", "mnli": "MNLI", "sst_2": "SST-2", "race": "RACE"},
    ),
    "roberta_table_3": (
        ("sequences",),
        {"steps": "steps", "lr": "lr", "perplexity": "perplexity", "mnli": "MNLI"},
    ),
    "roberta_table_4": (
        ("model", "training"),
        {"steps": "steps", "squad_1_1_and_2_0": "SQuAD", "mnli": "MNLI", "sst_2": "SST-2"},
    ),
}

# Parts of losses, and whether their perplexity says something.
PARTS = {
    "mlm": "masked tokens",
    "permutation": "permuted tokens",
    "nsp": "next sentence",
    "rtd": "replaced tokens found",
    "replaced": "replaced tokens",
    "tokens": "all tokens",
}
TASK_FIGURES = {"sst-2": "accuracy", "snli": "accuracy", "squad": "f1", "race": "accuracy"}


def gathered(work: Path) -> dict[str, Any]:
    """What each arm's run says of itself, and what tasks made of it."""
    tasks = downstream_figures(work)
    found = {}
    for path in sorted((work / "arms").glob("*/training.json")):
        training = json.loads(path.read_text(encoding="utf-8"))
        if not training["settings"].get("steps"):
            continue  # of the studies by the clock
        result = work / "results" / f"{path.parent.name}.json"
        scored = json.loads(result.read_text(encoding="utf-8"))["scored"] if result.exists() else {}
        found[path.parent.name] = {
            "parameters": parameters(path.parent / "model.safetensors"),
            **{
                name: training[name]
                for name in ("objective", "steps", "pieces", "seconds", "held_out", "curve")
            },
            "lr": training["settings"]["lr"],
            "precision": training["settings"]["precision"],
            "scored": scored,
            "tasks": tasks.get(path.parent.name, {}),
        }
    return found


def parameters(path: Path) -> int:
    """Of a checkpoint, with its heads, as they are stored."""
    with path.open("rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
    return sum(
        math.prod(entry["shape"]) for name, entry in header.items() if name != "__metadata__"
    )


def runs_of(
    results: Mapping[str, Any], study: str, name: str, arm: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The runs of an arm that are there, seed by seed."""
    stem = arm.get("same", f"{study}-{name}")
    stems = [stem, *(f"{stem}-seed-{seed}" for seed in range(1, 10))]
    return [results[each] for each in stems if each in results]


def section(results: Mapping[str, Any], plan: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """All studies that have arms, and what was not run."""
    missing: list[str] = []
    for study, told in plan["studies"].items():
        arms = {name: runs_of(results, study, name, arm) for name, arm in told["arms"].items()}
        wanted = {name: _seeds(plan, arm) for name, arm in told["arms"].items()}
        missing += [
            f"{told['title']}: {name}, {len(arms[name])} of {wanted[name]} runs"
            for name in told["arms"]
            if len(arms[name]) < wanted[name] and "same" not in told["arms"][name]
        ]
        if not any(arms.values()):
            continue
        yield from ("", f"## {told['title']}", "", *_table(told, arms), "")
        if "remark" in told:
            yield from (told["remark"], "")
        if draw(study, arms, folder):
            yield f"![Held-out losses](miniature-{study}.png)"
    tasks = {task for run in results.values() for task in run["tasks"]}
    missing += [f"Fine-tuned on {task}: no arm" for task in plan["downstream"] if task not in tasks]
    if missing:
        yield from ("", "## Miniatures that were not run", "", *(f"- {each}" for each in missing))


def _seeds(plan: Mapping[str, Any], arm: Mapping[str, Any]) -> int:
    return int(arm.get("seeds", 1))


def _table(told: Mapping[str, Any], arms: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """An arm a row: what it has, what it reached in each run, and what the paper printed."""
    present = {name: runs for name, runs in arms.items() if runs}
    tasks = [
        task
        for task in TASK_FIGURES
        if any(task in run["tasks"] for runs in present.values() for run in runs)
    ]
    printed = printed_rows(told.get("paper"))
    shown = TABLES[told["paper"].replace("-", "_")][1] if printed else {}
    heads = ["arm", "parameters", "steps", "M tokens", "minutes", "held out", *tasks]
    heads += [f"paper: {name}" for name in shown.values()]
    rows = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for name, runs in present.items():
        first = runs[0]
        cells = [
            name,
            f"{first['parameters']:,}",
            f"{first['steps']:,}",
            f"{first['pieces'] / 1e6:.2f}",
            f"{sum(run['seconds'] for run in runs) / len(runs) / 60:.1f}",
            held_out(runs),
            *(on_task(runs, task) for task in tasks),
        ]
        row = printed.get(told["arms"][name].get("row", ""), {})
        cells += [row.get(column) or "–" for column in shown]
        rows.append("| " + " | ".join(cells) + " |")
    return rows


def held_out(runs: Sequence[Mapping[str, Any]]) -> str:
    """Each part's figures; of several seeds the mean, and each of them."""
    scored = [run["scored"].get("mlm") or run["held_out"] for run in runs]
    said = []
    for part, words in PARTS.items():
        if f"{part}_loss" not in scored[0]:
            continue
        losses = [figures[f"{part}_loss"] for figures in scored]
        shares = [figures[f"{part}_accuracy"] for figures in scored]
        low, high = (scored[0][f"{part}_accuracy_{edge}"] for edge in ("low", "high"))
        said.append(
            f"{words} {each(shares, percent)} ({percent(low)} to {percent(high)}), loss "
            f"{each(losses, '{:.3f}'.format)}"
        )
    return "; ".join(said)


def on_task(runs: Sequence[Mapping[str, Any]], task: str) -> str:
    """The task's first figure, run by run."""
    shares = [
        run["tasks"][task]["figures"][TASK_FIGURES[task]] for run in runs if task in run["tasks"]
    ]
    return each(shares, percent) if shares else "–"


def each(values: Sequence[float], text: Any) -> str:
    """The mean of several runs, and each of them.

    >>> each([0.5, 1.0], percent)
    '75.0 % (50.0 %, 100.0 %)'
    """
    mean = text(sum(values) / len(values))
    return mean if len(values) == 1 else f"{mean} ({', '.join(map(text, values))})"


def percent(share: float) -> str:
    """A share as it is read."""
    return f"{100 * share:.1f} %"


def printed_rows(paper: str | None) -> dict[str, dict[str, str]]:
    """The rows of a printed table, by the words that name them."""
    if paper is None:
        return {}
    name = paper.replace("-", "_")
    columns, _ = TABLES[name]
    with (PRINTED / f"{name}.tsv").open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {" ".join(row[column] for column in columns): row for row in rows}


def draw(study: str, arms: Mapping[str, Sequence[Mapping[str, Any]]], folder: Path) -> bool:
    """Held-out losses over the tokens read: a panel a part, a line an arm, paler ones other seeds."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    runs = [(name, run) for name, several in arms.items() for run in several]
    parts = sorted({key for _, run in runs for key in run["curve"][0] if key.endswith("_loss")})
    names = list(arms)
    with rc_context(STYLE):
        figure = Figure(figsize=(4.6 * len(parts), 3.2), layout="constrained")
        for number, part in enumerate(parts, 1):
            axes = figure.add_subplot(1, len(parts), number)
            seen: set[str] = set()
            for name, run in runs:
                points = [row for row in run["curve"] if part in row]
                if not points:
                    continue
                place = names.index(name)
                tokens = run["pieces"] / run["steps"] / 1e6
                axes.plot(
                    [row["step"] * tokens for row in points],
                    [row[part] for row in points],
                    color=COLOURS[place % len(COLOURS)],
                    linestyle="-" if place < len(COLOURS) else "--",
                    alpha=0.45 if name in seen else 1.0,
                    label=None if name in seen else name,
                )
                seen.add(name)
            axes.set_xlabel("million tokens")
            axes.set_ylabel(f"held-out {part.removesuffix('_loss')} loss")
            axes.grid(axis="y", color=GRID)
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
            axes.legend(frameon=False, labelcolor=QUIET, fontsize="small")
        figure.savefig(folder / f"miniature-{study}.png", dpi=120)
    return True
