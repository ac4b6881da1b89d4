"""What peers' labels mean, and how their findings are read off what they give."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.peers import philter, presidio, pydeid, scrubadub
from benchmarks.peers.peer import CATEGORIES, Peer
from incognote import phi

PEERS = [*presidio.PEERS, *philter.PEERS, *scrubadub.PEERS, *pydeid.PEERS]


def test_categories_are_those_of_i2b2() -> None:
    assert set(CATEGORIES) == set(phi.CATEGORIES)


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_every_label_means_a_category_or_none_is_compared(peer: Peer) -> None:
    assert set((peer.categories or {}).values()) <= set(CATEGORIES)


def test_presidio_labels_agree_with_our_view_of_them() -> None:
    view = phi.VIEWS["presidio"]
    both = presidio.CATEGORIES.keys() & view.types.keys()
    assert {"PERSON", "DATE_TIME", "LOCATION", "ORGANIZATION", "US_SSN", "URL"} <= both
    assert {label: presidio.CATEGORIES[label] for label in both} == {
        label: phi.CATEGORY_OF[view.types[label]] for label in both
    }
    assert not presidio.CATEGORIES.keys() & view.others


def test_names_of_systems_are_unique() -> None:
    names = [peer.name for peer in PEERS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("peer", PEERS[:-1], ids=lambda peer: peer.name)
def test_versions_of_what_an_index_has_are_fixed(peer: Peer) -> None:
    assert all("==" in package for package in (*peer.packages, *peer.alone))


@pytest.mark.parametrize(
    ("types", "category"),
    [
        (["Male First Name (unambig)", "Last Name (ambig)"], "NAME"),
        (["Telephone/Fax (1)"], "CONTACT"),
        (["Email Address"], "CONTACT"),
        (["Street Address"], "LOCATION"),
        (["Postalcode"], "LOCATION"),
        (["Month/Day/Year [mm/dd/yy(yy)]"], "DATE"),
        (["Holiday"], "DATE"),
        (["MRN"], "ID"),
        (["OHIP"], "ID"),
        (["Custom"], "OTHER"),
    ],
)
def test_pydeid_types_become_one_category(types: list[str], category: str) -> None:
    assert pydeid.label(types) == category


def test_stars_of_the_note_itself_are_no_findings() -> None:
    assert list(philter.starred_runs("** Ana K. **", "** *** *. **")) == [(3, 6), (7, 8)]


def test_a_starred_text_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="another length"):
        list(philter.starred_runs("Ana", "****"))


@given(st.lists(st.tuples(st.characters(), st.booleans())))
def test_starred_runs_are_exactly_the_hidden_characters(characters: list[tuple[str, bool]]) -> None:
    text = "".join(character for character, _ in characters)
    starred = "".join("*" if hidden else character for character, hidden in characters)
    runs = list(philter.starred_runs(text, starred))
    found = {place for start, end in runs for place in range(start, end)}
    assert found == {
        place for place, (character, hidden) in enumerate(characters) if hidden and character != "*"
    }
    assert all(end < start for (_, end), (start, _) in pairwise(runs))
