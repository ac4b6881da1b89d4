"""The review that a command is about: its key, its database, and how it is opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from incognote.review.project import Project

REVIEW = "Review"

ReviewKey = Annotated[
    Path | None,
    typer.Option(
        "--review-key",
        metavar="FILE",
        help="File with the key that opens the words of the notes; by default REVIEW.key beside the "
        "folder. `review start` makes it. Keep it apart from backups of the folder.",
        rich_help_panel=REVIEW,
    ),
]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Database of the review: SQLite, within the review, by default; or "
        "postgresql+psycopg://USER@HOST/NAME.",
        rich_help_panel=REVIEW,
    ),
]


def key_beside(folder: Path) -> Path:
    """Where the key of a review is, unless it is named."""
    return folder.with_name(f"{folder.resolve().name}.key")


@contextmanager
def opened_review(folder: Path, key: Path | None, database: str | None) -> Iterator[Project]:
    """A review that was begun, closed at the end."""
    from incognote.cli.errors import installed

    with installed("a review needs", "review"):
        from incognote.review.project import check_begun, open_project
    from incognote.runs.secret_files import read_key

    check_begun(folder)
    project = open_project(folder, read_key(key or key_beside(folder)), database=database)
    try:
        yield project
    finally:
        project.close()
