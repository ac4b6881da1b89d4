r"""Speed beside quality, on the same notes: incognote at each speed, the same weights in the pipeline
of `transformers` and in plain onnxruntime, and Presidio.

    python recipes/default_model/generate.py … -o generated.jsonl --notes 600 --seed 99
    python benchmarks/end_to_end.py --model model/ --checkpoint checkpoint/ \
        --generated generated.jsonl --notes 1000 --rounds 3 -o figures/
    python benchmarks/end_to_end.py --model model/ --checkpoint checkpoint/ --notes 24 --tune-notes 8

Each system runs in a process of its own, all with the same threads and allocator, taking turns over
the rounds; shown is the best round. Peers run at the batch size that is best for them on some of
the notes. `--workers` and `--growth` measure the whole command on more notes. No output holds text
of a note.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.peers import hugging_face, plain_int8, presidio, speeds
from benchmarks.peers.environments import InstallError, environment
from benchmarks.peers.measuring import Cost, RunError, best, run, settings, write_notes
from benchmarks.peers.peer import Peer
from benchmarks.peers.quality_figures import Quality, quality, read_spans
from benchmarks.speed.commands import Whole, deid, deid_one, peer_one
from benchmarks.speed.notes import SETS, UNSEEN, generated_notes, mixed_notes
from benchmarks.speed.report import Commands, Report, System, markdown
from benchmarks.speed.weights import same_weights
from incognote import Document
from incognote.evaluate import Resampling
from incognote.models import shipped_model
from incognote.onnx.cores import cores
from incognote.onnx.errors import ModelError
from incognote.onnx.kernel import engine, kernel
from incognote.onnx.model_folder import SPEEDS, read_model
from incognote.phi import CATEGORY_OF
from incognote.workflows.bench.peaks import peaks
from incognote.workflows.run.atomic import write_private

NO_RESAMPLING = Resampling(resamples=0)


def main(arguments: list[str] | None = None) -> int:
    """Parse, run, show."""
    options = parsed(arguments)
    try:
        gold = mixed_notes(options.notes, options.generated, options.sets)
        growing = generated_notes(options.generated) or gold
        model = options.model or shipped_model()
        variants = [] if model is None else list(read_model(model).variants)
    except (ValueError, OSError, ModelError) as error:
        print(f"end_to_end: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="incognote-speed-") as name:
        folder = Path(name)
        bench = Bench(folder, options, gold, growing)
        peers = [speeds.peer("both", model, speed) for speed in variants]
        if model is not None:
            peers.append(speeds.peer("model", model, SPEEDS[0]))
        peers.append(speeds.peer("rules"))
        if options.checkpoint is not None and model is not None:
            try:
                peers += bench.same_weights(options.checkpoint, model)
            except ValueError as error:
                print(f"end_to_end: {error}", file=sys.stderr)
                return 2
        peers += [] if options.no_presidio else [presidio.PEERS[1]]
        systems = bench.rounds(peers)
        report = Report(
            machine=f"{os.cpu_count()} cores, {platform.machine()} ({kernel()}), Python "
            f"{platform.python_version()}, onnxruntime {engine()}",
            notes=len(gold),
            words=sum(len(note.text.split()) for note in gold),
            rounds=options.rounds,
            threads=options.threads,
            clock=options.clock,
            peaks=peaks(1),
            cores=cores(),
            systems=systems,
            commands=Commands({}, {}, []),
        )
        write(report, options.output)  # hours of work, should what follows fail
        report = replace(report, commands=bench.commands(model, variants, peers))
    print(markdown(report), end="")
    write(report, options.output)
    return 0


def write(report: Report, folder: Path | None) -> None:
    """As Markdown and JSON, if a folder was named."""
    if folder is None:
        return
    text = json.dumps(report.as_dict(), indent=1, ensure_ascii=False, default=str) + "\n"
    write_private(folder / "end_to_end.md", markdown(report).encode())
    write_private(folder / "end_to_end.json", text.encode())


class Bench:
    """The runs, on notes that lie in `folder`."""

    def __init__(
        self,
        folder: Path,
        options: argparse.Namespace,
        gold: Sequence[Document],
        growing: Sequence[Document],
    ) -> None:
        self.folder = folder
        self.options = options
        self.gold = gold
        self.growing = growing
        self.environ = settings(os.environ, 1, keep_memory=True)
        self.notes, self.few = folder / "notes.jsonl", folder / "few.jsonl"
        write_notes(gold, self.notes)
        write_notes(gold[: options.tune_notes], self.few)

    def cost(self, peer: Peer, notes: Path) -> tuple[Cost, bytes]:
        """One run of one peer; what it found."""
        spans = self.folder / "spans.jsonl"
        place = environment(peer, self.options.work.resolve())
        cost = run(
            peer, place, notes, spans, self.options.threads, self.options.limit, keep_memory=True
        )
        return cost, spans.read_bytes()

    def same_weights(self, checkpoint: Path, model: Path) -> list[Peer]:
        """The peers that have them, each at its best batch size."""
        say("the same weights for peers, without word shapes and CRF")
        weights = self.folder / "huggingface"
        same_weights(checkpoint, weights)
        member = next(iter(read_model(model).members.values()))
        window, overlap = member.window + 2, member.overlap
        makes: list[list[Callable[[Path, int, int, int], Peer]]] = [
            [hugging_face.peer],
            [partial(plain_int8.peer, network=name) for name in plain_int8.FUSING],
        ]
        return [
            self._best(
                [
                    make(weights, window, overlap, batch)
                    for make in ways
                    for batch in self.options.batches
                ]
            )
            for ways in makes
        ]

    def _best(self, ways: Sequence[Peer]) -> Peer:
        """The way that is quickest on some notes, each tried twice, in turns."""
        tried = [float("inf")] * len(ways)
        for turn in range(2 * len(ways)):
            number = turn % len(ways)
            try:
                cost, _ = self.cost(ways[number], self.few)
            except RunError as error:
                say(f"{ways[number].title}: {error}")
                continue
            seconds = cost.cpu_seconds if self.options.clock == "cpu" else cost.wall_seconds
            say(f"{ways[number].settings}: {seconds:.2f} s for {self.options.tune_notes} notes")
            tried[number] = min(tried[number], seconds)
        return ways[tried.index(min(tried))]

    def rounds(self, peers: Sequence[Peer]) -> list[System]:
        """All in turns; the quality is that of the first round."""
        costs: dict[str, list[Cost]] = {peer.name: [] for peer in peers}
        found: dict[str, bytes] = {}
        failed: dict[str, str] = {}
        for round in range(1, self.options.rounds + 1):
            for peer in peers:
                if peer.name in failed and not costs[peer.name]:
                    continue
                say(f"{peer.title}: round {round} of {self.options.rounds}")
                try:
                    cost, spans = self.cost(peer, self.notes)
                except (RunError, InstallError, OSError) as error:
                    failed[peer.name] = str(error)
                    continue
                costs[peer.name].append(cost)
                found.setdefault(peer.name, spans)
        return [
            System(peer, failed=failed[peer.name])
            if not costs[peer.name]
            else System(peer, best(costs[peer.name]), *self._quality(peer, found[peer.name]))
            for peer in peers
        ]

    def _quality(self, peer: Peer, found: bytes) -> tuple[Quality, Quality | None]:
        """On all notes, and on those of the set that no model has learned from."""
        spans = self.folder / "found.jsonl"
        spans.write_bytes(found)
        own = peer.module != "presidio"
        categories = CATEGORY_OF if own else peer.categories
        read = read_spans(spans)
        unseen = [note for note in self.gold if note.id.startswith(f"{UNSEEN}/")]
        every, alone = (
            quality(some, read, categories, own_types=own, resampling=NO_RESAMPLING)
            if some
            else None
            for some in (self.gold, unseen)
        )
        assert every is not None
        return every, alone

    def commands(
        self, model: Path | None, variants: Sequence[str], peers: Sequence[Peer]
    ) -> Commands:
        """The whole command: with more workers, on more notes, on one; the best of the rounds."""
        options = self.options
        use = ["--detector", "rules"] if model is None else ["--model", str(model)]
        fastest = [*use, "--speed", variants[-1]] if variants else use
        return Commands(
            one_note=self._one_note(use, peers),
            workers=self._in_turns(
                {count: [*use, "--workers", f"{count}"] for count in options.workers}
            ),
            growth=[
                self._deid(self.growing, count, [*fastest, "--workers", "1"], 1)
                for count in options.growth
            ],
        )

    def _one_note(self, use: Sequence[str], peers: Sequence[Peer]) -> dict[str, Whole]:
        say("the whole command on one note")
        ways: dict[str, Callable[[], Whole]] = {
            "incognote deid": lambda: deid_one(self.folder, use, self.environ),
            "incognote deid, rules only": lambda: deid_one(
                self.folder, ["--detector", "rules"], self.environ
            ),
        }
        for peer in peers:
            if peer.module in ("presidio", "hugging_face"):
                place = environment(peer, self.options.work.resolve())
                ways[peer.title] = partial(
                    peer_one, peer, Path(place.python), self.folder, self.environ
                )
        return quickest([{name: way() for name, way in ways.items()} for _ in self._rounds])

    def _in_turns(self, ways: Mapping[int, Sequence[str]]) -> dict[int, Whole]:
        """So many workers on as many cores."""
        return quickest(
            [
                {n: self._deid(self.gold, self.options.notes, how, n) for n, how in ways.items()}
                for _ in self._rounds
            ]
        )

    @property
    def _rounds(self) -> range:
        return range(self.options.rounds)

    def _deid(self, notes: Sequence[Document], count: int, how: Sequence[str], cores: int) -> Whole:
        say(f"incognote deid {' '.join(how[-2:])} on {count:,} notes")
        return deid(notes, count, self.folder, how, self.environ, cores)


Name = TypeVar("Name", str, int)


def quickest(rounds: Sequence[Mapping[Name, Whole]]) -> dict[Name, Whole]:
    """The best round of each."""
    return {
        name: min((each[name] for each in rounds), key=lambda whole: whole.wall_seconds)
        for name in rounds[0]
    }


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    add = parser.add_argument
    add("--model", type=Path, help="model folder; the shipped one without it")
    add(
        "--checkpoint", type=Path, help="what it was exported from, for peers with the same weights"
    )
    add("--sets", nargs="+", default=list(SETS), metavar="SET", help="sets of corpus/ but E, F, H")
    add("--generated", type=Path, help="generated notes, to make up the number")
    add("--notes", type=int, default=1000)
    add("--tune-notes", type=int, default=48, help="of these, to find the best batch size")
    add("--batches", type=_numbers, default=[1, 4, 8, 16], help="sizes that peers may choose from")
    add("--rounds", type=int, default=3)
    add("--threads", type=int, default=1)
    add("--clock", choices=["wall", "cpu"], default="wall", help="what ratios are taken of")
    add("--workers", type=_numbers, default=[], help="such as 1,2: the whole command with so many")
    add("--growth", type=_numbers, default=[], help="such as 1000,4000,16000: on so many notes")
    add("--no-presidio", action="store_true")
    add("--limit", type=float, default=7200, help="seconds a run may take")
    add(
        "--work", type=Path, default=cache / "incognote" / "peers", help="where peers are installed"
    )
    add("-o", "--output", type=Path, help="folder for end_to_end.md and end_to_end.json")
    return parser.parse_args(arguments)


def _numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


def say(what: str) -> None:
    """Where it is."""
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
