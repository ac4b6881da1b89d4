"""What OpenAPI says of the routes is so: schemathesis asks every route what it should and should not be asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import schemathesis
from schemathesis import GenerationMode, checks
from schemathesis.specs.openapi import checks as openapi_checks
from serve.servers import Server, running

EXAMPLES = 25
SAME_ALWAYS = (
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_headers_conformance,
    openapi_checks.response_schema_conformance,
)
AS_PRESIDIO = ("/analyze", "/recognizers", "/supportedentities")
"""Answer a request without a text or language with 500, as Presidio does."""
LENIENT = ("/analyze", "/anonymize", "/decrypt")
"""Read a body as Presidio does, which takes more than it describes."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, key_file: Path) -> Iterator[Server]:
    """With everything on, by rules."""
    folder: Path = tmp_path_factory.mktemp("jobs")
    options = ["--spool", str(folder / "spool"), "--spool-key-file", str(folder / "key")]
    with running("--detector", "rules", "--key-file", str(key_file), *options) as server:
        yield server


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_every_route_keeps_to_its_description(server: Server, mode: GenerationMode) -> None:
    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    operations = [operation.ok() for operation in schema.get_all_operations()]  # type: ignore[union-attr]
    assert len(operations) > 20
    for operation in operations:
        _ask(operation, mode)


def _ask(operation: Any, mode: GenerationMode) -> None:
    wanted = [*SAME_ALWAYS]
    if not operation.path.startswith(AS_PRESIDIO):
        wanted.append(checks.not_a_server_error)
    if mode.is_negative and operation.path not in LENIENT:
        wanted.append(openapi_checks.negative_data_rejection)

    @hypothesis.settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        case.call_and_validate(checks=wanted)

    try:
        ask()
    except hypothesis.errors.Unsatisfiable:
        assert mode.is_negative  # there is nothing to get wrong
