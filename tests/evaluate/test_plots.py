"""F1 per type as PNG and SVG."""

from __future__ import annotations

import re
import struct
import sys

import pytest
from lxml import etree

from incognote.document import Document, Span
from incognote.evaluate import Report, Resampling, score
from incognote.evaluate.plots import PlotError, f1_by_type

TEXT = "Ann Lee is 54 in Rome"
GOLD = Document(
    "1", TEXT, (Span(0, 7, "PATIENT", "Ann Lee"), Span(11, 13, "AGE", "54"))
)  # CITY is never annotated


def report(*marks: tuple[int, int, str], resamples: int = 20) -> Report:
    predicted = Document("1", TEXT, tuple(Span.of(TEXT, *mark) for mark in marks))
    return score([GOLD], [predicted], blocks=["study"], resampling=Resampling(resamples=resamples))


REPORTS = {
    "the <first> & $best$": report((0, 7, "PATIENT"), (11, 13, "AGE")),
    "second": report((0, 3, "PATIENT"), (17, 21, "CITY")),
}


def drawn(svg: bytes) -> int:
    """How many rectangles and frames there are."""
    return len(re.findall(rb'<g id="patch_\d+">', svg))


def test_png_and_svg_are_written_and_name_every_type_and_system() -> None:
    images = f1_by_type(REPORTS)
    assert images["png"].startswith(b"\x89PNG")
    width, height = struct.unpack(">II", images["png"][16:24])
    assert width > 1000
    assert height > 500
    root = etree.fromstring(images["svg"])
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    names = {str(comment.text).strip() for comment in root.iter(etree.Comment)}
    assert {"all types", "PATIENT", "AGE", "CITY", "second"} <= names


def test_a_type_that_a_system_has_no_figure_for_has_no_bar() -> None:
    # all types, PATIENT, AGE for the first; those and CITY for the second; two legend keys
    alone = {name: drawn(f1_by_type({name: one})["svg"]) for name, one in REPORTS.items()}
    first, second = alone.values()
    assert second == first + 1


def test_the_same_figures_give_the_same_bytes() -> None:
    assert f1_by_type(REPORTS) == f1_by_type(REPORTS)


def test_many_systems_without_intervals() -> None:
    reports = {f"system {n}": report((0, 7, "PATIENT"), resamples=0) for n in range(10)}
    assert f1_by_type(reports)["png"].startswith(b"\x89PNG")


def test_many_types_go_on_in_further_rows_no_wider_than_a_page() -> None:
    types = [f"A_RATHER_LONG_NAME_OF_TYPE_{n}" for n in range(30)]
    text = "a " * len(types)
    spans = (Span.of(text, 2 * n, 2 * n + 1, type) for n, type in enumerate(types))
    note = Document("1", text, tuple(spans))
    one = score([note], [note], blocks=["study"], resampling=Resampling(resamples=0))
    images = f1_by_type({"first": one, "second": one})
    width, height = struct.unpack(">II", images["png"][16:24])
    assert width <= 11 * 200
    assert height > 5 * 200
    assert drawn(images["svg"]) > 2 * 31


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PlotError, match=r"incognote\[report\]"):
        f1_by_type(REPORTS)
