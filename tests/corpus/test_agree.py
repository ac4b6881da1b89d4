"""Agreement of two annotators, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.corpus.agree import Agreement, agree, disagreements, kappa
from incognote.corpus.source import CorpusError
from incognote.document import Document
from incognote.evaluate.pairing import Pair
from incognote.formats.inline import parse


def note(marked_text: str, id: str = "n") -> Document:
    return Document(id, *parse(marked_text))


FIRST = "[[PATIENT|Ann Lee]] saw [[DOCTOR|Ito]] on [[DATE|May 2]] in [[CITY|Rome]]"


def both(first: str, second: str) -> Agreement:
    return agree([note(first)], [note(second)])


def test_figures_by_hand() -> None:
    second = "[[PATIENT|Ann]] Lee saw [[PATIENT|Ito]] on [[DATE|May 2]] in Rome"
    result = both(FIRST, second)
    spans, words = result.spans, result.by_word
    assert (spans.overall.first, spans.overall.second, spans.overall.both) == (4, 3, 1)
    assert spans.overall.precision == pytest.approx(1 / 3)
    assert spans.overall.recall == pytest.approx(1 / 4)
    assert spans.overall.f1 == pytest.approx(2 / 7)
    assert (spans.untyped.first, spans.untyped.second, spans.untyped.both) == (4, 3, 2)
    assert spans.by_type["DATE"].f1 == 1
    assert spans.by_type["PATIENT"].f1 == 0
    assert spans.by_type["DOCTOR"].precision is None
    # Nine words. First: P P O D O T T O C; second: P O O P O T T O O.
    assert result.words == 9
    assert (words.overall.first, words.overall.second, words.overall.both) == (6, 4, 3)
    assert words.untyped.both == 4
    assert words.by_type["PATIENT"].f1 == pytest.approx(2 * 1 / (2 + 2))
    # Six of nine agree; by chance O 3x5, P 2x2, T 2x2 of 81.
    expected = (6 / 9 - 23 / 81) / (1 - 23 / 81)
    assert result.kappa.overall == pytest.approx(expected)
    assert result.kappa.by_type["DATE"] == 1
    # Marked or not: 4 both, 2 first only, 3 neither.
    assert result.kappa.untyped == pytest.approx((7 / 9 - 39 / 81) / (1 - 39 / 81))


def test_the_other_way_round_precision_and_recall_change_places() -> None:
    second = "Ann [[PATIENT|Lee]] saw Ito on [[DATE|May 2]] in Rome"
    there, back = both(FIRST, second), both(second, FIRST)
    assert there.spans.overall.precision == back.spans.overall.recall
    assert there.by_word.overall.recall == back.by_word.overall.precision
    assert there.by_word.overall.f1 == back.by_word.overall.f1
    assert there.kappa.overall == back.kappa.overall


def test_an_annotator_agrees_with_himself() -> None:
    result = both(FIRST, FIRST)
    assert result.spans.overall.f1 == result.by_word.overall.f1 == result.kappa.overall == 1
    assert list(disagreements(result.pairs[0])) == []


def test_no_marks_at_all_is_undefined() -> None:
    result = both("x y", "x y")
    assert result.spans.overall.f1 is None
    assert result.kappa.overall is None


@given(
    st.lists(
        st.tuples(st.sampled_from([0, 1, 2]), st.sampled_from([0, 1, 2])), min_size=1, max_size=30
    )
)
def test_kappa_is_that_of_the_definition(labels: list[tuple[int, int]]) -> None:
    table = np.zeros((3, 3), np.int64)
    for first, second in labels:
        table[first, second] += 1
    n = len(labels)
    observed = sum(a == b for a, b in labels) / n
    chance = sum(
        sum(a == label for a, _ in labels) * sum(b == label for _, b in labels)
        for label in range(3)
    ) / (n * n)
    assert kappa(table) == (
        None if chance == 1 else pytest.approx((observed - chance) / (1 - chance))
    )


def kinds(first: str, second: str) -> list[str]:
    return [each.kind for each in disagreements(Pair(note(first), note(second)))]


def test_kinds_of_disagreement() -> None:
    assert kinds("[[DATE|May]] x", "May x") == ["only first"]
    assert kinds("May [[DATE|x]]", "[[DATE|May]] x") == ["only second", "only first"]
    assert kinds("[[DATE|May]] x", "[[PATIENT|May]] x") == ["type"]
    assert kinds("[[DATE|May]] 2", "[[DATE|May 2]]") == ["boundary"]
    assert kinds("[[DATE|May]] [[DATE|2]]", "[[DATE|May 2]]") == ["boundary"]
    assert kinds("[[PATIENT|May]] 2", "[[DATE|May 2]]") == ["type and boundary"]
    assert kinds("[[DATE|a]][[DATE|b]]", "[[DATE|a]]b") == ["only first"]


def test_disagreements_carry_no_text_unless_asked() -> None:
    (place,) = disagreements(Pair(note("[[DATE|May]] 2"), note("[[DATE|May 2]]")))
    assert place.to_json() == {
        "id": "n",
        "kind": "boundary",
        "first": [{"start": 0, "end": 3, "type": "DATE"}],
        "second": [{"start": 0, "end": 5, "type": "DATE"}],
    }
    assert place.to_json(show_text=True)["second"][0]["text"] == "May 2"


def test_notes_of_one_annotator_are_named() -> None:
    result = agree([note("[[DATE|x]]", "a"), note("y", "b")], [note("y", "b"), note("z", "c")])
    assert (result.only_first, result.only_second) == (["a"], ["c"])
    assert len(result.pairs) == 1
    with pytest.raises(CorpusError, match="no note in common"):
        agree([note("x", "a")], [note("x", "b")])


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(CorpusError, match="n: the two annotators have different texts"):
        both("x", "y")
    with pytest.raises(CorpusError, match="n: two notes of the second annotator"):
        agree([note("x")], [note("x"), note("x")])
