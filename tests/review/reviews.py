"""Small reviews for tests: notes without a model's work, marked by hand."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from incognote.document import Document, Span
from incognote.pipeline import Deidentifier
from incognote.review.app import application
from incognote.review.desk import Desk, Role
from incognote.review.project import Content, Doubtful, Project, keep_project, make_project
from incognote.review.reviewers import invite
from incognote.review.store import NewNote

KEY = b"for tests only, 32 bytes or more"
DESCRIBED = {"name": "notes", "replacement": "tag", "risk": 0.1, "confidence": 0.95}


def note(text: str, *found: tuple[str, str], id: str = "", patient: str | None = None) -> Document:
    """A note in which these words were found, each where it stands first."""
    spans = [
        Span.of(text, at := text.index(words), at + len(words), type, score=0.9, source="model")
        for words, type in found
    ]
    return Document(id, text, tuple(spans), patient=patient)


def review_of(
    folder: Path,
    notes: Sequence[Document],
    *,
    readers: int = 1,
    doubtful: Sequence[Doubtful] = (),
    database: str | None = None,
) -> Project:
    """A review in which every note is of the sample."""
    project = make_project(folder, KEY, database=database, described=dict(DESCRIBED))
    seal = project.seal
    project.store.add_notes(
        NewNote(
            fingerprint=seal.fingerprint(each.text),
            patient=None if each.patient is None else seal.fingerprint(each.patient),
            characters=len(each.text),
            expected_missed=1 / number,
            sampled=True,
            readers=readers,
            content=seal.close_note(Content(each, tuple(doubtful)), number),
        )
        for number, each in enumerate(notes, 1)
    )
    keep_project(project)
    return project


class Client:
    """A reviewer's browser, without the browser."""

    def __init__(self, desk: Desk, name: str, role: Role = "reviewer") -> None:
        self.http = TestClient(application(desk), base_url="http://127.0.0.1")
        self.secret = invite(desk.project.store, name, role)
        assert self.http.post("/api/enter", json={"secret": self.secret}).status_code == 204
        self.csrf = self.http.get("/api/session").json()["csrf"]

    def get(self, path: str, status: int = 200) -> Any:
        answer = self.http.get(f"/api/{path}")
        assert answer.status_code == status, answer.text
        return answer.json()

    def post(self, path: str, status: int = 200, /, **body: Any) -> Any:
        answer = self.http.post(f"/api/{path}", json=body, headers={"X-CSRF": self.csrf})
        assert answer.status_code == status, answer.text
        return answer.json()

    def act(self, number: int, do: str, status: int = 200, /, **wish: Any) -> Any:
        """An action on the note as it is now."""
        version = self.get(f"notes/{number}")["version"]
        return self.post(f"notes/{number}/actions", status, version=version, do=do, **wish)

    def finish(self, number: int, status: int = 200) -> Any:
        version = self.get(f"notes/{number}")["version"]
        return self.post(f"notes/{number}/reading", status, version=version, state="done")


def desk_of(project: Project) -> Desk:
    """A desk that replaces by tags, without a model."""
    return Desk(project, Deidentifier("tag", detector="rules"))


def random_secret() -> str:
    """Of nobody."""
    return secrets.token_urlsafe(24)
