"""Looks of a note: whatever the edit, marks stay around their values."""

from __future__ import annotations

from random import Random

from generator.pieces import Pieces, from_lines, join, lines
from generator.style import flatten, restyle, scanned, slips, wrap
from hypothesis import given
from hypothesis import strategies as st

NOTE: Pieces = [
    ("Seen by Dr. ", ""),
    ("Özdemir-Roux", "DOCTOR"),
    (" today together with her oldest daughter ", ""),
    ("Ana María", "PATIENT"),
    (" at ", ""),
    ("St. Brendan's Hospital", "HOSPITAL"),
    (".\nCall ", ""),
    ("603-555-0100 ext 3", "PHONE"),
    (" for results of the scan, as was agreed upon during the last visit to this clinic.\n", ""),
]


@given(st.integers(0, 5000))
def test_types_stay_in_order_whatever_the_look(seed: int) -> None:
    text, spans = join(restyle(NOTE, Random(seed)))
    assert [type for _, _, type in spans] == ["DOCTOR", "PATIENT", "HOSPITAL", "PHONE"]
    assert all(text[start:end].strip() == text[start:end] for start, end, _ in spans)


def test_every_look_occurs() -> None:
    texts = [join(restyle(NOTE, Random(seed)))[0] for seed in range(400)]
    assert any(text.isupper() for text in texts)
    assert any(text.islower() for text in texts)
    assert any("\r\n" in text for text in texts)
    assert any("Ana\nMaría" in text for text in texts)
    assert sum(text == join(NOTE)[0] for text in texts) > 100


def test_wrapping_breaks_at_spaces_and_never_in_a_phone_number() -> None:
    for width in range(20, 60):
        text, spans = join(wrap(NOTE, width))
        assert text.replace("\n", " ") == join(NOTE)[0].replace("\n", " ")
        assert all("\n" not in text[start:end] for start, end, type in spans if type == "PHONE")


def test_accents_go_and_nothing_else() -> None:
    assert flatten("Özdemir-Roux, Ana María") == "Ozdemir-Roux, Ana Maria"


def test_slips_and_scans_change_letters_only_a_little() -> None:
    for edit in (slips, scanned):
        text, _ = join(edit(NOTE * 20, Random(3), 0.01))
        assert text != join(NOTE * 20)[0]
        assert abs(len(text) - len(join(NOTE * 20)[0])) < 60


def test_lines_and_back() -> None:
    assert join(from_lines(lines(NOTE))) == join(NOTE)
