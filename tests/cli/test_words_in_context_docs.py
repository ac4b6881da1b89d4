"""The commands of docs/words_in_context.md print what the page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from commands import Command

PAGE = Path(__file__).parent.parent.parent / "docs" / "words_in_context.md"
NUMBER = re.compile(r"-?\d+\.\d+")
NEAR = 0.05
"""What another processor may change in a figure of eight bits."""


def blocks() -> list[tuple[str, str]]:
    """Each command with what it prints."""
    return re.findall(r"^```sh\n(.*?)\n```\n```\n(.*?)^```$", PAGE.read_text(), re.M | re.S)


def test_the_page_has_its_commands() -> None:
    assert len(blocks()) == PAGE.read_text().count("```sh") >= 7


@pytest.mark.parametrize(("command", "shown"), blocks())
def test_a_command_prints_what_the_page_shows(
    incognote: Command, command: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in re.findall(r"^```\w+ ([\w.]+)\n(.*?)^```$", PAGE.read_text(), re.M | re.S):
        Path(name).write_text(content)
    ran = incognote(*shlex.split(command)[1:])
    assert ran.status == 0, ran.err
    printed = ran.out.decode()
    assert NUMBER.sub("#", printed) == NUMBER.sub("#", shown)
    for figure, expected in zip(NUMBER.findall(printed), NUMBER.findall(shown), strict=True):
        assert float(figure) == pytest.approx(float(expected), abs=NEAR)
