"""The notes that the golden record is about: committed sets and cases, never a sealed set.

A note of a set is known by its file, any other by its file and a digest of its text, so that a case
added or moved leaves the record of the others as it is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from rule_cases import CASES, parse

from incognote.document import Document, Span

CORPUS = Path(__file__).parents[2] / "corpus"
SETS = ("A", "B", "C", "D", "G")
F_STEP = 5
"""Of the large set F every fifth note is taken."""

_FULL_WIDTH = str.maketrans({chr(0x30 + digit): chr(0xFF10 + digit) for digit in range(10)})


@cache
def corpus(part: str, step: int = 1) -> tuple[Document, ...]:
    """The notes of a set with their gold spans; three in a row are of one patient, a tenth of none."""
    files = sorted((CORPUS / part).glob("*.txt"))[::step]
    notes = []
    for number, file in enumerate(files):
        patient = None if number % 10 == 9 else f"patient {part}{number // 3}"
        note = _unmarked(f"{part}/{file.stem}", file.read_text("utf-8"))
        notes.append(replace(note, patient=patient))
    return tuple(notes)


@cache
def large_sample() -> tuple[Document, ...]:
    return corpus("F", F_STEP)


@cache
def sets() -> tuple[Document, ...]:
    return tuple(note for part in SETS for note in corpus(part))


@cache
def traps(name: str) -> tuple[Document, ...]:
    """Sentences with an identifier (`positive`) or a look-alike (`negative`)."""
    rows = _rows(CORPUS / "traps" / f"{name}.jsonl")
    return _distinct(_named(f"traps/{name}", row["text"]) for row in rows)


@cache
def cases(name: str = "*") -> tuple[Document, ...]:
    """The texts of the cases of detection; known values are those of the case."""
    return _distinct(
        replace(
            _named(f"cases/{file.stem}", row.get("text") or row["join"].join(row["sentences"])),
            known=tuple((type, value) for type, value in row.get("known", ())),
        )
        for file in sorted(CASES.glob(f"{name}.jsonl"))
        for row in _rows(file)
    )


def propagation_cases() -> Iterator[tuple[Document, list[Span]]]:
    """Notes, and those of their marks that are given."""
    for row in _rows(CASES / "propagate.jsonl"):
        note = _named("cases/propagate", row["text"])
        yield note, [note.spans[place] for place in row["given"]]


@cache
def surrogate_cases() -> tuple[Document, ...]:
    return _distinct(
        _surrogate_case(file.stem, row)
        for file in sorted((CASES / "surrogates").glob("*.jsonl"))
        for row in _rows(file)
    )


@cache
def odd_notes() -> tuple[Document, ...]:
    """Notes with invisible characters within and between words, and with digits of full width."""
    notes = corpus("A")[:6]
    return (
        *(_named("odd/hyphens", _every(note.text, 41, "\u00ad")) for note in notes[:2]),
        *(_named("odd/no-width", note.text.replace(" ", "\u200b ", 40)) for note in notes[2:4]),
        *(_named("odd/full-width", note.text.translate(_FULL_WIDTH)) for note in notes[4:]),
    )


@cache
def text_of(id: str) -> str:
    """The text of any note of the record."""
    return _texts().get(id, "")


@cache
def _texts() -> dict[str, str]:
    groups = (
        sets(),
        large_sample(),
        traps("positive"),
        traps("negative"),
        cases(),
        surrogate_cases(),
        odd_notes(),
    )
    return {note.id: note.text for group in groups for note in group}


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]


def _unmarked(id: str, marked: str) -> Document:
    case = parse(marked)
    return Document(id, case.text, tuple(Span.of(case.text, *mark) for mark in case.marks))


def _named(file: str, marked: str) -> Document:
    digest = hashlib.sha256(marked.encode("utf-8")).hexdigest()[:8]
    return _unmarked(f"{file}:{digest}", marked)


def _surrogate_case(file: str, row: dict[str, Any]) -> Document:
    if "note" in row:
        return _named(f"surrogates/{file}", row["note"])
    type = row.get("type") or ("AGE" if "ages" in file else "DATE")
    return _named(f"surrogates/{file}", f"{row.get('before', '')}[[{type}|{row['text']}]]")


def _distinct(notes: Iterable[Document]) -> tuple[Document, ...]:
    """Each note once, though a case may say the same text of several settings or known values."""
    kept: dict[tuple[str, Sequence[tuple[str, str]]], Document] = {}
    for note in notes:
        kept.setdefault((note.id, note.known), note)
    return tuple(kept.values())


def _every(text: str, step: int, sign: str) -> str:
    return sign.join(text[place : place + step] for place in range(0, len(text), step))
