"""One table, three ways to show it."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from incognote.evaluate import Figure, Resampling
from incognote.workshop.compare.report.content import (
    COUNT,
    DIFFERENCE,
    ESTIMATE,
    MODEL,
    NOTHING,
    P_VALUE,
    PERCENT,
    TEXT,
    Code,
    Column,
    Content,
    Model,
    Points,
    Prose,
    Section,
    Table,
    csv_text,
)
from incognote.workshop.compare.report.differences import corrected_resampling, holm
from incognote.workshop.compare.report.render import inline, markdown, page

shares = st.floats(0, 1) | st.none()
figures = st.builds(Figure, shares, shares, shares)
texts = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=12)
KINDS = {
    "who": (MODEL, st.builds(Model, texts.filter(str.strip), st.booleans())),
    "text": (TEXT, texts),
    "count": (COUNT, st.integers(0, 10**9)),
    "share": (PERCENT, st.floats(0, 1)),
    "figure": (ESTIMATE, figures),
    "gap": (DIFFERENCE, figures),
    "p": (P_VALUE, st.floats(0, 1)),
}
rows = st.lists(
    st.tuples(*(values | st.none() for _, values in KINDS.values())), min_size=1, max_size=4
)


def table(rows: list[tuple[object, ...]]) -> Table:
    columns = [Column(name, kind) for name, (kind, _) in KINDS.items()]
    return Table("made", "A table", columns, rows)


def content(*blocks: Table | Prose | Points | Code) -> Content:
    return Content("Title", "Lead.", ["<notice> & more"], [Section("A section", blocks)])


def squeezed(text: str) -> str:
    return " ".join(text.split())


def cells_of_html(page: str) -> list[list[str]]:
    root: Any = html.document_fromstring(page)
    rows = root.xpath("//tbody/tr")
    return [[squeezed(cell.text_content()) for cell in row] for row in rows]


def cells_of_markdown(text: str) -> list[list[str]]:
    rows = []
    for line in [line for line in text.splitlines() if line.startswith("|")][2:]:
        cells = [""]
        for sign in re.findall(r"\\.|[^\\]", line):
            if sign == "|":
                cells.append("")
            else:
                cells[-1] += sign[-1]
        rows.append([cell.strip(" ") for cell in cells[1:-1]])
    return rows


@given(rows)
def test_html_and_markdown_show_the_same_cells(rows: list[tuple[object, ...]]) -> None:
    made = table(rows)
    shown = [[squeezed(str(cell)) for cell in row] for row in made.cell_texts()]
    assert cells_of_html(page(content(made))) == shown
    assert cells_of_markdown(markdown(content(made))) == shown


@given(rows)
def test_csv_has_every_number_of_the_page(rows: list[tuple[object, ...]]) -> None:
    made = table(rows)
    read = list(csv.DictReader(io.StringIO(csv_text(made))))
    assert len(read) == len(rows)
    for row, line, shown in zip(rows, read, made.cell_texts(), strict=True):
        figure, share = row[4], row[3]
        if isinstance(figure, Figure) and figure.value is not None:
            assert f"{float(line['figure']):.1f}" == f"{round(100 * figure.value, 4):.1f}"
            assert abs(float(line["figure"]) - float(shown[4].main)) <= 0.0051
        else:
            assert (line["figure"], shown[4].main) == ("", NOTHING)
        if share is None:
            assert line["share"] == ""
        else:
            assert abs(float(line["share"]) - float(shown[3].main)) <= 0.0051
        who = row[0]
        if isinstance(who, Model):
            assert line["who"] == who.name
            assert (line["who weights"] == "random") == who.random == bool(shown[0].aside)


def test_a_difference_is_starred_when_its_interval_leaves_out_nothing() -> None:
    cells = [Figure(0.02, 0.01, 0.03), Figure(-0.02, -0.03, 0.01), Figure(0.0, None, None)]
    shown = Table("t", "T", [Column("d", DIFFERENCE)], [(cell,) for cell in cells]).cell_texts()
    assert [str(row[0]) for row in shown] == [
        "+2.00* (+1.00 to +3.00)",
        "-2.00 (-3.00 to +1.00)",
        "+0.00",
    ]


def test_a_row_of_the_wrong_length_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="more or fewer cells"):
        Table("t", "T", [Column("d", TEXT)], [("a", "b")])


def test_what_looks_like_markup_is_text() -> None:
    hostile = '<script>alert(1)</script> | ``` & "quoted" *x*'
    made = content(Prose(hostile), Points([hostile]), Code(hostile))
    root: Any = html.document_fromstring(page(made))
    assert not root.xpath("//script")
    assert root.xpath("//pre")[0].text_content() == hostile
    text = markdown(made)
    assert r"\<script\>alert(1)\</script\> \| " in text
    assert f"````\n{hostile}\n````" in text


def test_a_table_without_rows_says_so() -> None:
    empty = content(table([]))
    assert "Nothing yet." in page(empty)
    assert "Nothing yet." in markdown(empty)


def test_two_inline_plots_keep_their_ids_apart() -> None:
    svg = (
        '<?xml version="1.0"?><svg width="9pt" height="9pt" xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink"><metadata>made elsewhere</metadata>'
        '<g id="a" style="fill: #1d2126"/><use xlink:href="#a" clip-path="url(#b)"/></svg>'
    )
    assert inline(svg, "one") == (
        '<svg><g id="one-a" style="fill: var(--ink)"/>'
        '<use href="#one-a" clip-path="url(#one-b)"/></svg>'
    )


def test_holm() -> None:
    assert holm([0.01, None, 0.04, 0.03]) == [0.03, None, 0.06, 0.06]
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_intervals_of_many_pairs_are_wider() -> None:
    how = corrected_resampling(Resampling(resamples=100, seed=5), 10)
    assert how.seed == 5
    assert how.level == pytest.approx(0.995)
    assert how.resamples == 1000
