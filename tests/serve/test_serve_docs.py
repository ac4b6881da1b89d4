"""What docs/serve.md and docs/operations.md show is so: every command runs, against a service."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import ssl
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from places import ROOT
from serve.servers import Server, running

from incognote.cli.configuration import all_commands
from incognote.runs.secret_files import make_key
from incognote.serve.keys import add_key

PAGE = (ROOT / "docs" / "serve.md").read_text()
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()
PLAIN, SECURE = "http://127.0.0.1:8000", "https://127.0.0.1:8443"
STORAGE = "https://hospital.blob.core.windows.net/notes"
NOTE = "Seen by Dr. Okafor.\n"


def console(page: str) -> list[tuple[str, str]]:
    """Each command of a page with what it prints."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.M | re.S):
        command, printed = "", ""
        for line in block.splitlines(keepends=True):
            if line.startswith("$ "):
                if command:
                    found.append((command, printed))
                command, printed = line[2:], ""
            elif command.rstrip().endswith("\\") or _is_open(command):
                command += line
            else:
                printed += line
        found.append((command, printed))
    return found


def _is_open(command: str) -> bool:
    """Whether a text in quotes or a document goes on in the next line."""
    if "<<'END'" in command:
        return not command.rstrip().endswith("\nEND")
    try:
        shlex.split(command)
    except ValueError:
        return True
    return False


@dataclass(frozen=True)
class Place:
    """A folder to work in, and two services."""

    folder: Path
    plain: Server
    secure: Server

    def with_addresses(self, text: str) -> str:
        """The services' own instead of those of the page."""
        return text.replace(PLAIN, self.plain.url).replace(SECURE, self.secure.url)


@pytest.fixture(scope="module")
def place(
    tmp_path_factory: pytest.TempPathFactory, certificate: tuple[Path, Path], key_file: Path
) -> Iterator[Place]:
    """With what the page speaks of."""
    folder = tmp_path_factory.mktemp("page")
    for path, name in zip(certificate, ("cert.pem", "key.pem"), strict=True):
        shutil.copy(path, folder / name)
    (folder / "notes/ward7").mkdir(parents=True)
    (folder / "notes/ward7/a.txt").write_text(NOTE)
    (folder / "ward7.key").write_text(add_key(folder / "known.json", "ward7", ["deid", "jobs"]))
    jobs = ["--spool-key-file", str(folder / "spool.key"), "--key-file", str(key_file)]
    tls = ["--certificate", str(certificate[0]), "--private-key", str(certificate[1])]
    tls += ["--keys", str(folder / "known.json"), "--detector", "rules"]
    tls += [f"--job-{each}={STORAGE}={folder / 'notes'}" for each in ("source", "target")]
    context = ssl.create_default_context(cafile=str(certificate[0]))
    with (
        running("--spool", str(folder / "plain"), *jobs) as plain,
        running("--spool", str(folder / "secure"), *jobs, *tls, verify=context) as secure,
    ):
        yield Place(folder, plain, secure)


def test_the_commands_of_the_page_print_what_it_shows(place: Place, tmp_path: Path) -> None:
    commands = console(PAGE)
    assert sum("curl" in command for command, _ in commands) >= 20
    typed = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S)
    assert not any("curl" in block for block in typed)
    (tmp_path / "incognote").write_text(f'#!/bin/sh\nexec {sys.executable} -m incognote "$@"\n')
    (tmp_path / "incognote").chmod(0o755)
    key = (place.folder / "ward7.key").read_text()
    script = ["set -u"]
    for command, _ in commands:
        # the key of the page's own file is unknown to the service, which has read another
        restored = f"printf %s {shlex.quote(key)} > ward7.key" if "cacert" in command else ":"
        script += [restored, place.with_addresses(command).rstrip("\n"), "printf '\\036'"]
    ran = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=place.folder,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    outputs = ran.stdout.split("\x1e")
    for (command, shown), printed in zip(commands, outputs, strict=False):
        assert printed.strip() == shown.strip(), command
    assert len(outputs) == len(commands) + 1


@pytest.mark.parametrize("number", range(2))
def test_the_python_of_the_page_runs(
    place: Place, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
    assert len(blocks) == 2
    monkeypatch.chdir(place.folder)
    (place.folder / "_output").mkdir(exist_ok=True)
    exec(compile(place.with_addresses(blocks[number]), "docs/serve.md", "exec"), {})


def test_the_commands_that_start_it_have_only_options_that_there_are() -> None:
    lines = [
        line
        for page in (PAGE, OPERATIONS)
        for block in re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S)
        for line in block.replace("\\\n", " ").splitlines()
        if line.startswith("incognote serve")
    ]
    assert len(lines) >= 5
    (serve,) = (command for words, command, _ in all_commands() if words == ("serve",))
    for line in lines:
        words = re.sub(r"--config \S+", "", line)  # which every command has
        serve.make_context("serve", shlex.split(words)[2:])


def test_the_configuration_for_systemd_and_containers_starts_it(
    place: Place, tmp_path: Path, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it stands in `deploy`, but for the folders of the system."""
    text = (ROOT / "deploy" / "incognote.toml").read_text()
    page = tomllib.loads(re.search(r"^```toml\n(.*?)^```$", OPERATIONS, re.M | re.S)[1])  # type: ignore[index]
    assert page["serve"].items() <= tomllib.loads(text)["serve"].items()
    etc, var = tmp_path / "etc", tmp_path / "var"
    (etc / "tls").mkdir(parents=True)
    var.mkdir(mode=0o700)
    for source, name in zip(certificate, ("tls.crt", "tls.key"), strict=True):
        shutil.copy(source, etc / "tls" / name)
    for name in ("surrogates.key", "spool.key"):
        make_key(etc / name)
    key = add_key(etc / "keys.json", "ward7", ["deid", "jobs"])
    text = text.replace("/etc/incognote", str(etc)).replace("/var/lib/incognote", str(var))
    (etc / "incognote.toml").write_text(text)
    monkeypatch.setenv("INCOGNOTE_CONFIG", str(etc / "incognote.toml"))
    context = ssl.create_default_context(cafile=str(certificate[0]))
    options = ["--detector", "rules", "--host", "127.0.0.1"]
    with running(*options, verify=context) as server:
        with server.client(key, verify=context) as client:
            assert client.get("/version").json()["policy"] == "safe-harbor"
            note = client.post("/v1/deid", json={"text": NOTE}).json()["notes"][0]
            assert note["text"] == "Seen by Dr. [DOCTOR].\n"
            assert client.get("/v1/jobs").json() == []
        started = [json.loads(line) for line in server.lines if line.startswith("{")]
        assert started[0]["url"].startswith("https://127.0.0.1:")
        requests = [line for line in started if line["event"] == "request"]
        shown = json.loads(re.search(r"^```json\n(.*?)^```$", OPERATIONS, re.M | re.S)[1])  # type: ignore[index]
        assert set(requests[-1]) == set(shown)
        assert server.stop() == 0


def test_the_figures_that_the_page_names_are_there(place: Place) -> None:
    named = set(re.findall(r"`(incognote_\w+)(?:\{[\w,]+\})?`", OPERATIONS))
    assert len(named) >= 8
    with place.plain.client() as client:
        shown = client.get("/metrics").text
    assert {name for name in named if f"# TYPE {name} " not in shown} == set()
