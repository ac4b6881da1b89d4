"""Our figures beside seqeval's and nervaluate's, where their definitions are the same."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nervaluate import Evaluator
from seqeval.metrics.v1 import precision_recall_fscore_support
from seqeval.scheme import IOB2

from incognote.document import Document, Span
from incognote.evaluate import Report, Resampling, score

TYPES = ["PATIENT", "DOCTOR", "DATE", "IDNUM", "CITY"]
Run = tuple[int, int, str]
"""First word, last word (exclusive), type."""
Note = tuple[int, list[Run], list[Run]]
"""How many words, gold runs, predicted runs."""


@st.composite
def runs(draw: st.DrawFn, words: int) -> list[Run]:
    """Disjoint runs of words, often adjacent."""
    result: list[Run] = []
    place = 0
    while place < words:
        place += draw(st.sampled_from([0, 0, 1, 2, 5]))
        length = draw(st.integers(1, 3))
        if place + length <= words:
            result.append((place, place + length, draw(st.sampled_from(TYPES))))
        place += length
    return result


@st.composite
def notes(draw: st.DrawFn) -> Note:
    """Predictions that are random, or gold with some runs gone, moved or retyped."""
    words = draw(st.integers(1, 14))
    gold = draw(runs(words))
    if draw(st.booleans()):
        return words, gold, draw(runs(words))
    found: list[Run] = []
    last = 0
    for start, end, type in gold:
        what = draw(st.sampled_from(["keep", "keep", "drop", "widen", "narrow", "retype"]))
        start = max(last, start - 1) if what == "widen" else start
        end = max(start + 1, end - 1) if what == "narrow" else end
        if what != "drop":
            found.append((start, end, draw(st.sampled_from(TYPES)) if what == "retype" else type))
            last = end
    return words, gold, found


def document(id: int, words: int, marked: list[Run]) -> Document:
    """Words of two letters with a space between, so that word n is at 3n to 3n + 2."""
    text = " ".join(["ab"] * words)
    return Document(
        str(id), text, tuple(Span.of(text, 3 * s, 3 * e - 1, type) for s, e, type in marked)
    )


def scored(corpus: list[Note], block: str) -> Report:
    return score(
        [document(number, words, gold) for number, (words, gold, _) in enumerate(corpus)],
        [document(number, words, found) for number, (words, _, found) in enumerate(corpus)],
        blocks=[block],
        resampling=Resampling(resamples=0),
    )


def tags(words: int, marked: list[Run]) -> list[str]:
    result = ["O"] * words
    for start, end, type in marked:
        result[start:end] = [f"B-{type}"] + [f"I-{type}"] * (end - start - 1)
    return result


def word_tags(words: int, marked: list[Run]) -> list[str]:
    """Each word an entity by itself, which makes seqeval count words."""
    return [tag.replace("I-", "B-") for tag in tags(words, marked)]


def figures(report: Report, *path: str) -> list[float]:
    return [report.value(*path, name) or 0.0 for name in ("precision", "recall", "f1")]


def seqeval(gold: Sequence[list[str]], found: Sequence[list[str]]) -> list[float]:
    values = precision_recall_fscore_support(
        gold, found, average="micro", scheme=IOB2, zero_division=0
    )
    return [float(value) for value in values[:3]]


corpora = st.lists(notes(), min_size=1, max_size=5)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(corpora)
def test_strict_spans_agree_with_seqeval(corpus: list[Note]) -> None:
    theirs = seqeval(
        [tags(words, gold) for words, gold, _ in corpus],
        [tags(words, found) for words, _, found in corpus],
    )
    ours = figures(scored(corpus, "i2b2"), "i2b2", "all", "strict", "micro")
    assert ours == pytest.approx(theirs)
    assert figures(scored(corpus, "meddocan"), "meddocan", "ner") == pytest.approx(theirs)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(corpora)
def test_words_agree_with_seqeval(corpus: list[Note]) -> None:
    theirs = seqeval(
        [word_tags(words, gold) for words, gold, _ in corpus],
        [word_tags(words, found) for words, _, found in corpus],
    )
    assert figures(scored(corpus, "study"), "study", "overall") == pytest.approx(theirs)
    tokens = figures(scored(corpus, "i2b2"), "i2b2", "all", "token", "micro")
    assert tokens == pytest.approx(theirs)


def entities(marked: list[Run]) -> list[dict[str, str | int]]:
    return [{"label": type, "start": start, "end": end - 1} for start, end, type in marked]


def nervaluate(corpus: list[Note]) -> dict[str, list[float]]:
    gold = [entities(marked) for _, marked, _ in corpus]
    found = [entities(marked) for _, _, marked in corpus]
    overall = Evaluator(gold, found, tags=TYPES, loader="dict").evaluate()["overall"]
    return {
        name: [float(v) for v in (result.precision, result.recall, result.f1)]
        for name, result in overall.items()
    }


@settings(max_examples=60, deadline=None, derandomize=True)
@given(corpora)
def test_strict_and_untyped_spans_agree_with_nervaluate(corpus: list[Note]) -> None:
    theirs = nervaluate(corpus)
    report = scored(corpus, "i2b2")
    ours = {name: figures(report, "i2b2", "all", name, "micro") for name in ("strict", "binary")}
    assert ours["strict"] == pytest.approx(theirs["strict"])
    assert ours["binary"] == pytest.approx(theirs["exact"])
    spans = figures(scored(corpus, "meddocan"), "meddocan", "spans")
    assert spans == pytest.approx(theirs["exact"])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(corpora)
def test_overlap_agrees_with_nervaluate_where_no_span_meets_two(corpus: list[Note]) -> None:
    """There spans are paired one to one; ours may match several."""
    apart = [
        (words, gold, found)
        for words, gold, found in corpus
        if all(
            sum(max(s, other[0]) < min(e, other[1]) for other in others) <= 1
            for own, others in ((gold, found), (found, gold))
            for s, e, _ in own
        )
    ]
    if apart:
        ours = figures(scored(apart, "release"), "release", "overlap")
        assert ours == pytest.approx(nervaluate(apart)["ent_type"])
