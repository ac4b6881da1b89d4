"""The fuzzers, for as long as they are given: `make fuzz`, or

    python tests/fuzz --notes 1000000 --files 1000000 --connections 20000 --runs 300 --seed 1 --faults faults/

Prints the counts, and the inputs at fault if any; status 1 if there are.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.faults import Findings
from fuzz.files import fuzz_files
from fuzz.notes import fuzz_notes
from fuzz.runs import fuzz_runs
from fuzz.wire import fuzz_wire
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    MofNCompleteColumn(),
    TimeRemainingColumn(),
)


def main() -> int:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=0, help="odd notes through every operator")
    parser.add_argument("--files", type=int, default=0, help="damaged files through every format")
    parser.add_argument(
        "--runs", type=int, default=0, help="runs killed, starved, doubled, damaged"
    )
    parser.add_argument("--connections", type=int, default=0, help="odd requests to the service")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=Path, help="folder for the inputs at fault")
    given = parser.parse_args()
    findings = Findings(given.faults)
    console = Console(stderr=True)
    with tempfile.TemporaryDirectory() as folder, Progress(*COLUMNS, console=console) as progress:
        place = Path(folder)

        def advance_of(what: str, total: int) -> Callable[[], object]:
            task = progress.add_task(what, total=total, visible=total > 0)
            return lambda: progress.advance(task)

        fuzz_notes(given.notes, given.seed, findings, advance_of("notes", given.notes))
        (place / "files").mkdir()
        fuzz_files(
            given.files, given.seed, place / "files", findings, advance_of("files", given.files)
        )
        if given.connections:
            (place / "wire").mkdir()
            more = advance_of("connections", given.connections)
            fuzz_wire(given.connections, given.seed, place / "wire", findings, more)
        if given.runs:
            (place / "runs").mkdir()
            fuzz_runs(
                given.runs, given.seed, place / "runs", findings, advance_of("runs", given.runs)
            )
    for what, count in sorted(findings.counts.items()):
        print(f"{what}: {count:,}")
    print(f"faults: {len(findings.faults):,}")
    for fault in findings.faults[:20]:
        print(" ", fault)
    return 1 if findings.faults else 0


if __name__ == "__main__":
    sys.exit(main())
