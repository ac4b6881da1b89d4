"""Soak test: mixed load on a service for as long as it is told, an hour by default: `make soak`, or

    python tests/soak --minutes 2 --seed 7

Prints what was asked and what came of it, and memory by quarters; status 1 if there are faults.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.faults import Findings
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from soak.load import soak

COLUMNS = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())


def main() -> int:
    """Run for as long as is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--faults", type=Path, help="folder for the service's log, if it is at fault"
    )
    given = parser.parse_args()
    findings, seconds = Findings(given.faults), given.minutes * 60
    console = Console(stderr=True)
    with tempfile.TemporaryDirectory() as folder, Progress(*COLUMNS, console=console) as progress:
        task = progress.add_task("load", total=seconds)
        memory = soak(
            seconds,
            given.seed,
            Path(folder),
            findings,
            lambda spent: progress.update(task, completed=spent),
        )
    for what, count in sorted(findings.counts.items()):
        print(f"{what}: {count:,}")
    print("MB by quarters:", ", ".join(f"{each:.0f}" for each in memory.quarters()))
    print(f"faults: {len(findings.faults):,}")
    for fault in findings.faults[:20]:
        print(" ", fault)
    return 1 if findings.faults else 0


if __name__ == "__main__":
    sys.exit(main())
