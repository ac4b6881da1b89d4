"""The folder of a review: what it is of, its database, and the key that opens the words of its notes."""

from __future__ import annotations

import hmac
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incognote import __version__
from incognote.base.errors import RunError, reason_of
from incognote.base.files import JsonError, read_json, write_private
from incognote.document import Document, Span
from incognote.replace.vault.keys import Sealer, Secret, VaultError, derive, new_derivation
from incognote.review.store import Store
from incognote.runs.decisions import fingerprint

FILE, SQLITE = "review.json", "sqlite:///{}"
DATABASE = "review.sqlite3"
_SCHEMA = 1


@dataclass(frozen=True)
class Doubtful:
    """Words that nothing marked, the type they may be of, and how likely that is."""

    start: int
    end: int
    type: str
    score: float


@dataclass(frozen=True)
class Content:
    """The words of a note with what detection found in them, and what it left in doubt."""

    document: Document
    doubtful: tuple[Doubtful, ...] = ()
    place: str = ""
    """The file that it comes from."""


class Seal:
    """Seals the words of notes, and names notes and patients so that only the key's owner knows them."""

    def __init__(self, key: bytes, review: dict[str, Any]) -> None:
        try:
            keys = derive(Secret.key_file(key), review["derivation"])
            self._sealer = Sealer(keys, b"review " + bytes.fromhex(review["id"]))
        except VaultError as error:
            raise RunError(str(error).replace("vault", "review")) from None
        self.naming = keys.naming

    def fingerprint(self, text: str) -> str:
        """What a text is called where it may not stand."""
        return fingerprint(text, self.naming)

    def close(self, words: bytes, about: str) -> bytes:
        """Words as a seal, that opens for the same `about` only."""
        return self._sealer.seal(words, about.encode())

    def open(self, seal: bytes, about: str) -> bytes:
        """What was sealed."""
        try:
            return self._sealer.open(seal, about.encode())
        except VaultError:
            raise RunError(
                "a note of the review does not open: this is not its key file, or the note was changed"
            ) from None

    def close_note(self, content: Content, number: int) -> bytes:
        """A note."""
        document = content.document
        value = {
            "id": document.id,
            "text": document.text,
            "patient": document.patient,
            "place": content.place,
            "spans": [[s.start, s.end, s.type, s.score, s.source] for s in document.spans],
            "doubtful": [[d.start, d.end, d.type, d.score] for d in content.doubtful],
        }
        return self.close(json.dumps(value).encode(), f"note {number}")

    def open_note(self, seal: bytes, number: int) -> Content:
        """The note of that number."""
        value = json.loads(self.open(seal, f"note {number}"))
        text = value["text"]
        spans = (
            Span.of(text, start, end, type, score=score, source=source)
            for start, end, type, score, source in value["spans"]
        )
        document = Document(value["id"], text, tuple(spans), patient=value["patient"])
        doubtful = tuple(Doubtful(*each) for each in value["doubtful"])
        return Content(document, doubtful, value["place"])


@dataclass(frozen=True)
class Project:
    """A review that is open."""

    folder: Path
    described: dict[str, Any]
    store: Store
    seal: Seal

    @property
    def confidence(self) -> float:
        """Of the intervals that the review gives."""
        return float(self.described["confidence"])

    def content(self, note: int) -> Content:
        """The words of a note."""
        sealed = self.store.content(note)
        if sealed is None:
            raise RunError(f"the review has no note {note}")
        return self.seal.open_note(sealed, note)

    def close(self) -> None:
        """Close the database."""
        self.store.close()


def make_project(
    folder: Path, key: bytes, *, database: str | None, described: dict[str, Any]
) -> Project:
    """A new review in a folder that only its owner may read."""
    if (folder / FILE).exists():
        raise RunError(
            f"{folder}: has a review already; go on with it: incognote review open {folder}"
        )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"{folder}: cannot be made: {reason_of(error)}") from None
    if any(folder.iterdir()):
        raise RunError(f"{folder}: is not empty; name a new folder")
    review = {
        "schema": _SCHEMA,
        "incognote": __version__,
        "id": secrets.token_hex(16),
        "derivation": new_derivation("key file", secrets.token_bytes(16)),
        "database": database,
        **described,
    }
    seal = Seal(key, review)
    review["check"] = seal.fingerprint("")
    store = Store(_url(folder, database))
    store.set("review", review["id"])
    return Project(folder, review, store, seal)


def keep_project(project: Project) -> None:
    """Write what the review is: from then on it can be opened."""
    content = json.dumps(project.described, indent=1).encode() + b"\n"
    write_private(project.folder / FILE, content)


def discard_project(project: Project) -> None:
    """Leave nothing of a review that could not be made."""
    project.close()
    for path in project.folder.iterdir():  # it was empty before
        path.unlink()
    project.folder.rmdir()


def check_begun(folder: Path) -> None:
    """Refuse a folder without a review."""
    if not (folder / FILE).is_file():
        raise RunError(
            f"{folder}: there is no review here; begin one: incognote review start NOTES -o {folder}"
        )


def open_project(folder: Path, key: bytes, *, database: str | None = None) -> Project:
    """A review that was begun; its key is the one it had."""
    check_begun(folder)
    path = folder / FILE
    try:
        review = read_json(path)
        known = int(review["schema"])
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {reason_of(error)}") from None
    except (JsonError, KeyError, TypeError, ValueError):
        raise RunError(f"{path}: is not what a review says of itself") from None
    if known > _SCHEMA:
        raise RunError(f"{path}: was made by a newer incognote: install that one")
    seal = Seal(key, review)
    if not hmac.compare_digest(seal.fingerprint(""), str(review["check"])):
        raise RunError(f"{folder}: this key file is not the one of the review")
    store = Store(_url(folder, database or review["database"]))
    if store.setting("review") != review["id"]:
        store.close()
        raise RunError(f"{folder}: the database is of another review")
    return Project(folder, review, store, seal)


def _url(folder: Path, database: str | None) -> str:
    if database is not None:
        return database
    path = folder / DATABASE
    with os.fdopen(os.open(path, os.O_CREAT | os.O_RDWR, 0o600)):
        pass
    return SQLITE.format(path.resolve())
