"""New identifiers for old: every mention of one thing changes alike, and keeps its form."""

from __future__ import annotations

import re
from random import Random

import pytest
from generator.pieces import Pieces
from generator.redraw.codes import reshape
from generator.redraw.dates import DateRedraw
from generator.redraw.note import Redraw
from generator.scene import Scene
from hypothesis import given
from hypothesis import strategies as st
from recipes.small_gazetteers import small_gazetteers

from incognote.formats.inline import parse

LISTS = small_gazetteers()


def redrawn(marked_text: str, seed: int) -> Pieces:
    text, spans = parse(marked_text)
    marks = [(span.start, span.end, span.type) for span in spans]
    return Redraw(Scene(Random(seed), LISTS)).note(text, marks)


def values(pieces: Pieces, type: str) -> list[str]:
    return [text for text, kind in pieces if kind == type]


@pytest.mark.parametrize("seed", range(12))
def test_one_person_gets_one_new_name_in_every_form(seed: int) -> None:
    pieces = redrawn(
        "[[PATIENT|OKAFOR, QUELLASHA]] ... Ms. [[PATIENT|Okafor]] and [[PATIENT|Quellasha]]'s aunt; [[PATIENT|Q. Okafor]]",
        seed,
    )
    header, last, first, short = values(pieces, "PATIENT")
    assert header.casefold() in (f"{last}, {first}".casefold(), f"{first} {last}".casefold())
    assert short.casefold() == f"{first[0]}. {last}".casefold()
    assert {last.casefold(), first.casefold()}.isdisjoint({"okafor", "quellasha"})


def test_some_notes_turn_full_names_round_but_never_after_a_title() -> None:
    text = "Pt [[PATIENT|Mary Roux]], seen by Dr. [[DOCTOR|Ana Okafor]]"
    notes = [redrawn(text, seed) for seed in range(60)]
    assert 2 < sum("," in values(pieces, "PATIENT")[0] for pieces in notes) < 30
    assert not any("," in values(pieces, "DOCTOR")[0] for pieces in notes)


@pytest.mark.parametrize("seed", range(6))
def test_text_outside_the_marks_stays(seed: int) -> None:
    pieces = redrawn(
        "Seen by Dr. [[DOCTOR|Roux]], MD on [[DATE|3/14/2019]] for Bell's palsy.", seed
    )
    assert [text for text, type in pieces if not type] == [
        "Seen by Dr. ",
        ", MD on ",
        " for Bell's palsy.",
    ]


def test_the_article_before_a_new_job_is_right() -> None:
    for seed in range(20):
        before, job, _ = redrawn("works as a [[PROFESSION|welder]].", seed)
        assert before[0].endswith(" an ") == (job[0][0] in "aeio")


def test_hyphens_particles_titles_and_suffixes_stay() -> None:
    for seed in range(12):
        (name,) = values(redrawn("[[PATIENT|Ana de la Cruz-Ortiz Jr.]]", seed), "PATIENT")
        assert re.fullmatch(r".+ de la .+-.+ jr\.", name.casefold())


@pytest.mark.parametrize(
    ("old", "form"),
    [
        ("Thu 10.16.19", r"[A-Z][a-z]{2} (0?[1-9]|1[0-2])\.\d{1,2}\.\d\d"),
        ("17 APR 1944", r"\d{1,2} [A-Z]{3} \d{4}"),
        ("winter of '77", r"(spring|summer|fall|autumn|winter) of '\d\d"),
        ("1950s", r"\d{3}0s"),
        ("Sundays", r"[A-Z][a-z]+days"),
        ("mid-January", r"mid-[A-Z][a-z]+"),
        ("3/2018", r"\d{1,2}/\d{4}"),
    ],
)
def test_dates_keep_their_form(old: str, form: str) -> None:
    for seed in range(10):
        assert re.fullmatch(form, DateRedraw(Random(seed)).draw(old))


def test_equal_dates_stay_equal_and_order_is_kept() -> None:
    for seed in range(10):
        pieces = redrawn("[[DATE|2019-03-14]] [[DATE|2019-03-20]] [[DATE|2019-03-14]]", seed)
        first, second, third = values(pieces, "DATE")
        assert first == third != second


@given(
    st.from_regex(r"[A-Z0-9]{1,4}[- /.]?[0-9]{2,6}[- ]?[A-Z]?", fullmatch=True), st.integers(0, 9)
)
def test_codes_keep_their_shape(code: str, seed: int) -> None:
    new = reshape(code, Random(seed), letters=1.0)
    assert len(new) == len(code)
    for old_char, new_char in zip(code, new, strict=True):
        assert old_char.isdigit() == new_char.isdigit()
        assert old_char.isalpha() == new_char.isalpha()
        assert old_char.isalnum() or old_char == new_char


def test_masks_and_the_words_of_extensions_stay() -> None:
    assert re.fullmatch(r"xxx-xx-\d{4}", reshape("xxx-xx-4418", Random(1), letters=1.0))
    assert re.fullmatch(r"\d{3}-\d{4} ext \d\d", reshape("266-8140 ext 21", Random(1), letters=1.0))
