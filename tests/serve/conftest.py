"""One service for many tests."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from serve.servers import Server, running

KEY = b"c2VjcmV0IG9mIHRoZSB0ZXN0cyBvbmx5ISEh"


@pytest.fixture(scope="session")
def key_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key for surrogates and hashes."""
    path = tmp_path_factory.mktemp("key") / "key"
    path.touch(0o600)
    path.write_bytes(KEY)
    return path


@pytest.fixture(scope="session")
def server(key_file: Path) -> Iterator[Server]:
    """The service as it is by default, with a key for surrogates."""
    with running("--key-file", str(key_file), "--max-notes", "64") as server:
        yield server


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    """A client of it."""
    with server.client() as client:
        yield client


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for this machine and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    paths = folder / "cert.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += [
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
    ]
    command += ["-out", str(paths[0]), "-keyout", str(paths[1])]
    subprocess.run(command, check=True, capture_output=True)
    return paths
