"""The package of `examples/plugin`, and what docs/extending.md says, from the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from commands import Command
from places import ROOT
from plugin_packages import EXAMPLE, forget_names, install, install_example

PAGE = (ROOT / "docs" / "extending.md").read_text()
NOTE = "Moved to Ward 3B by Dr. Okafor on 3/14/2019."
RULES = ("--detector", "rules")


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install_example(tmp_path / "site-packages", monkeypatch)
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text(NOTE)
    (folder / "b.dic").write_text(f"%DIC 1\n{NOTE}")
    return folder


def test_all_four_doors_at_once(incognote: Command, notes: Path, tmp_path: Path) -> None:
    said = ("--with-detector", "wards", "--policy", "odile-release")
    ran = incognote("deid", notes, "-o", tmp_path / "clean", *RULES, *said)
    assert ran.status == 0, ran.err
    text, dictation = (path.read_text() for path in sorted((tmp_path / "clean").iterdir()))
    assert text == "Moved to [LOCATION-OTHER] by Dr. a clinician on 2019."
    assert dictation == f"%DIC 1\n{text}"
    audit = json.loads((tmp_path / "clean.audit.json").read_text())
    assert "plugin.wards (odile-plugin 1.0)" in audit["settings"]["detectors"]
    assert audit["settings"]["own_operators"] == {"role": "odile-plugin 1.0"}
    assert audit["settings"]["policy"]["name"] == "odile-release"


def test_find_tells_who_found_and_a_named_format_is_taken(incognote: Command, notes: Path) -> None:
    said = ("--with-detector", "wards", "--format", "dictation")
    ran = incognote("find", notes / "b.dic", *RULES, *said)
    sources = [span["source"] for span in json.loads(ran.out)["spans"]]
    assert "plugin.wards" in sources


def test_policies_of_packages_are_listed_and_shown(incognote: Command, notes: Path) -> None:
    assert b"odile-release" in incognote("policies", "list").out
    assert b"role" in incognote("policies", "show", "odile-release").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--with-detector", "nurses"), "there is no detector 'nurses': choose"),
        (("--replace", "tag,NAME=nobody"), "'nobody' is not a way to replace: choose tag"),
        (
            ("--format", "tape"),
            "--format: 'tape' is not a format: choose one of brat, csv, dictation",
        ),
        (("--policy", "nowhere"), "'nowhere' is not a policy: choose"),
        (("--with-detector", "both"), "choose it with --detector"),
    ],
)
def test_a_name_that_nothing_has_is_one_sentence_and_nothing_is_written(
    incognote: Command, notes: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    ran = incognote("deid", notes, "-o", tmp_path / "clean", *RULES, *arguments)
    assert ran.status == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "clean").exists()


def test_a_package_that_cannot_be_imported_stops_the_command(
    incognote: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "note.txt").write_text(NOTE)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "odile_broken.py").write_text("raise RuntimeError('Okafor')")
    offered = {"incognote.detectors": {"wards": "odile_broken:wards"}}
    install(tmp_path / "lib", monkeypatch, "odile-broken", "0.1", offered)
    ran = incognote("deid", tmp_path / "note.txt", *RULES, "--with-detector", "wards")
    assert ran.status == 2
    assert "the detector 'wards' of the package odile-broken 0.1 cannot be imported" in ran.err
    assert "(RuntimeError)" in ran.err
    assert "Okafor" not in ran.err


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("code", blocks("python"), ids=["detector", "operator", "format", "policy"])
def test_the_page_runs_and_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: str
) -> None:
    forget_names(monkeypatch)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "extending.md", "exec"), {"__name__": "example"})
    (printed,) = re.findall(r"^# (.*)$", code, re.MULTILINE)
    assert capsys.readouterr().out == f"{printed}\n"


def test_the_page_has_the_entry_points_of_the_example() -> None:
    (block,) = blocks("toml")
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    assert tomllib.loads(block)["project"]["entry-points"] == project["entry-points"]


def test_the_commands_of_the_page_run(
    incognote: Command, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dictations").mkdir()
    (notes / "b.dic").rename(tmp_path / "dictations" / "b.dic")
    (block,) = blocks("sh")
    commands = [line for line in block.splitlines() if line.startswith("incognote ")]
    assert len(commands) == 4
    for words in map(str.split, commands):
        more = (*RULES, "--overwrite") if words[1] == "deid" else ()
        ran = incognote(*words[1:], *more)
        assert ran.status == 0, ran.err


def test_a_command_without_names_of_ones_own_reads_no_entry_points(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text(NOTE)
    code = (
        "import importlib.metadata as metadata, sys\n"
        "def refuse(**group): raise AssertionError\n"
        "metadata.entry_points = refuse\n"
        f"sys.argv = ['incognote', 'deid', {str(tmp_path / 'note.txt')!r}, '--detector', 'rules', "
        "'--format', 'text', '--replace', 'mask']\n"
        "from incognote.cli import main; main()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
