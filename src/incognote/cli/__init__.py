"""The command line: one command per file, each thin: parse, call, show.

A user's mistake ends in one sentence and exit status 2; notes that failed, in status 1.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

from incognote.cli.app import app
from incognote.cli.errors import EXPECTED, one_line


def main() -> None:
    """Run the command line."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    try:
        status = app(standalone_mode=False)
    except BrokenPipeError:
        from incognote.cli.streams import stay_quiet

        stay_quiet()
        sys.exit(141)
    except EXPECTED as error:
        print(f"incognote: {one_line(error)}", file=sys.stderr)
        sys.exit(getattr(error, "status", 2))
    except KeyboardInterrupt:
        print("incognote: interrupted", file=sys.stderr)
        sys.exit(130)
    sys.exit(status if isinstance(status, int) else 0)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """End in good order, once: a second Ctrl-C must not break the ending."""
    for other in (signal.SIGINT, signal.SIGTERM):
        signal.signal(other, signal.SIG_IGN)
    raise KeyboardInterrupt
