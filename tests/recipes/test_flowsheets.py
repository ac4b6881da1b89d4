"""Flowsheets: who took a reading is marked in its column, and nothing that was read is."""

from __future__ import annotations

import re
from random import Random

from generator.grammar import load_grammar
from generator.pieces import join, lines, text_of
from generator.scene import Scene
from generator.sources.flowsheets import flowsheet, table
from generator.values.flows import FLOWS
from recipes.small_gazetteers import small_gazetteers

LISTS = small_gazetteers()
GRAMMAR = load_grammar()


def tables(count: int) -> list[list[tuple[str, str]]]:
    return [table(Scene(Random(seed), LISTS), GRAMMAR) for seed in range(count)]


def test_most_rows_end_or_begin_their_remark_with_marked_initials() -> None:
    rows = marked = 0
    for pieces in tables(80):
        for row in lines(pieces):
            if re.match(r"\d", text_of(row)):
                rows += 1
                marked += any(type == "DOCTOR" for _, type in row)
    assert rows > 300
    assert 0.85 < marked / rows < 1


def test_initials_are_written_small_and_large_and_stay_the_same_in_a_table() -> None:
    small = large = 0
    for pieces in tables(60):
        found = {text for text, type in pieces if type == "DOCTOR" and len(text) <= 3}
        small += any(text.islower() for text in found)
        large += any(text.isupper() for text in found)
        assert len(found) <= 6
    assert small > 15
    assert large > 15


def test_readings_are_no_identifiers() -> None:
    """Only days, staff, and the few people and numbers of a remark are marked."""
    for pieces in tables(80):
        for text, type in pieces:
            if type == "DATE":
                assert not re.fullmatch(r"\d{2,3}/(?:[4-9]\d|\d{3})|\d\d:?\d\d", text)
            elif type:
                assert not re.fullmatch(r"\d\d\d?/\d\d\d?|\d\d:\d\d|4/5|5/5", text)


def test_columns_hold_short_words_that_are_no_initials() -> None:
    rng = Random(1)
    values = {cell(rng) for flow in FLOWS.values() for _, cell in flow.columns for _ in range(30)}
    assert {"PO", "vtx", "LFA", "AC", "BF"} <= values


def test_a_flowsheet_is_the_same_when_made_again_and_joins_exactly() -> None:
    for seed in range(20):
        one = flowsheet(Scene(Random(seed), LISTS), GRAMMAR)
        assert one == flowsheet(Scene(Random(seed), LISTS), GRAMMAR)
        text, spans = join(one)
        assert spans
        assert all(text[start:end].strip() == text[start:end] for start, end, _ in spans)
