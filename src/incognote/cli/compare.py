"""`incognote compare`: a grid of runs for each encoder, and which encoder does best."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from incognote.base.errors import RunError
from incognote.base.options import Choices, PathText, option_fields
from incognote.cli.compare_view import compare_view
from incognote.cli.from_dataclass import Only
from incognote.cli.options import OUTPUT, FormatOption, Messages, PatientFields
from incognote.cli.task_options import OwnRegression, named_columns, task_of
from incognote.cli.training_options import (
    DATA,
    MACHINE,
    Labels,
    Threads,
    keep_memory,
    need_torch,
)
from incognote.formats import Fields
from incognote.workshop.finetune.options import Options
from incognote.workshop.starting_points import Origin
from incognote.workshop.tasks.columns import Columns

if TYPE_CHECKING:
    from incognote.workshop.compare.downstream import Downstream
    from incognote.workshop.compare.results import CellResult, Comparison, Part
    from incognote.workshop.compare.subject import Subject

GRID = "Grid"


def compare(
    corpora: Annotated[
        list[Path],
        typer.Argument(
            metavar="CORPUS…",
            help="Files or folders of annotated notes; with --task the one file or folder of its "
            "examples, as `incognote task train` takes it.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="REPORT",
            help="Folder for the report, the figures of every cell of the grid and the best "
            "checkpoints.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    grid: Annotated[
        str,
        typer.Option(
            metavar="study|study-best|FILE",
            help="What to run: the 255 cells of the 2022 study, its six best, or those of a TOML "
            "file (docs/compare.md), which a task needs.",
            rich_help_panel=GRID,
            show_default=False,
        ),
        PathText(or_name=True),
    ],
    *,
    encoders: Annotated[
        str | None,
        typer.Option(
            metavar="NAME_OR_DIR,…",
            help="Which encoders of the grid to run; or others, with the grid's defaults: "
            "folders of checkpoints, 'minilm', 'clinical-albert', 'default', or presets, which "
            "need --random and --tokenizer. By default all of the grid.",
            rich_help_panel=GRID,
            show_default=False,
        ),
        PathText(or_name=True, several=True),
    ] = None,
    from_hub: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="Download these encoders from the Hugging Face Hub and compare them too, each "
            "named by the last part of its name there. No other option uses the network.",
            rich_help_panel=GRID,
        ),
    ] = None,
    origin: Annotated[Choices[Origin], Only("random", "encoder_only", "tokenizer")],
    select: Annotated[
        Literal["strict", "words"] | None,
        typer.Option(
            help="Which F1 on the validation notes chooses the best cell: strict (type, start "
            "and end of an entity are right) or words (as the 2022 study counts). By default "
            "words for --grid study, else strict.",
            rich_help_panel=GRID,
            show_default=False,
        ),
    ] = None,
    with_rules: Annotated[
        bool,
        typer.Option(
            "--with-rules",
            help="Also test the best cell of each encoder together with the rules, as `incognote "
            "deid` uses it.",
            rich_help_panel=GRID,
        ),
    ] = False,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="2h|6",
            help="Run only as many cells as fit into a time (2h, 90m), or this many (6); the "
            "same command continues.",
            rich_help_panel=GRID,
        ),
    ] = None,
    retry_failed: Annotated[
        bool,
        typer.Option("--retry-failed", help="Run failed cells again.", rich_help_panel=GRID),
    ] = False,
    task: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Compare on a downstream task instead of annotated notes: cola, sst-2, mrpc, sts-b, "
            "qqp, mnli, qnli, rte, wnli, snli, squad, squad2 or race; or, for your own data, "
            "sentence, pair, choice or span.",
            rich_help_panel=DATA,
        ),
    ] = None,
    validation: Annotated[
        Path | None,
        typer.Option(
            metavar="CORPUS",
            help="Notes or examples to choose cells and epochs on; of a task by default the dev part, "
            "where CORPUS is a folder that has it.",
            rich_help_panel=DATA,
        ),
    ] = None,
    test: Annotated[
        Path | None,
        typer.Option(
            metavar="CORPUS",
            help="Notes or examples to test on; a task needs none.",
            rich_help_panel=DATA,
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            metavar="RATIO",
            help="Split CORPUS into training, validation and test notes, as `incognote corpus split` "
            "does, such as 50:10:40 (the default), by patient with --patient-field; a task's "
            "examples also into two parts, such as 90:10.",
            rich_help_panel=DATA,
        ),
    ] = None,
    regression: OwnRegression = False,
    columns: Choices[Columns],
    leave_out: Annotated[
        bool,
        typer.Option(
            "--leave-one-source-out",
            help="Also train without each source in turn, and test on it. Each CORPUS is a "
            "source, or each subfolder if there is one CORPUS. With --patient-field, the "
            "source's patients are left out of training too.",
            rich_help_panel=DATA,
        ),
    ] = False,
    source_field: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD", help="Field that names a note's source.", rich_help_panel=DATA
        ),
    ] = None,
    labels: Labels = None,
    learning: Annotated[Choices[Options], Only("seed")],
    workers: Annotated[
        int,
        typer.Option(
            min=1, max=1024, help="Number of cells that run at once.", rich_help_panel=MACHINE
        ),
    ] = 1,
    threads: Threads = None,
    keep_weights: Annotated[
        bool,
        typer.Option(
            "--keep-weights",
            help="Keep the weights of all cells, not only of the best.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    format: FormatOption = None,
    fields: PatientFields,
    messages: Messages,
) -> int:
    """Compare encoders on annotated notes or a task: a grid of runs for each, the best chosen on validation.

    - `incognote compare notes/ -o report/ --grid study --encoders bert-base-uncased/,roberta-base/`
    - `incognote compare train/ --validation dev/ --test test/ -o report/ --grid grid.toml --budget 2h`
    - `incognote compare site-a/ site-b/ -o report/ --grid grid.toml --leave-one-source-out`
    - `incognote compare glue/SST-2 --task sst-2 -o report/ --grid seeds.toml --encoders minilm,bert/`
    - `incognote compare kinds.csv --task sentence --text note --label kind --split 80:10:10 -o report/
      --grid grid.toml`

    A cell of the grid is one encoder with one set of hyper-parameters. The same command continues a
    stopped comparison: finished cells are not run again, and an interrupted one gives the same
    result. A changed grid adds cells. Of a task, cells that differ by their seed only are one setting,
    chosen by its mean; what the grid does not say is as the encoder's paper has it for the task.
    """
    keep_memory()
    need_torch()
    if with_rules:
        from incognote.cli.errors import installed

        with installed("--with-rules needs"):
            import onnx  # noqa: F401
    from incognote.cli import show
    from incognote.corpus.source import RefusedError, Source
    from incognote.onnx.sessions import cores
    from incognote.workshop.compare.data import read_data
    from incognote.workshop.compare.estimate import Budget
    from incognote.workshop.compare.grid import read_grid
    from incognote.workshop.compare.notes import Notes
    from incognote.workshop.compare.run import Settings
    from incognote.workshop.compare.run import compare as run
    from incognote.workshop.starting_points import fetched
    from incognote.workshop.tasks.options import TaskOptions

    on_notes = {
        "--labels": labels,
        "--select": select,
        "--with-rules": with_rules,
        "--leave-one-source-out": leave_out,
        "--source-field": source_field,
        "--format": format,
        **_given(Fields, vars(fields)),
    }
    on_tasks = {"--regression": regression, **_given(Columns, columns.values)}
    if task is None:
        _refuse(on_tasks, "is for a task: name it with --task, or leave it out")
    else:
        _refuse(on_notes, "is for annotated notes, and this compares on a task: leave it out")
    settings = Settings(
        workers=workers,
        threads=threads or max(1, cores() // workers),
        budget=Budget.parse(budget),
        retry_failed=retry_failed,
        keep_weights=keep_weights,
        with_rules=with_rules,
    )
    seed = learning.values["seed"]
    local, remote = (
        [name for name in (text or "").split(",") if name] for text in (encoders, from_hub)
    )
    grid_of = partial(
        read_grid,
        grid,
        [*local, *remote],
        seed=seed,
        fetched={name: fetched(name) for name in remote},
        **origin.values,
    )

    def source(path: Path | None) -> Source | None:
        return None if path is None else Source(path, format, fields)

    subject: Subject
    if task is not None:
        subject = _downstream(
            task,
            corpora,
            regression=regression,
            validation=validation,
            test=test,
            split=split,
            columns=columns,
            seed=seed,
        )
        cells = grid_of(kind=TaskOptions, options_of=subject.options_of)
    else:
        cells = grid_of()
        apart = validation is not None or test is not None
        try:
            data = read_data(
                [Source(path, format, fields) for path in corpora],
                validation=source(validation),
                test=source(test),
                split=split or (None if apart else cells.split),
                seed=seed,
                leave_out=leave_out,
                source_field=source_field,
            )
        except RefusedError as error:
            return show.refusal(error.failures)
        label_set: Any = labels or cells.labels
        subject = Notes(data, label_set)
    with messages.logging(), compare_view(quiet=messages.quiet) as view:
        try:
            comparison = run(
                output,
                subject,
                cells,
                settings,
                view,
                select=select,
                command=["incognote", *sys.argv[1:]],
                seed=seed,
            )
        except KeyboardInterrupt:
            view.say("stopped; the same command continues from here")
            raise
    return _show(comparison)


def _downstream(
    name: str, data: Sequence[Path], *, regression: bool, columns: Choices[Columns], **parts: Any
) -> Downstream:
    """The task with its examples, read as `incognote task train` reads them."""
    from incognote.cli import show
    from incognote.workshop.compare.downstream import downstream
    from incognote.workshop.fine_tuning import checked
    from incognote.workshop.task_training import read_parts

    if len(data) > 1:
        raise RunError("a task is learned from one file or folder: name only one")
    task = task_of(name, regression=regression)
    with checked():
        read = read_parts(task, data[0], columns=named_columns(columns), say=show.say, **parts)
    return downstream(task, read)


def _given(kind: type, values: Mapping[str, Any]) -> dict[str, bool]:
    """The flags of a dataclass' options that say something else than by default."""
    return {
        field.option.flags[0]: values[field.name] != field.default
        for field in option_fields(kind).values()
        if field.option is not None and field.option.flags and field.name in values
    }


def _refuse(options: Mapping[str, Any], reason: str) -> None:
    for flag, value in options.items():
        if value:
            raise RunError(f"{flag} {reason}")


def _show(comparison: Comparison) -> int:
    """The chosen cells on standard output; status 1 if a cell failed."""
    from incognote.cli import show

    heads, rows = _rows_on_notes(comparison) if comparison.task is None else _rows(comparison)
    if rows:
        show.table(heads, rows)
    states = [cell.state for cell in comparison.cells]
    if remaining := states.count("unfinished"):
        show.say(f"incognote: {remaining} of {len(states)} cells to do; the same command continues")
    if failed := states.count("failed"):
        show.say(
            f"incognote: {failed} of {len(states)} cells failed; --retry-failed runs them again"
        )
    return 1 if failed else 0


def _rows_on_notes(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Of each encoder the figure that chose its cell, and the strict ones of the test part."""
    from incognote.workshop.compare.results import best_cells
    from incognote.workshop.encoders.tensor_files import read_json
    from incognote.workshop.training.run_folder import TEST

    rows = []
    for name, cell in best_cells(comparison).items():
        test = read_json(cell.folder / TEST)["strict"]
        figures = (cell.validation_score, *(test[key] for key in ("precision", "recall", "f1")))
        rows.append([_title(comparison, name), *map(_percent, figures), _varied(cell)])
    tested = [f"test strict {figure} %" for figure in ("P", "R", "F1")]
    return ["", f"validation {comparison.chosen_by} %", *tested, "chosen"], rows


def _rows(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Of each encoder the means over the seeds of its setting, on validation and, if there is one, test."""
    from incognote.workshop.compare.results import METRICS, best_cells, chosen_seeds
    from incognote.workshop.compare.seeds import figures_over_seeds

    rows = []
    part: Part = "test" if "test" in comparison.parts else "validation"
    names: list[str] = []
    for encoder, cell in best_cells(comparison).items():
        seeds = chosen_seeds(comparison, encoder)
        chosen = figures_over_seeds(seeds, "validation")[comparison.metric]
        figures = figures_over_seeds(seeds, part)
        names = names or [name for name in figures if part == "test" or name != comparison.metric]
        values = (chosen.value, *(figures[name].value for name in names if name in figures))
        rows.append(
            [_title(comparison, encoder), *map(_percent, values), str(len(seeds)), _varied(cell)]
        )
    shown = [f"{part} {METRICS.get(name, name)} %" for name in names]
    return ["", f"validation {comparison.chosen_by} %", *shown, "seeds", "chosen"], rows


def _title(comparison: Comparison, name: str) -> str:
    random = any(facts.random for facts in comparison.encoders if facts.name == name)
    return f"{name} (random weights)" if random else name


def _varied(cell: CellResult) -> str:
    return ", ".join(f"{key} {value}" for key, value in cell.varied.items())


def _percent(share: float | None) -> str:
    return f"{100 * (share or 0):.2f}"
