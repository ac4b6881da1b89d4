"""Running the command line as a user does."""

from __future__ import annotations

import io
import sys

import pytest
from commands import Command, Ran

from incognote.cli import main


@pytest.fixture
def incognote(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Command:
    """Run `incognote` with arguments, and bytes on standard input."""

    def run(*arguments: object, stdin: bytes | None = None) -> Ran:
        monkeypatch.setattr(sys, "argv", ["incognote", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "200")
        piped = io.TextIOWrapper(io.BytesIO(stdin or b""))
        if stdin is None:
            monkeypatch.setattr(piped, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(sys, "stdin", piped)
        with pytest.raises(SystemExit) as exit:
            main()
        out, err = capsysbinary.readouterr()
        assert b"Traceback" not in err
        return Ran(int(exit.value.code or 0), out, err.decode())

    return run
