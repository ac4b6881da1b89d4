"""`incognote compare`: a grid of runs for each encoder, and which encoder does best."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from incognote.base.options import Choices
from incognote.cli.corpus.arguments import Corpora
from incognote.cli.from_dataclass import Only
from incognote.cli.options import (
    OUTPUT,
    EncodingName,
    FormatOption,
    IdField,
    LogFile,
    PatientField,
    Quiet,
    TextField,
    Verbose,
)
from incognote.cli.training_options import (
    DATA,
    MACHINE,
    Labels,
    Split,
    Threads,
    Validation,
    need_torch,
)
from incognote.workshop.finetune.options import Options
from incognote.workshop.starting_points import Origin

GRID = "Grid"


def compare(
    corpora: Corpora,
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
            "file (docs/compare.md).",
            rich_help_panel=GRID,
            show_default=False,
        ),
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
    validation: Validation = None,
    test: Annotated[
        Path | None,
        typer.Option(metavar="CORPUS", help="Notes to test on.", rich_help_panel=DATA),
    ] = None,
    split: Split = None,
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
        typer.Option(min=1, help="Number of cells that run at once.", rich_help_panel=MACHINE),
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
    text_field: TextField = None,
    id_field: IdField = None,
    encoding: EncodingName = None,
    patient_field: PatientField = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    log: LogFile = None,
) -> int:
    """Compare encoders on annotated notes: a grid of runs for each, the best chosen on validation.

    - `incognote compare notes/ -o report/ --grid study --encoders bert-base-uncased/,roberta-base/`
    - `incognote compare train/ --validation dev/ --test test/ -o report/ --grid grid.toml --budget 2h`
    - `incognote compare site-a/ site-b/ -o report/ --grid grid.toml --leave-one-source-out`

    A cell of the grid is one encoder with one set of hyper-parameters. The same command continues a
    stopped comparison: finished cells are not run again, and an interrupted one gives the same
    result. A changed grid adds cells.
    """
    from incognote.cli.allocator import keep_memory

    keep_memory()
    need_torch()
    if with_rules:
        from incognote.cli.errors import installed

        with installed("--with-rules needs"):
            import onnx  # noqa: F401
    from incognote.base.messages import logging_to
    from incognote.cli import show
    from incognote.cli.compare_view import compare_view
    from incognote.cli.corpus.arguments import source_of
    from incognote.corpus.source import RefusedError
    from incognote.onnx.sessions import cores
    from incognote.workshop.compare.data import read_data
    from incognote.workshop.compare.estimate import Budget
    from incognote.workshop.compare.grid import read_grid
    from incognote.workshop.compare.run import Settings
    from incognote.workshop.compare.run import compare as run
    from incognote.workshop.starting_points import fetched

    settings = Settings(
        workers=workers,
        threads=threads or max(1, cores() // workers),
        budget=Budget.parse(budget),
        retry_failed=retry_failed,
        keep_weights=keep_weights,
        with_rules=with_rules,
    )
    seed = learning.values["seed"]
    named, remote = (
        [name for name in (given or "").split(",") if name] for given in (encoders, from_hub)
    )
    chosen = read_grid(
        grid,
        [*named, *remote],
        seed=seed,
        fetched={name: fetched(name) for name in remote},
        **origin.values,
    )

    def source(path: Path | None) -> Any:
        return path and source_of(path, format, text_field, id_field, patient_field, encoding)

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
    with logging_to(verbose=verbose, file=log), compare_view(quiet=quiet) as view:
        try:
            comparison = run(
                output,
                data,
                chosen,
                settings,
                view,
                labels=wanted,
                select=select,
                command=["incognote", *sys.argv[1:]],
                seed=seed,
            )
        except KeyboardInterrupt:
            view.say("stopped; the same command continues from here")
            raise
    return _show(comparison)


def _show(comparison: Any) -> int:
    """The chosen cells on standard output; status 1 if a cell failed."""
    from incognote.cli import show
    from incognote.workshop.compare.results import SELECTED, best_cells
    from incognote.workshop.encoders.tensor_files import read_json
    from incognote.workshop.training.run_folder import TEST

    rows = []
    random = {facts.name for facts in comparison.encoders if facts.random}
    for name, cell in best_cells(comparison).items():
        test = read_json(cell.folder / TEST)["strict"]
        varied = ", ".join(f"{key} {value}" for key, value in cell.varied.items())
        figures = (cell.f1, *(test[key] for key in ("precision", "recall", "f1")))
        named = f"{name} (random weights)" if name in random else name
        rows.append([named, *(f"{100 * (figure or 0):.2f}" for figure in figures), varied])
    if rows:
        show.table(_heads(SELECTED[comparison.select]), rows)
    states = [cell.state for cell in comparison.cells]
    if left := states.count("unfinished"):
        show.say(f"incognote: {left} of {len(states)} cells to do; the same command continues")
    if failed := states.count("failed"):
        show.say(
            f"incognote: {failed} of {len(states)} cells failed; --retry-failed runs them again"
        )
    return 1 if failed else 0


def _heads(selected: str) -> list[str]:
    tested = [f"test strict {figure} %" for figure in ("P", "R", "F1")]
    return ["", f"validation {selected} %", *tested, "chosen"]
