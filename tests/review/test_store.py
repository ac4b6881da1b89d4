"""The store under several writers and under kills: what was answered is there, and nothing twice."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from review.reviews import KEY, desk_of, note, review_of
from sqlalchemy import text

from incognote.review.desk import Request
from incognote.review.project import open_project
from incognote.review.readings import NotAllowedError
from incognote.review.sample import SamplePlan
from incognote.review.start import start_review
from incognote.review.store import ConflictError, Store
from incognote.review.tables import MIGRATIONS, StoreError
from incognote.runs.inputs import list_inputs
from incognote.runs.settings import Settings

NOTES = [note(f"Note {number}: Anna Lee was here.", ("Anna Lee", "PATIENT")) for number in range(6)]


def test_many_reviewers_at_once(tmp_path: Path) -> None:
    project = review_of(tmp_path / "review", NOTES)
    desk = desk_of(project)
    people = [project.store.add_reviewer(name, "reviewer", name) for name in "abcdef"]
    refused, acted = [], []

    def work(person: int) -> None:
        draw = random.Random(person)
        for _ in range(25):
            number = draw.randint(1, len(NOTES))
            try:
                reading = desk.reading_for(people[person], number)
                desk.act(
                    people[person], number, reading.version, Request("add", None, 0, 4, "IDNUM")
                )
                desk.act(people[person], number, reading.version + 1, Request("undo"))
                acted.append(number)
            except (NotAllowedError, ConflictError):
                refused.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(people))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    readings = project.store.readings()
    assert len({each.note for each in readings}) == len(readings)
    assert sum(each.version for each in readings) == 2 * len(acted)
    assert refused
    for each in readings:
        assert len(project.store.actions(each.reading)) == each.version
    project.close()


WORKER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from review.reviews import KEY, desk_of
from incognote.review.project import open_project
from incognote.review.desk import Request

desk = desk_of(open_project(Path(sys.argv[1]), KEY))
person = desk.project.store.reviewers()[0]
print("ready", flush=True)
while True:
    for number in range(1, 7):
        reading = desk.reading_for(person, number)
        do = Request("reject", 0) if reading.version % 2 == 0 else Request("undo")
        after = desk.act(person, number, reading.version, do)
        print(number, after.version, flush=True)
"""


def test_what_was_answered_survives_a_kill(tmp_path: Path) -> None:
    project = review_of(tmp_path / "review", NOTES)
    project.store.add_reviewer("anna", "reviewer", "x")
    project.close()
    draw = random.Random(7)
    for _ in range(2):
        tests = str(Path(__file__).parent.parent)
        worker = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(tmp_path / "review"), tests],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
        lines = [worker.stdout.readline() for _ in range(draw.randint(1, 30))]
        time.sleep(draw.uniform(0, 0.05))
        worker.send_signal(signal.SIGKILL)
        lines += [line for line in worker.stdout if line.endswith("\n")]
        answered = [tuple(map(int, line.split())) for line in lines]
        worker.stdout.close()
        worker.wait()
        project = open_project(tmp_path / "review", KEY)
        for number, version in answered:
            reading = project.store.readings(number)[0]
            assert reading.version >= version
            assert len(project.store.actions(reading.reading)) == reading.version
        project.close()


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    store = Store(url)
    with store.engine.begin() as connection:
        connection.execute(text("update project set value = :v where name = 'schema'"), {"v": "99"})
    store.close()
    with pytest.raises(StoreError, match="newer"):
        Store(url)
    assert len(MIGRATIONS) == 1


def test_databases_that_are_none_are_refused_in_one_sentence(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.sqlite3"
    damaged.write_bytes(b"not a database" * 100)
    for url in (f"sqlite:///{damaged}", "nonsense", "nonsense://x", "sqlite:////nowhere/x"):
        with pytest.raises(StoreError) as refusal:
            Store(url)
        assert "\n" not in str(refusal.value)


def test_sessions_end(tmp_path: Path) -> None:
    now = [0.0]
    store = Store(f"sqlite:///{tmp_path / 'x.sqlite3'}", clock=lambda: now[0])
    anna = store.add_reviewer("anna", "lead", "x")
    store.begin_session("s", anna.reviewer, "csrf", 10)
    assert store.session("s")
    now[0] = 11
    assert store.session("s") is None
    store.close()


def test_the_same_key_is_needed(tmp_path: Path) -> None:
    project = review_of(tmp_path / "review", NOTES)
    first = project.content(1)
    project.close()
    assert open_project(tmp_path / "review", KEY).content(1) == first


def test_nothing_is_left_of_a_review_that_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "note.txt").write_text("Anna Lee was here.")
    inputs = list_inputs([str(tmp_path / "note.txt")])

    def full(store: Store, notes: object) -> None:
        raise StoreError("no room is left")

    monkeypatch.setattr(Store, "add_notes", full)
    with pytest.raises(StoreError):
        start_review(inputs, Settings(find_by="rules"), SamplePlan(), tmp_path / "review", KEY)
    assert not (tmp_path / "review").exists()
