"""What a training run shows while it works."""

from __future__ import annotations

import io

from rich.console import Console

from incognote.cli.progress import LiveLine


def test_the_time_left_can_be_read_on_a_narrow_terminal() -> None:
    line = LiveLine()
    task = line.add_task("pretraining", total=100, figures="")
    figures = "step 83  mlm 7.137  sop 0.699  37,326 tokens/s  lr 1.4e-03"
    line.update(task, completed=83, figures=figures)
    shown = io.StringIO()
    Console(file=shown, width=80).print(line.get_renderable())
    text = shown.getvalue()
    assert len(text.splitlines()) == 1
    assert text.count("0:00:00") + text.count("-:--:--") == 2
    assert "step 83  mlm 7.137  sop 0.699" in text
