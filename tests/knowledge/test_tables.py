"""Every table can be read, and no word stands in it twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import incognote.knowledge
from incognote.knowledge.tables import rows, word_list

FOLDER = Path(incognote.knowledge.__file__).parent
TABLES = sorted(path.stem for path in FOLDER.glob("*.tsv"))
LISTS = sorted(path.stem for path in FOLDER.glob("*.txt"))
WORD_TABLES = [name for name in TABLES if name != "holidays"]


def test_there_are_tables_and_lists() -> None:
    assert len(TABLES) == 7
    assert len(LISTS) == 11


@pytest.mark.parametrize("name", WORD_TABLES)
def test_a_word_has_one_row(name: str) -> None:
    counts = Counter(cells[0] for cells in rows(name))
    assert [word for word, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("name", TABLES)
def test_no_cell_has_blanks_around_it(name: str) -> None:
    assert [cell for cells in rows(name) for cell in cells if cell != cell.strip()] == []


@pytest.mark.parametrize("name", WORD_TABLES)
def test_a_flag_is_explained_at_the_head_of_the_file(name: str) -> None:
    lines = (FOLDER / f"{name}.tsv").read_text("utf-8").splitlines()
    remarks = " ".join(line.strip("# ") for line in lines if line.startswith("#"))
    first = 4 if name == "calendar" else 1
    flags = {flag.partition("=")[0] for cells in rows(name) for flag in cells[first:]}
    explained = set(remarks.replace(",", " ").split())
    assert flags <= explained


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_in_small_letters(name: str) -> None:
    words = word_list(name)
    assert words
    assert {word for word in words if word != word.lower()} == set()
