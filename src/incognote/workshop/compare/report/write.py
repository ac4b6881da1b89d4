"""A report's files: the page, the Markdown, a CSV for each table, the plots."""

from __future__ import annotations

from pathlib import Path

from incognote.base.files import write_private
from incognote.evaluate import Resampling
from incognote.evaluate.plots import PlotError, need_matplotlib
from incognote.workshop.compare.report.build import build
from incognote.workshop.compare.report.content import Plot
from incognote.workshop.compare.report.markdown import markdown
from incognote.workshop.compare.report.page import page
from incognote.workshop.compare.report.scored import gather
from incognote.workshop.compare.report.table import Table, csv_text
from incognote.workshop.compare.results import Comparison
from incognote.workshop.fine_tuning import Parts

PAGE = "report.html"
MARKDOWN = "report.md"
TABLES = "tables"
PLOTS = "plots"


def write_report(
    folder: Path, comparison: Comparison, parts: Parts, *, resampling: Resampling | None = None
) -> None:
    """Write the report of a comparison, finished or not, over the one before it.

    `parts` is the gold, of which only counts and figures enter: no text and no note's id.
    """
    material = gather(comparison, parts, resampling or Resampling(), draws=_draws())
    content = build(material)
    for block in (block for section in content.sections for block in section.blocks):
        if isinstance(block, Table):
            write_private(folder / TABLES / f"{block.name}.csv", csv_text(block).encode())
        elif isinstance(block, Plot):
            for format, image in block.images.items():
                write_private(folder / PLOTS / f"{block.name}.{format}", image)
    write_private(folder / MARKDOWN, markdown(content).encode())
    write_private(folder / PAGE, page(content).encode())


def _draws() -> bool:
    try:
        need_matplotlib()
    except PlotError:
        return False
    return True
