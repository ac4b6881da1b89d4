"""The instruction set that an audit and `bench` tell."""

from __future__ import annotations

from pathlib import Path

import pytest

import incognote.onnx.kernel as kernels
from incognote.onnx.kernel import kernel


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
