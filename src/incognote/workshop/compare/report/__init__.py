"""The report of a comparison: one page, the same as Markdown, its tables as CSV, its plots.

Here are its sections in their order and the files that are written. `material.py` has the figures
that all sections show, `content.py` what a section is made of, `render.py` and `plots.py` how that
looks; the other files are the sections. `downstream.py` is the report of a task, of the same sections
where they mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from incognote.evaluate import Resampling
from incognote.workshop.compare.report import plots
from incognote.workshop.compare.report.caveats import caveats, how_to_repeat, notices
from incognote.workshop.compare.report.content import Block, Content, Section
from incognote.workshop.compare.report.differences import significance, unseen_sources
from incognote.workshop.compare.report.hyper_parameters import cells, effects, grid
from incognote.workshop.compare.report.material import STRICT, WORDS, NotesMaterial, gather
from incognote.workshop.compare.report.models_and_data import data, models
from incognote.workshop.compare.report.render import write_content
from incognote.workshop.compare.report.scores import (
    glance,
    scores,
    types,
    with_rules,
)
from incognote.workshop.compare.report.speed_and_curves import curves, speed
from incognote.workshop.compare.report.study_2022 import beside_the_study
from incognote.workshop.compare.results import Comparison
from incognote.workshop.fine_tuning import Parts

__all__ = ["write_report"]

SECTIONS: Sequence[tuple[str, Callable[[NotesMaterial], Iterable[Block]]]] = (
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
    material = gather(comparison, parts, resampling or Resampling(), has_plots=plots.can_draw())
    write_content(folder, _content(material))


def _content(material: NotesMaterial) -> Content:
    """The report, before it is HTML or Markdown; a section that has nothing to say is left out."""
    sections = [Section(title, list(blocks_of(material))) for title, blocks_of in SECTIONS]
    count = len(material.comparison.encoders)
    return Content(
        title=f"A comparison of {count} encoder{'s' if count != 1 else ''} for de-identification",
        lead=_lead(material),
        notices=list(notices(material)),
        sections=[section for section in sections if section.blocks],
    )


def _lead(material: NotesMaterial) -> str:
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
    return f"{opening}, with a {material.comparison.chosen_by} of {100 * figure.value:.2f} %{interval} on the test part."
