"""The report of a comparison: one page, the same as Markdown, its tables as CSV, its plots.

Here are its sections in their order and the files that are written. `material.py` has the figures
that all sections show, `content.py` what a section is made of, `render.py` and `plots.py` how that
looks; the other files are the sections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from incognote.base.files import write_private
from incognote.evaluate import Resampling
from incognote.evaluate.plots import PlotError, need_matplotlib
from incognote.workshop.compare.report.caveats import caveats, how_to_repeat, notices
from incognote.workshop.compare.report.content import (
    Block,
    Content,
    Plot,
    Section,
    Table,
    csv_text,
)
from incognote.workshop.compare.report.differences import significance, unseen_sources
from incognote.workshop.compare.report.hyper_parameters import cells, effects, grid
from incognote.workshop.compare.report.material import STRICT, WORDS, Material, gather
from incognote.workshop.compare.report.models_and_data import data, models
from incognote.workshop.compare.report.render import markdown, page
from incognote.workshop.compare.report.scores import (
    curves,
    glance,
    scores,
    speed,
    types,
    with_rules,
)
from incognote.workshop.compare.report.study_2022 import beside_the_study
from incognote.workshop.compare.results import SELECTED, Comparison
from incognote.workshop.fine_tuning import Parts

__all__ = ["write_report"]

PAGE = "report.html"
MARKDOWN = "report.md"
TABLES = "tables"
PLOTS = "plots"

SECTIONS: Sequence[tuple[str, Callable[[Material], Iterable[Block]]]] = (
    ("At a glance", glance),
    ("Models", models),
    ("Data", data),
    ("Grid and choice", grid),
    ("Hyper-parameters", effects),
    ("Scores", scores),
    ("Types", types),
    ("With rules", with_rules),
    ("Significance", significance),
    ("Unseen sources", unseen_sources),
    ("Speed", speed),
    ("Beside the 2022 study", beside_the_study),
    ("Learning curves", curves),
    ("All cells", cells),
    ("How to repeat it", how_to_repeat),
    ("Read this with care", caveats),
)


def write_report(
    folder: Path, comparison: Comparison, parts: Parts, *, resampling: Resampling | None = None
) -> None:
    """Write the report of a comparison, finished or not, over the one before it.

    `parts` is the gold, of which only counts and figures enter: no text and no note's id.
    """
    material = gather(comparison, parts, resampling or Resampling(), has_plots=_has_matplotlib())
    content = _content(material)
    for block in (block for section in content.sections for block in section.blocks):
        if isinstance(block, Table):
            write_private(folder / TABLES / f"{block.name}.csv", csv_text(block).encode())
        elif isinstance(block, Plot):
            for format, image in block.images.items():
                write_private(folder / PLOTS / f"{block.name}.{format}", image)
    write_private(folder / MARKDOWN, markdown(content).encode())
    write_private(folder / PAGE, page(content).encode())


def _content(material: Material) -> Content:
    """The report, before it is HTML or Markdown; a section that has nothing to say is left out."""
    sections = [Section(title, list(blocks_of(material))) for title, blocks_of in SECTIONS]
    count = len(material.comparison.encoders)
    return Content(
        title=f"A comparison of {count} encoder{'s' if count != 1 else ''} for de-identification",
        lead=_lead(material),
        notices=list(notices(material)),
        sections=[section for section in sections if section.blocks],
    )


def _lead(material: Material) -> str:
    if not material.best:
        return "No cell is done yet: this page shows the plan."
    best = material.best[0]
    words = material.comparison.select == "words"
    figure = best.figure("test", *(WORDS if words else STRICT), "f1")
    opening = f"Best on validation: {best.model}"
    if figure is None or figure.value is None:
        return f"{opening}."
    interval = ""
    if figure.low is not None and figure.high is not None:
        level = material.resampling.level
        interval = f" ({level:.0%} interval {100 * figure.low:.2f} to {100 * figure.high:.2f})"
    selected = SELECTED[material.comparison.select]
    return f"{opening}, with a {selected} of {100 * figure.value:.2f} %{interval} on the test part."


def _has_matplotlib() -> bool:
    try:
        need_matplotlib()
    except PlotError:
        return False
    return True
