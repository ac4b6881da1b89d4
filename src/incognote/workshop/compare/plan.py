"""The plan: every cell of the grid with a name of its own, kept in the folder's comparison.json.

The name is a hash of all that decides a cell's weights and figures. The same command finds its
cells again, a changed grid adds cells, and cells that were begun stay.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from incognote import __version__
from incognote.base.errors import RunError
from incognote.base.files import write_private
from incognote.base.lock import is_lock
from incognote.corpus.predictions import read_predicted
from incognote.formats import Fields
from incognote.workshop.compare.data import Data
from incognote.workshop.compare.encoder_facts import Examination, examine, examine_teacher
from incognote.workshop.compare.grid import Grid, GridEncoder
from incognote.workshop.compare.results import (
    CELLS,
    COMPARISON,
    SCHEMA,
    SELECTED,
    WEIGHTS,
    Select,
    best_cells,
    load_comparison,
    read_cell,
    read_plan,
    write_validation,
)
from incognote.workshop.fine_tuning import LabelSet, Say, choose_labels, chosen_set
from incognote.workshop.finetune.options import Options


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A run of the grid: an encoder with its options."""

    id: str
    encoder: GridEncoder
    options: Options
    fold: str | None
    folder: Path

    def __str__(self) -> str:
        return self.id


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The cells of this command in the order they are to be run in."""

    cells: Sequence[Cell]
    label_set: LabelSet


def make_plan(
    folder: Path,
    grid: Grid,
    data: Data,
    *,
    labels: LabelSet | None,
    select: Select,
    command: Sequence[str],
    seed: int,
    threads: int,
    say: Say,
) -> Plan:
    """Check everything, and write comparison.json; nothing is written when something is refused."""
    names = choose_labels(data.parts, labels, say)
    label_set = chosen_set(data.parts, labels)
    for fold in data.folds:
        choose_labels(data.fold(fold), labels)
    content = {"data": data.fingerprint(), "labels": list(names)}
    before = _earlier_plan(folder, content)
    examinations = {
        encoder.name: examine(encoder, names, grid.cells[encoder.name]) for encoder in grid.encoders
    }
    _check_encoders(folder, before, examinations)
    folders = {options.teacher for each in grid.cells.values() for options in each}
    teachers = {each: examine_teacher(each, names) for each in sorted(filter(None, folders))}
    cells = _cells(folder, grid, examinations, teachers, data, content)
    rows = [_cell_row(cell) for cell in cells]
    ids = {cell["id"] for cell in rows}
    earlier = [
        cell
        for cell in before.get("cells", [])
        if cell["id"] not in ids and (folder / CELLS / cell["id"]).is_dir()
    ]
    if before:
        _check_choice(folder, data, before, select)
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
        "label_set": label_set,
        "select": select,
        "grid": {"name": grid.name, "assumptions": list(grid.assumptions)},
        "seed": seed,
        "threads": threads,
        "sources": data.sources,
        "folds": list(dict.fromkeys([*before.get("folds", []), *data.folds])),
        "parts": data.counts(),
        "encoders": [each for name, each in facts.items() if name in used],
        "begun_from": {name: each for name, each in begun_from.items() if name in used},
        "cells": everything,
    }
    text = json.dumps(plan, indent=2, ensure_ascii=False) + "\n"
    write_private(folder / COMPARISON, text.encode("utf-8", "surrogatepass"))
    return Plan(cells=in_turn(cells), label_set=label_set)


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
    """The plan of an earlier command; one of other notes is not gone on with."""
    path = folder / COMPARISON
    if not path.is_file():
        if folder.is_dir() and not all(map(is_lock, folder.iterdir())):
            raise RunError(f"{folder}: is not empty, and holds no comparison; choose another")
        return {}
    before = read_plan(path)
    for key, words in (
        ("data", "other notes, or other parts of them"),
        ("labels", "other labels"),
    ):
        if before[key] != content[key]:
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


def _check_choice(folder: Path, data: Data, before: Mapping[str, Any], select: Select) -> None:
    """Refuse a choice by this F1 if the cells that are best by it have no weights any more.

    Cells of an earlier version have no word figures: they are added here.
    """
    cells = load_comparison(folder).cells
    for cell in cells:
        if cell.state == "done" and not cell.words:
            predicted = read_predicted(cell.predictions("validation"), "jsonl", Fields())
            write_validation(cell.folder, data.fold(cell.fold).validation, predicted)
    if select == before.get("select", "strict"):
        return
    anew = replace(
        load_comparison(folder), cells=[read_cell(folder, c, select) for c in before["cells"]]
    )
    for name, cell in best_cells(anew).items():
        if not (cell.folder / WEIGHTS).is_file():
            raise RunError(
                f"{folder}: the best cell of {name} by {SELECTED[select]} has no weights any more, "
                f"for this comparison chose otherwise; leave out --select {select}, or choose "
                "another folder"
            )


def _cells(
    folder: Path,
    grid: Grid,
    examinations: Mapping[str, Examination],
    teachers: Mapping[str, str],
    data: Data,
    content: Mapping[str, Any],
) -> list[Cell]:
    cells = []
    for fold in (None, *data.folds):
        for encoder in grid.encoders:
            each = examinations[encoder.name]
            for options in grid.cells[encoder.name]:
                if options.window > each.longest:
                    raise RunError(
                        f"{encoder.name}: window must be at most {each.longest}, which is what the "
                        f"encoder takes, not {options.window}"
                    )
                values = {k: v for k, v in options.to_json().items() if k not in Options.free}
                if options.teacher:
                    values["teacher"] = teachers[options.teacher]
                deciding = {
                    "encoder": each.fingerprint,
                    "options": values,
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
                if name not in Options.free and len(values[cell["encoder"]][name]) > 1
            },
        }
        for cell in cells
    ]
