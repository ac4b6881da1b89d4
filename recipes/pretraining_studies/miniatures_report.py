"""The section of the report on the papers' ablations in miniature: tables beside the printed ones, curves."""

from __future__ import annotations

import csv
import json
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

# The parts of losses, and the tasks, by the words of the tables' heads.
PARTS = {
    "mlm": "masked tokens",
    "permutation": "permuted tokens",
    "nsp": "next sentence",
    "rtd": "replaced or not",
    "replaced": "replaced tokens",
    "tokens": "all tokens",
}
TASKS = {"sst-2": "SST-2", "snli": "SNLI", "squad": "SQuAD, F1", "race": "RACE"}
TASK_FIGURES = {"sst-2": "accuracy", "snli": "accuracy", "squad": "f1", "race": "accuracy"}
COMPARED = ("mlm", "permutation")
"""Parts that are asked about alike in all arms of a study, if the plan does not say otherwise."""

INTRODUCTION = """\
The tables above are of studies by the clock. Here the papers' own tables are repeated with encoders of two \
or three layers, 384 wide, that take some hundred steps of at most 1,024 tokens of clinical and medical text \
and of books: about a minute of one core an arm, where the papers took weeks of many processors. All arms of a \
study read the same text in the same number of steps, and what is asked about is all that differs. Of what \
holds at the papers' size such a miniature can show little: mostly that each arm learns, how fast it begins \
to, and what it costs. Where it disagrees with a paper, the paper is to be believed. The paper's printed \
figures stand beside each arm, of its own encoders and tests: their heights cannot be compared with ours.

ALBERT, BERT and ELECTRA begin with MiniLM's words and first layers; XLNet and `width` with random weights. \
Held-out text is 3 % of the documents, figures with 95 % intervals of one run; a second seed, where there is \
one, is a row of its own: an interval says how sure a figure is of this run, and nothing of another seed. An arm is said to be lower than the best if its interval and that of the best, each \
as wide as all its seeds, do not overlap. Tasks are learned from a part of their training sets (SNLI: of its \
development set) and scored on another part of the same; nobody's test set is read. Minutes are of the clock, \
of one thread on a machine with other work, and say little. Training is in fp32."""


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
            "parameters": parameters(path.parent),
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


def parameters(folder: Path) -> int:
    """Of a checkpoint, with its heads; what layers share counts once, though it may be stored for each."""
    from incognote.workshop.encoders import load

    return sum(each.numel() for each in load(folder).parameters())


def runs_of(
    results: Mapping[str, Any], study: str, name: str, arm: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The runs of an arm that are there, seed by seed."""
    stem = arm.get("same", f"{study}-{name}")
    stems = [stem, *(f"{stem}-seed-{seed}" for seed in range(1, 10))]
    return [results[each] for each in stems if each in results]


def section(results: Mapping[str, Any], plan: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """All studies that have arms, and what was not run."""
    yield from ("", "# The papers' ablations in miniature", "", INTRODUCTION)
    missing: list[str] = []
    for study, told in plan["studies"].items():
        arms = {name: runs_of(results, study, name, arm) for name, arm in told["arms"].items()}
        missing += _missing(told, arms)
        if sum(map(bool, arms.values())) < 2:
            continue
        yield from ("", f"## {told['title']}", "", *_table(told, arms))
        if findings := _with_findings(told, arms):
            yield from ("", findings)
        draw(study, arms, folder)
        yield from ("", f"![Held-out losses](miniature-{study}.png)")
        yield from ("", f"`run.py --plan miniatures … --studies {study}`")
    yield from ("", "## Miniatures that were not run", "")
    yield from (f"- {each}" for each in (*missing, *_not_fine_tuned(results, plan)))


def _missing(
    told: Mapping[str, Any], arms: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[str]:
    """Which of a study's own arms have no run, and which no second one."""
    own = {name: arm.get("seeds", 1) for name, arm in told["arms"].items() if "same" not in arm}
    once = [name for name, seeds in own.items() if arms[name] and len(arms[name]) < seeds]
    parts = [listed(none)] if (none := [name for name in own if not arms[name]]) else []
    parts += [f"the second seed of {listed(once)}"] if once else []
    if parts:
        yield f"{told['title']}: {'; '.join(parts)}"


def _not_fine_tuned(results: Mapping[str, Any], plan: Mapping[str, Any]) -> Iterator[str]:
    """Which arms, of those that there are, each task was not learned from."""
    for task in plan["downstream"]:
        without = [stem for stem, run in results.items() if task not in run["tasks"]]
        if len(without) == len(results):
            yield f"Fine-tuned on {task}: no arm"
        elif without:
            yield f"Fine-tuned on {task}: all but {len(results) - len(without)} arms"


def _table(told: Mapping[str, Any], arms: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """A run a row: what it has, what it reached, and what the paper printed."""
    runs = [run for several in arms.values() for run in several]
    parts = [part for part in PARTS if any(f"{part}_loss" in figures_of(run) for run in runs)]
    tasks = [task for task in TASK_FIGURES if any(task in run["tasks"] for run in runs)]
    rates = len({run["lr"] for run in runs}) > 1
    printed = printed_rows(told.get("paper"))
    shown = TABLES[told["paper"].replace("-", "_")][1] if printed else {}
    heads = ["arm", "parameters", "steps", "M tokens", *(["lr"] if rates else []), "minutes"]
    heads += [PARTS[part] for part in parts] + [TASKS[task] for task in tasks]
    heads += [f"paper: {name}" for name in shown.values()]
    rows = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for name, several in arms.items():
        row = printed.get(told["arms"][name].get("row", ""), {})
        for seed, run in enumerate(several):
            cells = [
                f"{name}, seed {seed}" if seed else name,
                f"{run['parameters']:,}",
                f"{run['steps']:,}",
                f"{run['pieces'] / 1e6:.2f}",
                *([f"{run['lr']:g}"] if rates else []),
                f"{run['seconds'] / 60:.1f}",
                *(held_out(run, part) for part in parts),
                *(on_task(run, task) for task in tasks),
                *((row.get(column) or "–") if not seed else "" for column in shown),
            ]
            rows.append("| " + " | ".join(cells) + " |")
    return rows


def figures_of(run: Mapping[str, Any]) -> Mapping[str, float]:
    """Of held-out text: the same for all arms where they were asked about the same."""
    figures: Mapping[str, float] = run["scored"].get("mlm") or run["held_out"]
    return figures


def held_out(run: Mapping[str, Any], part: str) -> str:
    """What was right of a part, its interval and its loss."""
    figures = figures_of(run)
    if f"{part}_loss" not in figures:
        return "–"
    said = shown(share(run, part)) + f", loss {figures[f'{part}_loss']:.3f}"
    if (base := figures.get(f"{part}_base")) is not None:
        said += f"; by always saying the same {100 * max(base, 1 - base):.1f} %"
    return said


def on_task(run: Mapping[str, Any], task: str) -> str:
    """The task's first figure, with its interval."""
    return shown(task_share(run, task)) if task in run["tasks"] else "–"


PANELS = 2
"""Of a plot, side by side."""

Share = tuple[float, float, float]
"""A share, and its 95 % interval."""


def share(run: Mapping[str, Any], part: str) -> Share:
    """What was right of a part."""
    figures = figures_of(run)
    right, low, high = (figures[f"{part}_accuracy{edge}"] for edge in ("", "_low", "_high"))
    return right, low, high


def task_share(run: Mapping[str, Any], task: str) -> Share:
    """The task's first figure; an F1 of single answers varies less than this interval says."""
    from incognote.workshop.pretrain.figures import wilson

    told = run["tasks"][task]
    right, count = told["figures"][TASK_FIGURES[task]], told["examples"]
    return right, *wilson(right * count, count)


def shown(found: Share) -> str:
    """A share as it is read.

    >>> shown((0.5, 0.4, 0.6))
    '50.0 % (40.0 to 60.0)'
    """
    right, low, high = (100 * each for each in found)
    return f"{right:.1f} % ({low:.1f} to {high:.1f})"


def _with_findings(told: Mapping[str, Any], arms: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """What the intervals say of each figure that may be compared, and the plan's remark."""
    said = []
    for part in told.get("compare", COMPARED):
        shares = {
            name: [share(run, part) for run in runs if f"{part}_loss" in figures_of(run)]
            for name, runs in arms.items()
        }
        said.append(finding(PARTS[part], shares))
    for task, name in TASKS.items():
        shares = {
            arm: [task_share(run, task) for run in runs if task in run["tasks"]]
            for arm, runs in arms.items()
        }
        said.append(finding(name, shares))
    return " ".join(filter(None, (*said, told.get("remark", ""))))


def finding(figure: str, shares: Mapping[str, Sequence[Share]]) -> str:
    """Which arms are seen to differ from the best: those whose intervals, of all seeds, are apart.

    >>> finding(
    ...     "words", {"a": [(0.5, 0.4, 0.6)], "b": [(0.55, 0.45, 0.65)], "c": [(0.1, 0.0, 0.2)]}
    ... )
    'Words: b is highest; no difference between it and a can be seen; c is lower.'
    >>> finding("words", {"a": [(0.5, 0.4, 0.6)], "b": [(0.55, 0.45, 0.65)]})
    'Words: no difference can be seen.'
    """
    present = {name: several for name, several in shares.items() if several}
    if len(present) < 2:
        return ""
    means = {name: sum(right for right, *_ in each) / len(each) for name, each in present.items()}
    best = max(means, key=means.__getitem__)
    floor = min(low for _, low, _ in present[best])
    others = [name for name in present if name != best]
    alike = [name for name in others if max(high for *_, high in present[name]) >= floor]
    lower = [name for name in others if name not in alike]
    figure = figure[0].upper() + figure[1:]
    if not lower:
        return f"{figure}: no difference can be seen."
    same = f"no difference between it and {listed(alike)} can be seen; " if alike else ""
    return f"{figure}: {best} is highest; {same}{listed(lower)} {'is' if len(lower) == 1 else 'are'} lower."


def listed(names: Sequence[str]) -> str:
    """Names as they are read in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def printed_rows(paper: str | None) -> dict[str, dict[str, str]]:
    """The rows of a printed table, by the words that name them."""
    if paper is None:
        return {}
    name = paper.replace("-", "_")
    columns, _ = TABLES[name]
    with (PRINTED / f"{name}.tsv").open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {" ".join(row[column] for column in columns): row for row in rows}


def draw(study: str, arms: Mapping[str, Sequence[Mapping[str, Any]]], folder: Path) -> None:
    """Held-out losses over the tokens read: a panel a part, a line an arm, paler ones other seeds."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    runs = [(name, run, looks(run)) for name, several in arms.items() for run in several]
    parts = [part for part in PARTS if any(f"{part}_loss" in run[2][0] for run in runs)]
    names = [name for name, several in arms.items() if several]
    rows = -(-len(parts) // PANELS)
    columns = min(len(parts), PANELS)
    with rc_context(STYLE):
        figure = Figure(figsize=(4.4 * columns + 1.7, 3.2 * rows), layout="constrained")
        lines: dict[str, Any] = {}
        for number, part in enumerate(parts, 1):
            axes = figure.add_subplot(rows, columns, number)
            for name, run, curve in runs:
                if f"{part}_loss" not in curve[0]:
                    continue
                place = names.index(name)
                tokens = run["pieces"] / run["steps"] / 1e6
                (line,) = axes.plot(
                    [row["step"] * tokens for row in curve],
                    [row[f"{part}_loss"] for row in curve],
                    color=COLOURS[place % len(COLOURS)],
                    linestyle="-" if place < len(COLOURS) else "--",
                    alpha=1.0 if run is arms[name][0] else 0.45,
                )
                lines.setdefault(name, line)
            axes.set_xlabel("million tokens")
            axes.set_ylabel(f"held-out loss, {PARTS[part]}")
            axes.grid(axis="y", color=GRID)
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
        figure.legend(
            [lines[name] for name in names],
            names,
            loc="outside right upper",
            frameon=False,
            labelcolor=QUIET,
        )
        figure.savefig(folder / f"miniature-{study}.png", dpi=120)


def looks(run: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The rows of its curve that are of the same examples: the last look is at more of them."""
    curve = run["curve"]
    return [row for row in curve if row.get("examples") == curve[0].get("examples")]
