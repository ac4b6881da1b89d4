"""A copy of the gold with known damage, every figure worked out by hand."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from incognote.document import Document, Span
from incognote.evaluate import Report, Resampling, score
from incognote.phi import TYPES

TEXT = "abcdef zz " * 10
"""Gold span n is `abcdef` at 10n to 10n + 6; `zz` is not PHI."""


def note(*marks: tuple[int, int, str]) -> Document:
    return Document("1", TEXT, tuple(Span.of(TEXT, *mark) for mark in marks))


GOLD = note(*((10 * n, 10 * n + 6, "DATE") for n in range(10)))
DAMAGED = note(
    # 0 is deleted
    (11, 17, "DATE"),  # 1 shifted by 1: "bcdef "
    (23, 29, "DATE"),  # 2 shifted by 3: "def zz"
    (30, 36, "CITY"),  # 3 retyped
    (40, 43, "DATE"),  # 4 split
    (43, 46, "DATE"),
    (50, 57, "DATE"),  # 5 ends 1 late: "abcdef "
    (60, 69, "DATE"),  # 6 ends 3 late: "abcdef zz"
    (70, 76, "DATE"),  # 7, 8, 9 are as in gold
    (80, 86, "DATE"),
    (90, 96, "DATE"),
)

EXPECTED = {
    # the same: 7 8 9, of 10 predicted and 10 gold
    ("i2b2", "all", "strict", "micro"): (3 / 10, 3 / 10),
    ("i2b2", "all", "strict", "macro"): (3 / 10, 3 / 10),
    # and 5
    ("i2b2", "all", "relaxed", "micro"): (4 / 10, 4 / 10),
    # 3 7 8 9
    ("i2b2", "all", "binary", "micro"): (4 / 10, 4 / 10),
    # predicted: bcdef | def zz | abcdef | abc def | abcdef | abcdef zz | 3 = 12; right: 5 6 7 8 9
    ("i2b2", "all", "token", "micro"): (5 / 12, 5 / 10),
    # and 3
    ("i2b2", "all", "binary_token", "micro"): (6 / 12, 6 / 10),
    # DATE and CITY are both HIPAA
    ("i2b2", "hipaa_as_coded", "strict", "micro"): (3 / 10, 3 / 10),
    # words right: 1 2 4 5 6 7 8 9 = 8; predicted: those, 3 and the zz of 2 and of 6 = 11
    ("study", "overall"): (8 / 11, 8 / 10),
    ("study", "binary"): (9 / 11, 9 / 10),
    ("study", "by_type", "DATE"): (8 / 10, 8 / 10),
    ("meddocan", "ner"): (3 / 10, 3 / 10),
    ("meddocan", "spans"): (4 / 10, 4 / 10),
    # hits 3 7 8 9 as they stand and 4 joined; spurious 1 2 5 6; missed 0 1 2 5 6
    ("meddocan", "merged"): (5 / 9, 5 / 10),
    # right: all predicted but 3; found: all gold but 0 and 3
    ("release", "overlap"): (9 / 10, 8 / 10),
    # predicted 5 + 5 + 6 + 6 + 6 + 8 + 18 = 54, in gold 5 + 3 + 6 + 6 + 6 + 6 + 18 = 50, of 60
    ("release", "characters"): (50 / 54, 50 / 60),
}


@pytest.fixture(scope="module")
def damaged() -> Report:
    return score([GOLD], [DAMAGED], resampling=Resampling(resamples=0))


@pytest.mark.parametrize("path", EXPECTED, ids="/".join)
def test_precision_recall_and_f1(damaged: Report, path: tuple[str, ...]) -> None:
    precision, recall = EXPECTED[path]
    f1 = 2 * precision * recall / (precision + recall)
    values = [damaged.value(*path, name) for name in ("precision", "recall", "f1")]
    assert values == pytest.approx([precision, recall, f1])


def test_shares(damaged: Report) -> None:
    # covered: all but 0, 1 (shows a) and 2 (shows abc)
    assert damaged.value("release", "covered_recall") == 7 / 10
    assert damaged.value("release", "covered_recall_by_type", "DATE") == 7 / 10
    assert damaged.value("release", "leaked_notes") == 1.0
    # the zz of 2 and of 6, of ten zz
    assert damaged.value("release", "over_redaction") == 4 / 20
    # wrong words: 0, 3 and the zz of 2 and of 6, of 20
    assert damaged.value("study", "accuracy") == 16 / 20
    # missed by ner: 0 to 6; one line without a stop
    assert damaged.value("meddocan", "leak") == 7 / 1


def corpus(seed: int, notes: int = 30) -> list[Document]:
    """Notes of many types, with spans that overlap, touch and repeat."""
    rng = random.Random(seed)
    result = []
    for number in range(notes):
        text = "".join(rng.choice("ab c1é,\n-") for _ in range(rng.randrange(1, 90)))
        cuts = [sorted(rng.choices(range(len(text) + 1), k=2)) for _ in range(rng.randrange(9))]
        spans = tuple(
            Span.of(text, start, end, rng.choice(TYPES)) for start, end in cuts if start < end
        )
        result.append(Document(f"note {number}", text, spans))
    return result


LOSSES = {"leaked_notes", "over_redaction", "leak"}


def test_gold_against_itself_is_perfect() -> None:
    text = " ".join(f"{type[:3]}{n} of" for n, type in enumerate(TYPES))
    places = [
        (text.index(f"{type[:3]}{n} "), f"{type[:3]}{n}", type) for n, type in enumerate(TYPES)
    ]
    spans = tuple(Span(at, at + len(part), type, part) for at, part, type in places)
    gold = [Document(str(n), text, spans) for n in range(3)]
    for path, figure in score(gold, gold, resampling=Resampling(resamples=20)).figures.items():
        wanted = 0.0 if path[-1] in LOSSES else 1.0
        assert (figure.value, figure.low, figure.high) == (wanted,) * 3, path


def test_gold_with_overlaps_and_repeats_against_itself_is_perfect() -> None:
    """A type of which other spans take every word has no word-level figure."""
    gold = corpus(3)
    report = score(gold, gold, blocks=["release", "study", "meddocan"])
    for path, figure in report.figures.items():
        if "by_detector" not in path:
            assert figure.value in (0.0 if path[-1] in LOSSES else 1.0, None), path
    assert report.value("study", "overall", "f1") == 1.0
    official = score(gold, gold, blocks=["i2b2"]).under("i2b2", "all")
    for equality in ("strict", "relaxed", "binary", "token", "binary_token"):
        assert official[equality, "micro", "f1"].value == 1.0


def test_the_order_of_notes_and_spans_changes_nothing() -> None:
    gold = corpus(4)
    found = [replace(document, spans=document.spans[1:]) for document in gold]
    shuffled_gold, shuffled_found = gold[:], found[:]
    random.Random(1).shuffle(shuffled_gold)
    random.Random(2).shuffle(shuffled_found)
    turned = [replace(document, spans=document.spans[::-1]) for document in shuffled_found]
    how = Resampling(resamples=50)
    assert score(gold, found, resampling=how) == score(shuffled_gold, turned, resampling=how)
