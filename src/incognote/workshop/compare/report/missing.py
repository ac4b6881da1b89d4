"""What is not there yet, said before any figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from incognote.workshop.compare.report.scored import PARTS, Material
from incognote.workshop.compare.report.sections.care import random_models


def notices(material: Material) -> Iterator[str]:
    """One sentence for each thing that a reader must not miss."""
    yield from _cells(material)
    yield from _predictions(material)
    if names := random_models(material):
        yield f"Random weights, not pretrained: {names}."
    if not material.draws:
        yield (
            "There are no plots: they need matplotlib, which is not installed "
            "(pip install 'incognote[report]'). The tables have all figures."
        )


def _cells(material: Material) -> Iterator[str]:
    cells = material.comparison.cells
    states = Counter[str](cell.state for cell in cells)
    if states["unfinished"]:
        yield (
            f"This comparison is not finished: {states['done']} of {len(cells)} cells are done, "
            f"{states['unfinished']} are not. Choices and figures may still change."
        )
    if states["failed"]:
        ids = ", ".join(cell.id for cell in cells if cell.state == "failed")
        yield f"{states['failed']} of {len(cells)} cells failed: {ids}. Their reasons are below."
    done = {each.model.name for each in material.judged}
    if lacking := [str(model) for name, model in material.models.items() if name not in done]:
        yield f"No cell is done yet of {', '.join(lacking)}: no table of figures has them."


def _predictions(material: Material) -> Iterator[str]:
    for part in PARTS:
        if not getattr(material.parts, part):
            yield f"There is no {part} part, so no figures on it."
            continue
        lacking = [str(each.model) for each in material.judged if part not in each.reports]
        if lacking:
            yield f"No predictions on the {part} part yet by {', '.join(lacking)}."
