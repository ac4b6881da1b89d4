"""The tables of a review, how they came to be, and the databases that hold them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    delete,
    event,
    insert,
    inspect,
    select,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from incognote.base.errors import UserError

tables = MetaData()

project = Table(
    "project",
    tables,
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)
notes = Table(
    "notes",
    tables,
    Column("note", Integer, primary_key=True, autoincrement=False),
    Column("fingerprint", String(64), nullable=False, unique=True),
    Column("patient", String(64)),
    Column("characters", Integer, nullable=False),
    Column("expected_missed", Float, nullable=False),
    Column("sampled", Boolean, nullable=False),
    Column("readers", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
reviewers = Table(
    "reviewers",
    tables,
    Column("reviewer", Integer, primary_key=True),
    Column("name", String(80), nullable=False, unique=True),
    Column("role", String(16), nullable=False),
    Column("secret", String(64), nullable=False, unique=True),
    Column("active", Boolean, nullable=False, default=True),
)
readings = Table(
    "readings",
    tables,
    Column("reading", Integer, primary_key=True),
    Column("note", ForeignKey("notes.note"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("reviewer", ForeignKey("reviewers.reviewer"), nullable=False),
    Column("state", String(8), nullable=False, default="open"),
    Column("flagged", Boolean, nullable=False, default=False),
    Column("version", Integer, nullable=False, default=0),
    Column("memo", LargeBinary),
    Column("begun", Float, nullable=False),
    Column("ended", Float),
    UniqueConstraint("note", "number"),
    UniqueConstraint("note", "reviewer"),
)
actions = Table(
    "actions",
    tables,
    Column("reading", ForeignKey("readings.reading"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(12), nullable=False),
    Column("changes", Text, nullable=False),
    Column("reviewer", ForeignKey("reviewers.reviewer"), nullable=False),
    Column("at", Float, nullable=False),
)
sessions = Table(
    "sessions",
    tables,
    Column("session", String(64), primary_key=True),
    Column("reviewer", ForeignKey("reviewers.reviewer"), nullable=False),
    Column("csrf", String(64), nullable=False),
    Column("expires", Float, nullable=False),
)
access = Table(
    "access",
    tables,
    Column("entry", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("reviewer", ForeignKey("reviewers.reviewer"), nullable=False),
    Column("note", ForeignKey("notes.note"), nullable=False),
    Column("what", String(12), nullable=False),
    Index("access_by_note", "note", "at"),
)


class StoreError(UserError):
    """A database of a review that cannot be used."""

    status = 1


def _initial(connection: Connection) -> None:
    tables.create_all(connection)


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (_initial,)
"""From each version of the tables to the next; a review that is opened is brought up to date."""


def migrate(connection: Connection) -> None:
    """Bring the tables up to date."""
    version = 0
    if inspect(connection).has_table(project.name):
        value = connection.scalar(select(project.c.value).where(project.c.name == "schema"))
        version = int(value or 0)
    if version > len(MIGRATIONS):
        raise StoreError("the review was made by a newer incognote: install that one")
    for number, step in enumerate(MIGRATIONS[version:], version + 1):
        step(connection)
        keep_setting(connection, "schema", str(number))


def keep_setting(connection: Connection, name: str, value: str) -> None:
    """Keep a value in place of the one before."""
    connection.execute(delete(project).where(project.c.name == name))
    connection.execute(insert(project).values(name=name, value=value))


def engine_of(url: str) -> Engine:
    try:
        parsed = make_url(url)
        engine = create_engine(parsed, pool_pre_ping=parsed.get_backend_name() != "sqlite")
    except ModuleNotFoundError as missing:
        raise StoreError(
            f"this database needs the package {missing.name}: pip install it"
        ) from None
    except SQLAlchemyError:
        raise StoreError(
            "the database must be sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME"
        ) from None
    if parsed.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _sqlite_safely)
    return engine


def _sqlite_safely(connection: Any, _: Any) -> None:
    """What is committed survives a killed process and a cut of power; readers never wait."""
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "busy_timeout=20000",
        "secure_delete=ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
