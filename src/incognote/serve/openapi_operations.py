"""Every route in plain words, with a body that it takes and what it answers to that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from incognote.serve.notes import EXAMPLE

JSON, BYTES, TEXT = "application/json", "application/octet-stream", "text/plain"

JOB_ID, JOB_NAME = "5c3255e750717c3d01a5da2131eba635", "documents_1"
_SPANS = [
    {"start": 12, "end": 18, "type": "DOCTOR", "score": 0.997, "source": "model"},
    {"start": 22, "end": 31, "type": "DATE", "score": 0.9997, "source": "model"},
    {"start": 38, "end": 47, "type": "MEDICALRECORD", "score": 0.983, "source": "model"},
]
_CLEAN = "Seen by Dr. [DOCTOR] on [DATE].\nMRN: [MEDICALRECORD]\n"
_MARK = {"start": 4, "end": 10, "type": "DOCTOR"}
_RATE = {"value": 1.0, "low": None, "high": None, "part": 1.0, "whole": 1.0}
_JOB = {
    "id": JOB_ID,
    "state": "done",
    "format": "jsonl",
    "created": "2026-03-14T09:26:53Z",
    "expires": "2026-03-15T09:26:53Z",
    "share": 1.0,
    "files": 1,
    "notes": 1,
    "failed": 0,
    "reason": "",
    "input": f"/v1/jobs/{JOB_ID}/input",
    "result": f"/v1/jobs/{JOB_ID}/result",
}
_AZURE_JOB = {
    "name": JOB_NAME,
    "operation": "Redact",
    "sourceLocation": {"location": "notes", "prefix": "ward7", "extensions": ["*"]},
    "targetLocation": {"location": "notes", "prefix": "clean", "overwrite": True},
    "customizations": {"redactionFormat": "[{type}]"},
    "status": "Succeeded",
    "lastUpdatedAt": "2026-03-14T09:26:54.120Z",
    "createdAt": "2026-03-14T09:26:53.589Z",
    "startedAt": "2026-03-14T09:26:53.640Z",
    "summary": {"successful": 1, "failed": 0, "canceled": 0, "total": 1, "bytesProcessed": 48},
}
_AZURE_BODY = {
    key: _AZURE_JOB[key] for key in ("operation", "sourceLocation", "targetLocation")
} | {"customizations": {"redactionFormat": "[{type}]"}}
_DOCUMENT = {
    "id": "5c3255e7-5071-7c3d-01a5-000000000001",
    "input": {"location": "notes/ward7/a.txt", "etag": "0x18E9598B6C4C87B630"},
    "status": "Succeeded",
    "output": {"location": "notes/clean/a.txt", "etag": "0x18E95997FCDC4EF935"},
}
_PERSON = {"start": 12, "end": 18, "score": 0.85, "entity_type": "PERSON"}
_KEY = "WmZq4t7w!z%C&F)J"

_STRINGS = {"type": "array", "items": {"type": "string", "minLength": 1}}
_TEXTS = {"anyOf": [{"type": "string", "minLength": 1}, {**_STRINGS, "minItems": 1}]}
_ANALYZE = {
    "type": "object",
    "required": ["text", "language"],
    "properties": {
        "text": _TEXTS,
        "language": {"const": "en"},
        "entities": _STRINGS,
        "score_threshold": {"type": "number"},
        "return_decision_process": {"type": "boolean"},
        "ad_hoc_recognizers": {"type": "array", "items": {"type": "object"}},
        "allow_list": _STRINGS,
        "allow_list_match": {"enum": ["exact", "regex"]},
        "regex_flags": {"type": "integer"},
    },
}
_RESULTS = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["start", "end", "score", "entity_type"],
        "properties": {
            "start": {"type": "integer", "minimum": 0},
            "end": {"type": "integer", "minimum": 0},
            "score": {"type": "number"},
            "entity_type": {"type": "string"},
        },
    },
}
_ANONYMIZE = {
    "type": "object",
    "required": ["text", "analyzer_results"],
    "properties": {
        "text": _TEXTS,
        "analyzer_results": {"anyOf": [_RESULTS, {"type": "array", "items": _RESULTS}]},
        "anonymizers": {"type": "object", "additionalProperties": {"type": "object"}},
    },
}
_DECRYPT = {
    "type": "object",
    "required": ["text", "key"],
    "properties": {
        "text": {"type": "string"},
        "key": {"type": "string", "description": "Of 16, 24 or 32 bytes, as given to encrypt."},
    },
}
FILE = {"type": "string", "format": "binary"}


@dataclass(frozen=True)
class Operation:
    """A route: what it does in a few words, a body that it takes, and what it answers."""

    summary: str
    body: Any = None
    answer: Any = None
    body_schema: Mapping[str, Any] | None = None
    """Where the route reads its body itself."""
    several: bool = False
    """Several texts have a list of such answers."""
    takes: str = JSON
    gives: str = JSON


OPERATIONS: Mapping[str, Operation] = {
    "POST /v1/deid": Operation(
        "Replace the identifiers of notes",
        {"text": EXAMPLE},
        {"notes": [{"id": None, "text": _CLEAN, "spans": _SPANS, "seen": 48, "remarks": []}]},
    ),
    "POST /v1/find": Operation(
        "Say where the identifiers of notes are",
        {"text": EXAMPLE, "offsets": "utf16"},
        {"notes": [{"id": None, "spans": _SPANS, "seen": 48}]},
    ),
    "POST /v1/score": Operation(
        "Score predicted marks against true ones",
        {
            "gold": [{"id": "7", "text": "Dr. Okafor", "spans": [_MARK]}],
            "predicted": [{"id": "7", "spans": [_MARK]}],
        },
        {"notes": 1, "gold_spans": 1, "release": {"covered_recall": _RATE}},
    ),
    "POST /v1/features": Operation(
        "Vectors of words or texts",
        {"texts": ["Chest pain."], "pool": "mean"},
        {"texts": [{"vector": [-0.331513, 0.05647, -0.023345]}]},
    ),
    "POST /v1/fill-mask": Operation(
        "Fill in masked words",
        {"text": "The patient denies chest [MASK].", "top_k": 1},
        {
            "masks": [
                [
                    {
                        "sequence": "[CLS] the patient denies chest pain.[SEP]",
                        "score": 0.9287,
                        "token": 144,
                        "token_str": "▁pain",
                    }
                ]
            ]
        },
    ),
    "POST /v1/jobs": Operation(
        "Begin a job: say what the file is",
        {"format": "jsonl", "policy": "safe-harbor"},
        {**_JOB, "state": "waiting", "share": 0.0, "files": 0, "notes": 0},
    ),
    "PUT /v1/jobs/{id}/input": Operation(
        "Send the file of a job",
        '{"text": "Seen by Dr. Okafor on 3/14/2019."}\n',
        {**_JOB, "state": "queued", "share": 0.0, "files": 0, "notes": 0},
        FILE,
        takes=BYTES,
    ),
    "GET /v1/jobs": Operation("List your jobs", answer=[_JOB]),
    "GET /v1/jobs/{id}": Operation("Ask how far a job is", answer=_JOB),
    "POST /v1/jobs/{id}/cancel": Operation("Stop a job", answer={**_JOB, "state": "cancelled"}),
    "GET /v1/jobs/{id}/result": Operation(
        "Take the result of a job",
        answer='{"text": "Seen by Dr. [DOCTOR] on 2019."}\n',
        gives=BYTES,
    ),
    "GET /v1/jobs/{id}/audit": Operation(
        "Read what a job did, in counts",
        answer={
            "notes": {"written": 1, "failed": 0},
            "findings": {"total": 2, "by_type": {"DATE": 1, "DOCTOR": 1}},
            "failures": [],
        },
    ),
    "DELETE /v1/jobs/{id}": Operation("Delete a job and its files"),
    "POST /analyze": Operation(
        "Presidio: find identifiers",
        {"text": EXAMPLE, "language": "en"},
        [
            {"analysis_explanation": None, **_PERSON},
            {
                "analysis_explanation": None,
                "start": 22,
                "end": 31,
                "score": 0.9997,
                "entity_type": "DATE_TIME",
            },
        ],
        _ANALYZE,
        several=True,
    ),
    "POST /anonymize": Operation(
        "Presidio: replace what was found",
        {
            "text": EXAMPLE,
            "analyzer_results": [_PERSON],
            "anonymizers": {"PERSON": {"type": "replace", "new_value": "SOMEBODY"}},
        },
        {
            "text": EXAMPLE.replace("Okafor", "SOMEBODY"),
            "items": [
                {
                    "start": 12,
                    "end": 20,
                    "entity_type": "PERSON",
                    "text": "SOMEBODY",
                    "operator": "replace",
                }
            ],
        },
        _ANONYMIZE,
        several=True,
    ),
    "POST /decrypt": Operation(
        "Presidio: undo the operator encrypt",
        {"text": "ITWmZJzaUh8yOcFW1dKF4-5LqYAHIJaEpynUTlX12WQ=", "key": _KEY},
        {"result": "Okafor"},
        _DECRYPT,
    ),
    "GET /recognizers": Operation(
        "Presidio: list what finds", answer=["incognote.rules", "incognote.model"]
    ),
    "GET /supportedentities": Operation(
        "Presidio: list the types that are found", answer=["PERSON", "PROFESSION", "LOCATION"]
    ),
    "GET /anonymizers": Operation(
        "Presidio: list the operators", answer=["replace", "redact", "mask"]
    ),
    "GET /health": Operation(
        "Presidio: ask whether the service answers",
        answer="Presidio Analyzer service is up",
        gives=TEXT,
    ),
    "POST /deid": Operation(
        "Azure: tag, redact or replace the identifiers of a text",
        {"inputText": EXAMPLE, "operation": "Redact"},
        {"outputText": "Seen by Dr. [doctor] on [date].\nMRN: [medicalrecord]\n"},
    ),
    "PUT /jobs/{name}": Operation(
        "Azure: begin a job over the files of a folder", _AZURE_BODY, _AZURE_JOB
    ),
    "GET /jobs/{name}": Operation("Azure: ask how far a job is", answer=_AZURE_JOB),
    "GET /jobs": Operation("Azure: list your jobs", answer={"value": [_AZURE_JOB]}),
    "GET /jobs/{name}/documents": Operation(
        "Azure: list what became of each file", answer={"value": [_DOCUMENT]}
    ),
    "POST /jobs/{name}:cancel": Operation(
        "Azure: stop a job", answer={**_AZURE_JOB, "status": "Canceled"}
    ),
    "DELETE /jobs/{name}": Operation("Azure: forget a job, not its files"),
    "GET /livez": Operation("Ask whether the process answers", answer="ok", gives=TEXT),
    "GET /readyz": Operation("Ask whether requests may be sent", answer="ok", gives=TEXT),
    "GET /metrics": Operation(
        "Read counts and times for Prometheus",
        answer='incognote_requests_total{route="/v1/deid",status="200"} 1.0\n',
        gives=TEXT,
    ),
    "GET /version": Operation(
        "Ask which version and model answer",
        answer={
            "incognote": "0.1.0",
            "detectors": ["rules", "known", "model", "propagated"],
            "model": "fc1698fb7c5ea042",
            "policy": None,
            "site": None,
            "onnxruntime": "1.31.1",
            "kernel": "x86_64 avx2",
        },
    ),
}
