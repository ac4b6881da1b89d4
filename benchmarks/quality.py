"""Our detectors side by side with peers on annotated notes: what leaks, what is lost, what it costs.

    python benchmarks/quality.py A B C D                         # rules, and peers, on sets of corpus/
    python benchmarks/quality.py D --model fold-d/ --rounds 3    # a model that has not seen set D
    python benchmarks/quality.py notes/ --only rules,presidio    # your own annotated notes

Peers are installed by pip into environments of their own, under `--work`, at their first use; one
that does not install or run is said so in the table. Each runs in a process of its own, with the
same threads and allocator, taking turns over the rounds; speed is the best round. The figures come
from spans alone, by `incognote.evaluate` (docs/quality.md). No output holds text of a note.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.peers import ours, philter, presidio, pydeid, scrubadub
from benchmarks.peers.environments import Environment, InstallError, environment
from benchmarks.peers.measuring import Cost, RunError, best, run, write_notes
from benchmarks.peers.peer import Peer
from benchmarks.peers.quality_figures import quality, read_spans
from benchmarks.peers.tables import Comparison, Result, as_json, markdown
from incognote import Document
from incognote.align.words import words
from incognote.base.files import write_private
from incognote.evaluate import Resampling
from incognote.formats import FormatError, read
from incognote.models import shipped_model
from incognote.phi import CATEGORY_OF

CORPUS = Path(__file__).resolve().parent.parent / "corpus"
SEALED = ("E", "H", "I")
OTHERS = (*presidio.PEERS, *philter.PEERS, *scrubadub.PEERS, *pydeid.PEERS)


@dataclass
class Turns:
    """A system that takes part: its environment, and what its rounds cost and found."""

    peer: Peer
    environment: Environment
    costs: list[Cost]
    found: list[bytes]


def main(arguments: list[str] | None = None) -> int:
    """Parse, run, show."""
    options = parsed(arguments)
    try:
        gold = read_sets(options.sets, options.format, sealed=options.sealed)
        peers = chosen(options.only, options.model or shipped_model())
    except (ValueError, OSError, FormatError) as error:
        print(f"quality: {error}", file=sys.stderr)
        return 2
    if all(peer.name != "both" for peer in peers):
        say("no model takes part" + ("" if options.only else ": none was shipped or named"))
    results = compared(peers, gold, options)
    comparison = Comparison(
        sets=options.sets,
        notes=len(gold),
        words=sum(len(words(note.text)) for note in gold),
        spans=sum(len(note.spans) for note in gold),
        rounds=options.rounds,
        threads=options.threads,
        machine=f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        results=results,
    )
    print(markdown(comparison), end="")
    if options.output is not None:
        text = json.dumps(as_json(comparison), indent=1, ensure_ascii=False) + "\n"
        write_private(options.output / "quality.md", markdown(comparison).encode())
        write_private(options.output / "quality.json", text.encode())
    return 0 if any(result.quality for result in results) else 1


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = ", ".join(["rules", "model", "both", *(peer.name for peer in OTHERS)])
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser.add_argument(
        "sets",
        nargs="*",
        default=list("ABCD"),
        metavar="SET",
        help="sets of corpus/, or files and folders of annotated notes (default: A B C D)",
    )
    parser.add_argument("--format", help="format of notes that are no set of corpus/")
    parser.add_argument(
        "--sealed", action="store_true", help="allow sets E, H and I: for final figures only"
    )
    parser.add_argument("--model", type=Path, help="model folder; the shipped one without it")
    parser.add_argument("--only", type=lambda text: text.split(","), help=f"some of: {names}")
    parser.add_argument("--rounds", type=_positive, default=1)
    parser.add_argument("--threads", type=_positive, default=1)
    parser.add_argument("--limit", type=float, default=3600, help="seconds a run may take")
    parser.add_argument(
        "--work",
        type=Path,
        default=cache / "incognote" / "peers",
        help="where peers are installed (default: %(default)s)",
    )
    parser.add_argument("-o", "--output", type=Path, help="folder for quality.md and quality.json")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def read_sets(sets: Sequence[str], format: str | None, *, sealed: bool) -> list[Document]:
    """The annotated notes; refuses the sealed sets unless they were asked for by that word."""
    notes: list[Document] = []
    for name in sets:
        folder = CORPUS / name
        path = folder if len(name) == 1 and folder.is_dir() else Path(name)
        if not sealed and _holds_sealed(path.resolve()):
            raise ValueError(
                f"sets {', '.join(SEALED)} are sealed: --sealed opens them, for final figures only"
            )
        if not path.exists():
            raise ValueError(f"{name}: neither a set of corpus/ nor a file or folder")
        kind = "inline" if path == folder else format
        notes += [replace(note, id=f"{name}/{note.id}") for note in read(path, kind)]
    if not any(note.spans for note in notes):
        raise ValueError("the notes have no marks to score against")
    return notes


def _holds_sealed(path: Path) -> bool:
    folders = [CORPUS / name for name in SEALED]
    return any(path.is_relative_to(each) or each.is_relative_to(path) for each in folders)


def chosen(only: Sequence[str] | None, model: Path | None) -> list[Peer]:
    """Ours first, then the peers; all of them, or those named."""
    peers = [*ours.peers(model), *OTHERS]
    if only is None:
        return peers
    if unknown := set(only) - {peer.name for peer in peers}:
        raise ValueError(f"no such system here: {', '.join(sorted(unknown))}")
    return [peer for peer in peers if peer.name in only]


def compared(
    peers: Sequence[Peer], gold: Sequence[Document], options: argparse.Namespace
) -> list[Result]:
    """Install all, run all in turns, score what ran."""
    failed: dict[str, Result] = {}
    turns: list[Turns] = []
    for peer in peers:
        say(f"{peer.title}: installing or finding it")
        try:
            turns.append(Turns(peer, environment(peer, options.work.resolve()), [], []))
        except (InstallError, OSError) as error:
            failed[peer.name] = Result(peer, {}, failed=f"did not install: {error}")
    with tempfile.TemporaryDirectory(prefix="incognote-quality-") as folder:
        notes, spans = Path(folder) / "notes.jsonl", Path(folder) / "spans.jsonl"
        write_notes(gold, notes)
        for round in range(1, options.rounds + 1):
            for turn in turns:
                if turn.peer.name in failed:
                    continue
                say(f"{turn.peer.title}: round {round} of {options.rounds}")
                place = (turn.peer, turn.environment, notes, spans)
                try:
                    turn.costs.append(run(*place, options.threads, options.limit))
                    turn.found.append(spans.read_bytes())
                except RunError as error:
                    versions = turn.environment.versions
                    failed[turn.peer.name] = Result(turn.peer, versions, failed=str(error))
        for turn in turns:
            if turn.peer.name not in failed:
                spans.write_bytes(turn.found[0])
                failed[turn.peer.name] = scored(turn, gold, spans)
    return [failed[peer.name] for peer in peers]


def scored(turn: Turns, gold: Sequence[Document], spans: Path) -> Result:
    """The figures of the first round's spans."""
    own = turn.peer.module == "ours"
    figures = quality(
        gold,
        read_spans(spans),
        CATEGORY_OF if own else turn.peer.categories,
        own_types=own,
        resampling=Resampling(),
    )
    return Result(
        turn.peer,
        turn.environment.versions,
        turn.environment.remark,
        figures,
        best(turn.costs),
        same_every_round=len(set(turn.found)) == 1,
    )


def say(what: str) -> None:
    """Where it is."""
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
