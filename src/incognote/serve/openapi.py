"""What the service says of itself (`/openapi.json`): each route in plain words, with an example that works.

FastAPI describes parameters and typed bodies; `openapi_operations.py` has the words, the examples and the
bodies of routes that are read as another service reads them; the forms of errors are here.
`tests/serve/test_openapi.py` sends every example of a body and compares what comes back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from incognote.serve.gate import OPEN
from incognote.serve.openapi_operations import (
    BYTES,
    FILE,
    JOB_ID,
    JOB_NAME,
    JSON,
    OPERATIONS,
    Operation,
)
from incognote.serve.problems import MEDIA_TYPE

TAGS = {
    "notes": "Notes in a request: nothing of them is kept.",
    "encoder": "The clinical encoder that comes along.",
    "jobs": "Files that are sent, worked on and fetched. They lie encrypted, and only for some hours.",
    "presidio": "The routes of Presidio: its clients need another URL and nothing else.",
    "azure": "The routes of Azure's de-identification service: its clients need another URL.",
    "operations": "For those who run the service.",
}
_PROBLEM = {
    "type": "object",
    "title": "Problem",
    "description": "Why a request was refused (RFC 9457). It never holds a word of a note.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "One sentence that says what to do."},
        "errors": {
            "type": "array",
            "description": "Which fields of the body are wrong.",
            "items": {
                "type": "object",
                "required": ["field", "reason"],
                "properties": {"field": {"type": "string"}, "reason": {"type": "string"}},
            },
        },
    },
}
_AZURE_ERROR = {
    "type": "object",
    "title": "AzureError",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
        }
    },
}
_PRESIDIO_ERROR = {
    "type": "object",
    "title": "PresidioError",
    "required": ["error"],
    "properties": {"error": {"type": "string"}},
}
_EXAMPLES = {
    "Problem": {
        "type": "about:blank",
        "title": "Unprocessable Entity",
        "status": 422,
        "detail": "no such policy; there are expert, gdpr, i2b2",
    },
    "AzureError": {"error": {"code": "NoJobs", "message": "this service takes no jobs"}},
    "PresidioError": {"error": "No text provided"},
}


def describe(app: FastAPI) -> None:
    """Give the application its description, made when it is first asked for."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _described(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _described(app: FastAPI) -> dict[str, Any]:
    schema = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes
    )
    components = schema.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    schemas.pop("HTTPValidationError", None)
    schemas.pop("ValidationError", None)
    schemas.update(Problem=_PROBLEM, AzureError=_AZURE_ERROR, PresidioError=_PRESIDIO_ERROR)
    components["securitySchemes"] = {
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key, where the service has keys.",
        },
        "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    }
    for route, content in _operations(schema):
        path = route.partition(" ")[2]
        _describe(OPERATIONS[route], content)
        open_to_all = path in OPEN
        content["security"] = [{}] if open_to_all else [{"bearer": []}, {"key": []}, {}]
    used = {tag for _, content in _operations(schema) for tag in content["tags"]}
    schema["tags"] = [
        {"name": name, "description": words} for name, words in TAGS.items() if name in used
    ]
    return schema


def _operations(schema: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in schema["paths"].items():
        for method, content in methods.items():
            yield f"{method.upper()} {path}", content


def _describe(operation: Operation, content: dict[str, Any]) -> None:
    content["summary"] = operation.summary
    if operation.body is not None:
        body = content.setdefault("requestBody", {"required": True, "content": {}})
        media = body["content"].setdefault(operation.takes, {})
        if operation.body_schema is not None:
            media["schema"] = dict(operation.body_schema)
        media["example"] = operation.body
    responses = content["responses"]
    responses.pop("422", None)
    status = next(iter(responses))
    if operation.answer is not None:
        declared = responses[status].get("content", {}).get(JSON, {}).get("schema")
        answer_schema = declared or _schema_of(operation.answer)
        if operation.several:
            answer_schema = {"anyOf": [answer_schema, {"type": "array", "items": answer_schema}]}
        if operation.gives != JSON:
            answer_schema = FILE if operation.gives == BYTES else {"type": "string"}
        responses[status]["content"] = {
            operation.gives: {"schema": answer_schema, "example": operation.answer}
        }
    for parameter in content.get("parameters", ()):
        if parameter["in"] == "path":
            parameter["example"] = JOB_ID if parameter["name"] == "id" else JOB_NAME
    responses["default"] = _refusals(content["tags"][0])


def _refusals(tag: str) -> dict[str, Any]:
    """How a route of this group says no; what every request passes first says it as a problem."""
    content = {} if tag == "azure" else {MEDIA_TYPE: _by_name("Problem")}
    if tag in ("azure", "presidio"):
        content[JSON] = _by_name("AzureError" if tag == "azure" else "PresidioError")
    return {"description": "Refused, in one sentence.", "content": content}


def _by_name(name: str) -> dict[str, Any]:
    return {"schema": {"$ref": f"#/components/schemas/{name}"}, "example": _EXAMPLES[name]}


def _schema_of(example: Any) -> dict[str, Any]:
    """What an answer looks like, where no type says it: more may stand in it, and null too."""
    match example:
        case dict():
            return {
                "type": "object",
                "properties": {key: _schema_of(value) for key, value in example.items()},
            }
        case list():
            return {"type": ["array", "null"], "items": _schema_of(example[0]) if example else {}}
        case bool():
            return {"type": ["boolean", "null"]}
        case int() | float():
            return {"type": ["number", "null"]}
        case str():
            return {"type": ["string", "null"]}
    return {}
