"""Help that a newcomer reads: every command renders, and every option is explained in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from commands import Command
from typer.main import get_command

from incognote.cli.app import SUMMARIES, app, load

COINED = re.compile(
    r"\b(?:pieces?|settl\w+|promis\w+|afresh|told|in the mean|gone on|marked notes|views?)\b", re.I
)
"""Words of ours for what the field calls token, early exit, guarantee, random weights, average,
annotated notes and scheme."""
OPTION = re.compile(r"--[a-z0-9-]+")


def every_command(
    command: Any, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield words, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from every_command(inner if words else load(name), (*words, name))


COMMANDS = dict(every_command(get_command(app)))


def test_all_commands_are_here() -> None:
    assert {("deid",), ("train",), ("corpus", "agree")} <= COMMANDS.keys()


@pytest.mark.parametrize("name", SUMMARIES)
def test_the_list_of_commands_has_the_first_line_of_each(name: str) -> None:
    assert " ".join(COMMANDS[(name,)].help.partition("\n\n")[0].split()) == SUMMARIES[name]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words) or "incognote")
def test_help_renders_and_names_each_option(incognote: Command, words: tuple[str, ...]) -> None:
    ran = incognote(*words, "--help")
    assert ran.status == 0
    page = ran.out.decode()
    for parameter in COMMANDS[words].params:
        for option in (*parameter.opts, *parameter.secondary_opts):
            assert not option.startswith("--") or option in page
    assert not COINED.findall(OPTION.sub("", page))


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words) or "incognote")
def test_each_option_has_a_sentence(words: tuple[str, ...]) -> None:
    command = COMMANDS[words]
    assert command.help.strip()
    for parameter in command.params:
        assert len((parameter.help or "").split()) >= 2, parameter.name
        assert not parameter.help.startswith("Of "), parameter.name
