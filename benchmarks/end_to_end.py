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
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.peers import hugging_face, plain_int8, presidio, speeds
from benchmarks.peers.environments import InstallError, environment
from benchmarks.peers.measuring import Cost, RunError, best, run, settings, write_notes
from benchmarks.peers.peer import Peer
from benchmarks.peers.quality_figures import Quality, quality, read_spans
from benchmarks.speed.commands import Whole, deid, deid_one
from benchmarks.speed.notes import SETS, mixed_notes
from benchmarks.speed.report import Commands, Report, System, markdown
from benchmarks.speed.weights import same_weights
from incognote import Document
from incognote.align.words import words
from incognote.evaluate import Resampling
from incognote.models import shipped_model
from incognote.onnx.cores import cores
from incognote.onnx.errors import ModelError
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
        model = options.model or shipped_model()
        variants = [] if model is None else list(read_model(model).variants)
    except (ValueError, OSError, ModelError) as error:
        print(f"end_to_end: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="incognote-speed-") as name:
        folder = Path(name)
        bench = Bench(folder, options, gold)
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
            machine=f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
            notes=len(gold),
            words=sum(len(words(note.text)) for note in gold),
            rounds=options.rounds,
            threads=options.threads,
            clock=options.clock,
            peaks=peaks(1),
            cores=cores(),
            systems=systems,
            commands=bench.commands(model, variants),
        )
    print(markdown(report), end="")
    if options.output is not None:
        text = json.dumps(report.as_dict(), indent=1, ensure_ascii=False, default=str) + "\n"
        write_private(options.output / "end_to_end.md", markdown(report).encode())
        write_private(options.output / "end_to_end.json", text.encode())
    return 0


class Bench:
    """The runs, on notes that lie in `folder`."""

    def __init__(self, folder: Path, options: argparse.Namespace, gold: Sequence[Document]) -> None:
        self.folder = folder
        self.options = options
        self.gold = gold
        self.notes, self.few = folder / "notes.jsonl", folder / "few.jsonl"
        write_notes(gold, self.notes)
        write_notes(gold[: options.tune_notes], self.few)

    def cost(self, peer: Peer, notes: Path) -> tuple[Cost, bytes]:
        """One run of one peer; what it found."""
        spans = self.folder / "spans.jsonl"
        place = environment(peer, self.options.work.resolve())
        cost = run(peer, place, notes, spans, self.options.threads, self.options.limit)
        return cost, spans.read_bytes()

    def same_weights(self, checkpoint: Path, model: Path) -> list[Peer]:
        """The peers that have them, each at its best batch size."""
        say("the same weights for peers, without word shapes and CRF")
        weights = self.folder / "huggingface"
        same_weights(checkpoint, weights)
        member = next(iter(read_model(model).members.values()))
        window, overlap = member.window + 2, member.overlap
        return [
            self._best(make, weights, window, overlap)
            for make in (hugging_face.peer, plain_int8.peer)
        ]

    def _best(
        self, make: Callable[[Path, int, int, int], Peer], weights: Path, window: int, overlap: int
    ) -> Peer:
        tried: dict[float, Peer] = {}
        for batch in self.options.batches:
            peer = make(weights, window, overlap, batch)
            try:
                cost, _ = self.cost(peer, self.few)
            except RunError as error:
                say(f"{peer.title}: {error}")
                return peer
            seconds = cost.cpu_seconds if self.options.clock == "cpu" else cost.wall_seconds
            say(f"{peer.title}, batches of {batch}: {seconds:.2f} s for {self.options.tune_notes}")
            tried[seconds] = peer
        return tried[min(tried)]

    def rounds(self, peers: Sequence[Peer]) -> list[System]:
        """All in turns; the quality is that of the first round."""
        costs: dict[str, list[Cost]] = {peer.name: [] for peer in peers}
        found: dict[str, bytes] = {}
        failed: dict[str, str] = {}
        for round in range(1, self.options.rounds + 1):
            for peer in peers:
                if peer.name in failed:
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
            if peer.name in failed
            else System(peer, best(costs[peer.name]), self._quality(peer, found[peer.name]))
            for peer in peers
        ]

    def _quality(self, peer: Peer, found: bytes) -> Quality:
        spans = self.folder / "found.jsonl"
        spans.write_bytes(found)
        own = peer.module != "presidio"
        categories = CATEGORY_OF if own else peer.categories
        return quality(
            self.gold, read_spans(spans), categories, own_types=own, resampling=NO_RESAMPLING
        )

    def commands(self, model: Path | None, variants: Sequence[str]) -> Commands:
        """The whole command: with more workers, on more notes, on one."""
        options = self.options
        use = ["--detector", "rules"] if model is None else ["--model", str(model)]
        fastest = [*use, "--speed", variants[-1]] if variants else use
        one = settings(os.environ, 1)
        say("the whole command on one note")
        starts = {"incognote deid": use, "incognote deid, rules only": ["--detector", "rules"]}
        return Commands(
            one_note={
                name: min(
                    (deid_one(self.folder, how, one) for _ in range(options.rounds)),
                    key=lambda whole: whole.wall_seconds,
                )
                for name, how in starts.items()
            },
            workers={
                count: self._deid(options.notes, [*use, "--workers", f"{count}"])
                for count in options.workers
            },
            growth=[self._deid(count, [*fastest, "--workers", "1"]) for count in options.growth],
        )

    def _deid(self, count: int, how: Sequence[str]) -> Whole:
        say(f"incognote deid {' '.join(how[-2:])} on {count:,} notes")
        return deid(self.gold, count, self.folder, how, settings(os.environ, 1))


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
    add("--sets", nargs="+", default=list(SETS), metavar="SET", help="sets of corpus/ but E")
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
