"""How to get the same figures again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

from incognote.workflows.compare.report.content import Block, Code, Points, Prose, Section
from incognote.workflows.compare.report.pairs import TENFOLD
from incognote.workflows.compare.report.scored import Material
from incognote.workflows.compare.report.table import MODEL, TEXT, Column, Table
from incognote.workflows.compare.results import BEST, COMPARISON


def repeat(material: Material) -> Section:
    """The command, the seeds, the versions, and what tells the notes and weights from others."""
    return Section("How to repeat it", list(_blocks(material)))


def _blocks(material: Material) -> Iterator[Block]:
    comparison, how = material.comparison, material.resampling
    yield Prose("The command; started again, it goes on where it was and runs no cell twice.")
    yield Code(shlex.join(comparison.command))
    seeds = sorted({cell.options["seed"] for cell in comparison.cells})
    yield Points(
        [
            f"Seeds: {comparison.seed} for the split, {_listed(seeds)} for the cells, {how.seed} "
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


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"


def _versions(material: Material) -> str:
    found: dict[str, list[str]] = {}
    for cell in material.comparison.cells:
        for package, version in cell.training.get("versions", {}).items():
            if package != "incognote" and version not in found.setdefault(package, []):
                found[package].append(version)
    return "".join(f", {package} {' and '.join(told)}" for package, told in found.items())


def _fingerprints(material: Material) -> Table:
    comparison = material.comparison
    plan: dict[str, Any] = json.loads((comparison.folder / COMPARISON).read_text(encoding="utf-8"))
    begun_from: dict[str, str] = plan.get("begun_from", {})
    rows = [
        (
            each.model,
            each.cell.id,
            plan.get("data"),
            each.cell.training.get("data", {}).get("fingerprint"),
            begun_from.get(each.model.name),
        )
        for each in material.judged
    ]
    heads = (
        Column("model", MODEL),
        Column("chosen cell", TEXT),
        Column("notes and parts", TEXT),
        Column("training windows", TEXT),
        Column("tokenizer and weights begun from", TEXT),
    )
    return Table("fingerprints", "Fingerprints: the same input has the same", heads, rows)
