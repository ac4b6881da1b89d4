"""`incognote compare`: a grid of runs for each encoder, and which encoder does best."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from incognote.cli import training_options as options
from incognote.cli.corpus.arguments import Corpora
from incognote.cli.options import OUTPUT, FormatOption, IdField, PatientField, TextField

GRID = "Grid"


def compare(
    corpora: Corpora,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="REPORT",
            help="Folder for the report, the figures of every cell and the best checkpoints.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    grid: Annotated[
        str,
        typer.Option(
            metavar="study|FILE",
            help="The 2022 study's protocol, or a TOML file (docs/compare.md).",
            rich_help_panel=GRID,
            show_default=False,
        ),
    ],
    encoders: Annotated[
        str | None,
        typer.Option(
            metavar="NAME_OR_DIR,…",
            help="Which encoders of the grid, or others with its defaults: folders of "
            "checkpoints, 'minilm', 'clinical-albert', or presets, which begin with random weights and need "
            "--tokenizer. By default all of the grid.",
            rich_help_panel=GRID,
            show_default=False,
        ),
    ] = None,
    tokenizer: options.TokenizerFolder = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="2h|6",
            help="Run what fits into a time (2h, 90m), or so many cells (6); the same command goes on.",
            rich_help_panel=GRID,
        ),
    ] = None,
    retry_failed: Annotated[
        bool,
        typer.Option(
            "--retry-failed", help="Run cells that failed once more.", rich_help_panel=GRID
        ),
    ] = False,
    validation: options.Validation = None,
    test: Annotated[
        Path | None,
        typer.Option(metavar="CORPUS", help="Notes to test on.", rich_help_panel=options.DATA),
    ] = None,
    split: options.Split = None,
    leave_out: Annotated[
        bool,
        typer.Option(
            "--leave-one-source-out",
            help="Also train without each source in turn, and test on it: each CORPUS is a "
            "source, or each subfolder of one. With --patient-field its patients are left out too.",
            rich_help_panel=options.DATA,
        ),
    ] = False,
    source_field: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD", help="Field that names a note's source.", rich_help_panel=options.DATA
        ),
    ] = None,
    labels: options.Labels = None,
    seed: options.Seed = 0,
    workers: Annotated[
        int, typer.Option(min=1, help="Cells that run at once.", rich_help_panel=options.MACHINE)
    ] = 1,
    threads: options.Threads = None,
    keep_weights: Annotated[
        bool,
        typer.Option(
            "--keep-weights",
            help="Keep the weights of all cells, not only of the best.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    format: FormatOption = None,
    text_field: TextField = None,
    id_field: IdField = None,
    patient_field: PatientField = None,
) -> int:
    """Compare encoders on annotated notes: a grid of runs for each, the best chosen on validation.

    - `incognote compare notes/ -o report/ --grid study --encoders bert-base-uncased/,roberta-base/`
    - `incognote compare train/ --validation dev/ --test test/ -o report/ --grid grid.toml --budget 2h`
    - `incognote compare site-a/ site-b/ -o report/ --grid grid.toml --leave-one-source-out`

    The same command again goes on where it was: a cell that is done is never run again, an
    interrupted one ends as if it had not been. A changed grid adds cells.
    """
    from incognote.cli.allocator import keep_memory

    keep_memory()
    options.need_torch()
    from incognote.cli import show
    from incognote.cli.compare_view import compare_view
    from incognote.cli.corpus.arguments import source_of
    from incognote.onnx.cores import cores
    from incognote.workflows.compare.budget import Budget
    from incognote.workflows.compare.data import read_data
    from incognote.workflows.compare.grid import read_grid
    from incognote.workflows.compare.run import Settings
    from incognote.workflows.compare.run import compare as run
    from incognote.workflows.corpus.reading import RefusedError

    settings = Settings(
        workers=workers,
        threads=threads or max(1, cores() // workers),
        budget=Budget.parse(budget),
        retry_failed=retry_failed,
        keep_weights=keep_weights,
    )
    named = [name for name in (encoders or "").split(",") if name]
    chosen = read_grid(grid, named, tokenizer=tokenizer, seed=seed)

    def source(path: Path | None) -> Any:
        return path and source_of(path, format, text_field, id_field, patient_field)

    apart = validation is not None or test is not None
    try:
        data = read_data(
            [source(path) for path in corpora],
            validation=source(validation),
            test=source(test),
            split=split or (None if apart else chosen.split),
            seed=seed,
            leave_out=leave_out,
            source_field=source_field,
        )
    except RefusedError as error:
        return show.refusal(error.failures)
    wanted: Any = labels or chosen.labels
    with compare_view() as view:
        try:
            comparison = run(
                output,
                data,
                chosen,
                settings,
                view,
                labels=wanted,
                command=["incognote", *sys.argv[1:]],
                seed=seed,
            )
        except KeyboardInterrupt:
            view.say("stopped; the same command goes on from here")
            raise
    return _show(comparison)


def _show(comparison: Any) -> int:
    """The chosen cells on standard output; status 1 if a cell failed."""
    from incognote.cli import show
    from incognote.encoders.tensor_files import read_json
    from incognote.training.result_files import TEST
    from incognote.workflows.compare.results import chosen

    rows = []
    random = {facts.name for facts in comparison.encoders if facts.random}
    for name, cell in chosen(comparison).items():
        test = read_json(cell.folder / TEST)["strict"]
        varied = ", ".join(f"{key} {value}" for key, value in cell.varied.items())
        figures = (cell.f1, *(test[key] for key in ("precision", "recall", "f1")))
        named = f"{name} (random weights)" if name in random else name
        rows.append([named, *(f"{100 * (figure or 0):.2f}" for figure in figures), varied])
    if rows:
        show.table(["strict, %", "validation F1", "test P", "test R", "test F1", "chosen"], rows)
    states = [cell.state for cell in comparison.cells]
    if left := states.count("unfinished"):
        show.say(f"incognote: {left} of {len(states)} cells to do; the same command goes on")
    if failed := states.count("failed"):
        show.say(
            f"incognote: {failed} of {len(states)} cells failed; --retry-failed runs them again"
        )
    return 1 if failed else 0
