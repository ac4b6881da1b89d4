"""What is found and written is what it was; `make golden` renews the record and shows each change."""

from __future__ import annotations

import pytest
from golden.record import ROOMS, changes, digest, read_digests, read_record, stored_names

SHOWN = 10


@pytest.mark.parametrize("room", ROOMS)
def test_nothing_changed(room: str) -> None:
    records = ROOMS[room]()
    digests = {name: said for name, said in read_digests().items() if _room(name) == room}
    assert set(records) == set(digests), "records came or went: see `make golden`"
    complaints = []
    for name, lines in records.items():
        if digest(lines) != digests[name]:
            differences = changes(read_record(name), lines)
            shown = "\n".join(map(str, differences[:SHOWN]))
            complaints.append(
                f"{name}: {len(differences)} changes, the first of them\n{shown}\n"
                "all of them: python tests/golden --check"
            )
    assert not complaints, "\n".join(complaints)


def test_digests_are_those_of_the_files() -> None:
    digests = read_digests()
    assert stored_names() == set(digests)
    assert {name: digest(read_record(name)) for name in digests} == digests
    assert {_room(name) for name in digests} == set(ROOMS)


def test_a_change_is_shown_with_what_it_was_and_what_stands_around() -> None:
    before = ["A/note-001\t0\t4\tDATE\t1", "A/note-001\t9\t12\tAGE\t1", "x\t0\t0\tseen\t5"]
    after = ["A/note-001\t0\t4\tPHONE\t1", "A/note-001\t20\t23\tAGE\t1", "x\t0\t0\tseen\t5"]
    found = changes(before, after)
    assert [(change.before, change.after) for change in found] == [
        (before[0], after[0]),
        (before[1], None),
        (None, after[1]),
    ]
    assert "⟦" in str(found[0])
    assert str(found[1]).startswith(f"  - {before[1]}\n      in: ")


def _room(name: str) -> str:
    return name.partition("/")[0]
