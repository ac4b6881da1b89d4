"""`incognote bench`: what this machine does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.base.options import Choices
from incognote.cli.from_dataclass import Only
from incognote.cli.options import Workers
from incognote.runs.settings import Settings

if TYPE_CHECKING:
    from incognote.workshop.bench.run import Bench


def bench(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Notes to measure with: files or folders. Without them, notes put together from "
            "those of the demo.",
            metavar="PATH…",
            show_default=False,
        ),
    ] = None,
    *,
    settings: Annotated[Choices[Settings], Only("model", "site")],
    peer_model: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The same weights for the pipeline of transformers, as `incognote export --to "
            "huggingface` writes them. Without it, the pipeline gets random weights in a network "
            "of the same shape.",
        ),
    ] = None,
    workers: Workers = None,
    seconds: Annotated[
        float, typer.Option(min=0.1, help="About how long the measurement takes.")
    ] = 120.0,
    json: Annotated[bool, typer.Option("--json", help="Print every figure as JSON.")] = False,
) -> int:
    """Measure the speed on this machine in about two minutes: notes per second, and the time for one.

    Measures incognote at each --speed of its model, with one process and with one for each core;
    then, on the same notes, Presidio and the pipeline of `transformers` (at its best batch size)
    if they are installed:

        incognote bench
        incognote bench notes/ --model model/ --peer-model huggingface/
        incognote bench --json > machine.json

    Other work on the machine makes the figures worse.
    """
    from rich.console import Console

    from incognote.workshop.bench.run import Plan, made_notes, read_notes
    from incognote.workshop.bench.run import bench as measure

    texts = read_notes(paths) if paths else made_notes()
    model, site = settings.values.get("model"), settings.values.get("site")
    if site is not None:
        from incognote.detect.site import read_site

        read_site(site)
    plan = Plan(
        texts,
        None if model is None else str(model),
        None if peer_model is None else str(peer_model),
        seconds,
        workers,
        None if site is None else str(site),
    )
    loud = Console(stderr=True)
    with loud.status("measuring") as status:
        result = measure(plan, lambda what: status.update(f"measuring: {what}"))
    if json:
        from json import dumps

        typer.echo(dumps(result.as_dict(), indent=2))
    else:
        _show(result, texts)
    return 0


def _show(result: Bench, texts: list[str]) -> None:
    from rich.console import Console
    from rich.table import Table

    from incognote.align.words import words

    console = Console(highlight=False, width=max(Console().width, 120))
    mean = sum(len(words(text)) for text in texts) / len(texts)
    console.print(
        f"{len(texts)} notes of {mean:.0f} words on average; one core multiplies "
        f"{result.peaks.fp32:.0f} GFLOP/s in 32 bits, {result.peaks.int8:.0f} in 8"
    )
    table = Table(box=None, pad_edge=False)
    together = f"{result.workers} workers"
    rates = ("", "notes/s", together, "words/s", "MB/s", "ms p50", "p95")
    columns = (*rates, "start s", "MB", "MB all", "% fp32", "% int8")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    for row in result.rows:
        table.add_row(
            row.title,
            f"{row.one_worker.notes:,.1f}",
            f"{row.all_workers.notes:,.1f}",
            f"{row.all_workers.words:,.0f}",
            f"{row.all_workers.megabytes:.3f}",
            f"{row.latency_p50_ms:,.0f}",
            f"{row.latency_p95_ms:,.0f}",
            f"{row.start_up_seconds:.1f}",
            f"{row.one_worker_peak_megabytes:,.0f}",
            f"{row.all_workers_peak_megabytes:,.0f}",
            *(
                "–" if share is None else f"{100 * share:.0f}"
                for share in (row.share_of_fp32, row.share_of_int8)
            ),
        )
    console.print(table)
    console.print(
        "notes/s: one process of one thread, then all; words/s and MB/s are all workers'. "
        "ms: one note at a time, on all cores. MB: the most memory of one process, and of all "
        "workers. %: one process, of what its core multiplies at most"
    )
    console.print(
        f"incognote deid, one short note, the whole command: {result.command_seconds:.1f} s"
    )
    remarks = {row.title: row.remark for row in result.rows if row.remark}
    for title, remark in (remarks | dict(result.skipped)).items():
        console.print(f"{title}: {remark}", markup=False)
