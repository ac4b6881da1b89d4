"""The report of a comparison on a downstream task: figures over seeds, and what they do not say.

Sections that mean the same on annotated notes are those of that report.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from incognote.evaluate import Figure
from incognote.workshop.compare.report import plots
from incognote.workshop.compare.report.caveats import (
    fingerprints,
    random_models,
    unfinished_cells,
    versions,
    weights_and_plots,
)
from incognote.workshop.compare.report.content import (
    COUNT,
    ESTIMATE,
    MODEL,
    NUMBER,
    TEXT,
    Block,
    Code,
    Column,
    Content,
    Plot,
    Points,
    Prose,
    Section,
    Table,
)
from incognote.workshop.compare.report.hyper_parameters import (
    cells,
    effects,
    fixed_options,
    grid_table,
    hyper_parameters,
)
from incognote.workshop.compare.report.material import Chosen, Material, minutes, models_of
from incognote.workshop.compare.report.models_and_data import models
from incognote.workshop.compare.report.render import write_content
from incognote.workshop.compare.report.speed_and_curves import curves, speed
from incognote.workshop.compare.results import (
    BEST,
    CellResult,
    Comparison,
    Part,
    best_of,
    chosen_seeds,
    figure_title,
    settings_of,
)
from incognote.workshop.compare.seeds import cell_figures, figures_over_seeds, mean_over_seeds
from incognote.workshop.tasks.task import Task


@dataclass(frozen=True, kw_only=True)
class ChosenSetting(Chosen):
    """An encoder's chosen setting; `cell` is its best seed, `seeds` are all of its cells."""

    seeds: Sequence[CellResult]
    validation: Mapping[str, Figure]
    test: Mapping[str, Figure]

    def figures(self, part: Part) -> Mapping[str, Figure]:
        """Its means over seeds; without a test part there are none."""
        return self.test if part == "test" else self.validation


@dataclass(frozen=True, kw_only=True)
class TaskMaterial(Material):
    """What the sections are made from; `parts` are those that have been scored, test first."""

    best: Sequence[ChosenSetting]
    task: Task
    parts: Sequence[Part]

    @property
    def part(self) -> Part:
        """The part by which models are compared."""
        return self.parts[0]

    @property
    def seeds(self) -> list[int]:
        """Of all cells."""
        return sorted({cell.options["seed"] for cell in self.comparison.cells})


def write_report(folder: Path, comparison: Comparison, task: Task) -> None:
    """Write the report of a comparison, finished or not, over the one before it.

    It has counts, labels and figures: no text, and no example's id.
    """
    material = gather(comparison, task)
    sections = [Section(title, list(blocks_of(material))) for title, blocks_of in SECTIONS]
    count = len(comparison.encoders)
    content = Content(
        title=f"A comparison of {count} encoder{'s' if count != 1 else ''} on {task.title}",
        lead=_lead(material),
        notices=[
            *unfinished_cells(material),
            *weights_and_plots(material),
            *_no_better_than_guessing(material),
        ],
        sections=[section for section in sections if section.blocks],
    )
    write_content(folder, content)


def gather(comparison: Comparison, task: Task) -> TaskMaterial:
    """The chosen setting of each encoder, the best on validation first."""
    named = models_of(comparison)
    best = []
    for name, model in named.items():
        if seeds := chosen_seeds(comparison, name):
            best.append(
                ChosenSetting(
                    model=model,
                    cell=best_of(seeds),
                    seeds=seeds,
                    validation=figures_over_seeds(seeds, "validation"),
                    test=figures_over_seeds(seeds, "test"),
                )
            )
    best.sort(key=lambda each: -(each.validation[comparison.metric].value or 0.0))
    return TaskMaterial(
        comparison=comparison,
        models=named,
        best=best,
        has_plots=plots.can_draw(),
        task=task,
        parts=("test", "validation") if "test" in comparison.parts else ("validation",),
    )


def _lead(material: TaskMaterial) -> str:
    if not material.best:
        return "No cell is done yet: this page shows the plan."
    best, comparison = material.best[0], material.comparison
    figure = best.figures(material.part)[comparison.metric]
    interval = ""
    if figure.low is not None and figure.high is not None:
        interval = f", 95 % interval {100 * figure.low:.2f} to {100 * figure.high:.2f}"
    count = len(best.seeds)
    return (
        f"Best on validation: {best.model}, with {comparison.chosen_by} of "
        f"{100 * (figure.value or 0):.2f} % on the {material.part} part (mean of {count} "
        f"seed{'s' if count != 1 else ''}{interval})."
    )


def _no_better_than_guessing(material: TaskMaterial) -> Iterator[str]:
    """Which models have learned nothing that the commonest label does not say."""
    comparison, labels = material.comparison, material.comparison.parts[material.part]["labels"]
    if material.task.kind != "sentence" or comparison.metric != "accuracy" or not labels:
        return
    commonest = max(labels.values()) / sum(labels.values())
    figures = {str(each.model): each.figures(material.part)["accuracy"] for each in material.best}
    if names := [name for name, figure in figures.items() if (figure.value or 0.0) <= commonest]:
        yield (
            f"No better than the commonest label, which is right in {100 * commonest:.2f} % of the "
            f"{material.part} part: {', '.join(names)}."
        )


def glance(material: TaskMaterial) -> Iterator[Block]:
    """The figures most readers come for."""
    if not material.best:
        yield Prose("No cell is done yet.")
        return
    comparison, metric = material.comparison, material.comparison.metric
    facts = {each.name: each for each in comparison.encoders}
    yield Table.of(
        "glance",
        f"The chosen setting of each encoder, by its {comparison.chosen_by} on validation",
        material.best,
        (
            ("model", MODEL, lambda each: each.model),
            ("parameters", COUNT, lambda each: facts[each.model.name].parameters),
            ("size, MB", NUMBER, lambda each: facts[each.model.name].megabytes),
            ("seeds", COUNT, lambda each: len(each.seeds)),
            *(
                (f"{part} {comparison.chosen_by} %", ESTIMATE, _figure(part, metric))
                for part in reversed(material.parts)
            ),
            ("training minutes of a cell", NUMBER, lambda each: _minutes(each.seeds)),
            ("prediction examples/s", NUMBER, lambda each: _prediction_rate(each.seeds)),
        ),
    )


def _figure(part: Part, name: str) -> Callable[[ChosenSetting], Figure | None]:
    return lambda each: each.figures(part).get(name)


def _minutes(seeds: Sequence[CellResult]) -> float | None:
    known = [minutes(cell.machine.get("training", {})) for cell in seeds]
    every = [each for each in known if each is not None]
    return fmean(every) if every else None


def _prediction_rate(seeds: Sequence[CellResult]) -> float | None:
    rates = [cell.machine.get("prediction", {}).get("examples_per_second") for cell in seeds]
    known = [rate for rate in rates if rate is not None]
    return fmean(known) if known else None


def data(material: TaskMaterial) -> Iterator[Block]:
    """How many examples each part has, and of each label."""
    parts = material.comparison.parts
    labels = list(dict.fromkeys(label for part in parts.values() for label in part["labels"]))
    heads = (
        Column("part", TEXT),
        Column("examples", COUNT),
        Column("characters read", COUNT),
        *(Column(label, COUNT) for label in labels),
    )
    rows = [
        (
            name,
            part["examples"],
            part["characters"],
            *(part["labels"].get(label, 0) for label in labels),
        )
        for name, part in parts.items()
    ]
    yield Table("parts", f"The parts of {material.task.title}", heads, rows)


def choice(material: TaskMaterial) -> Iterator[Block]:
    """The grid, each setting over its seeds, and the one that was chosen."""
    comparison = material.comparison
    yield Prose(
        f"The grid '{comparison.grid}' has {len(comparison.cells)} cells. Those that differ by their "
        f"seed only are one setting. Of each encoder the setting with the best {comparison.chosen_by} on "
        "the validation part was chosen, by the mean over its seeds, among those with the most seeds "
        "done; what the grid does not say is what the encoder's paper fine-tunes with for this task."
    )
    yield grid_table(material)
    yield _settings(material, "chosen", "Best options of each encoder", chosen_only=True)
    yield _settings(material, "settings", "All settings, the best of each encoder first")
    yield from fixed_options(comparison)


def _settings(material: TaskMaterial, name: str, title: str, *, chosen_only: bool = False) -> Table:
    """A row for each setting: its options, and its figure on validation over seeds."""
    comparison = material.comparison
    options = {
        option: value_of
        for option, value_of in hyper_parameters(comparison).items()
        if option != "seed"
    }
    rows: list[tuple[Any, ...]] = []
    for each in material.best:
        own = settings_of(comparison, each.model.name)
        scored = [(seeds, _over_seeds(comparison, seeds)) for seeds in own]
        scored.sort(key=lambda row: (-len(row[0]), -(row[1].value or 0.0)))
        for seeds, figure in scored[:1] if chosen_only else scored:
            values = (value_of(seeds[0]) for value_of in options.values())
            epochs = fmean(cell.training.get("epoch", 0) for cell in seeds)
            rows.append((each.model, *values, len(seeds), figure, epochs))
    heads = (
        Column("model", MODEL),
        *(Column(option, TEXT) for option in options),
        Column("seeds done", COUNT),
        Column(f"validation {comparison.chosen_by} %", ESTIMATE),
        Column("epoch taken, mean", NUMBER),
    )
    return Table(name, title, heads, rows)


def _over_seeds(comparison: Comparison, cells: Sequence[CellResult]) -> Figure:
    return figures_over_seeds(cells, "validation").get(
        comparison.metric, mean_over_seeds([cell.validation_score or 0.0 for cell in cells])
    )


def scores(material: TaskMaterial) -> Iterator[Block]:
    """All figures over seeds, and those of the best seed over examples."""
    if not material.best:
        return
    yield Prose(
        "The official figures of the task. Means over the seeds of the chosen setting, in brackets "
        "Student's 95 % interval of the mean; one seed has none."
    )
    yield from (_scores(material, part) for part in material.parts)
    yield Prose(
        "The seed that is best on validation, whose weights were kept. In brackets the 95 % interval "
        "by bootstrap over examples (1,000 resamples), which does not cover another seed."
    )
    yield _of_best_seeds(material)
    in_plot = material.best[: plots.MOST]
    if material.has_plots:
        names = [name for name in material.comparison.figures if name in in_plot[0].validation]
        yield Plot(
            "scores",
            f"Figures on the {material.part} part: means over seeds with their intervals",
            "A panel for each figure, a dot with its interval for each model; as in the table above.",
            plots.dots(
                [
                    (
                        figure_title(name),
                        {
                            str(each.model): each.figures(material.part).get(name)
                            for each in in_plot
                        },
                    )
                    for name in names[:4]
                ]
            ),
        )


def _scores(material: TaskMaterial, part: Part) -> Table:
    names = _names(each.figures(part) for each in material.best)
    rows = [
        (each.model, len(each.seeds), *(each.figures(part).get(name) for name in names))
        for each in material.best
    ]
    heads = (
        Column("model", MODEL),
        Column("seeds", COUNT),
        *(Column(f"{figure_title(name)} %", ESTIMATE) for name in names),
    )
    return Table(f"scores-{part}", f"On the {part} part, over seeds", heads, rows)


def _of_best_seeds(material: TaskMaterial) -> Table:
    every = [
        (each, part, cell_figures(each.cell, part))
        for part in material.parts
        for each in material.best
    ]
    names = _names(figures for *_, figures in every)
    rows = [
        (each.model, part, each.cell.options["seed"], *(figures.get(name) for name in names))
        for each, part, figures in every
    ]
    heads = (
        Column("model", MODEL),
        Column("part", TEXT),
        Column("seed", COUNT),
        *(Column(f"{figure_title(name)} %", ESTIMATE) for name in names),
    )
    return Table("scores-best-seed", "The best seed, over examples", heads, rows)


def _names(every: Iterable[Mapping[str, Figure]]) -> list[str]:
    return list(dict.fromkeys(name for figures in every for name in figures))


def repeat(material: TaskMaterial) -> Iterator[Block]:
    """The command, the seeds, the versions, and what tells the examples and weights from others."""
    comparison = material.comparison
    yield Prose("The command; started again, it goes on where it was and runs no cell twice.")
    yield Code(shlex.join(comparison.command))
    seeds = ", ".join(map(str, material.seeds)) or "none"
    labels = f"Labels: {', '.join(comparison.labels)}. " if comparison.labels else ""
    yield Points(
        [
            f"Seeds: {comparison.seed} for a split, {seeds} for the cells.",
            f"{labels}Threads of a cell: {comparison.threads}.",
            f"Versions: incognote {comparison.version}{versions(material)}.",
            "The same weights, bit for bit, need the same versions, number of threads and vector "
            "instructions (see Speed).",
            f"The best seed of each encoder's chosen setting is in {BEST}/NAME: incognote task export "
            f"{material.task.name} {BEST}/NAME -o MODEL makes a model folder of it. What each cell "
            "predicted is in cells/ID/predictions, in the task's own format; of one's own texts it may "
            "quote them.",
        ]
    )
    yield fingerprints(material)


def caveats(material: TaskMaterial) -> Iterator[Block]:
    """How far the figures can be trusted."""
    yield Points(list(_caveats(material)))


def _caveats(material: TaskMaterial) -> Iterator[str]:
    comparison = material.comparison
    counts = ", ".join(
        f"{part['examples']:,} for {name}" for name, part in comparison.parts.items()
    )
    yield (
        f"The figures hold for the examples that were compared ({counts}). They stand beside published "
        "ones only where the parts are those that were published."
    )
    if "test" in comparison.parts:
        yield (
            "Settings and epochs were chosen on the validation part, so its figures flatter every "
            "model. Compare models by the test part, which had no say."
        )
    else:
        yield (
            "There is no test part: settings and epochs were chosen on the very examples that the "
            "figures are of, which flatters every model, those with more cells the most."
        )
    if len(material.seeds) < 2:
        yield "There is one seed, so nothing here says how far a figure moves with another."
    else:
        yield (
            "Intervals over seeds are wide where seeds are few, and say nothing of other examples; "
            "those over examples say nothing of other seeds. One without width says that the seeds "
            "here agreed, not that all would."
        )
    if names := random_models(material):
        yield (
            f"{names} began from random weights. Their figures say what the architecture learns from "
            "these training examples alone, and nothing of a pretrained model of that name."
        )
    yield from (f"Assumed by the grid: {sentence}" for sentence in comparison.assumptions)


SECTIONS: Sequence[tuple[str, Callable[[TaskMaterial], Iterable[Block]]]] = (
    ("At a glance", glance),
    ("Models", models),
    ("Data", data),
    ("Grid and choice", choice),
    ("Hyper-parameters", effects),
    ("Scores", scores),
    ("Speed", speed),
    ("Learning curves", curves),
    ("All cells", cells),
    ("How to repeat it", repeat),
    ("Read this with care", caveats),
)
