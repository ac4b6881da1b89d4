"""One family of errors that are the user's to mend."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import incognote
from incognote.base.errors import CalibrationError, StoppedError, TrainError, UserError
from incognote.cli.errors import EXPECTED, one_line

NEVER_SHOWN = {
    "AzureError",
    "CancelledError",
    "JobFileError",
    "MisjudgedError",
    "PresidioError",
    "_EntityError",
}
"""Caught where they are raised, or answered by the service in the form of another's."""


def _error_classes() -> Iterator[tuple[str, set[str]]]:
    for path in Path(incognote.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                yield node.name, {ast.unparse(base) for base in node.bases}


def test_every_error_of_the_package_belongs_to_the_family() -> None:
    outside = {
        name
        for name, bases in _error_classes()
        if bases & {"Exception", "ValueError", "RuntimeError"} and "UserError" not in bases
    }
    assert outside == NEVER_SHOWN | {"UserError"}


def test_the_command_line_knows_the_whole_family() -> None:
    assert issubclass(CalibrationError, EXPECTED)
    assert one_line(TrainError("notes.txt: is empty")) == "notes.txt: is empty"


def test_a_refusal_and_a_run_that_stopped_end_with_different_statuses() -> None:
    assert (UserError.status, TrainError.status, StoppedError.status) == (2, 2, 1)


def test_a_wrong_value_is_a_value_error_for_programs() -> None:
    assert issubclass(TrainError, ValueError)
