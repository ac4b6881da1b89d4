"""Environments of peers: each peer's packages apart from ours and from the other peers'."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.peer import Peer

ROOT = Path(__file__).resolve().parent.parent.parent
MADE = "made.json"

_VERSIONS = (
    "import json, sys; from importlib.metadata import version; "
    "print(json.dumps({name: version(name) for name in sys.argv[1:]}))"
)


class InstallError(RuntimeError):
    """A peer that could not be installed, with the reason in a line."""


@dataclass(frozen=True)
class Environment:
    """A Python that has a peer, the versions of what was asked for, and what had to be said."""

    python: Path
    versions: dict[str, str]
    remark: str = ""


def environment(peer: Peer, work: Path) -> Environment:
    """Made once and found again as long as the peer asks for the same; ours is this one."""
    if not peer.packages:
        from importlib.metadata import version

        return Environment(Path(sys.executable), {"incognote": version("incognote")})
    folder = work / f"{peer.module}-{_key(peer)}"
    made = folder / MADE
    if not made.is_file():
        _make(peer, folder)
    told = json.loads(made.read_text(encoding="utf-8"))
    return Environment(_python(folder), told["versions"], told["prepared"])


def _key(peer: Peer) -> str:
    asked = "\n".join([sys.version, *peer.packages, "--", *peer.alone])
    return hashlib.sha256(asked.encode()).hexdigest()[:10]


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _make(peer: Peer, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    venv.create(folder, with_pip=True)
    python = str(_python(folder))
    pip = [python, "-m", "pip", "install", "--disable-pip-version-check"]
    log = folder / "install.log"
    _run([*pip, *peer.packages], log)
    if peer.alone:
        _run([*pip, "--no-deps", "--ignore-requires-python", *peer.alone], log)
    prepared = folder / "prepared.json"
    _run([python, "-m", "benchmarks.peers.run", peer.module, "--prepare", str(prepared)], log)
    names = [_name(package) for package in (*peer.packages, *peer.alone)]
    versions = subprocess.run(
        [python, "-c", _VERSIONS, *names], check=True, capture_output=True, text=True
    )
    told = {"versions": json.loads(versions.stdout), **json.loads(prepared.read_text("utf-8"))}
    (folder / "made.part").write_text(json.dumps(told), encoding="utf-8")
    (folder / "made.part").replace(folder / MADE)


def _name(package: str) -> str:
    return package.partition(" @ ")[0].partition("==")[0]


def _run(command: list[str], log: Path) -> None:
    with log.open("a", encoding="utf-8") as stream:
        ended = subprocess.run(
            command, cwd=ROOT, stdout=stream, stderr=subprocess.STDOUT, check=False
        )
    if ended.returncode:
        raise InstallError(reason(log.read_text(encoding="utf-8", errors="replace")))


def reason(log: str) -> str:
    """The line of pip's or Python's output that says why."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    for sign in ("fatal:", "ERROR:", "error:"):
        if told := [line for line in lines if line.startswith(sign)]:
            return told[-1].removeprefix(sign).strip()
    return lines[-1] if lines else "no output"
