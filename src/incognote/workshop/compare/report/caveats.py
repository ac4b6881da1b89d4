"""What a reader must know before relying on a figure, and how to get the same figures again."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from incognote.corpus.source import in_order
from incognote.workshop.compare.report.content import (
    MODEL,
    TEXT,
    Block,
    Code,
    Points,
    Prose,
    Table,
)
from incognote.workshop.compare.report.differences import TENFOLD
from incognote.workshop.compare.report.material import Material, NotesMaterial
from incognote.workshop.compare.results import BEST, PARTS


def notices(material: NotesMaterial) -> Iterator[str]:
    """One sentence for each thing that a reader must not miss."""
    yield from unfinished_cells(material)
    yield from _missing_predictions(material)
    yield from weights_and_plots(material)


def weights_and_plots(material: Material) -> Iterator[str]:
    """Which models begin with random weights, and whether there are plots."""
    if names := random_models(material):
        yield f"Random weights, not pretrained: {names}."
    if not material.has_plots:
        yield (
            "There are no plots: they need matplotlib, which is not installed "
            "(pip install 'incognote[report]'). The tables have all figures."
        )


def unfinished_cells(material: Material) -> Iterator[str]:
    """What is not done, and what failed."""
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
    done = {each.model.name for each in material.best}
    if lacking := [str(model) for name, model in material.models.items() if name not in done]:
        yield f"No cell is done yet of {', '.join(lacking)}: no table of figures has them."


def _missing_predictions(material: NotesMaterial) -> Iterator[str]:
    for part in PARTS:
        if not getattr(material.parts, part):
            yield f"There is no {part} part, so no figures on it."
            continue
        lacking = [str(each.model) for each in material.best if part not in each.reports]
        if lacking:
            yield f"No predictions on the {part} part yet by {', '.join(lacking)}."


def how_to_repeat(material: NotesMaterial) -> Iterator[Block]:
    """The command, the seeds, the versions, and what tells the notes and weights from others."""
    comparison, resampling = material.comparison, material.resampling
    yield Prose("The command; started again, it goes on where it was and runs no cell twice.")
    yield Code(shlex.join(comparison.command))
    cell_seeds = sorted({cell.options["seed"] for cell in comparison.cells})
    seeds = ", ".join(map(str, cell_seeds)) or "none"
    yield Points(
        [
            f"Seeds: {comparison.seed} for the split, {seeds} for the cells, {resampling.seed} "
            f"for the resampling ({resampling.resamples:,} resamples, for pairs "
            f"{resampling.resamples * TENFOLD:,}).",
            f"Labels: {comparison.label_set}, {len(comparison.labels)} of them. Threads of a cell: "
            f"{comparison.threads}.",
            f"Versions: incognote {comparison.version}{versions(material)}.",
            "The same weights, bit for bit, need the same versions, number of threads and vector "
            "instructions (see Speed).",
            f"Each encoder's chosen checkpoint is in {BEST}/NAME: incognote export "
            f"{BEST}/NAME -o MODEL makes a model folder of it.",
        ]
    )
    yield fingerprints(material)


def versions(material: Material) -> str:
    """Those of the packages that cells were trained with."""
    found: dict[str, list[str]] = {}
    for cell in material.comparison.cells:
        for package, version in cell.training.get("versions", {}).items():
            if package != "incognote" and version not in found.setdefault(package, []):
                found[package].append(version)
    return "".join(f", {package} {' and '.join(each)}" for package, each in found.items())


def fingerprints(material: Material) -> Table:
    """What tells the data and weights from others."""
    comparison = material.comparison
    of = "notes" if comparison.task is None else "examples"
    return Table.of(
        "fingerprints",
        "Fingerprints: the same input has the same",
        material.best,
        (
            ("model", MODEL, lambda each: each.model),
            ("chosen cell", TEXT, lambda each: each.cell.id),
            (f"{of} and parts", TEXT, lambda each: comparison.data),
            (
                "training windows" if comparison.task is None else "training sequences",
                TEXT,
                lambda each: each.cell.training.get("data", {}).get("fingerprint"),
            ),
            (
                "tokenizer and weights begun from",
                TEXT,
                lambda each: comparison.begun_from.get(each.model.name),
            ),
        ),
    )


def caveats(material: NotesMaterial) -> Iterator[Block]:
    """How far the figures can be trusted."""
    yield Points(list(_caveats(material)))


def _caveats(material: NotesMaterial) -> Iterator[str]:
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
