"""What rules find in a note they find in its surrogate: as many spans of each type, at each place."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.document import Document
from incognote.pipeline import Deidentifier

DEIDENTIFY = Deidentifier("surrogate", key=b"0123456789abcdef", detector="rules")
GIVEN = ("Ngozi", "Thomas", "Maria", "Zbigniew", "Fikreta", "Leilani", "Hector", "Siobhan")
SURNAMES = ("Okafor", "Brandt", "Kowalczewski", "Nguyen", "Ouellette", "Begovic", "Tallchief")
TOWNS = ("Seattle", "Boise", "Baltimore", "Chicago", "Nairobi", "Manila", "Fargo", "San Antonio")
ADDRESSES = (
    "18 Quarry Ln, Bangor, ME 04401",
    "409 Cinder Hill Road, Apt 4, Duluth, MN 55802",
    "2290 Mill St, Chicopee, MA 01013, USA",
)
JOBS = ("welder", "civil engineer", "school bus driver", "florist", "dairy farmer", "schoolteacher")
DATES = ("3/14/2019", "14-Mar-2019", "March 14, 2019", "2019-03-14", "03/14/19")


def sentences(draw: st.DrawFn) -> list[str]:
    name = f"{draw(st.sampled_from(GIVEN))} {draw(st.sampled_from(SURNAMES))}"
    last = name.split()[1]
    date = draw(st.sampled_from(DATES))
    job = draw(st.sampled_from(JOBS))
    number = draw(st.integers(1_000_000, 9_999_999))
    return [
        f"Patient: {name}",
        f"MRN: {number}",
        f"Seen by Dr. {draw(st.sampled_from(SURNAMES))} on {date}.",
        f"Mr. {last} is a 63-year-old retired {job} with hypertension.",
        f"Address: {draw(st.sampled_from(ADDRESSES))}",
        f"He was born in {draw(st.sampled_from(TOWNS))}.",
        f"Phone: (207) 947-{number % 9000 + 1000}",
        "Transferred from Skene Valley Regional Hospital.",
        "The lungs are clear, strength 5/5, BP 120/80.",
    ]


@st.composite
def notes(draw: st.DrawFn) -> str:
    every = sentences(draw)
    chosen = draw(st.lists(st.sampled_from(every), min_size=1, max_size=9, unique=True))
    return "\n".join(chosen) + "\n"


@given(notes())
@settings(max_examples=80, deadline=None)
def test_a_surrogate_note_is_found_again(text: str) -> None:
    result = DEIDENTIFY(text)
    again = DEIDENTIFY.detector.detect(Document("", result.text)).spans
    expected = [(span.start, span.end, span.type) for span in result.output.spans]
    assert [(span.start, span.end, span.type) for span in again] == expected
