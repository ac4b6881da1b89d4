"""The runs of `end_to_end.py`: each system in turns, and whole commands."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from benchmarks.peers import hugging_face, plain_int8
from benchmarks.peers.environments import InstallError, environment
from benchmarks.peers.measuring import Cost, RunError, best, run, settings, write_notes
from benchmarks.peers.peer import Peer
from benchmarks.peers.quality_figures import Quality, quality, read_spans
from benchmarks.speed.commands import Whole, deid, deid_one, peer_one
from benchmarks.speed.notes import UNSEEN
from benchmarks.speed.report import Commands, System
from benchmarks.speed.weights import same_weights
from incognote import Document
from incognote.evaluate import Resampling
from incognote.onnx.model_folder import read_model
from incognote.phi import CATEGORY_OF

NO_RESAMPLING = Resampling(resamples=0)


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

    def same_weights(self, checkpoints: Sequence[Path], model: Path) -> list[Peer]:
        """The peers that have them, each at its best batch size; they run all of the networks."""
        say("the same weights for peers, without word shapes and CRF")
        weights = [self.folder / f"huggingface-{number}" for number in range(len(checkpoints))]
        for checkpoint, folder in zip(checkpoints, weights, strict=True):
            same_weights(checkpoint, folder)
        member = next(iter(read_model(model).members.values()))
        window, overlap = member.window + 2, member.overlap
        makes: list[list[Callable[[Sequence[Path], int, int, int], Peer]]] = [
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


def say(what: str) -> None:
    """Where it is."""
    print(what, file=sys.stderr, flush=True)
