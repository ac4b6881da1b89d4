"""Values that notes lend each other."""

from __future__ import annotations

from random import Random

from generator.pool import Pool, pool_of
from generator.redraw.note import Redraw
from generator.scene import Scene
from recipes.small_gazetteers import small_gazetteers

MARKED = [
    ("PATIENT", "Quillon, Thessaly"),
    ("DOCTOR", "Ottoline Vanterpool"),
    ("PATIENT", "T.Q."),
    ("PATIENT", "VANTERPOOL"),
    ("PROFESSION", "bell founder"),
    ("HOSPITAL", "Tarn Row Infirmary"),
    ("CITY", "Upper\nSlaught"),
    ("DATE", "3 May 2011"),
]
TEXT = "Ann Lee, a Baker, was seen at Oak Clinic."
MARKS = [(0, 7, "PATIENT"), (11, 16, "PROFESSION"), (30, 40, "HOSPITAL")]


def test_a_pool_has_values_and_the_words_of_names() -> None:
    pool = pool_of(MARKED)
    assert pool.values == {"PROFESSION": ["bell founder"], "HOSPITAL": ["Tarn Row Infirmary"]}
    assert pool.firsts == ["Thessaly", "Ottoline"]
    assert pool.lasts == ["Quillon", "Vanterpool"]


def test_values_are_lent_in_the_case_of_their_place() -> None:
    pool = pool_of(MARKED)
    lent = {pool.lend("PROFESSION", "Baker", Random(seed)) for seed in range(40)}
    assert lent == {None, "Bell founder"}
    assert {pool.lend("HOSPITAL", "OAK CLINIC", Random(seed)) for seed in range(40)} == {
        None,
        "TARN ROW INFIRMARY",
    }
    assert pool.lend("DATE", "2 June", Random(1)) is None


def test_a_redrawn_note_borrows_now_and_then() -> None:
    lists, pool = small_gazetteers(), pool_of(MARKED)
    told = [
        "".join(text for text, _ in Redraw(Scene(Random(seed), lists, pool)).note(TEXT, MARKS))
        for seed in range(60)
    ]
    for value in ("Thessaly", "Bell founder", "Tarn Row Infirmary"):
        assert 5 < sum(value in text for text in told) < 55
    nothing = Redraw(Scene(Random(1), lists, Pool())).note(TEXT, MARKS)
    assert not any("Tarn" in text for text, _ in nothing)
