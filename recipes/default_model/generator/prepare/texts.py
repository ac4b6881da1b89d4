"""Reads the open clinical texts: dictated reports, visit notes, and dialogues."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from generator.prepare.layout import restore_lines
from generator.prepare.placeholders import Found, name_placeholders


@dataclass(frozen=True)
class OpenText:
    """A text with the marks that its source gives."""

    text: str
    marks: tuple[Found, ...]
    source: str


def open_texts(clinical: Path) -> Iterator[OpenText]:
    """All texts of the folder."""
    yield from _dictated(clinical / "mtsamples/mtsamples.jsonl.gz")
    for part in ("train", "valid"):
        yield from _visits(
            clinical / f"aci_bench/{part}.csv", clinical / f"aci_bench/{part}_metadata.csv"
        )
    for part in ("Training", "Validation"):
        yield from _dialogues(clinical / f"mts_dialog/MTS-Dialog-{part}Set.csv")


def _dictated(path: Path) -> Iterator[OpenText]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            text, marks = name_placeholders(restore_lines(json.loads(line)["transcription"]))
            yield OpenText(text, tuple(marks), "mtsamples")


def _visits(path: Path, metadata: Path) -> Iterator[OpenText]:
    people = {row["encounter_id"]: row for row in _rows(metadata)}
    for row in _rows(path):
        about = people.get(row["encounter_id"], {})
        names = [about.get(key, "") for key in ("patient_firstname", "patient_familyname")]
        marks = [*_mentions(row["note"], names, "PATIENT")]
        marks += _mentions(row["note"], [about.get("doctor_name", "")], "DOCTOR")
        yield OpenText(row["note"], tuple(_disjoint(marks)), "aci_bench")


def _dialogues(path: Path) -> Iterator[OpenText]:
    for row in _rows(path):
        text, marks = name_placeholders(row["dialogue"].replace("\r\n", "\n"))
        yield OpenText(text, tuple(marks), "mts_dialog")


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream)


def _mentions(text: str, names: list[str], type: str) -> list[Found]:
    """Places of a name; first and family name side by side are one mark."""
    words = [re.escape(name) for name in names if len(name) > 2 and name.isalpha()]
    if not words:
        return []
    pattern = re.compile(rf"\b(?:{'|'.join(words)})(?: (?:{'|'.join(words)}))?\b")
    return [(*match.span(), type) for match in pattern.finditer(text)]


def _disjoint(marks: list[Found]) -> list[Found]:
    kept: list[Found] = []
    for mark in sorted(marks):
        if not kept or mark[0] >= kept[-1][1]:
            kept.append(mark)
    return kept
