"""All sections of a report, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from incognote.workshop.compare.report.content import Block, Content, Section
from incognote.workshop.compare.report.missing import notices
from incognote.workshop.compare.report.scored import STRICT, WORDS, Material
from incognote.workshop.compare.report.sections.beside import beside
from incognote.workshop.compare.report.sections.care import care
from incognote.workshop.compare.report.sections.cells import cells
from incognote.workshop.compare.report.sections.curves import curves
from incognote.workshop.compare.report.sections.data import data
from incognote.workshop.compare.report.sections.effects import effects
from incognote.workshop.compare.report.sections.folds import folds
from incognote.workshop.compare.report.sections.glance import glance
from incognote.workshop.compare.report.sections.grid import grid
from incognote.workshop.compare.report.sections.models import models
from incognote.workshop.compare.report.sections.repeat import repeat
from incognote.workshop.compare.report.sections.scores import scores
from incognote.workshop.compare.report.sections.significance import significance
from incognote.workshop.compare.report.sections.speed import speed
from incognote.workshop.compare.report.sections.types import types
from incognote.workshop.compare.report.sections.with_rules import with_rules
from incognote.workshop.compare.results import SELECTED

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
    ("Unseen sources", folds),
    ("Speed", speed),
    ("Beside the 2022 study", beside),
    ("Learning curves", curves),
    ("All cells", cells),
    ("How to repeat it", repeat),
    ("Read this with care", care),
)


def build(material: Material) -> Content:
    """The report, before it is HTML or Markdown; a section that has nothing to say is left out."""
    sections = [Section(title, list(make(material))) for title, make in SECTIONS]
    count = len(material.comparison.encoders)
    return Content(
        title=f"A comparison of {count} encoder{'s' if count != 1 else ''} for de-identification",
        lead=_lead(material),
        notices=list(notices(material)),
        sections=[section for section in sections if section.blocks],
    )


def _lead(material: Material) -> str:
    if not material.judged:
        return "No cell is done yet: this page shows the plan."
    best = material.judged[0]
    words = material.comparison.select == "words"
    figure = best.figure("test", *(WORDS if words else STRICT), "f1")
    said = f"Best on validation: {best.model}"
    if figure is None or figure.value is None:
        return f"{said}."
    between = ""
    if figure.low is not None and figure.high is not None:
        level = material.resampling.level
        between = f" ({level:.0%} interval {100 * figure.low:.2f} to {100 * figure.high:.2f})"
    selected = SELECTED[material.comparison.select]
    return f"{said}, with a {selected} of {100 * figure.value:.2f} %{between} on the test part."
