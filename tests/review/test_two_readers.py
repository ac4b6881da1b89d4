"""Two blind readers, and an adjudicator where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from review.reviews import Client, desk_of, note, review_of

from incognote.review.desk import Desk

NOTE = note("Anna Lee saw Dr. Okafor in Springfield.", ("Anna Lee", "PATIENT"), id="a")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    project = review_of(tmp_path / "review", [NOTE], readers=2)
    yield desk_of(project)
    project.close()


def add(client: Client, words: str, type: str) -> None:
    start = NOTE.text.index(words)
    client.act(1, "add", start=start, end=start + len(words), type=type)


def test_readers_do_not_see_each_other(desk: Desk) -> None:
    anna, ben, eve = (Client(desk, name) for name in ("anna", "ben", "eve"))
    add(anna, "Okafor", "DOCTOR")
    assert len(ben.get("notes/1")["marks"]) == 1
    entry = ben.get("queue")["notes"][0]
    assert (entry["by"], entry["own"], entry["open"]) == (["ben"], "open", True)
    eve.get("notes/1", 403)
    assert not eve.get("queue")["notes"][0]["open"]


def test_two_who_agree_are_done(desk: Desk) -> None:
    anna, ben = Client(desk, "anna"), Client(desk, "ben")
    for each in (anna, ben):
        add(each, "Okafor", "DOCTOR")
        assert desk.readings.final(1) is None
        each.finish(1)
    final = desk.readings.final(1)
    assert final is not None
    assert [span.text for span in final.spans] == ["Anna Lee", "Okafor"]
    assert anna.get("statistics")["missed"] == 1


def test_where_they_differ_an_adjudicator_decides(desk: Desk) -> None:
    anna, ben = Client(desk, "anna"), Client(desk, "ben")
    add(anna, "Okafor", "DOCTOR")
    add(ben, "Dr. Okafor", "DOCTOR")
    add(ben, "Springfield", "CITY")
    anna.finish(1)
    ben.finish(1)
    assert desk.readings.final(1) is None
    assert anna.get("queue")["notes"][0]["stage"] == "differs"
    judge = Client(desk, "judge", "adjudicator")
    view = judge.get("notes/1")
    assert view["adjudication"]
    open_places = {
        (m["source"], m["start"], m["end"]) for m in view["marks"] if m["status"] == "proposed"
    }
    assert open_places == {
        ("first reader", 17, 23),
        ("second reader", 13, 23),
        ("second reader", 27, 38),
    }
    assert "are left" in judge.finish(1, 403)["detail"]
    chosen = {(m["start"], m["end"]): m["id"] for m in view["marks"]}
    judge.act(1, "accept", mark=chosen[17, 23])
    judge.act(1, "reject", mark=chosen[27, 38])
    judge.finish(1)
    final = desk.readings.final(1)
    assert final is not None
    assert [span.text for span in final.spans] == ["Anna Lee", "Okafor"]
    again = anna.get("notes/1")
    anna.post("notes/1/reading", 403, version=again["version"], state="open")
