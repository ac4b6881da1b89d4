"""The steps of the Containerfile, done in an ordinary folder: no engine is needed, and none is used."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from places import ROOT

from incognote import __version__, deidentify

FILE = ROOT / "deploy" / "Containerfile"
NOTE = "Seen by Dr. Okafor on 3/14/2019."


@dataclass(frozen=True)
class Stage:
    """From one FROM to the next."""

    base: str
    steps: tuple[tuple[str, str], ...]

    def all(self, word: str) -> list[str]:
        """What stands behind each of these words."""
        return [rest for name, rest in self.steps if name == word]

    def one(self, word: str) -> str:
        """What stands behind the only one."""
        (rest,) = self.all(word)
        return rest


def stages() -> list[Stage]:
    """The instructions, lines joined."""
    text = re.sub(r"^#.*\n", "", FILE.read_text(), flags=re.M).replace("\\\n", " ")
    lines = [line.split(None, 1) for line in text.splitlines() if line.strip()]
    found: list[Stage] = []
    for name, rest in lines:
        if name == "FROM":
            found.append(Stage(rest, ()))
        else:
            found[-1] = Stage(found[-1].base, (*found[-1].steps, (name, " ".join(rest.split()))))
    return found


def test_it_runs_as_nobody_and_fetches_nothing() -> None:
    install, final = stages()
    assert {stage.base.split()[0] for stage in (install, final)} == {
        "docker.io/library/python:3.12-slim"
    }
    assert re.fullmatch(r"[1-9]\d{4,}:[1-9]\d{4,}", final.one("USER"))
    uid = final.one("USER").partition(":")[0]
    assert f"--uid {uid}" in final.one("RUN")
    words = {name for stage in (install, final) for name, _ in stage.steps}
    assert words <= {
        *("COPY", "RUN", "ENV", "USER", "WORKDIR", "EXPOSE", "STOPSIGNAL", "ENTRYPOINT", "CMD"),
    }
    for command in (*install.all("RUN"), *final.all("RUN")):
        assert not re.search(r"curl|wget|apt|https?:|git ", command)
        assert "pip install" not in command or "--no-index" in command
    assert final.one("STOPSIGNAL") == "SIGTERM"
    options = tomllib.loads((ROOT / "deploy" / "incognote.toml").read_text())["serve"]
    assert final.one("EXPOSE") == str(options["port"])


def test_what_is_copied_is_what_the_first_lines_make() -> None:
    install, final = stages()
    assert install.one("COPY") == "wheels /wheels"
    assert "pip wheel --wheel-dir wheels '.[serve,tables]'" in FILE.read_text()
    assert final.one("COPY") == "--from=install /opt/incognote /opt/incognote"
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert {"serve", "tables"} <= set(extras)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the first stage makes, below a folder instead of `/`; libraries are this environment's."""
    folder = tmp_path_factory.mktemp("image")
    wheels = folder / "wheels"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = wheels.glob("*.whl")
    assert wheel.name.startswith(f"incognote-{__version__}-")
    make, install = (each.strip() for each in stages()[0].one("RUN").split("&&"))
    target = folder / make.removeprefix("python -m venv /")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(target)], check=True)
    pip, *words = shlex.split(install)
    assert (pip, words[0]) == ("/opt/incognote/bin/pip", "install")
    words = [str(wheels) if word == "/wheels" else word for word in words]
    python = str(target / "bin/python")
    pip_here = [sys.executable, "-m", "pip", "--quiet", "--python", python]
    subprocess.run([*pip_here, *words, "--no-deps"], check=True, capture_output=True)
    (packages,) = target.glob("lib/python*/site-packages")
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def files(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file below it, with its size and time."""
    return {
        str(path): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def started(root: Path, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """What ENTRYPOINT and CMD name, in an empty folder that nobody may write to."""
    final = stages()[1]
    command = [*json.loads(final.one("ENTRYPOINT")), *json.loads(final.one("CMD"))]
    environment = dict(each.partition("=")[::2] for each in final.all("ENV"))
    environment["PATH"] = environment["PATH"].replace("/opt", f"{root}/opt", 1)
    work = tmp_path / "work"
    work.mkdir(mode=0o555)
    environment |= {"HOME": str(work), "TMPDIR": str(work), "OMP_NUM_THREADS": "1"}
    program = root / "opt/incognote/bin" / command[0]
    process = subprocess.Popen(
        [str(program), *command[1:], "--port", "0"],
        cwd=work,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = ""
        for line in process.stdout:
            if match := re.search(r"serving on (\S+)", line):
                url = match[1]
                break
        assert url, "it does not start"
        reader = threading.Thread(target=process.stdout.read, daemon=True)
        reader.start()
        yield url, work
        process.terminate()
        assert process.wait(60) == 0
        reader.join()
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_what_it_installs_answers_and_writes_nothing(root: Path, started: tuple[str, Path]) -> None:
    url, work = started
    python = str(root / "opt/incognote/bin/python")
    there = [python, "-c", "import incognote; print(incognote.__file__)"]
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    origin = subprocess.run(there, capture_output=True, text=True, check=True, env=clean).stdout
    assert origin.startswith(str(root)), "the package is the installed one, with its model"
    before = files(root)
    with httpx.Client(base_url=url, timeout=60) as client:
        while client.get("/readyz").status_code != 200:
            threading.Event().wait(0.1)
        answer = client.post("/v1/deid", json={"text": NOTE}).json()
        assert answer["notes"][0]["text"] == deidentify(NOTE).text
    assert files(root) == before
    assert list(work.iterdir()) == []
