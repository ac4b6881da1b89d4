"""What the service says of itself holds: every route has an example, and the examples work."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from serve.servers import running

from incognote.runs.settings import Settings
from incognote.serve.app import application
from incognote.serve.openapi import TAGS
from incognote.serve.openapi_operations import BYTES, JSON, OPERATIONS, Operation
from incognote.serve.options import ServeOptions

SPEC: dict[str, Any] = application(ServeOptions(), Settings()).openapi()
CONTENT: dict[str, dict[str, Any]] = {
    f"{method.upper()} {path}": content
    for path, methods in SPEC["paths"].items()
    for method, content in methods.items()
}
AZURE_JOBS = [route for route in OPERATIONS if "/jobs" in route and "/v1" not in route]
WITH_BODY = [route for route, each in OPERATIONS.items() if each.body is not None]


def check(value: Any, schema: Any) -> None:
    """Against a schema that may refer to the components."""
    Draft202012Validator({**schema, "components": SPEC["components"]}).validate(value)


def media(content: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every body and answer that is declared."""
    yield from content.get("requestBody", {}).get("content", {}).items()
    for answer in content["responses"].values():
        yield from answer.get("content", {}).items()


def test_the_description_is_as_openapi_demands() -> None:
    validate(SPEC)
    assert set(CONTENT) == set(OPERATIONS)
    assert {tag["name"] for tag in SPEC["tags"]} == set(TAGS)


@pytest.mark.parametrize("route", OPERATIONS)
def test_every_route_has_words_and_examples_that_fit_their_schema(route: str) -> None:
    content = CONTENT[route]
    assert len(content["summary"].split()) >= 3
    assert content["description"]
    assert ("requestBody" in content) == (OPERATIONS[route].body is not None)
    for kind, each in media(content):
        assert each["schema"], (route, kind)
        check(each["example"], each["schema"])
    assert {each["in"] for each in content.get("parameters", ())} <= {"path", "query"}
    refusals = content["responses"]["default"]["content"]
    assert ("application/problem+json" in refusals) == (content["tags"] != ["azure"])


def answer_to(client: httpx.Client, route: str) -> httpx.Response:
    """What the service says to an example."""
    method, _, path = route.partition(" ")
    operation = OPERATIONS[route]
    if operation.takes == BYTES:
        return client.request(method, path, content=operation.body)
    return client.request(method, path, json=operation.body)


def compare(route: str, operation: Operation, answer: httpx.Response) -> None:
    """The answer has the declared status and schema, and the example's form."""
    declared = CONTENT[route]["responses"]
    assert str(answer.status_code) in declared, answer.text
    kind = answer.headers["content-type"].partition(";")[0]
    assert kind == operation.gives
    if kind == JSON:
        check(answer.json(), declared[str(answer.status_code)]["content"][kind]["schema"])
        same_form(answer.json(), operation.answer, route)


def same_form(given: Any, example: Any, place: str) -> None:
    """What an example shows is there; what is a text or a number there is one here."""
    match example:
        case dict():
            assert set(example) <= set(given), place
            for key in example:
                same_form(given[key], example[key], f"{place}.{key}")
        case []:
            assert isinstance(given, list), place
        case list():
            assert given, place
            same_form(given[0], example[0], f"{place}[0]")
        case int() | float() if not isinstance(example, bool):
            assert isinstance(given, int | float), place
        case _:
            assert given is None or isinstance(given, type(example)), place


@pytest.mark.parametrize("route", [each for each in WITH_BODY if "/jobs" not in each])
def test_the_examples_of_bodies_are_answered_as_shown(client: httpx.Client, route: str) -> None:
    answer = answer_to(client, route)
    assert answer.status_code == 200, answer.text
    compare(route, OPERATIONS[route], answer)
    if route in ("POST /v1/deid", "POST /deid", "POST /anonymize", "POST /decrypt"):
        shown, given = OPERATIONS[route].answer, answer.json()
        texts = [
            (
                each.get("outputText")
                or each.get("result")
                or each.get("text")
                or each["notes"][0]["text"]
            )
            for each in (shown, given)
        ]
        assert texts[0] == texts[1]


def test_the_other_examples_of_models_are_answered_too(client: httpx.Client) -> None:
    sent = 0
    for route in WITH_BODY:
        schema = CONTENT[route]["requestBody"]["content"].get(JSON, {}).get("schema", {})
        name = schema.get("$ref", "").rpartition("/")[2]
        for body in SPEC["components"]["schemas"].get(name, {}).get("examples", ()):
            if "/jobs" not in route:
                path = route.partition(" ")[2]
                assert client.post(path, json=body).status_code == 200
                sent += 1
    assert sent >= 3


@pytest.mark.parametrize(
    "route",
    [each for each in OPERATIONS if each.startswith("GET ") and "/jobs" not in each],
)
def test_routes_without_a_body_answer_as_shown(client: httpx.Client, route: str) -> None:
    answer = client.get(route.partition(" ")[2])
    assert answer.status_code == 200
    compare(route, OPERATIONS[route], answer)


def test_the_examples_of_jobs_go_from_first_to_last(tmp_path: Path) -> None:
    (tmp_path / "notes/ward7").mkdir(parents=True)
    (tmp_path / "notes/ward7/a.txt").write_text("Seen by Dr. Okafor on 3/14/2019.\n")
    options = ["--spool", str(tmp_path / "spool"), "--spool-key-file", str(tmp_path / "spool.key")]
    options += [f"--job-{each}=notes={tmp_path / 'notes'}" for each in ("source", "target")]
    seen = set()
    with running("--detector", "rules", *options) as server, server.client() as client:

        def ask(route: str, **places: str) -> Any:
            method, _, path = route.partition(" ")
            operation = OPERATIONS[route]
            body: dict[str, Any] = {"json": operation.body} if operation.body is not None else {}
            if operation.takes == BYTES:
                body = {"content": operation.body}
            answer = client.request(method, path.format(**places), **body)
            if answer.status_code == 204:
                assert operation.answer is None
            else:
                compare(route, operation, answer)
            seen.add(route)
            is_json = answer.headers.get("content-type") == JSON
            return answer.json() if is_json else answer.text

        def wait(route: str, key: str, end: str, **places: str) -> None:
            while client.get(route.format(**places)).json()[key] != end:
                threading.Event().wait(0.05)

        id = ask("POST /v1/jobs")["id"]
        ask("PUT /v1/jobs/{id}/input", id=id)
        wait("/v1/jobs/{id}", "state", "done", id=id)
        ask("GET /v1/jobs/{id}", id=id)
        ask("GET /v1/jobs")
        shown = OPERATIONS["GET /v1/jobs/{id}/result"].answer
        assert json.loads(ask("GET /v1/jobs/{id}/result", id=id)) == json.loads(shown)
        ask("GET /v1/jobs/{id}/audit", id=id)
        ask("POST /v1/jobs/{id}/cancel", id=id)
        ask("DELETE /v1/jobs/{id}", id=id)
        client.put("/jobs/documents_1", json=OPERATIONS["PUT /jobs/{name}"].body)
        wait("/jobs/documents_1", "status", "Succeeded")
        for route in AZURE_JOBS[1:-1]:
            ask(route, name="documents_1")
        again = client.put("/jobs/documents_1", json=OPERATIONS["PUT /jobs/{name}"].body)
        check(
            again.json(), CONTENT["PUT /jobs/{name}"]["responses"]["201"]["content"][JSON]["schema"]
        )
        ask(AZURE_JOBS[-1], name="documents_1")
    assert seen | {"PUT /jobs/{name}"} == {route for route in OPERATIONS if "/jobs" in route}
