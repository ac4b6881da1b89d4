"""A review over its routes: who may read what, what becomes of marks, and what is left in the files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from review.reviews import KEY, Client, desk_of, note, random_secret, review_of

from incognote.base.errors import RunError
from incognote.review.desk import Desk
from incognote.review.project import Doubtful, open_project

FIRST = note(
    "Anna Lee came with Tom. Dr. Okafor saw Mrs. Lee in Springfield. 😀 José stayed.",
    ("Anna Lee", "PATIENT"),
    ("Okafor", "DOCTOR"),
    ("came", "CITY"),
    id="first",
    patient="p1",
)
SECOND = note("Lee, A. called Dr. Okafor.", ("Okafor", "DOCTOR"), id="second", patient="p1")
OTHER = note("Mr. Lee is somebody else.", ("Lee", "PATIENT"), id="other", patient="p2")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    project = review_of(
        tmp_path / "review", [FIRST, SECOND, OTHER], doubtful=[Doubtful(19, 22, "PATIENT", 0.4)]
    )
    yield desk_of(project)
    project.close()


def marked(view: dict[str, object], text: str) -> set[tuple[str, str]]:
    """What will be replaced, by words and type; UTF-16 places are cut as a browser cuts them."""
    units = text.encode("utf-16-le")
    return {
        (units[2 * m["start"] : 2 * m["end"]].decode("utf-16-le"), m["type"])
        for m in view["marks"]  # type: ignore[attr-defined]
        if m["status"] in ("proposed", "accepted")
    }


def test_a_note_is_read_corrected_and_finished(desk: Desk) -> None:
    anna = Client(desk, "anna")
    view = anna.get("notes/1")
    assert view["text"] == FIRST.text
    assert view["doubtful"] == [{"start": 19, "end": 22, "type": "PATIENT", "score": 0.4}]
    wrong = next(m["id"] for m in view["marks"] if m["type"] == "CITY")
    view = anna.act(1, "reject", mark=wrong)
    assert view["output"]["text"].startswith("[PATIENT] came with Tom. Dr. [DOCTOR]")
    units = FIRST.text.encode("utf-16-le")
    start = units.index("José".encode("utf-16-le")) // 2
    view = anna.act(1, "add", start=start, end=start + 4, type="PATIENT")
    assert ("José", "PATIENT") in marked(view, FIRST.text)
    view = anna.act(1, "add", start=19, end=22, type="DOCTOR")
    added = next(m["id"] for m in view["marks"] if m["start"] == 19)
    view = anna.act(1, "retype", mark=added, type="PATIENT")
    view = anna.act(1, "undo")
    view = anna.act(1, "undo")
    assert ("Tom", "DOCTOR") not in marked(view, FIRST.text)
    view = anna.act(1, "redo")
    assert ("Tom", "DOCTOR") in marked(view, FIRST.text)
    assert view["redo"]
    assert anna.finish(1)["state"] == "done"
    anna.act(1, "undo", 403)
    told = anna.get("statistics")
    assert (told["read"], told["identifiers"], told["missed"], told["removed"]) == (1, 4, 2, 1)
    view = anna.get("notes/1")
    anna.post("notes/1/reading", version=view["version"], state="open")
    assert anna.get("statistics")["read"] == 0


def test_all_occurrences_and_the_person_in_the_patients_notes(desk: Desk) -> None:
    anna = Client(desk, "anna")
    view = anna.get("notes/1")
    name = next(m["id"] for m in view["marks"] if m["type"] == "PATIENT")
    view = anna.act(1, "person", mark=name)
    assert ("Lee", "PATIENT") in marked(view, FIRST.text)
    assert any(words.startswith("Lee") for words, _ in marked(anna.get("notes/2"), SECOND.text))
    assert marked(anna.get("notes/3"), OTHER.text) == {("Lee", "PATIENT")}
    view = anna.act(2, "everywhere", start=19, end=25, type="PATIENT")
    assert marked(view, SECOND.text) == {("Lee, A.", "PATIENT"), ("Okafor", "PATIENT")}


def test_bulk_accepts_by_type_and_confidence(desk: Desk) -> None:
    anna = Client(desk, "anna")
    anna.act(1, "bulk", type="DOCTOR", least=0.95)
    assert {m["status"] for m in anna.get("notes/1")["marks"]} == {"proposed"}
    view = anna.act(1, "bulk", type="DOCTOR", least=0.5)
    assert {m["type"]: m["status"] for m in view["marks"]} == {
        "PATIENT": "proposed",
        "DOCTOR": "accepted",
        "CITY": "proposed",
    }


def test_two_windows_cannot_lose_each_others_work(desk: Desk) -> None:
    anna = Client(desk, "anna")
    version = anna.get("notes/1")["version"]
    anna.post("notes/1/actions", version=version, do="accept", mark=0)
    refused = anna.post("notes/1/actions", 409, version=version, do="reject", mark=0)
    assert "another window" in refused["detail"]
    anna.post("notes/1/reading", 409, version=version, state="done")


def test_a_note_is_read_by_one_reviewer(desk: Desk) -> None:
    anna, ben = Client(desk, "anna"), Client(desk, "ben")
    anna.get("notes/1")
    assert "somebody else" in ben.get("notes/1", 403)["detail"]
    entry = ben.get("queue")["notes"][0]
    assert (entry["open"], entry["by"], entry["stage"]) == (False, ["anna"], "begun")
    ben.get("notes/2")
    ben.get("notes/9", 403)
    seen = [(each["name"], each["note"]) for each in desk.project.store.accesses()]
    assert seen == [("anna", 1), ("ben", 2)]


def test_search_finds_ids_and_words(desk: Desk) -> None:
    anna = Client(desk, "anna")
    for words, found in (("springfield", [1]), ("LEE", [1, 2, 3]), ("other", [3]), ("nobody", [])):
        assert [each["note"] for each in anna.get(f"queue?search={words}")["notes"]] == found


def test_flags_and_memos_are_kept(desk: Desk) -> None:
    anna = Client(desk, "anna")
    version = anna.get("notes/1")["version"]
    anna.post("notes/1/reading", version=version, flagged=True, memo="ask Dr. Okafor 😀")
    view = anna.get("notes/1")
    assert (view["flagged"], view["memo"]) == (True, "ask Dr. Okafor 😀")
    assert anna.get("queue")["notes"][0]["flagged"]


@pytest.mark.parametrize(
    ("wish", "status"),
    [
        ({"do": "add", "start": 3, "end": 3, "type": "CITY"}, 422),
        ({"do": "add", "start": 0, "end": 5000, "type": "CITY"}, 422),
        ({"do": "add", "start": 0, "end": 4, "type": "NOBODY"}, 403),
        ({"do": "add", "start": 66, "end": 67, "type": "CITY"}, 422),  # half of an emoji
        ({"do": "reject", "mark": 99}, 422),
        ({"do": "undo"}, 403),
        ({"do": "explode"}, 422),
        ({"do": "accept", "mark": 0, "path": "/etc/passwd"}, 422),
        ({"do": "bulk", "least": 2}, 422),
    ],
)
def test_what_does_not_fit_is_refused(desk: Desk, wish: dict[str, object], status: int) -> None:
    anna = Client(desk, "anna")
    do = str(wish.pop("do"))
    anna.act(1, do, status, **wish)
    assert anna.get("notes/1")["version"] == 0


def test_nobody_without_a_session_sees_anything(desk: Desk) -> None:
    anna = Client(desk, "anna")
    anna.http.cookies.clear()
    for path in ("session", "queue", "notes/1", "statistics"):
        anna.get(path, 401)
    anna.post("notes/1/actions", 401, version=0, do="accept", mark=0)
    assert anna.http.post("/api/enter", json={"secret": random_secret()}).status_code == 401
    anna.http.cookies.set("incognote_review", random_secret())
    anna.get("queue", 401)


def test_changes_need_the_token_of_the_session(desk: Desk) -> None:
    anna, ben = Client(desk, "anna"), Client(desk, "ben")
    for wrong in ("", "x", ben.csrf, "ä"):
        answer = anna.http.post(
            "/api/notes/1/actions",
            json={"version": 0, "do": "accept", "mark": 0},
            headers={b"X-CSRF": wrong.encode()},
        )
        assert answer.status_code == 403


def test_each_entry_begins_a_new_session_and_a_new_link_ends_them(desk: Desk) -> None:
    anna = Client(desk, "anna")
    before = anna.http.cookies["incognote_review"]
    again = anna.http.post("/api/enter", json={"secret": anna.secret})
    assert again.cookies["incognote_review"] != before
    flags = again.headers["set-cookie"].lower()
    assert "httponly" in flags
    assert "samesite=strict" in flags
    Client(desk, "anna")  # another link
    anna.get("queue", 401)
    assert anna.http.post("/api/enter", json={"secret": anna.secret}).status_code == 401


def test_words_of_notes_are_sealed(desk: Desk, tmp_path: Path) -> None:
    anna = Client(desk, "anna")
    version = anna.get("notes/1")["version"]
    anna.post("notes/1/reading", version=version, memo="Tom is her nephew")
    anna.act(1, "add", start=19, end=22, type="PATIENT")
    desk.project.close()
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for words in ("Okafor", "Springfield", "nephew", "first", "Anna", 'p1"'):
        assert words.encode() not in written, words
    for path in (tmp_path / "review").iterdir():
        assert path.stat().st_mode & 0o077 == 0, path.name


def test_another_key_does_not_open_it(desk: Desk, tmp_path: Path) -> None:
    again = open_project(tmp_path / "review", KEY)
    assert again.content(1).document == desk.project.content(1).document
    again.close()
    with pytest.raises(RunError, match="key file is not the one"):
        open_project(tmp_path / "review", b"another key of at least 16 bytes")
    with pytest.raises(RunError, match="there is no review here"):
        open_project(tmp_path, KEY)


def test_half_of_a_pair_is_shown_as_it_is(tmp_path: Path) -> None:
    """A note may have what no UTF-8 can write."""
    project = review_of(tmp_path / "review", [note("x \ud800 Ann", ("Ann", "PATIENT"))])
    view = Client(desk_of(project), "anna").get("notes/1")
    assert view["text"] == "x \ud800 Ann"
    assert [(m["start"], m["end"]) for m in view["marks"]] == [(4, 7)]
    project.close()
