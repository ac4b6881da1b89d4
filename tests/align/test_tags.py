"""Tags over tokens mean the spans that they were made of, overlapping ones too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from align.aligned import (
    FULL,
    any_tokens,
    check_disjoint,
    check_nothing_lost,
    check_smallest_cover,
    marks,
    names,
    spans_in,
    texts,
)
from align.tiny_tokenizers import tiny_tokenizers
from hypothesis import given
from hypothesis import strategies as st

from incognote import phi
from incognote.align.decode import Transitions, viterbi
from incognote.align.tags import Labels, Mark, TaggedSpan, disjoint, spans_to_tags, tags_to_spans
from incognote.align.tokens import TokenOffsets, TokenReader
from incognote.align.words import words
from incognote.base.errors import AlignError
from incognote.document import Span
from incognote.formats import read

CORPUS = Path(__file__).parent.parent.parent / "corpus"
STUDY = Labels(phi.LABEL_SETS["study41"])


def tagged(text: str, *spans: tuple[int, int, str]) -> tuple[list[str], list[tuple[int, int, str]]]:
    offsets = TokenOffsets.of(words(text))
    tagging = spans_to_tags([Span.of(text, *span) for span in spans], offsets, FULL)
    return names(tagging), marks(tags_to_spans(tagging.tags, offsets, FULL))


def untagged(text: str, tags: str) -> list[tuple[int, int, str]]:
    ids = [FULL.names.index(name) for name in tags.split()]
    return marks(tags_to_spans(ids, TokenOffsets.of(words(text)), FULL))


def test_a_span_of_several_words_keeps_the_space_between_them() -> None:
    tags, spans = tagged("Mr John \r\n Smith left", (3, 16, "PATIENT"))
    assert tags == ["O", "B-PATIENT", "I-PATIENT", "O"]
    assert spans == [(3, 16, "PATIENT")]


def test_adjacent_spans_of_one_type_stay_two() -> None:
    tags, spans = tagged("May June", (0, 3, "DATE"), (4, 8, "DATE"))
    assert tags == ["B-DATE", "B-DATE"]
    assert spans == [(0, 3, "DATE"), (4, 8, "DATE")]


def test_a_span_that_cuts_words_is_widened_to_them() -> None:
    tags, spans = tagged("a 54yo Johnson", (2, 4, "AGE"), (7, 11, "PATIENT"))
    assert tags == ["O", "B-AGE", "B-PATIENT"]
    assert spans == [(2, 6, "AGE"), (7, 14, "PATIENT")]


def test_a_word_cut_by_two_spans_goes_to_the_larger_part() -> None:
    assert tagged("JoMay2019", (0, 2, "PATIENT"), (2, 9, "DATE"))[1] == [(0, 9, "DATE")]
    assert tagged("JohnMay1", (0, 4, "PATIENT"), (4, 8, "DATE"))[1] == [(0, 8, "PATIENT")]
    assert tagged("x JohnMay19 y", (0, 6, "PATIENT"), (6, 13, "DATE"))[1] == [
        (0, 1, "PATIENT"),
        (2, 13, "DATE"),
    ]


def test_overlapping_and_nested_spans_lose_no_character() -> None:
    text = "St Mary Hospital Boston"
    assert tagged(text, (0, 16, "HOSPITAL"), (3, 7, "PATIENT"))[1] == [(0, 16, "HOSPITAL")]
    assert tagged(text, (0, 16, "HOSPITAL"), (8, 23, "CITY"))[1] == [
        (0, 16, "HOSPITAL"),
        (17, 23, "CITY"),
    ]


def test_white_space_at_the_ends_of_a_span_goes() -> None:
    assert tagged("see  John  now", (3, 11, "PATIENT"))[1] == [(5, 9, "PATIENT")]


def test_spans_without_tags_are_counted() -> None:
    text = "May  4"
    spans = [(1, 1, "ZIP"), (3, 5, "ZIP"), (0, 3, "DATE"), (0, 3, "AGE"), (3, 3, "DATE")]
    offsets = TokenOffsets.of(words(text))
    tagging = spans_to_tags([Span.of(text, *span) for span in spans], offsets, FULL)
    assert names(tagging) == ["B-AGE", "O"]
    assert (tagging.empty, tagging.untouched, tagging.absorbed) == (2, 1, 1)


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("O I-DATE I-DATE", [(2, 5, "DATE")]),
        ("B-DATE I-ZIP I-DATE", [(0, 1, "DATE"), (2, 3, "ZIP"), (4, 5, "DATE")]),
        ("B-DATE O I-DATE", [(0, 1, "DATE"), (4, 5, "DATE")]),
        ("I-ZIP B-ZIP I-ZIP", [(0, 1, "ZIP"), (2, 5, "ZIP")]),
        ("O O O", []),
    ],
)
def test_invalid_sequences_become_spans(tags: str, expected: list[tuple[int, int, str]]) -> None:
    assert untagged("a b c", tags) == expected


def test_empty_units_inside_a_span_are_tagged_and_do_not_break_it() -> None:
    offsets = TokenOffsets.of([(0, 0), (0, 4), (4, 4), (5, 5), (5, 10), (10, 10)])
    spans = [Span.of("John Smith", 0, 10, "PATIENT")]
    assert names(spans_to_tags(spans, offsets, FULL)) == [
        *("O", "B-PATIENT", "I-PATIENT", "I-PATIENT", "I-PATIENT", "O")
    ]
    tags = [FULL.names.index(name) for name in "B-ZIP B-DATE O B-ZIP I-DATE B-ZIP".split()]
    (span,) = tags_to_spans(tags, offsets, FULL)
    assert span == (0, 10, "DATE", 1, 5)


def test_spans_that_meet_inside_a_character_share_none() -> None:
    offsets = TokenOffsets.of([(0, 1), (0, 1), (0, 2)])
    tags = [FULL.names.index(name) for name in "B-DATE B-ZIP B-CITY".split()]
    assert marks(tags_to_spans(tags, offsets, FULL)) == [(0, 1, "DATE"), (1, 2, "CITY")]


@given(st.data(), texts)
def test_words_cover_any_spans(data: st.DataObject, text: str) -> None:
    spans, offsets = data.draw(spans_in(text)), TokenOffsets.of(words(text))
    tagging = spans_to_tags(spans, offsets, FULL)
    check_smallest_cover(spans, tagging, offsets)
    found = tags_to_spans(tagging.tags, offsets, FULL)
    check_disjoint(found)
    check_nothing_lost(text, spans, found, offsets)


@given(st.data(), any_tokens())
def test_any_tokens_cover_any_spans(data: st.DataObject, offsets: TokenOffsets) -> None:
    text = "x" * 40
    spans = data.draw(spans_in(text))
    tagging = spans_to_tags(spans, offsets, FULL)
    check_smallest_cover(spans, tagging, offsets)
    found = tags_to_spans(tagging.tags, offsets, FULL)
    check_disjoint(found)
    check_nothing_lost(text, spans, found, offsets)


@given(st.data(), any_tokens())
def test_any_tags_become_spans_that_cover_them(data: st.DataObject, offsets: TokenOffsets) -> None:
    tags = np.array([data.draw(st.integers(0, 8)) for _ in range(len(offsets))], np.int64)
    found = tags_to_spans(tags, offsets, FULL)
    check_disjoint(found)
    covered = {place for span in found for place in range(span.start, span.end)}
    for start, end, tag in zip(offsets.starts, offsets.ends, tags, strict=True):
        if tag != FULL.outside:
            assert covered.issuperset(range(start, end))
    for span in found:
        assert FULL.types[FULL.type_of[tags[span.first]]] == span.type
        assert span.start >= offsets.starts[span.first]
        assert span.end == offsets.ends[span.last - 1]


@given(st.data(), texts)
def test_spans_on_word_boundaries_come_back_exactly(data: st.DataObject, text: str) -> None:
    offsets = words(text)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(offsets)))))
    spans = [
        Span.of(
            text, offsets[first][0], offsets[last - 1][1], data.draw(st.sampled_from(phi.TYPES))
        )
        for first, last in pairwise(cuts)
        if data.draw(st.booleans())
    ]
    tagging = spans_to_tags(spans, TokenOffsets.of(offsets), FULL)
    found = tags_to_spans(tagging.tags, TokenOffsets.of(offsets), FULL)
    assert marks(found) == [(span.start, span.end, span.type) for span in spans]
    assert (tagging.empty, tagging.untouched, tagging.absorbed) == (0, 0, 0)


@given(st.data(), texts)
def test_what_came_back_stays_as_it_is(data: st.DataObject, text: str) -> None:
    offsets = TokenOffsets.of(words(text))
    tags = [data.draw(st.integers(0, 8)) for _ in range(len(offsets))]
    once = tags_to_spans(tags, offsets, FULL)
    spans = [Span.of(text, span.start, span.end, span.type) for span in once]
    assert tags_to_spans(spans_to_tags(spans, offsets, FULL).tags, offsets, FULL) == once


def test_the_order_of_spans_does_not_matter() -> None:
    text = "one two three"
    spans = [Span.of(text, *span) for span in [(0, 7, "DATE"), (4, 13, "ZIP"), (4, 7, "AGE")]]
    offsets = TokenOffsets.of(words(text))
    forth, back = spans_to_tags(spans, offsets, FULL), spans_to_tags(spans[::-1], offsets, FULL)
    assert forth.tags.tolist() == back.tags.tolist()


def test_a_type_without_an_inside_label_comes_back_whole() -> None:
    text = "02139 1234"
    offsets = TokenOffsets.of(words(text))
    tagging = spans_to_tags([Span.of(text, 0, 10, "ZIP")], offsets, STUDY)
    assert names(tagging, STUDY) == ["B-ZIP", "B-ZIP"]
    assert marks(tags_to_spans(tagging.tags, offsets, STUDY)) == [(0, 10, "ZIP")]


def test_a_type_without_a_begin_label_begins_with_its_inside_label() -> None:
    text = "at 18 Quarry Ln in Boston"
    offsets = TokenOffsets.of(words(text))
    gold = [Span.of(text, 3, 15, "STREET"), Span.of(text, 19, 25, "CITY")]
    tagging = spans_to_tags(gold, offsets, STUDY)
    assert names(tagging, STUDY) == ["O", *["I-STREET"] * 3, "O", "B-CITY"]
    found = marks(tags_to_spans(tagging.tags, offsets, STUDY))
    assert found == [(3, 15, "STREET"), (19, 25, "CITY")]


def test_an_inside_label_that_continues_nothing_begins_a_span() -> None:
    text = "a b c d"
    tags = [STUDY.names.index(name) for name in "I-DATE I-STREET I-DATE B-DATE".split()]
    assert marks(tags_to_spans(tags, TokenOffsets.of(words(text)), STUDY)) == [
        (0, 1, "DATE"),
        (2, 3, "STREET"),
        (4, 5, "DATE"),
        (6, 7, "DATE"),
    ]


def perfect(spans: Sequence[Span], offsets: TokenOffsets, labels: Labels) -> list[TaggedSpan]:
    """What comes back from a tagger that is always right, decoded as at run time."""
    tags = spans_to_tags(spans, offsets, labels).tags
    scores = 10.0 * np.eye(len(labels.names))[tags]
    return tags_to_spans(viterbi(scores, Transitions.valid(labels)), offsets, labels)


def with_neighbours_joined(spans: list[TaggedSpan]) -> list[TaggedSpan]:
    """What 41 labels can tell at best: spans of a type with one label that touch are one."""
    joined: list[TaggedSpan] = []
    for span in spans:
        one_label = span.type in ("BIOID", "DEVICE", "EMAIL", "USERNAME", "ZIP", "STREET")
        if one_label and joined and (joined[-1].type, joined[-1].last) == (span.type, span.first):
            joined[-1] = joined[-1]._replace(end=span.end, last=span.last)
        else:
            joined.append(span)
    return joined


@given(st.data(), texts)
def test_41_labels_tell_all_but_neighbours_of_a_type_with_one_label(
    data: st.DataObject, text: str
) -> None:
    offsets = words(text)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(offsets)))))
    types = st.sampled_from(["ZIP", "STREET", "DATE"])
    spans = [
        Span.of(text, offsets[first][0], offsets[last - 1][1], data.draw(types))
        for first, last in pairwise(cuts)
    ]
    found = perfect(spans, TokenOffsets.of(offsets), STUDY)
    assert found == with_neighbours_joined(perfect(spans, TokenOffsets.of(offsets), FULL))


@pytest.mark.parametrize("tokenizer", sorted(tiny_tokenizers()))
def test_a_perfect_tagger_with_41_labels_loses_nothing_of_set_a(tokenizer: str) -> None:
    reader = TokenReader(tiny_tokenizers()[tokenizer])
    survivors: Counter[str] = Counter()
    for note in read(CORPUS / "A"):
        spans = [span for span in note.spans if span.type in STUDY.types]
        offsets = reader.read(note.text).offsets
        found = perfect(spans, offsets, STUDY)
        assert found == perfect(spans, offsets, FULL)
        gold = {(span.start, span.end, span.type) for span in spans}
        survivors.update(type for start, end, type in marks(found) if (start, end, type) in gold)
    assert (survivors["EMAIL"], survivors["ZIP"], survivors["USERNAME"]) == (6, 11, 17)


def test_a_corpus_is_tagged_with_its_own_labels() -> None:
    labels = Labels(phi.bio_labels(["FECHAS", "PAIS"]))
    text = "en España"
    offsets = TokenOffsets.of(words(text))
    tagging = spans_to_tags([Span.of(text, 3, 9, "PAIS")], offsets, labels)
    assert names(tagging, labels) == ["O", "B-PAIS"]
    with pytest.raises(AlignError, match="no type DATE; rename it first"):
        spans_to_tags([Span.of(text, 3, 9, "DATE")], offsets, labels)


@pytest.mark.parametrize(
    "labels",
    [(), ("B-X", "I-X"), ("O", "O"), ("O", "B-X", "X"), ("O", "B-"), ("O", "I-"), ("O", "E-X")],
)
def test_a_label_set_that_cannot_work_is_refused(labels: tuple[str, ...]) -> None:
    with pytest.raises(AlignError):
        Labels(labels)


def test_units_and_tags_that_disagree_are_refused() -> None:
    with pytest.raises(AlignError, match="reading order"):
        TokenOffsets.of([(4, 6), (0, 2)])
    with pytest.raises(AlignError, match="ends before"):
        TokenOffsets.of([(4, 2)])
    with pytest.raises(AlignError, match="2 tokens need as many tags, not 1"):
        tags_to_spans([0], TokenOffsets.of([(0, 1), (2, 3)]), FULL)
    with pytest.raises(AlignError, match="outside the 57 labels"):
        tags_to_spans([57], TokenOffsets.of([(0, 1)]), FULL)


def test_a_note_without_units_has_no_tags() -> None:
    tagging = spans_to_tags([Span.of("  ", 0, 2, "DATE")], TokenOffsets.of([]), FULL)
    assert (tagging.tags.size, tagging.untouched) == (0, 1)
    assert tags_to_spans([], TokenOffsets.of([]), FULL) == []


overlapping = st.lists(
    st.builds(
        lambda a, b, type: Mark(min(a, b), max(a, b), type),
        st.integers(0, 20),
        st.integers(0, 20),
        st.sampled_from("ABC"),
    ),
    max_size=8,
)


@pytest.mark.parametrize(
    ("given_marks", "expected"),
    [
        ([(0, 4, "A"), (4, 8, "A")], [(0, 4, "A"), (4, 8, "A")]),
        ([(0, 9, "A"), (2, 5, "B")], [(0, 9, "A")]),
        ([(0, 5, "A"), (3, 9, "B")], [(0, 5, "A"), (5, 9, "B")]),
        ([(0, 3, "A"), (0, 9, "B")], [(0, 9, "B")]),
        ([(0, 3, "B"), (0, 3, "A")], [(0, 3, "A")]),
        ([(0, 5, "A"), (2, 4, "B"), (3, 8, "C")], [(0, 5, "A"), (5, 8, "C")]),
        ([(3, 3, "A")], []),
    ],
)
def test_examples(given_marks: list[tuple[int, int, str]], expected: list[object]) -> None:
    assert disjoint(Mark(*mark) for mark in given_marks) == expected


@given(overlapping, st.randoms())
def test_same_characters_whatever_the_order(given_marks: list[Mark], random: Random) -> None:
    result = disjoint(given_marks)
    assert all(a.end <= b.start for a, b in pairwise(result))
    covered = {place for mark in result for place in range(mark.start, mark.end)}
    assert covered == {place for mark in given_marks for place in range(mark.start, mark.end)}
    shuffled = list(given_marks)
    random.shuffle(shuffled)
    assert disjoint(shuffled) == result
