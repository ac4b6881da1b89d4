"""The plan: every cell of the grid with a name of its own, kept in the folder's comparison.json.

The name is a hash of all that decides a cell's weights and figures. The same command finds its
cells again, a changed grid adds cells, and cells that were begun stay.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote import __version__
from incognote.base.errors import RunError
from incognote.base.files import write_private
from incognote.base.lock import is_lock
from incognote.workshop.compare.grid import Grid, GridEncoder
from incognote.workshop.compare.results import CELLS, COMPARISON, SCHEMA, Select, read_plan
from incognote.workshop.training.run_options import EpochOptions

if TYPE_CHECKING:
    from incognote.workshop.compare.encoder_facts import Examination
    from incognote.workshop.compare.subject import Say, Subject


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A run of the grid: an encoder with its options."""

    id: str
    encoder: GridEncoder
    options: EpochOptions
    fold: str | None
    folder: Path

    def __str__(self) -> str:
        return self.id


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The cells of this command in the order they are to be run in."""

    cells: Sequence[Cell]


def make_plan(
    folder: Path,
    grid: Grid,
    subject: Subject,
    *,
    select: Select,
    command: Sequence[str],
    seed: int,
    threads: int,
    say: Say,
) -> Plan:
    """Check everything, and write comparison.json; nothing is written when something is refused."""
    content = subject.deciding(say)
    before = _earlier_plan(folder, content)
    examinations = {
        encoder.name: subject.examine(encoder, grid.cells[encoder.name])
        for encoder in grid.encoders
    }
    _check_encoders(folder, before, examinations)
    cells = _cells(folder, grid, examinations, subject, content)
    rows = [_cell_row(cell) for cell in cells]
    ids = {cell["id"] for cell in rows}
    earlier = [
        cell
        for cell in before.get("cells", [])
        if cell["id"] not in ids and (folder / CELLS / cell["id"]).is_dir()
    ]
    if before:
        subject.check_choice(folder, before, select)
    everything = _with_varied_options([*earlier, *rows])
    facts = {each["name"]: each for each in before.get("encoders", [])}
    facts |= {name: asdict(each.facts) for name, each in examinations.items()}
    begun_from = before.get("begun_from", {})
    begun_from |= {name: each.fingerprint for name, each in examinations.items()}
    used = {cell["encoder"] for cell in everything}
    plan = {
        "schema": SCHEMA,
        "command": list(command),
        "incognote": __version__,
        **content,
        **subject.described(),
        "select": select,
        "grid": {"name": grid.name, "assumptions": list(grid.assumptions)},
        "seed": seed,
        "threads": threads,
        "sources": list(subject.sources),
        "folds": list(dict.fromkeys([*before.get("folds", []), *subject.folds])),
        "encoders": [each for name, each in facts.items() if name in used],
        "begun_from": {name: each for name, each in begun_from.items() if name in used},
        "cells": everything,
    }
    text = json.dumps(plan, indent=2, ensure_ascii=False) + "\n"
    write_private(folder / COMPARISON, text.encode("utf-8", "surrogatepass"))
    return Plan(cells=in_turn(cells))


def in_turn(cells: Iterable[Cell]) -> list[Cell]:
    """The first cell of every encoder, then the second of every one, and so on."""
    turns: dict[tuple[str, str | None], int] = {}
    ranked = []
    for place, cell in enumerate(cells):
        own = (cell.encoder.name, cell.fold)
        turns[own] = turns.get(own, -1) + 1
        ranked.append((turns[own], place, cell))
    return [cell for *_, cell in sorted(ranked, key=lambda each: each[:2])]


def _earlier_plan(folder: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    """The plan of an earlier command; one of other data is not gone on with."""
    path = folder / COMPARISON
    if not path.is_file():
        if folder.is_dir() and not all(map(is_lock, folder.iterdir())):
            raise RunError(f"{folder}: is not empty, and holds no comparison; choose another")
        return {}
    before = read_plan(path)
    for key, words in (
        ("task", "another task, or on annotated notes"),
        ("data", "other notes or examples, or other parts of them"),
        ("labels", "other labels"),
    ):
        if before.get(key) != content.get(key):
            raise RunError(
                f"{folder}: this comparison was begun on {words}; "
                "continue it as it was begun, or choose another folder"
            )
    return before


def _check_encoders(
    folder: Path, before: Mapping[str, Any], examinations: Mapping[str, Examination]
) -> None:
    for name, each in examinations.items():
        if before.get("begun_from", {}).get(name, each.fingerprint) != each.fingerprint:
            raise RunError(
                f"{folder}: {name} has had other weights, sizes or another tokenizer here; "
                "give the changed encoder another name"
            )


def _cells(
    folder: Path,
    grid: Grid,
    examinations: Mapping[str, Examination],
    subject: Subject,
    content: Mapping[str, Any],
) -> list[Cell]:
    cells = []
    for fold in (None, *subject.folds):
        for encoder in grid.encoders:
            each = examinations[encoder.name]
            for options in grid.cells[encoder.name]:
                subject.check_cell(encoder, options, each)
                deciding = {
                    "encoder": each.fingerprint,
                    "options": subject.option_values(options),
                    "data": content["data"],
                    "labels": content["labels"],
                    "fold": fold,
                }
                written = json.dumps(deciding, sort_keys=True).encode()
                id = f"{encoder.name}-{hashlib.sha256(written).hexdigest()[:10]}"
                cells.append(
                    Cell(
                        id=id,
                        encoder=encoder,
                        options=options,
                        fold=fold,
                        folder=folder / CELLS / id,
                    )
                )
    return cells


def _cell_row(cell: Cell) -> dict[str, Any]:
    return {
        "id": cell.id,
        "encoder": cell.encoder.name,
        "options": cell.options.to_json(),
        "varied": {},
        "fold": cell.fold,
    }


def _with_varied_options(cells: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each cell with the options in which the cells of its encoder differ."""
    values: dict[str, dict[str, set[Any]]] = {}
    for cell in cells:
        own = values.setdefault(cell["encoder"], {})
        for name, value in cell["options"].items():
            own.setdefault(name, set()).add(value)
    return [
        {
            **cell,
            "varied": {
                name: value
                for name, value in cell["options"].items()
                if name not in EpochOptions.free and len(values[cell["encoder"]][name]) > 1
            },
        }
        for cell in cells
    ]
