"""Which errors are the user's to mend, and how they read in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from incognote.base.errors import UserError, reason_of

# typer carries its own click or uses the one installed, by version: its own exception tells which.
_USAGE: Any = typer.BadParameter.__mro__[1]
_CLICK: Any = typer.BadParameter.__mro__[2]
EXPECTED: tuple[type[BaseException], ...] = (UserError, OSError, _CLICK)


@contextmanager
def installed(who_needs: str, extra: str = "train") -> Iterator[None]:
    """Say what to install where an import fails; `who_needs` is such as "training needs"."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise typer.BadParameter(
            f"{who_needs} {error.name}, which is not installed: pip install 'incognote[{extra}]'"
        ) from None


def one_line(error: Any) -> str:
    """The sentence to print."""
    if isinstance(error, _CLICK):
        context = error.ctx if isinstance(error, _USAGE) else None
        hint = f" (see: {context.command_path} --help)" if context is not None else ""
        return " ".join(error.format_message().split()) + hint
    if isinstance(error, OSError):
        reason = reason_of(error)
        return f"{error.filename}: {reason}" if error.filename else reason
    return str(error)
