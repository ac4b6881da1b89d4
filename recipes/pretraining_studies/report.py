"""Tables and plots of the small studies, from the JSON that the arms left.

    python recipes/pretraining_studies/report.py work/ -o docs/pretraining_studies   # gathers, draws
    python recipes/pretraining_studies/report.py -o docs/pretraining_studies         # draws again

results.json and miniatures.json have all figures; README.md and the plots are made from them and from
nothing else. Arms that another work folder left there stay, until this one has them too.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
import tomllib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from incognote.evaluate.plots import COLOURS, GRID, QUIET, STYLE
from recipes.pretraining_studies import miniatures_report

HERE = Path(__file__).resolve().parent
RESULTS, PAGE = "results.json", "README.md"
CLAIM = 0.65
"""An arm whose own task stays below this shows nothing about the other."""

NOTHING: dict[str, Any] = {"arms": {}, "shipped": {}, "transfer": {}}
SENTENCE_TASKS = ("nsp", "sop")
LEARNED_FROM = {
    "meddocan": "MEDDOCAN, 500 Spanish cases in their own labels; half of the development part chooses "
    "the epoch, the other half tests. One run of each start, two epochs; all of these encoders have read "
    "English only. Minutes are of one core beside other work. A first run gave MiniLM one epoch: 90.2 on "
    "the same test part after 8 minutes, adapted 87.3 after 6. The second epoch was given after that was "
    "seen, because the ALBERTs had had 11 and 13 minutes.",
    "notes": "Sets A and B of `corpus/`; C chooses the epoch, D, dense printouts of another hand, tests. "
    "One run of each start: 16 epochs, 11 of MiniLM, whose layers are more and wider, for about the same "
    "minutes. The clinical ALBERT comes most of the way in strict F1 from random weights to MiniLM, which "
    "has eight times its parameters; the twelve minutes in which MiniLM was adapted to clinical text "
    "brought no gain on either corpus.",
}
"""The comparisons that transfer.py makes, and what each learns from."""

TRANSFER_FIGURES = ("validation F1 %", "test strict F1 %", "words F1 %", "covered recall %")
TRANSFER_COLUMNS = ("model", "parameters", "training minutes", *TRANSFER_FIGURES)


def gathered(work: Path, before: dict[str, Any]) -> dict[str, Any]:
    """All results of a work folder, and those known before."""
    found = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((work / "results").glob("*.json"))
    }
    arms = before["arms"] | {name: arm for name, arm in found.items() if arm["minutes"]}
    transfer = dict(before["transfer"])
    for name in LEARNED_FROM:
        tables = work / f"transfer-{name}/tables"
        if (tables / "glance.csv").exists():
            minutes = {row["model"]: row["training minutes"] for row in table(tables / "speed.csv")}
            transfer[name] = [
                row | {"training minutes": minutes[row["model"]]}
                for row in table(tables / "glance.csv")
            ]
    shipped = work / "shipped.json"
    asked = json.loads(shipped.read_text("utf-8")) if shipped.exists() else before["shipped"]
    return {"arms": arms, "shipped": asked, "transfer": transfer}


def table(path: Path) -> list[dict[str, str]]:
    """The rows of a comparison's table."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def page(results: dict[str, Any], plan: dict[str, Any], folder: Path, miniatures: list[str]) -> str:
    """The report, a section for each study that has arms; the miniatures come last."""
    lines = [
        "# Small pretraining studies",
        "",
        "How the objectives behave in minutes, not what they reach at scale. Made by "
        "`recipes/pretraining_studies`; the budget stands beside each arm, in minutes with its "
        "evaluation, and then what its steps alone took. How many steps fit is measured when an arm "
        "starts; an arm that other work slowed then has fewer, one that was slowed later took longer: "
        "compare the curves, which are over the tokens seen. Accuracies are of held-out documents, "
        "with 95 % intervals.",
    ]
    waiting = []
    for study, told in plan["studies"].items():
        arms = {
            name: results["arms"][f"{study}-{name}"]
            for name in told["arms"]
            if f"{study}-{name}" in results["arms"]
        }
        if len(arms) < len(told["arms"]):
            waiting.append(
                f"{told['title']}: {len(arms)} of {len(told['arms'])} arms have been run"
            )
            continue
        lines += ["", f"## {told['title']}", "", *rows(study, arms), "", machine(arms)]
        lines += ["", told["remark"]] if "remark" in told else []
        for start in sorted({told["arms"][name].get("start", "") for name in arms} - {""}):
            if start in results["arms"]:
                given = results["arms"][start]["minutes"]
                lines += ["", f"All begin from `{start}`, of {given:g} minutes."]
        if draw(study, arms, folder):
            lines += ["", f"![Held-out losses]({study}.png)"]
    if results["shipped"]:
        lines += [
            "",
            "## The ALBERT that ships, asked about pairs",
            "",
            *shipped_rows(results["shipped"]),
        ]
    else:
        waiting.append("The ALBERT that ships, asked about pairs: not run")
    for name, models in results["transfer"].items():
        lines += [
            "",
            f"## Fine-tuned on {name}",
            "",
            *transfer_rows(models),
            "",
            LEARNED_FROM[name],
        ]
    waiting += [
        f"Fine-tuned on {name}: not run" for name in LEARNED_FROM if name not in results["transfer"]
    ]
    if waiting:
        lines += ["", "## Not complete", "", *(f"- {study}" for study in waiting)]
    return "\n".join([*lines, *miniatures]) + "\n"


def machine(arms: dict[str, Any]) -> str:
    """What the minutes are of."""
    ways = sorted(
        {(arm.get("threads") or 0, arm.get("precision", "fp32")) for arm in arms.values()}
    )
    names = {0: "all cores", 1: "one core"}
    said = [
        f"{names.get(threads, f'{threads} cores')} in {precision}" for threads, precision in ways
    ]
    return f"Minutes of {' or of '.join(said)}."


def rows(study: str, arms: dict[str, Any]) -> list[str]:
    """The table of a study."""
    if study == "sentence-loss":
        return sentence_rows(arms)
    found = [
        "| arm | minutes: budget, steps | parameters | steps | tokens | held out |",
        "|---|---|---|---|---|---|",
    ]
    for name, arm in arms.items():
        figures = arm["scored"].get("mlm") or arm["held_out"]
        parts = sorted({key.removesuffix("_loss") for key in figures if key.endswith("_loss")})
        said = "; ".join(filter(None, (told(figures, part) for part in parts)))
        found.append(
            f"| {name} | {minutes(arm)} | {arm['parameters']:,} | {arm['steps']:,} "
            f"| {arm['pieces'] / 1e6:.1f} M | {said} |"
        )
    return found


def minutes(arm: dict[str, Any]) -> str:
    """What an arm was given, and what its steps took."""
    return f"{arm['minutes']:g}, {arm['seconds'] / 60:.0f}"


def told(figures: dict[str, float], part: str) -> str:
    """A part's accuracy with its interval, or its loss where it has none."""
    if (base := figures.get(f"{part}_base")) is not None:
        known = -(base * math.log(base) + (1 - base) * math.log(1 - base))
        return (
            f"{part} {accuracy(figures, part)}, loss {figures[f'{part}_loss']:.4f}; by always saying "
            f"the same {base:.1%} and {known:.4f}"
        )
    if f"{part}_accuracy_low" in figures:
        return f"{part} {accuracy(figures, part)}"
    return f"{part} loss {figures[f'{part}_loss']:.3f}"


def accuracy(figures: dict[str, float], part: str) -> str:
    """As a percentage, with its interval."""
    low, high = (figures[f"{part}_accuracy_{edge}"] for edge in ("low", "high"))
    return f"{figures[f'{part}_accuracy']:.1%} ({low:.1%} to {high:.1%})"


def learned(own: float) -> str:
    """Whether what a model does on its own task lets anything be said of another."""
    return "learned" if own >= CLAIM else "not learned: no claim"


def sentence_rows(arms: dict[str, Any]) -> list[str]:
    """Each arm on each task; a sentence head is asked the other's question as well."""
    found = [
        "| arm | minutes: budget, steps | steps | MLM | NSP | SOP | own task |",
        "|---|---|---|---|---|---|---|",
    ]
    pairs, tokens, cuts = 0, 0, 0
    for name, arm in arms.items():
        tokens, cuts = arm["length"], arm["cuts"]
        asked = {task: arm["scored"][f"mlm+{task}"] for task in SENTENCE_TASKS}
        pairs = min(int(of[f"{task}_terms"]) for task, of in asked.items())
        claim = learned(asked[name][f"{name}_accuracy"]) if name in asked else "none"
        told = [accuracy(of, task) for task, of in asked.items()]
        mlm = accuracy(asked["sop"], "mlm")
        found.append(
            f"| {name} | {minutes(arm)} | {arm['steps']:,} | {mlm} | {' | '.join(told)} | {claim} |"
        )
    return [
        *found,
        "",
        f"NSP and SOP: {pairs:,} pairs or more of each, of up to {tokens} tokens, from documents cut "
        f"in {cuts} ways; intervals are as wide as one cut's. The arm without a sentence loss has a "
        f"random head. An arm whose own task stays below {CLAIM:.0%} shows nothing about the other.",
    ]


def shipped_rows(asked: dict[str, Any]) -> list[str]:
    """What the ALBERT that ships says of pairs, by the text they are from."""
    found = [
        "| text | SOP, pairs | SOP | NSP, pairs | NSP | own task, SOP |",
        "|---|---|---|---|---|---|",
    ]
    for kind, of in asked.items():
        told = [f"{of[f'{task}_terms']:,} | {accuracy(of, task)}" for task in ("sop", "nsp")]
        found.append(f"| {kind} | {' | '.join(told)} | {learned(of['sop_accuracy'])} |")
    tokens, cuts = (next(iter(asked.values()))[name] for name in ("length", "cuts"))
    return [
        *found,
        "",
        f"The network in 8 bits, which has learned SOP for two hours of two cores, and NSP never. Pairs of "
        f"up to {tokens} tokens of held-out documents, nothing masked, cut in {cuts} ways; intervals are as "
        "wide as one cut's. Where it has learned the order it does better than chance on NSP, as the paper "
        "has it; knowing which topics come first may be all of that.",
    ]


def transfer_rows(models: list[dict[str, str]]) -> list[str]:
    """What fine-tuning made of each start, with intervals where there are any."""
    heads = [name for name in TRANSFER_COLUMNS if name in models[0]]
    found = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    return found + [f"| {' | '.join(cell(row, head) for head in heads)} |" for row in models]


def cell(row: dict[str, str], head: str) -> str:
    """A figure as it is read."""
    if head == "model" or not row[head]:
        return row[head] or "–"
    if head == "parameters":
        return f"{int(row[head]):,}"
    if not row.get(f"{head} low"):
        return f"{float(row[head]):.1f}"
    low, high = (float(row[f"{head} {edge}"]) for edge in ("low", "high"))
    return f"{float(row[head]):.1f} ({low:.1f} to {high:.1f})"


def draw(study: str, arms: dict[str, Any], folder: Path) -> bool:
    """Held-out losses over the tokens seen: a panel for each part, a line for each arm."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    curves = {name: miniatures_report.looks(arm) for name, arm in arms.items()}
    curves = {name: curve for name, curve in curves.items() if len(curve) > 1}
    parts = sorted({key for curve in curves.values() for key in curve[0] if key.endswith("_loss")})
    if not parts:
        return False
    with rc_context(STYLE):
        figure = Figure(figsize=(4.6 * len(parts), 3.2), layout="constrained")
        for number, part in enumerate(parts, 1):
            axes = figure.add_subplot(1, len(parts), number)
            for colour, (name, curve) in zip(COLOURS, curves.items(), strict=False):
                if part not in curve[0]:
                    continue
                each = arms[name]["pieces"] / arms[name]["steps"] / 1e6
                steps = [row["step"] * each for row in curve]
                axes.plot(steps, [row[part] for row in curve], color=colour, label=name)
            axes.set_xlabel("million tokens")
            axes.set_ylabel(f"held-out {part.removesuffix('_loss')} loss")
            axes.grid(axis="y", color=GRID)
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
            axes.legend(frameon=False, labelcolor=QUIET)
        figure.savefig(folder / f"{study}.png", dpi=150)
    return True


def plan_of(name: str) -> dict[str, Any]:
    """The arms of a plan."""
    return tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))


def small_studies(work: Path | None, folder: Path) -> list[str]:
    """The page's part on the miniatures, from the work folder and what is known of before."""
    known = folder / miniatures_report.RESULTS
    results = json.loads(known.read_text(encoding="utf-8")) if known.exists() else {}
    if work:
        results |= miniatures_report.gathered(work)
        known.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return list(miniatures_report.section(results, plan_of("miniatures"), folder))


def main() -> int:
    """Gather where there is a work folder, and draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, nargs="?", help="work folder of run.py")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the report")
    given = parser.parse_args()
    folder = given.output
    folder.mkdir(parents=True, exist_ok=True)
    if given.work:
        known = folder / RESULTS
        before = json.loads(known.read_text(encoding="utf-8")) if known.exists() else {}
        results = gathered(given.work, NOTHING | before)
        text = json.dumps(results, indent=1) + "\n"
        (folder / RESULTS).write_text(text, encoding="utf-8")
    results = NOTHING | json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    miniatures = small_studies(given.work, folder)
    text = page(results, plan_of("studies"), folder, miniatures)
    (folder / PAGE).write_text(text, encoding="utf-8")
    print(folder / PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
