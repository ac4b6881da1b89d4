"""Where else a note says what was marked."""

from __future__ import annotations

import pytest

from incognote.review.mentions import same_person, same_words


@pytest.mark.parametrize(
    ("text", "marked", "found"),
    [
        ("Tom, Tomas and TOM", "Tom", ["Tom", "TOM"]),
        ("May came in may, May said", "May", ["May", "May"]),
        (
            "St. Mary's\nHospital, St. Mary's Hospital",
            "St. Mary's Hospital",
            ["St. Mary's\nHospital", "St. Mary's Hospital"],
        ),
        ("a 12-34 b 112-34 c 12-345", "12-34", ["12-34"]),
        ("(555) 1 and (555) 1", "(555) 1", ["(555) 1", "(555) 1"]),
        ("Ⓜ️ José Jose\u0301 José", "José", ["José", "José"]),
    ],
)
def test_the_same_words(text: str, marked: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in same_words(text, marked)] == found


def test_the_same_person_by_parts_of_the_name() -> None:
    text = "Mr. Okafor came. Samuel Okafor is 40. S. Okafor, OKAFOR; Dr. Samuels."
    found = [text[start:end] for start, end in same_person(text, "Samuel Okafor", "PATIENT")]
    assert "Samuel Okafor" in found
    assert sum("okafor" in each.lower() for each in found) == 4
    assert not any("Samuels" in each for each in found)


def test_of_other_types_the_same_words() -> None:
    text = "Springfield. SPRINGFIELD"
    assert len(list(same_person(text, "Springfield", "CITY"))) == 2
