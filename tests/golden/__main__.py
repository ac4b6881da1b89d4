"""The golden record: what incognote finds and writes today, so that a change of either is seen.

    python tests/golden            renews the record (`make golden`)
    python tests/golden --check    changes nothing, and has status 1 if anything differs
    python tests/golden --model    first runs the shipped model again and stores its findings

Each prints every line that was added, removed or changed, with the text around it, and leaves none
out. The notes are made up, so they may be shown. `tests/golden/test_golden.py` compares in the
suite. A commit that only changes the shape of the code leaves `tests/golden` untouched; one that
changes behaviour renews it and says what changed and why.

Pinned, one file each in `record/` and a digest each in `digests.json`:

- `rules/<family>`: every finding of a family of rules; `rules-whole`: of all, merged and spread
- `joining-<speed>`: vetoes, decisions, joining, thresholds over stored findings of the model
- `known`, `propagated`, `vetoes`: these steps by themselves
- `operators`: tag, numbered tag, redact, mask, hash, keep and a mixed policy over gold spans
- `surrogates`, `surrogate-settings`: the fake of every value, under two keys and several settings
- `found-and-replaced`: rules and replacement together
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from golden.joining import store_model
from golden.record import (
    ROOMS,
    changes,
    digest,
    read_digests,
    read_record,
    remove_record,
    stored_names,
    write_digests,
    write_record,
)


def main() -> int:
    """Compare every record and, unless told otherwise, store what is found now."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="only show what differs")
    parser.add_argument("--model", action="store_true", help="store the model's findings anew")
    options = parser.parse_args()
    if options.model:
        if options.check:
            parser.error("--model stores, and --check must not")
        store_model()
    computed = {name: lines for records in ROOMS.values() for name, lines in records().items()}
    differing = 0
    for name in sorted(stored_names() | set(computed)):
        before, after = read_record(name), list(computed.get(name, []))
        differing += _show(name, before, after)
        if options.check:
            continue
        if name not in computed:
            remove_record(name)
        elif before != after or name not in stored_names():
            write_record(name, after)
    digests = {name: digest(lines) for name, lines in computed.items()}
    if options.check:
        out_of_step = digests != read_digests()
    else:
        write_digests(digests)
        out_of_step = False
    lines = sum(map(len, computed.values()))
    print(f"{len(computed)} records of {lines:,} lines: {differing:,} changes")
    if out_of_step and not differing:
        print("digests.json differs from the records, or their lines stand in another order")
    return int(options.check and (differing > 0 or out_of_step))


def _show(name: str, before: list[str], after: list[str]) -> int:
    """Print all that differs; how much that is."""
    differences = changes(before, after)
    if differences:
        added = sum(change.before is None for change in differences)
        removed = sum(change.after is None for change in differences)
        changed = len(differences) - added - removed
        print(f"{name}: {added:,} added, {removed:,} removed, {changed:,} changed")
        for change in differences:
            print(change)
    elif before != after:
        print(f"{name}: the same lines in another order")
    return len(differences)


if __name__ == "__main__":
    raise SystemExit(main())
