"""Start-up stays light, told by which modules load."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "torch",
    "pyarrow",
    "onnxruntime",
    "matplotlib",
    "numpy",
    "lxml",
    "rapidfuzz",
    "transformers",
}


def loaded(code: str) -> set[str]:
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules, file=sys.stderr)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(ran.stderr.split())


def test_importing_incognote_is_light() -> None:
    modules = loaded("import incognote")
    assert not modules & HEAVY
    assert "incognote.detect" not in modules


@pytest.mark.parametrize(
    "command",
    [
        "",
        "deid",
        "find",
        "score",
        "demo",
        "fill-mask",
        "features",
        "train",
        "compare",
        "export",
        "ask",
        "classify",
    ],
)
def test_help_is_light(command: str) -> None:
    code = (
        f"import sys; sys.argv = ['incognote', *'{command}'.split(), '--help']\n"
        "from incognote.cli import main\n"
        "try: main()\nexcept SystemExit as exit: assert exit.code == 0"
    )
    modules = loaded(code)
    assert not modules & HEAVY
    assert not any(name.startswith("incognote.detect.rules") for name in modules)
    if command in ("", "deid", "find"):
        assert not modules & {"incognote.workshop.finetune", "incognote.workshop.pretrain.settings"}


def test_deid_never_loads_torch() -> None:
    code = "import incognote; assert incognote.deidentify('Dr. Okafor').spans"
    assert not loaded(code) & {"torch", "transformers", "matplotlib", "pyarrow"}
