"""Networks that cannot be opened, the cores that a process may use, and the instruction set."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import incognote.onnx.sessions as kernels
from incognote.base.errors import ModelError
from incognote.onnx.sessions import Network, _paid_for, cores, kernel


def test_what_is_no_network_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    with pytest.raises(ModelError, match="no such file"):
        Network(path)
    path.write_bytes(b"not a network")
    with pytest.raises(ModelError, match="cannot load this network") as caught:
        Network(path)
    assert "\n" not in str(caught.value)


def test_onnxruntime_reports_to_nobody(tmp_path: Path) -> None:
    """Its telemetry begins when it is loaded, and leaves an id and a session in these folders."""
    code = "import incognote; print(incognote.deidentify('Seen by Dr. Okafor.').text)"
    environment = {**os.environ, "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    environment |= {"XDG_CACHE_HOME": str(tmp_path), "ORT_DISABLE_TELEMETRY": "0"}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "Seen by Dr. [DOCTOR].\n"
    assert list(tmp_path.iterdir()) == []


def test_at_least_one_and_no_more_than_there_are() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)


@pytest.mark.parametrize(
    ("quota", "paid"),
    [("200000 100000", 2), ("150000 100000", 1), ("5000 100000", 1), ("max 100000", None)],
)
def test_a_quota_is_told_in_whole_cores(quota: str, paid: int | None, tmp_path: Path) -> None:
    file = tmp_path / "cpu.max"
    assert _paid_for(file) is None
    file.write_text(quota + "\n")
    assert _paid_for(file) == paid


@pytest.mark.parametrize(
    ("widest", "flags", "told"),
    [
        ("AVX2", "fpu sse2 avx2", "x86_64 avx2"),
        ("AVX2", "fpu avx2 avx_vnni", "x86_64 avx2 avx_vnni"),
        ("AVX512F", "avx512f avx512_vnni avx_vnni", "x86_64 avx512f avx512_vnni"),
        ("AVX512F", "avx512_vnni amx_int8 amx_tile", "x86_64 avx512f amx_int8"),
    ],
)
def test_a_processor_for_8_bits_is_told(
    widest: str, flags: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cpuinfo").write_text(f"processor\t: 0\nflags\t\t: {flags}\nbugs\t\t: none\n")
    monkeypatch.setattr(kernels, "_PROCESSOR", tmp_path / "cpuinfo")
    monkeypatch.setattr(kernels, "_features", lambda: {widest: True})
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert kernel() == told


def test_where_the_system_does_not_tell_the_family_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "_PROCESSOR", tmp_path / "none")
    monkeypatch.setattr(kernels, "_features", lambda: {"ASIMD": True})
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert kernel() == "aarch64 asimd"
    (tmp_path / "none").write_text("Features\t: fp asimd\n")
    assert kernel() == "aarch64 asimd"
