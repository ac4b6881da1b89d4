"""What lists of half a million entries cost: to load, in memory, and of a note's time.

    python benchmarks/site_lists.py                            # beside rules and the shipped model
    python benchmarks/site_lists.py --rules --entries 500000   # beside rules alone

Entries are drawn with a seed from the banks of names and places: staff ("Okafor, Ngozi A."), streets
and sites ("North Dunmore House"), and words that are all different ("Brackenfield"). Loading is
reading the file (a .txt, and a column of a .csv) and making the index, with all that it makes later
at the first note. A note's time is that of `Deidentifier` over the notes of corpus sets A to D, with
and without the list in turn in one process; each note counts with its best of the rounds. A share of
that time means little without what it is a share of: rules alone take a fifteenth of rules and model.
"""

from __future__ import annotations

import argparse
import csv
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import get_args

from incognote import Deidentifier, Document
from incognote.detect.note_index import NoteIndex
from incognote.detect.site.lists import ListIndex, Mode, WordList, read_entries
from incognote.formats import read
from incognote.replace.surrogate.banks import name_bank
from incognote.replace.surrogate.banks.place_bank import place_bank

CORPUS = Path(__file__).parent.parent / "corpus"
KINDS = ("staff", "sites", "words")
_HEADS = "North South East West Old New Upper Lower Great Little St. Mount Fort Lake Port".split()
_TAILS = "House Ward Clinic Lane Street Road Court Lodge Centre Hospital Pavilion Unit".split()


def entries_of(kind: str, count: int) -> list[str]:
    """So many entries of a kind, always the same."""
    chance = random.Random(kind)
    bank = name_bank("en_US")
    classes = list(dict.fromkeys(line.of for line in bank.lines))
    firsts = [name for of in classes if of.home != "surname" for name in bank.names(of)]
    lasts = [name for of in classes if of.home != "given" for name in bank.names(of)]
    if kind == "staff":
        return [_person(chance, firsts, lasts) for _ in range(count)]
    towns = place_bank("en_US")
    names = [*lasts, *(towns.invented(number) for number in range(20_000))]
    if kind == "sites":
        return [_site(chance, names) for _ in range(count)]
    words = dict.fromkeys(name for name in names if " " not in name)
    while len(words) < count:
        head, tail = chance.choice(names), chance.choice(names)
        words[head[: len(head) // 2 + 1] + tail[len(tail) // 2 :].lower()] = None
    return list(words)[:count]


def _person(chance: random.Random, firsts: Sequence[str], lasts: Sequence[str]) -> str:
    first, last = chance.choice(firsts), chance.choice(lasts)
    match chance.randrange(4):
        case 0:
            return f"{last}, {first} {chance.choice('ABCDEFGHJKLMRST')}."
        case 1:
            return f"{first} {chance.choice('ABCDEFGHJKLMRST')}. {last}"
        case 2:
            return f"{last}, {first}"
        case _:
            return f"{first} {last}"


def _site(chance: random.Random, names: Sequence[str]) -> str:
    name, tail = chance.choice(names), chance.choice(_TAILS)
    match chance.randrange(4):
        case 0:
            return f"{chance.choice(_HEADS)} {name} {tail}"
        case 1:
            return f"{name}'s {tail}"
        case 2:
            return f"{chance.randrange(1, 300)} {name} {tail}"
        case _:
            return f"{name} {tail}"


def write_files(folder: Path, kind: str, count: int) -> tuple[Path, Path]:
    """The entries as lines, and as a column of a table."""
    entries = entries_of(kind, count)
    lines, table = folder / f"{kind}.txt", folder / f"{kind}.csv"
    lines.write_text("\n".join(entries) + "\n", encoding="utf-8")
    with table.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "name", "ward"])
        writer.writerows((number, entry, "7B") for number, entry in enumerate(entries))
    return lines, table


_LOADING = """
import resource, sys, time
from pathlib import Path
from incognote.detect.note_index import NoteIndex
from incognote.detect.site.lists import ListIndex, WordList, read_entries
import numpy, rapidfuzz.distance

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6

path, mode = Path(sys.argv[1]), sys.argv[2]
column = "name" if path.suffix == ".csv" else None
small = ListIndex([WordList("small", "X", mode, ["Brackenfield Ward"])])
list(small.find(NoteIndex("Seen at Brackenfeild Ward.")))
before = resident()
began, clock = time.process_time(), time.perf_counter()
entries = read_entries(path, column)
reading = time.process_time() - began
index = ListIndex([WordList("list", "X", mode, entries)])
list(index.find(NoteIndex("Seen at Brackenfeild Ward by Dr. Okafro.")))
print(reading, time.process_time() - began, time.perf_counter() - clock)
del entries
status = Path("/proc/self/status").read_text()
peak = int(status.partition("VmHWM:")[2].split()[0]) / 1e3
print(resident() - before, peak - before)
"""


def show_loading(path: Path, mode: Mode, rounds: int) -> None:
    """Print the seconds and the memory of a load in a process of its own, the best of some."""
    runs = []
    for _ in range(rounds):
        done = subprocess.run(
            [sys.executable, "-c", _LOADING, str(path), mode],
            check=True,
            capture_output=True,
            text=True,
        )
        runs.append([float(figure) for figure in done.stdout.split()])
    reading, whole, clock = (min(run[place] for run in runs) for place in range(3))
    stays, peak = runs[0][3:]
    print(
        f"  {path.name:10} {mode:9} loads in {whole:.2f} s of processor time ({clock:.2f} s by the "
        f"clock), {reading:.2f} s of it reading; {stays:.0f} MB stay, {peak:.0f} MB at its peak"
    )


def show_share(
    documents: Sequence[Document],
    works: Sequence[tuple[str, ListIndex]],
    deidentify: Callable[[Document], object],
    rounds: int,
) -> None:
    """Print what each list adds to a note's time."""
    indexes = [index for _, index in works]
    whole = [float("inf")] * len(documents)
    lists = [[float("inf")] * len(documents) for _ in works]
    for _ in range(rounds):
        for place, document in enumerate(documents):
            whole[place] = min(whole[place], _seconds(partial(deidentify, document)))
            note = NoteIndex(document.text)
            note.vocabulary  # noqa: B018 - the rules need it too
            for times, index in zip(lists, indexes, strict=True):
                times[place] = min(times[place], _seconds(partial(_find, index, note)))
    total = sum(whole)
    print(f"  a note takes {total / len(documents) * 1e3:.2f} ms without a list")
    for (name, index), times in zip(works, lists, strict=True):
        found = sum(len(list(index.find(NoteIndex(each.text)))) for each in documents)
        print(
            f"  {name:20} adds {sum(times) / len(documents) * 1e3:.3f} ms, "
            f"{sum(times) / total:.1%}; finds {found / len(documents):.2f} in a note"
        )


def _find(index: ListIndex, note: NoteIndex) -> None:
    for _ in index.find(note):
        pass


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> None:
    """Parse and measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--entries", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--notes", type=int, default=240)
    parser.add_argument("--rules", action="store_true", help="beside rules alone")
    parser.add_argument("--no-loading", action="store_true")
    options = parser.parse_args()
    documents = [
        Document(note.id, note.text) for part in "ABCD" for note in read(CORPUS / part, "inline")
    ]
    documents = documents[:: max(1, len(documents) // options.notes)]
    deidentifier = Deidentifier(detector="rules" if options.rules else "both")
    modes: tuple[Mode, ...] = get_args(Mode)
    works: list[tuple[str, ListIndex]] = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            paths = write_files(Path(folder), kind, options.entries)
            for mode in modes:
                if (mode == "name") != (kind == "staff"):
                    continue
                for path in () if options.no_loading else paths:
                    show_loading(path, mode, options.rounds)
                entries = read_entries(paths[0])
                works.append((f"{kind}, {mode}", ListIndex([WordList(kind, "X", mode, entries)])))
    show_share(documents, works, lambda note: list(deidentifier.pipe([note])), options.rounds)


if __name__ == "__main__":
    main()
