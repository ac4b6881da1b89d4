"""The commands of docs/tasks.md do what the page says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from commands import Command

from incognote.cli.app import load
from incognote.onnx.task_folder import has_task
from incognote.workshop.tasks.task import TASKS

PAGE = (Path(__file__).parent.parent.parent / "docs" / "tasks.md").read_text(encoding="utf-8")


def commands(language: str) -> list[list[str]]:
    """The words of each command, in order."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


def test_commands_on_ones_own_data_run_in_their_order(
    incognote: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INCOGNOTE_ALLOCATOR", "system")  # else the command begins anew by itself
    monkeypatch.chdir(tmp_path)
    for name, content in re.findall(r"^```\w+ ([\w.]+)\n(.*?)^```$", PAGE, re.M | re.S):
        Path(name).write_text(content)
    for words in commands("sh"):
        ran = incognote(*words[1:])
        assert ran.status == 0, (words, ran.err)
        if words[2] == "evaluate":
            assert json.loads(ran.out)["examples"] == 12
        if words[1] == "classify":
            assert ran.out.decode().split()[1] in ("radiology", "discharge")
        if words[2] == "export":
            assert has_task(Path(words[words.index("-o") + 1]))
        if words[2] == "predict":
            assert len(Path("predictions/predictions.jsonl").read_text().splitlines()) == 3


@pytest.mark.parametrize("words", commands("bash"), ids=lambda words: " ".join(words[2:4]))
def test_commands_on_published_data_are_commands(words: list[str]) -> None:
    name, command, *arguments = words[1:]
    assert name == "task"
    context = load("task").commands[command].make_context(command, arguments)
    assert context.params["name"] in TASKS


def test_the_page_has_its_commands() -> None:
    assert len(commands("sh")) >= 9
    assert {words[3] for words in commands("bash")} >= {"rte", "squad", "squad2", "race", "snli"}
