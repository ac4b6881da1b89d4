"""The command line: one command per file, each thin: parse, call, show.

A user's mistake ends in one sentence and exit status 2; notes that failed, in status 1.
"""

from __future__ import annotations

import sys

from incognote.cli.app import app
from incognote.cli.errors import EXPECTED, one_line


def main() -> None:
    """Run the command line."""
    try:
        status = app(standalone_mode=False)
    except BrokenPipeError:
        from incognote.cli.streams import stay_quiet

        stay_quiet()
        sys.exit(141)
    except EXPECTED as error:
        print(f"incognote: {one_line(error)}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("incognote: interrupted", file=sys.stderr)
        sys.exit(130)
    sys.exit(status if isinstance(status, int) else 0)
