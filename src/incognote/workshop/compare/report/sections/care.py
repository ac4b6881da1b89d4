"""What a reader must know before relying on a figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from incognote.corpus.reading import in_order
from incognote.workshop.compare.report.content import Block, Points
from incognote.workshop.compare.report.scored import PARTS, Material


def care(material: Material) -> Iterator[Block]:
    """One sentence for each."""
    yield Points(list(_sentences(material)))


def _sentences(material: Material) -> Iterator[str]:
    comparison = material.comparison
    counts = ", ".join(
        f"{comparison.parts[part]['notes']:,} for {part}"
        for part in PARTS
        if part in comparison.parts
    )
    sources = f" from {len(comparison.sources)} sources" if comparison.sources else ""
    yield (
        f"The figures hold for the notes that were compared ({counts}{sources}), and for notes "
        "like them. Another hospital's may be read much worse."
    )
    if names := random_models(material):
        yield (
            f"{names} began from random weights. Their figures say what the architecture learns "
            "from these training notes alone, and nothing of a pretrained model of that name."
        )
    yield (
        "Hyper-parameters were chosen on the validation part, and the epoch too where the best is "
        "kept, so its figures flatter every model; those of the training part, which was learned from, do so even more. "
        "Compare models by the test part, which had no say."
    )
    yield (
        "Intervals are over notes: they say how far a figure could move with other notes, not "
        "with another seed. One without width, at 0 or 100, says that no note here differed, not "
        "that none will. A model with more cells had more chances to be lucky on validation."
    )
    yield (
        "p-values and intervals of differences are corrected for the number of pairs, not for the "
        "number of figures."
    )
    yield (
        "Strict F1 asks for the exact span and type. What a release needs is covered recall and "
        "leaked notes: read those before choosing a model."
    )
    if unseen := _only_in_test(comparison.parts):
        yield (
            f"{', '.join(unseen)}: in the test part but not in training; no model could find them, "
            "and they count as missed."
        )
    yield from (f"Assumed by the grid: {sentence}" for sentence in comparison.assumptions)


def random_models(material: Material) -> str:
    """The names of models with random weights, in a row."""
    names = [model.name for model in material.models.values() if model.random]
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _only_in_test(parts: Mapping[str, Mapping[str, Any]]) -> list[str]:
    types = {part: {t for t, n in parts[part]["types"].items() if n} for part in parts}
    return in_order(types.get("test", set()) - types.get("train", set()))
