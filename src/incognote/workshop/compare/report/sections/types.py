"""Figure 3: F1 per type, a group of bars for each type and a bar for each model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from incognote.evaluate.counts import Path
from incognote.evaluate.plots import f1_by_type
from incognote.workshop.compare.report.content import Block, Plot, Prose
from incognote.workshop.compare.report.scored import WORDS, Material
from incognote.workshop.compare.report.table import COUNT, ESTIMATE, TEXT, Column, Table


def types(material: Material) -> Iterator[Block]:
    """The figure and the same as a table."""
    if not material.with_part("test"):
        yield Prose("No model has been scored on a test part yet.")
        return
    if material.draws:
        yield Plot(
            "f1-by-type",
            f"Figure 3: word F1 on the test part, by type and model{material.left_out()}",
            "Bars of F1 with their intervals, a group for each type; as in the table below.",
            f1_by_type({str(each.model): each.reports["test"] for each in material.drawn()}),
        )
    yield _table(material)


def _table(material: Material) -> Table:
    judged = material.with_part("test")
    spans = Counter(span.type for note in material.parts.test for span in note.spans)
    words: Counter[str] = Counter()
    for each in judged:
        for path, figure in each.reports["test"].under("study", "by_type").items():
            if path[1] == "recall":
                words[path[0]] = int(figure.whole or 0)
    paths: list[tuple[str, int, int, Path]] = [
        ("all types", spans.total(), words.total(), (*WORDS, "f1"))
    ]
    for type in sorted(words, key=lambda type: (-words[type], type)):
        paths.append((type, spans[type], words[type], ("study", "by_type", type, "f1")))
    rows = [(*row, *(each.figure("test", *path) for each in judged)) for *row, path in paths]
    heads = (
        Column("type", TEXT),
        Column("spans", COUNT),
        Column("words", COUNT),
        *(Column(f"{each.model} %", ESTIMATE) for each in judged),
    )
    title = "Figure 3 as a table: word F1 on the test part, and how many there are to find"
    return Table("f1-by-type", title, heads, rows)
