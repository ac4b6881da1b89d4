"""How to get the same figures again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from incognote.workshop.compare.report.content import Block, Code, Points, Prose
from incognote.workshop.compare.report.pairs import TENFOLD
from incognote.workshop.compare.report.scored import Material
from incognote.workshop.compare.report.table import MODEL, TEXT, Table
from incognote.workshop.compare.results import BEST


def repeat(material: Material) -> Iterator[Block]:
    """The command, the seeds, the versions, and what tells the notes and weights from others."""
    comparison, how = material.comparison, material.resampling
    yield Prose("The command; started again, it goes on where it was and runs no cell twice.")
    yield Code(shlex.join(comparison.command))
    numbers = sorted({cell.options["seed"] for cell in comparison.cells})
    seeds = ", ".join(map(str, numbers)) or "none"
    yield Points(
        [
            f"Seeds: {comparison.seed} for the split, {seeds} for the cells, {how.seed} "
            f"for the resampling ({how.resamples:,} resamples, for pairs "
            f"{how.resamples * TENFOLD:,}).",
            f"Labels: {comparison.label_set}, {len(comparison.labels)} of them. Threads of a cell: "
            f"{comparison.threads}.",
            f"Versions: incognote {comparison.version}{_versions(material)}.",
            "The same weights, bit for bit, need the same versions, number of threads and vector "
            "instructions (see Speed).",
            f"Each encoder's chosen checkpoint is in {BEST}/NAME: incognote export "
            f"{BEST}/NAME -o MODEL makes a model folder of it.",
        ]
    )
    yield _fingerprints(material)


def _versions(material: Material) -> str:
    found: dict[str, list[str]] = {}
    for cell in material.comparison.cells:
        for package, version in cell.training.get("versions", {}).items():
            if package != "incognote" and version not in found.setdefault(package, []):
                found[package].append(version)
    return "".join(f", {package} {' and '.join(told)}" for package, told in found.items())


def _fingerprints(material: Material) -> Table:
    comparison = material.comparison
    return Table.of(
        "fingerprints",
        "Fingerprints: the same input has the same",
        material.judged,
        (
            ("model", MODEL, lambda each: each.model),
            ("chosen cell", TEXT, lambda each: each.cell.id),
            ("notes and parts", TEXT, lambda each: comparison.data),
            (
                "training windows",
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
