"""Tables and plots of the runs, from the JSON that each left.

    python recipes/task_runs/report.py [-o docs/tasks] [--page docs/tasks.md]

Writes results.csv (a row for each run), summary.csv (a row for each task and encoder) and scores.png, and
puts the summary between the marks of the page. All is made from docs/tasks/results and nothing else.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from incognote.base.files import write_whole
from incognote.evaluate.plots import COLOURS, GRID, INK, STYLE
from incognote.workshop.tasks.task import task_named
from recipes.task_runs.parts import PARTS
from recipes.task_runs.run import OURS, PEERS

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
BEGIN, END = "<!-- the results begin -->\n", "<!-- the results end -->"
SHOWN = {"matthews": "Matthews", "f1": "F1", "exact_match": "EM", "accuracy": "accuracy"}
ENCODERS = {"minilm": "MiniLM", "clinical-albert": "clinical ALBERT", "random": "random start"}
TITLES = {"covid-qa": "COVID-QA"}
HEADER = (
    "task",
    "encoder",
    "figure",
    "incognote",
    "seeds",
    "95 % of examples",
    "Trainer",
    "its seeds",
    "CPU minutes",
    "its CPU minutes",
)

Result = Mapping[str, Any]
Row = list[str]


def main() -> None:
    """Parse, gather, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path, default=DOCS / "tasks")
    parser.add_argument("--page", type=Path, default=DOCS / "tasks.md")
    given = parser.parse_args()
    results = [
        json.loads(path.read_text("utf-8"))
        for path in sorted((given.output / "results").glob("*.json"))
    ]
    rows = summary(results)
    write_whole(given.output / "results.csv", as_csv(("run", *RUN_HEADER), run_rows(results)))
    write_whole(given.output / "summary.csv", as_csv(HEADER, rows))
    draw(results, given.output / "scores.png")
    page = given.page.read_text("utf-8")
    before, rest = page.split(BEGIN)
    after = rest[rest.index(END) :]
    write_whole(given.page, f"{before}{BEGIN}{as_markdown(HEADER, rows)}{after}".encode())


RUN_HEADER = ("figure", "value", "low", "high", "examples", "CPU seconds", "start", "options")


def run_rows(results: Iterable[Result]) -> list[Row]:
    """Each figure of each run."""
    rows = []
    for each in results:
        name = "{task}-{encoder}-{by}-{seed}".format(**each)
        for figure, value in each["figures"].items():
            drawn = each["intervals"].get(figure) or ("", "")
            told = [figure, _number(value), *map(_number, drawn), str(each["examples"])]
            more = [str(each["cpu_seconds"] or ""), each["start"] or "", each["options"]]
            rows.append([name, *told, *more])
    return rows


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4f}"


def summary(results: Iterable[Result]) -> list[Row]:
    """Each figure of each task and encoder: means over seeds, the least and the most of them."""
    runs = by_arm(results)
    rows = []
    for (task, encoder), arms in runs.items():
        for figure in figures_of(task):
            ours, theirs = (
                [run["figures"][figure] for run in arms.get(by, [])] for by in (OURS, PEERS)
            )
            drawn = arms[OURS][0]["intervals"].get(figure) if ours else None
            rows.append(
                [
                    title(task),
                    ENCODERS[encoder],
                    SHOWN.get(figure, figure.title()),
                    _mean(ours),
                    str(len(ours)),
                    "–".join(f"{100 * each:.1f}" for each in drawn) if drawn else "",
                    _mean(theirs),
                    str(len(theirs)) if theirs else "",
                    *(_minutes(arms.get(by, [])) for by in (OURS, PEERS)),
                ]
            )
    return rows


def by_arm(
    results: Iterable[Result],
) -> dict[tuple[str, str], dict[str, list[Result]]]:
    """The runs of each task and encoder, by who trained them; in the order of the tasks."""
    found: dict[tuple[str, str], dict[str, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for each in results:
        found[each["task"], each["encoder"]][each["by"]].append(each)
    tasks, encoders = list(PARTS), list(ENCODERS)
    order = sorted(found, key=lambda arm: (tasks.index(arm[0]), encoders.index(arm[1])))
    return {arm: found[arm] for arm in order}


def figures_of(task: str) -> Sequence[str]:
    """The official figures of a task."""
    return task_named(PARTS[task].task).metrics


def title(task: str) -> str:
    """As the papers write it."""
    return TITLES.get(task) or task_named(task).title


def _mean(values: Sequence[float]) -> str:
    if not values:
        return ""
    shown = f"{100 * mean(values):.1f}"
    if len(values) == 1:
        return shown
    return f"{shown} ({100 * min(values):.1f}–{100 * max(values):.1f})"


def _minutes(runs: Sequence[Result]) -> str:
    known = [run["cpu_seconds"] for run in runs if run["cpu_seconds"]]
    return f"{mean(known) / 60:.1f}" if known else ""


def as_csv(header: Sequence[str], rows: Iterable[Row]) -> bytes:
    """A table as a file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def as_markdown(header: Sequence[str], rows: Iterable[Row]) -> str:
    """A table for the page."""
    lines = ["|" + "|".join(f" {each} " for each in header) + "|", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def draw(results: Iterable[Result], path: Path) -> None:
    """The first figure of each task: a bar for each encoder and trainer, a point for each seed."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    arms = by_arm(results)
    tasks = list(dict.fromkeys(task for task, _ in arms))
    kinds = [(encoder, by) for encoder in ENCODERS for by in (OURS, PEERS)]
    kinds = [
        kind
        for kind in kinds
        if any(runs.get(kind[1]) for (_, e), runs in arms.items() if e == kind[0])
    ]
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(max(6.0, 1.3 * len(tasks)), 3.8))
        width = 0.8 / max(1, len(kinds))
        for number, (encoder, by) in enumerate(kinds):
            colour = COLOURS[list(ENCODERS).index(encoder)]
            label = f"{ENCODERS[encoder]}, {'incognote' if by == OURS else 'Trainer'}"
            for place, task in enumerate(tasks):
                runs = arms.get((task, encoder), {}).get(by, [])
                values = [100 * run["figures"][figures_of(task)[0]] for run in runs]
                if not values:
                    continue
                x = place - 0.4 + width * (number + 0.5)
                hatch = "" if by == OURS else "////"
                axes.bar(
                    x,
                    mean(values),
                    0.92 * width,
                    color=colour,
                    hatch=hatch,
                    edgecolor="white",
                    label=label,
                )
                axes.plot([x] * len(values), values, ".", color=INK, markersize=4)
                label = "_"
        shown = [f"{title(task)}\n{SHOWN.get(figures_of(task)[0], 'Pearson')}" for task in tasks]
        axes.set_xticks(range(len(tasks)), shown)
        axes.set_ylim(0, 100)
        axes.grid(axis="y", color=GRID)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="upper center", ncols=3, frameon=False, fontsize=8)
        figure.tight_layout(rect=(0, 0, 1, 0.9))
        figure.savefig(path, dpi=150, metadata={"Software": None})
        plt.close(figure)


if __name__ == "__main__":
    main()
