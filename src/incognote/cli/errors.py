"""Which errors are the user's to mend, and how they read in one line."""

from __future__ import annotations

import click

from incognote.document import DocumentError
from incognote.formats.container import FormatError
from incognote.replace import PolicyError
from incognote.workflows.run.inputs import RunError

EXPECTED = (RunError, FormatError, PolicyError, DocumentError, OSError, click.ClickException)


def one_line(error: Exception) -> str:
    """The sentence to print."""
    if isinstance(error, click.ClickException):
        hint = ""
        if isinstance(error, click.UsageError) and error.ctx is not None:
            hint = f" (see: {error.ctx.command_path} --help)"
        return " ".join(error.format_message().split()) + hint
    if isinstance(error, OSError):
        reason = (error.strerror or type(error).__name__).lower()
        return f"{error.filename}: {reason}" if error.filename else reason
    return str(error)
