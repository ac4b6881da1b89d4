"""`incognote encoders`, and that nothing else waits for torch."""

from __future__ import annotations

import subprocess
import sys

import pytest

from incognote.cli import main


def _run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["incognote", "encoders", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(str(ended.value.code))


def test_the_presets_are_listed_with_their_sizes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:4] == ["encoder", "layers", "H", "heads"]
    row = next(line.split() for line in lines if line.startswith("albert-base-v2"))
    sizes = ["12", "768", "12", "3072", "128", "30000"]
    assert row[1:] == [*sizes, "–", "–", "–", "11,683,584", "47", "189"]


def test_one_encoder_is_shown_tensor_by_tensor(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, "albert-base-v2", "--labels", "41") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["encoder.embeddings.words.weight", "30000", "×", "128", "3,840,000"]
    assert lines[-1].split() == ["all", "11,124,521"]


def test_a_name_no_one_knows_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, "bert-huge") == 2
    assert "there is no 'bert-huge'" in capsys.readouterr().err


def test_without_torch_the_command_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['torch'] = None; sys.argv = ['incognote', 'encoders'];"
        "import incognote.cli; incognote.cli.main()"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "incognote[train]" in ended.stderr


def test_importing_the_package_and_the_commands_imports_no_torch() -> None:
    code = "import sys, incognote, incognote.cli, incognote.workshop.encoders; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
