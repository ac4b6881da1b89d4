"""The notebooks run from top to bottom, offline, and show what their text says."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent.parent / "examples" / "notebooks"
NOTEBOOK = FOLDER / "words_in_context.ipynb"


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each code cell prints when the notebook is run anew, by the cell's source."""
    book = nbformat.read(NOTEBOOK, as_version=4)
    folder = str(tmp_path_factory.mktemp("notebook"))
    NotebookClient(
        book, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}
    ).execute()
    return {cell.source: _printed(cell) for cell in _code(book)}


def _code(book: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in book.cells if cell.cell_type == "code"]


def _printed(cell: nbformat.NotebookNode) -> str:
    return "".join(output.text for output in cell.outputs if output.output_type == "stream")


def of_cell(printed: dict[str, str], content: str) -> str:
    """What the one cell with that content prints."""
    (text,) = (text for source, text in printed.items() if content in source)
    return text


def cosines(text: str) -> list[list[float]]:
    """The rows of figures of one comparison."""
    rows = [re.findall(r"\b[01]\.\d\d\b", line) for line in text.splitlines()]
    return [[float(figure) for figure in row] for row in rows]


def test_every_cell_was_run_before_it_was_kept() -> None:
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(book)
    assert [cell.execution_count for cell in _code(book)] == [*range(1, len(_code(book)) + 1)]
    assert not [output for cell in _code(book) for output in cell.outputs if "ename" in output]


def test_a_word_in_two_places_has_two_vectors(printed: dict[str, str]) -> None:
    text = of_cell(printed, "The patient broke her left wrist")
    first, second = (line for line in text.splitlines() if line.startswith("broke "))
    assert first != second


def test_the_burglar_and_the_newscaster_broke_into(printed: dict[str, str]) -> None:
    burglar = cosines(of_cell(printed, "We broke even."))[5]
    others = [cosine for place, cosine in enumerate(burglar) if place != 5]
    assert max(others) == burglar[6]


def test_the_crane_that_is_only_seen_lies_between(printed: dict[str, str]) -> None:
    bird, machine, _ = cosines(of_cell(printed, "A crane caught a fish."))[-3:]
    assert min(bird[2], machine[2]) > bird[1]


def test_bert_mixes_the_towns_and_xlnet_does_not(printed: dict[str, str]) -> None:
    bert, xlnet = (
        {town: float(share) for town, share in re.findall(r"p\((.+?)\) = (\d\.\d\d)", text)}
        for text in printed.values()
        if "New Angeles" in text
    )
    assert all(abs(share - 0.25) <= 0.02 for share in bert.values())
    assert xlnet["New York"] + xlnet["Los Angeles"] >= 0.98


def test_the_classifier_tells_new_sentences(printed: dict[str, str]) -> None:
    text = of_cell(printed, "Penicillin causes a rash.")
    allergy, plan = re.findall(r"'allergy': (\d\.\d+)", text)
    assert float(allergy) > 0.5 > float(plan)
