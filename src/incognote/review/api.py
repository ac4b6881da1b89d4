"""The routes of the review page. Offsets count UTF-16 units, as the browser's strings do."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, HTTPException, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from incognote.phi import CATEGORIES
from incognote.review import desk as work
from incognote.review.desk import Desk
from incognote.review.marks import Kind, Mark
from incognote.review.project import Content
from incognote.review.store import ADJUDICATION, Reading, Reviewer, Session
from incognote.serve.offsets import Offsets

COOKIE = "incognote_review"
SESSION_SECONDS = 12 * 3600
_LONGEST_MEMO = 10_000

router = APIRouter(prefix="/api")


def digest(secret: str) -> str:
    """What is kept of a secret."""
    return sha256(secret.encode()).hexdigest()


class Body(BaseModel):
    """Of a request: nothing that is not known."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Entry(Body):
    """The secret of an invitation."""

    secret: str = Field(max_length=200)


class Wish(Body):
    """What a reviewer wants done to the marks of a note."""

    version: int
    do: Kind
    mark: int | None = None
    start: int | None = None
    end: int | None = None
    type: str | None = Field(None, max_length=80)
    least: float = Field(0.0, ge=0, le=1)


class ReadingChange(Body):
    """Whether a note is finished, flagged for a second look, and what its reader notes down."""

    version: int
    state: Literal["open", "done"] | None = None
    flagged: bool | None = None
    memo: str | None = Field(None, max_length=_LONGEST_MEMO)


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


TheDesk = Annotated[Desk, Depends(_desk)]


def _session(request: Request, desk: TheDesk) -> Session:
    secret = request.cookies.get(COOKIE, "")
    found = desk.project.store.session(digest(secret)) if secret else None
    if found is None:
        raise HTTPException(401, "open the review with the link that you were given")
    return found


TheSession = Annotated[Session, Depends(_session)]


def _writer(session: TheSession, x_csrf: Annotated[str, Header()] = "") -> Reviewer:
    """Who changes something: another site cannot know the token."""
    if not hmac.compare_digest(session.csrf.encode(), x_csrf.encode("utf-8", "replace")):
        raise HTTPException(403, "the page is out of date: reload it")
    return session.reviewer


TheWriter = Annotated[Reviewer, Depends(_writer)]


@router.post("/enter", status_code=204)
def enter(entry: Entry, request: Request, response: Response, desk: TheDesk) -> None:
    """Sign in with the secret of an invitation; a new session each time."""
    reviewer = desk.project.store.reviewer_of(digest(entry.secret))
    if reviewer is None:
        raise HTTPException(401, "this link does not open the review any more: ask for another")
    session, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    desk.project.store.begin_session(digest(session), reviewer.reviewer, csrf, SESSION_SECONDS)
    response.set_cookie(
        COOKIE,
        session,
        max_age=SESSION_SECONDS,
        path=request.scope.get("root_path", "") or "/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )


@router.post("/leave", status_code=204)
def leave(writer: TheWriter, request: Request, response: Response, desk: TheDesk) -> None:
    """Sign out."""
    desk.project.store.end_session(digest(request.cookies.get(COOKIE, "")))
    response.delete_cookie(COOKIE, path=request.scope.get("root_path", "") or "/")


@router.get("/session")
def session(session: TheSession, desk: TheDesk) -> Mapping[str, Any]:
    """Who reads, the token that changes need, and what a mark can be."""
    described = desk.project.described
    return {
        "reviewer": {"name": session.reviewer.name, "role": session.reviewer.role},
        "csrf": session.csrf,
        "project": {
            "name": described["name"],
            "replacement": described["replacement"],
            "confidence": desk.project.confidence,
            "risk": described["risk"],
        },
        "types": [
            {"type": type, "category": category}
            for category in CATEGORIES
            for type in desk.types.named(category)
        ],
    }


@router.get("/queue")
def queue(session: TheSession, desk: TheDesk, search: str = "") -> Mapping[str, Any]:
    """The notes in their order, each with how far it is and whose; `search` is of ids and words."""
    return {"notes": [asdict(each) for each in desk.queue(session.reviewer, search.strip())]}


@router.get("/notes/{note}")
def note(note: int, session: TheSession, desk: TheDesk) -> Response:
    """A note with its marks as this reviewer left them; it is written down who saw it."""
    reading = desk.reading_for(session.reviewer, note)
    desk.project.store.saw(session.reviewer.reviewer, note, "read")
    return _json(_view(desk, reading, whole=True))


@router.post("/notes/{note}/actions")
def act(note: int, wish: Wish, writer: TheWriter, desk: TheDesk) -> Response:
    """Change marks; gives the marks and the output as they are then."""
    content = desk.project.content(note)
    units = Offsets(content.document.text, "utf16")
    request = work.Request(
        do=wish.do,
        mark=wish.mark,
        start=None if wish.start is None else units.code_point(wish.start),
        end=None if wish.end is None else units.code_point(wish.end),
        type=wish.type,
        least=wish.least,
    )
    reading = desk.act(writer, note, wish.version, request)
    return _json(_view(desk, reading, content=content))


@router.post("/notes/{note}/reading")
def change(note: int, change: ReadingChange, writer: TheWriter, desk: TheDesk) -> Response:
    """Finish a note or open it again, flag it, note something down."""
    reading = desk.reading_for(writer, note)
    if change.flagged is not None or change.memo is not None:
        desk.annotate(reading, flagged=change.flagged, memo=change.memo)
    if change.state == "done":
        desk.finish(writer, note, change.version)
    elif change.state == "open":
        desk.reopen(writer, note)
    return _json(_view(desk, desk.reading_for(writer, note)))


@router.get("/statistics")
def statistics(session: TheSession, desk: TheDesk) -> Mapping[str, Any]:
    """What the sample says so far of all notes."""
    return desk.readings.statistics().to_json()


def _json(value: Mapping[str, Any]) -> Response:
    """In ASCII: a note may have half of a pair of UTF-16, which no UTF-8 can write."""
    return Response(json.dumps(value), media_type="application/json")


def _view(
    desk: Desk, reading: Reading, *, content: Content | None = None, whole: bool = False
) -> dict[str, Any]:
    content = content or desk.project.content(reading.note)
    text = content.document.text
    units = Offsets(text, "utf16")
    marks = desk.readings.marks(reading, content)
    result = desk.output(marks.document(content.document))
    output = result.output
    out_units = Offsets(output.text, "utf16")
    view: dict[str, Any] = {
        "note": reading.note,
        "version": reading.version,
        "state": reading.state,
        "flagged": reading.flagged,
        "adjudication": reading.number == ADJUDICATION,
        "undo": marks.can_undo,
        "redo": marks.can_redo,
        "marks": [_mark(mark, units) for mark in marks if mark.status != "replaced"],
        "output": {
            "text": output.text,
            "spans": [
                {
                    "start": out_units.of(new.start),
                    "end": out_units.of(new.end),
                    "type": new.type,
                    "from": units.of(old.start),
                    "to": units.of(old.end),
                }
                for new, old in zip(output.spans, result.spans, strict=True)
            ],
        },
    }
    if whole:
        view |= {
            "id": content.document.id,
            "place": content.place,
            "text": text,
            "memo": desk.memo(reading),
            "doubtful": [
                {
                    "start": units.of(d.start),
                    "end": units.of(d.end),
                    "type": d.type,
                    "score": d.score,
                }
                for d in content.doubtful
            ],
        }
    return view


def _mark(mark: Mark, units: Offsets) -> dict[str, Any]:
    return {
        "id": mark.id,
        "start": units.of(mark.start),
        "end": units.of(mark.end),
        "type": mark.type,
        "score": round(mark.score, 4),
        "source": mark.source,
        "status": mark.status,
    }
