"""The route of Azure's de-identification service for texts, with its bodies and categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from incognote.base.errors import UserError
from incognote.detect.detector import Detection
from incognote.document import Document, Span
from incognote.phi import TYPES
from incognote.pipeline import Result
from incognote.serve.azure_categories import CATEGORIES, Redaction
from incognote.serve.engine import Choice, Engine
from incognote.serve.offsets import OffsetError, Offsets, Unit
from incognote.serve.problems import ProblemError, problem, title_of
from incognote.serve.v1 import answers, of_error, prepared, results

router = APIRouter(tags=["azure"])
LONGEST_TEXT = 48_000
"""Characters of one text, as there."""

_TYPES = {category: type for type, category in CATEGORIES.items()}
_UNITS: Mapping[str, Unit] = {"Utf8": "utf8", "Utf16": "utf16", "CodePoint": "codepoint"}


class AzureError(Exception):
    """An error in Azure's form."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


def refused(error: AzureError, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """The answer to it."""
    content = {"error": {"code": error.code, "message": error.message}}
    all_headers = {**(headers or {}), "x-ms-error-code": error.code}
    return JSONResponse(content, error.status, headers=all_headers)


def refusal(
    path: str,
    status: int,
    detail: str,
    *,
    errors: Sequence[Mapping[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """What is refused before a route answers, in the form that clients of the path read."""
    if path != "/deid" and path != "/jobs" and not path.startswith("/jobs/"):
        return problem(status, detail, errors=errors, headers=headers)
    if errors:
        status = 400
        detail = "; ".join(f"{each['field']}: {each['reason']}" for each in errors)
    code = title_of(status).replace(" ", "")
    return refused(AzureError(status, code, detail), headers)


def no_key() -> AzureError:
    """Surrogates need one."""
    words = "the service has no key for surrogates: start it with --key-file"
    return AzureError(422, "NoKey", words)


class Body(BaseModel):
    """What a request holds; what else stands in it is left, as there."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)


class Entity(Body):
    """A span that is tagged already."""

    category: str
    offset: int = Field(ge=0)
    length: int = Field(ge=0)
    text: str | None = None


class TaggedEntities(Body):
    """Spans, and how their offsets count."""

    encoding: Literal["Utf8", "Utf16", "CodePoint"]
    entities: list[Entity] = Field(max_length=100_000)


class Customizations(Body):
    """How replacements look; locales other than English of the United States are refused."""

    redaction_format: str | None = Field(default=None, alias="redactionFormat", max_length=64)
    surrogate_locale: str | None = Field(default=None, alias="surrogateLocale")
    input_locale: str | None = Field(default=None, alias="inputLocale")


class AzureRequest(Body):
    """A text, and what becomes of it."""

    input_text: str = Field(alias="inputText")
    operation: Literal["Surrogate", "Redact", "Tag", "SurrogateOnly"] = "Surrogate"
    tagged_entities: TaggedEntities | None = Field(default=None, alias="taggedEntities")
    customizations: Customizations | None = None


@router.post("/deid")
async def deid(request: Request, body: AzureRequest) -> JSONResponse:
    """Tag, redact or replace the identifiers of a text by surrogates."""
    text = body.input_text
    if len(text) > LONGEST_TEXT:
        raise AzureError(
            413, "PayloadTooLarge", f"inputText has more than {LONGEST_TEXT:,} characters"
        )
    check_locales(body.customizations)
    if body.operation == "Tag":
        (result,) = await _found(request, text, Choice())
        return JSONResponse({"taggerResult": {"entities": _entities(text, result.spans)}})
    if body.operation == "Redact":
        form = body.customizations and body.customizations.redaction_format
        choice = Choice(replace="tag", operator=Redaction.of(form or None))
        (result,) = await _found(request, text, choice)
        return JSONResponse({"outputText": result.text})
    if request.app.state.settings.key is None:
        raise no_key()
    choice = Choice(replace="surrogate")
    if body.operation == "Surrogate":
        (result,) = await _found(request, text, choice)
        return JSONResponse({"outputText": result.text})
    if body.tagged_entities is None:
        raise AzureError(400, "InvalidRequest", "SurrogateOnly needs taggedEntities")
    document = Document("", text, _spans(text, body.tagged_entities))
    engine: Engine = request.app.state.engine
    await prepared(engine, choice)
    made = engine.deidentifier(choice)
    call = engine.call(lambda: made.replaced(document, Detection((), len(text))).text)
    (output,) = await answers(request, [call])
    if isinstance(output, UserError):
        raise AzureError(422, "InvalidRequest", of_error(output))
    if isinstance(output, BaseException):
        raise output
    return JSONResponse({"outputText": output})


async def _found(request: Request, text: str, choice: Choice) -> list[Result]:
    try:
        return await results(request, [Document("", text)], choice)
    except ProblemError as error:
        if error.status_code >= 500 or error.status_code == 429:
            raise
        raise AzureError(error.status_code, "InvalidRequest", error.detail) from None


def check_locales(customizations: Customizations | None) -> None:
    """Refuse languages that are not there."""
    for locale in (
        customizations and customizations.surrogate_locale,
        customizations and customizations.input_locale,
    ):
        if locale and locale.lower().partition("-")[0] != "en":
            raise AzureError(422, "UnsupportedLocale", "only English is there (en-US)")


def _entities(text: str, spans: Sequence[Span]) -> list[dict[str, Any]]:
    counted = {name: Offsets(text, unit) for name, unit in _COUNTS.items()}
    return [
        {
            "category": CATEGORIES.get(span.type, span.type),
            "offset": {name: each.of(span.start) for name, each in counted.items()},
            "length": {
                name: each.of(span.end) - each.of(span.start) for name, each in counted.items()
            },
            "text": span.text,
            "confidenceScore": round(span.score, 4),
        }
        for span in spans
    ]


_COUNTS: Mapping[str, Unit] = {"utf8": "utf8", "utf16": "utf16", "codePoint": "codepoint"}


def _spans(text: str, tagged: TaggedEntities) -> tuple[Span, ...]:
    offsets = Offsets(text, _UNITS[tagged.encoding])
    spans = []
    for number, each in enumerate(tagged.entities, 1):
        type = _TYPES.get(each.category)
        if type is None and each.category in TYPES:
            type = each.category
        if type is None:
            raise AzureError(400, "InvalidRequest", f"entity {number}: no such category")
        try:
            start = offsets.code_point(each.offset)
            end = offsets.code_point(each.offset + each.length)
            span = Span.of(text, start, end, type)
        except OffsetError as error:
            raise AzureError(400, "InvalidRequest", f"entity {number}: {error}") from None
        if each.text is not None and each.text != span.text:
            raise AzureError(400, "InvalidRequest", f"entity {number}: its text stands elsewhere")
        spans.append(span)
    return tuple(spans)
