"""Makes the shipped model, stage by stage; a stage that is done is not done again.

    python recipes/default_model/make.py --data DATA --work work/ [--stages base,folds]

base    MiniLM learns from notes of set F, of grammars and of open clinical texts, none of A to D
folds   for each of A to D in turn: it goes on with notes retold from the other sets, and finds what
        it can in the set it has not seen
final   it goes on with notes retold from all of A to D and F, and reads set G, which none has seen
decide  from these findings: who marks which type, rules or model; scales; from which probability on
speeds  what ships is made of it: for balanced it learns to read a word's pieces as one with two
        thirds of its feed-forward units; a second opinion for careful still reads pieces, in four
        layers with less than a third, which it teaches; for fast four of its layers read words with a
        third, then three of these, which balanced teaches
export  all is exported in 8 bits, with what was decided; careful asks balanced and the second opinion

Killed at any moment, the same command goes on. The sealed sets E and H are never read here.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
CORPUS = HERE.parent.parent / "corpus"
SETS = ("A", "B", "C", "D")
ALWAYS, NEVER = "F", "G"
"""The set that every model learns from, and the one that only judges."""
FASTER = ("balanced", "fast")
WEIGHTS = ("--weights", "2,1")
"""Of balanced and the second opinion in careful."""
STAGES = ("base", "folds", "final", "decide", "speeds", "export")
LEARNING = (
    "--labels full --shape --crf --batch-tokens 2048 --attention-dropout 0 --epochs 1 --average 0.998 "
    "--keep last"
).split()
BASE = ["--lr", "3e-4", "--head-lr", "3e-3", "--settle", "2"]
FOLD = ["--lr", "1e-4", "--head-lr", "1e-3", "--settle", "2"]
SMALLER = {
    "balanced": "--join --keep-units 1024 --settle 2".split(),
    "second": "--keep-layers 1,2,4,6 --keep-units 448 --settle 2".split(),
    "four": "--join --keep-layers 1,2,4,6 --keep-units 512 --settle 1".split(),
    "fast": "--join --keep-layers 1,2,4 --settle 1".split(),
}
GOING_ON = "--fix-words --lr 3e-4 --head-lr 3e-3 --epochs 2".split()
"""The words stay as they are, so that all networks can share them."""


@dataclass(frozen=True)
class Making:
    """Where things are and how much of each is made."""

    data: Path
    work: Path
    base_notes: int
    fold_notes: int
    speeds_notes: int
    threads: int | None
    unseen: tuple[str, ...] = SETS

    def base(self) -> None:
        """What is common to all folds."""
        notes = self.generate("base", (ALWAYS,), self.base_notes, corpus_share=0.5, seed=1)
        check = self.generate("base-check", (), 200, corpus_share=0.0, seed=2)
        self.train(notes, check, "minilm", self.work / "base", BASE)

    def folds(self) -> None:
        """Every set as the unseen hospital."""
        for unseen in self.unseen:
            seen = (*(name for name in SETS if name != unseen), ALWAYS)
            self.fold(f"fold-{unseen}", seen, CORPUS / unseen)

    def decide(self) -> None:
        """What the unseen sets say of rules and model together."""
        for script in ("decide.py", "scales.py"):
            sets = ",".join((*self.unseen, NEVER))
            options = ["--work", self.work, "--corpus", CORPUS, "--sets", sets]
            call([sys.executable, HERE / script, *options])

    def final(self) -> None:
        """What the networks that ship come from: of all sets only the one that judges is unseen."""
        self.fold("final", (*SETS, ALWAYS), CORPUS / NEVER)

    def speeds(self) -> None:
        """What ships."""
        seen, check = (*SETS, ALWAYS), self.work / "notes" / "final-check.jsonl"
        notes = self.generate("speeds", seen, self.speeds_notes, corpus_share=0.5, seed=5)

        def learn(name: str, start: str, teacher: str | None = None) -> None:
            taught = ["--teacher", str(self.work / teacher)] if teacher else []
            rates = [*GOING_ON, *SMALLER[name], *taught]
            self.train(notes, check, str(self.work / start), self.work / name, rates)

        learn("balanced", "final")
        learn("second", "final", teacher="final")
        learn("four", "final")
        learn("fast", "four", teacher="balanced")

    def export(self) -> None:
        """The folder to ship."""
        model, check = self.work / "model", self.work / "notes" / "final-check.jsonl"
        careful = [self.work / name for name in ("balanced", "second")]
        others = [word for speed in FASTER for word in (f"--{speed}", self.work / speed)]
        int8 = ["--int8", "--validation", check]
        run("export", *careful, *WEIGHTS, "-o", model, *others, *int8, "--overwrite")
        put = [sys.executable, HERE / "put_into.py", model, "--work", self.work]
        call(put)
        words = [HERE / "words.py", model, "--work", self.work, "--corpus", CORPUS]
        call([sys.executable, *words, "--sets", NEVER])
        call(put)

    def fold(self, name: str, seen: tuple[str, ...], unseen: Path) -> None:
        """Go on from base with notes retold from the sets seen."""
        notes = self.generate(name, seen, self.fold_notes, corpus_share=0.7, seed=3)
        check = self.generate(f"{name}-check", seen, 100, corpus_share=0.7, seed=4)
        folder = self.work / name
        self.train(notes, check, str(self.work / "base"), folder, FOLD)
        model, found = (self.work / f"fold-{unseen.name}-{what}" for what in ("model", "found"))
        if not model.exists():
            run("export", folder, "-o", model, "--int8", "--validation", check)
        found.mkdir(exist_ok=True)
        for detector in ("rules", "model", "both"):
            spans = found / f"{detector}.jsonl"
            if not spans.exists():
                by = [] if detector == "rules" else ["--model", model]
                run("find", unseen, "-o", spans, *by, "--detector", detector)
            run("score", unseen, spans, "--json", out=found / f"{detector}.json")

    def generate(
        self, name: str, sets: tuple[str, ...], count: int, *, corpus_share: float, seed: int
    ) -> Path:
        """Notes under a name, made once."""
        notes = self.work / "notes" / f"{name}.jsonl"
        if not notes.exists():
            notes.parent.mkdir(parents=True, exist_ok=True)
            command = [sys.executable, HERE / "generate.py", "--data", self.data]
            command += ["--corpus", CORPUS, "--sets", ",".join(sets), "-o", notes]
            command += ["--notes", count, "--seed", seed, "--corpus-share", corpus_share]
            call([*command, "--prepared-share", (1 - corpus_share) / 2])
        return notes

    def train(self, notes: Path, check: Path, start: str, folder: Path, rates: list[str]) -> None:
        """One run of `incognote train`, begun or gone on with."""
        threads = ["--threads", self.threads] if self.threads else []
        options = ["--validation", check, "--encoder", start, *LEARNING, *rates, *threads]
        run("train", notes, "-o", folder, *options, "--resume")


def run(*command: object, out: Path | None = None) -> None:
    """A command of incognote."""
    call([sys.executable, "-m", "incognote", *command], out)


def call(command: list[object], out: Path | None = None) -> None:
    """Run to its end, or end here; `out` takes what it prints, when all of it is there."""
    words = [str(word) for word in command]
    print("+", " ".join(words[1:]), file=sys.stderr, flush=True)
    if out is None:
        subprocess.run(words, check=True)
        return
    printed = subprocess.run(words, check=True, capture_output=True).stdout
    part = out.with_name(out.name + ".part")
    part.write_bytes(printed)
    part.replace(out)


def main() -> int:
    """Parse, and make the stages asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the shared data folder")
    parser.add_argument("--work", type=Path, required=True, help="folder for all that is made")
    parser.add_argument("--stages", default=",".join(STAGES), help="which of them")
    parser.add_argument("--base-notes", type=int, default=12_000)
    parser.add_argument("--fold-notes", type=int, default=3_000)
    parser.add_argument("--speeds-notes", type=int, default=9_000)
    parser.add_argument("--threads", type=int, help="of the processor")
    parser.add_argument("--unseen", default=",".join(SETS), help="which folds, in this order")
    given = parser.parse_args()
    unseen = tuple(given.unseen.split(","))
    if wrong := [name for name in unseen if name not in SETS]:
        parser.error(f"no set {wrong[0]} to leave out; there are {', '.join(SETS)}")
    asked = given.stages.split(",")
    if unknown := [name for name in asked if name not in STAGES]:
        parser.error(f"no stage {unknown[0]}; there are {', '.join(STAGES)}")
    making = Making(
        given.data,
        given.work,
        given.base_notes,
        given.fold_notes,
        given.speeds_notes,
        given.threads,
        unseen,
    )
    stages: dict[str, Callable[[], None]] = {name: getattr(making, name) for name in STAGES}
    for name in stages:
        if name in asked:
            try:
                stages[name]()
            except subprocess.CalledProcessError as error:
                return int(error.returncode)
    return 0


if __name__ == "__main__":
    sys.exit(main())
