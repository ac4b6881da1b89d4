"""How well the chosen cells do on each part (table 5), by type (figure 3) and with rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from incognote.evaluate import Figure, Report
from incognote.evaluate.counts import Path
from incognote.evaluate.plots import f1_by_type
from incognote.workshop.compare.report import plots
from incognote.workshop.compare.report.content import (
    COUNT,
    ESTIMATE,
    MODEL,
    NUMBER,
    PERCENT,
    TEXT,
    Block,
    Column,
    Model,
    Plot,
    Prose,
    Table,
)
from incognote.workshop.compare.report.material import (
    ACCURACY,
    COVERED,
    LEAKED,
    OVER_REDACTION,
    STRICT,
    WORDS,
    NotesMaterial,
)
from incognote.workshop.compare.results import PARTS

AGREEMENT: Sequence[tuple[str, Path]] = (
    ("strict P %", (*STRICT, "precision")),
    ("strict R %", (*STRICT, "recall")),
    ("strict F1 %", (*STRICT, "f1")),
    ("words P %", (*WORDS, "precision")),
    ("words R %", (*WORDS, "recall")),
    ("words F1 %", (*WORDS, "f1")),
    ("words accuracy %", ACCURACY),
)
WORD_FIGURES: Sequence[Path] = [path for _, path in AGREEMENT[3:]]
RELEASE: Sequence[tuple[str, Path]] = (
    ("covered recall %", COVERED),
    ("leaked notes %", LEAKED),
    ("over-redaction %", OVER_REDACTION),
)
WITH_RULES: Sequence[tuple[str, Path]] = (
    *AGREEMENT[3:6],
    ("PHI or not, words F1 %", ("study", "binary", "f1")),
    AGREEMENT[2],
    *RELEASE,
)


def glance(material: NotesMaterial) -> Iterator[Block]:
    """The figures most readers come for."""
    if not material.best:
        yield Prose("No cell is done yet.")
        return
    parameters = {facts.name: facts.parameters for facts in material.comparison.encoders}
    selected = material.comparison.chosen_by
    yield Table.of(
        "glance",
        f"The chosen cell of each encoder, by its {selected} on validation",
        material.best,
        (
            ("model", MODEL, lambda each: each.model),
            ("parameters", COUNT, lambda each: parameters[each.model.name]),
            (f"validation {selected} %", PERCENT, lambda each: each.cell.validation_score),
            ("test strict F1 %", ESTIMATE, lambda each: each.figure("test", *STRICT, "f1")),
            ("words F1 %", ESTIMATE, lambda each: each.figure("test", *WORDS, "f1")),
            ("covered recall %", ESTIMATE, lambda each: each.figure("test", *COVERED)),
            ("leaked notes %", ESTIMATE, lambda each: each.figure("test", *LEAKED)),
            ("over-redaction %", ESTIMATE, lambda each: each.figure("test", *OVER_REDACTION)),
            (
                "prediction samples/s",
                NUMBER,
                lambda each: each.cell.machine.get("prediction", {}).get("samples_per_second"),
            ),
        ),
    )


def scores(material: NotesMaterial) -> Iterator[Block]:
    """Agreement with the annotators, then what matters for a release."""
    resampling = material.resampling
    yield Prose(
        "Strict: a span is right when its type, start and end are. Words: as the 2022 study "
        "counts, one type for each word; accuracy is over all words, those outside of spans "
        f"among them. In brackets the {resampling.level:.0%} interval by bootstrap over notes "
        f"({resampling.resamples:,} resamples)."
    )
    yield _performance(material)
    title = "Table 5, with intervals, and the strict figures of entities"
    yield _by_part(material, "scores", title, AGREEMENT)
    yield Prose(
        "Covered: every letter and digit of a gold span is hidden, whatever the type. A leaked "
        "note has a span that is not. Over-redaction: what was hidden of the text outside of "
        "gold. Of the last two, less is better."
    )
    yield _by_part(material, "release", "Table 5, continued: the figures of a release", RELEASE)
    in_plot = material.for_plots()
    if material.has_plots and in_plot:
        yield Plot(
            "scores",
            f"Test figures with their intervals{material.plot_limit()}",
            "A panel for each figure, a dot with its interval for each model; as in table 5.",
            plots.dots(
                [
                    (
                        label.removesuffix(" %"),
                        {str(each.model): each.figure("test", *path) for each in in_plot},
                    )
                    for label, path in (AGREEMENT[2], AGREEMENT[5], RELEASE[0])
                ]
            ),
        )


def _performance(material: NotesMaterial) -> Table:
    """In the study's form: a row for each model, and its word figures on each part."""
    columns = [
        (f"{part} {name} %", part, path)
        for part in PARTS
        for name, path in zip(("precision", "recall", "F1", "accuracy"), WORD_FIGURES, strict=True)
    ]
    rows = [
        (each.model, *(_value(each.figure(part, *path)) for _, part, path in columns))
        for each in material.best
    ]
    heads = (Column("model", MODEL), *(Column(head, PERCENT) for head, *_ in columns))
    title = (
        "Table 5: precision, recall, F1 and accuracy over words of the best cell of each encoder, "
        "the best on validation first"
    )
    return Table("performance", title, heads, rows)


def _value(figure: Figure | None) -> float | None:
    return None if figure is None else figure.value


def _by_part(
    material: NotesMaterial, name: str, title: str, columns: Sequence[tuple[str, Path]]
) -> Table:
    rows = [
        (each.model, part, *(each.figure(part, *path) for _, path in columns))
        for part in PARTS
        for each in material.best
        if part in each.reports
    ]
    heads = (
        Column("model", MODEL),
        Column("part", TEXT),
        *(Column(head, ESTIMATE) for head, _ in columns),
    )
    return Table(name, title, heads, rows)


def types(material: NotesMaterial) -> Iterator[Block]:
    """The figure and the same as a table."""
    if not material.with_part("test"):
        yield Prose("No model has been scored on a test part yet.")
        return
    if material.has_plots:
        yield Plot(
            "f1-by-type",
            f"Figure 3: word F1 on the test part, by type and model{material.plot_limit()}",
            "Bars of F1 with their intervals, a group for each type; as in the table below.",
            f1_by_type({str(each.model): each.reports["test"] for each in material.for_plots()}),
        )
    yield _f1_by_type(material)


def _f1_by_type(material: NotesMaterial) -> Table:
    best = material.with_part("test")
    spans = Counter(span.type for note in material.parts.test for span in note.spans)
    words: Counter[str] = Counter()
    for each in best:
        for path, figure in each.reports["test"].under("study", "by_type").items():
            if path[1] == "recall":
                words[path[0]] = int(figure.whole or 0)
    paths: list[tuple[str, int, int, Path]] = [
        ("all types", spans.total(), words.total(), (*WORDS, "f1"))
    ]
    for type in sorted(words, key=lambda type: (-words[type], type)):
        paths.append((type, spans[type], words[type], ("study", "by_type", type, "f1")))
    rows = [(*row, *(each.figure("test", *path) for each in best)) for *row, path in paths]
    heads = (
        Column("type", TEXT),
        Column("spans", COUNT),
        Column("words", COUNT),
        *(Column(f"{each.model} %", ESTIMATE) for each in best),
    )
    title = "Figure 3 as a table: word F1 on the test part, and how many there are to find"
    return Table("f1-by-type", title, heads, rows)


def with_rules(material: NotesMaterial) -> Iterator[Block]:
    """The models with rules and without; nothing where no rules were wanted."""
    if not any(each.with_rules for each in material.best):
        return
    yield Prose(
        "The chosen cells on the test part: alone, and together with the rules as incognote deid "
        "uses a model (exported in 32 bits, both detectors). The rules name i2b2's types; where the "
        "notes are marked in another scheme, only the columns that ask for no type are meaningful: "
        "PHI or not, covered recall, leaked notes and over-redaction."
    )
    rows: list[tuple[Model | None, str, Report]] = []
    for each in material.with_part("test"):
        rows.append((each.model, "model", each.reports["test"]))
        if each.with_rules is not None:
            rows.append((each.model, "model and rules", each.with_rules))
    if material.rules is not None:
        rows.append((None, "rules", material.rules))
    heads = (
        Column("model", MODEL),
        Column("found by", TEXT),
        *(Column(name, ESTIMATE) for name, _ in WITH_RULES),
    )
    title = "Models with rules and without, on the test part"
    yield Table(
        "with-rules",
        title,
        heads,
        [
            (model, detectors, *(report.figures.get(path) for _, path in WITH_RULES))
            for model, detectors, report in rows
        ],
    )
