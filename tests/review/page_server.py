"""The review page on a real server, and what its tests do with it over and over."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chromium
import uvicorn
from review.reviews import review_of

from incognote.document import Document
from incognote.pipeline import Deidentifier
from incognote.review.app import application
from incognote.review.desk import Desk, Role
from incognote.review.project import Doubtful
from incognote.review.reviewers import invite
from incognote.review.store import ADJUDICATION

SAVED = "document.querySelector('#saved').textContent === 'Everything is saved'"


@contextmanager
def served(desk: Desk) -> Iterator[str]:
    """A server of a review; gives its address."""
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(application(desk), log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()


class Reader:
    """Somebody who reads a review in the browser."""

    def __init__(self, page: chromium.Page, desk: Desk, address: str) -> None:
        self.page, self.desk, self.address = page, desk, address

    def enter(self, name: str = "Anna", role: Role = "reviewer") -> None:
        """Come in by a link, and wait for the first note."""
        secret = invite(self.desk.project.store, name, role)
        self.page.visit(f"{self.address}#{secret}")
        self.page.until("document.querySelector('#note .block')")

    def press(self, *keys: str) -> None:
        """Press keys, and wait until what they did is saved and shown."""
        self.page.press(*keys)
        self.page.until(SAVED)
        self.page.settle()

    def type_words(self, words: str) -> None:
        """Press the keys of a text."""
        self.page.press(*words)

    def text(self, selector: str) -> str:
        """The words of the first element that fits."""
        return str(self.page.run(f"document.querySelector({json.dumps(selector)}).textContent"))

    @property
    def status(self) -> str:
        """The sentence at the foot of the page."""
        return self.text("#status").strip()

    @property
    def shown(self) -> str:
        """The text of the note as the page holds it."""
        return str(
            self.page.run(
                "[...document.querySelectorAll('#note .block')].map(b => b.textContent).join('')"
            )
        )

    def open(self, number: int) -> None:
        """Open a note of the list."""
        self.page.run(f"document.querySelector('#note-{number}').click()")
        self.page.until(
            f"document.querySelector('#note-title').textContent.startsWith('Note {number}:')"
        )

    def marks(self, number: int) -> list[tuple[str, str, str]]:
        """The marks of the newest reading as the store has them: words, type and status."""
        readings = self.desk.project.store.readings(number)
        reading = next((r for r in readings if r.number == ADJUDICATION), readings[0])
        text = self.desk.project.content(number).document.text
        return [
            (text[mark.start : mark.end], mark.type, mark.status)
            for mark in self.desk.readings.marks(reading)
            if mark.status != "replaced"
        ]


@contextmanager
def reader_of(
    page: chromium.Page,
    folder: Path,
    deidentifier: Deidentifier,
    notes: Sequence[Document],
    **options: Any,
) -> Iterator[Reader]:
    """A review of these notes on a server, to be read in this page."""
    project = review_of(folder / "review", notes, **options)
    desk = Desk(project, deidentifier)
    try:
        with served(desk) as address:
            try:
                yield Reader(page, desk, address)
            finally:
                page.call("Page.navigate", url="about:blank")
    finally:
        project.close()


def doubtful(text: str, words: str, type: str, score: float = 0.3) -> Doubtful:
    """A doubtful place of a text."""
    start = text.index(words)
    return Doubtful(start, start + len(words), type, score)
