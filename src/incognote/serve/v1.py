"""Our own routes for notes: find, de-identify, score, vectors and masks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Literal

import numpy as np
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import Field

from incognote.base.errors import UserError, kind_of_error
from incognote.document import Document, Span
from incognote.evaluate import Mark as PredictedMark
from incognote.evaluate import Marks, Resampling
from incognote.evaluate import score as evaluated
from incognote.serve.engine import Choice, Engine
from incognote.serve.metrics import Metrics
from incognote.serve.notes import (
    DeidRequest,
    DeidResponse,
    FindRequest,
    FindResponse,
    Mark,
    Name,
    Notes,
    Strict,
    clean_note,
    explained,
    failed_note,
    found_note,
)
from incognote.serve.problems import CLIENT_LEFT, BusyError, ProblemError
from incognote.workshop.encoders.text_encoder import fill_mask as fill
from incognote.workshop.features import Vectors
from incognote.workshop.features import features as word_vectors
from incognote.workshop.features import text_features as text_vectors

router = APIRouter(prefix="/v1")
_LEFT = "the client left"


async def prepared(engine: Engine, choice: Choice) -> None:
    """What a choice needs is made in another thread where it takes long."""
    if not engine.has(choice):
        await asyncio.to_thread(engine.deidentifier, choice)


async def answers(request: Request, futures: Sequence[Future[Any]]) -> list[Any]:
    """Each note's result or its error, in order; all are given up if the client leaves."""
    gathered = asyncio.gather(*map(asyncio.wrap_future, futures), return_exceptions=True)
    leaving = asyncio.ensure_future(_disconnected(request))
    both: set[asyncio.Future[Any]] = {gathered, leaving}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if not gathered.done():
            raise ProblemError(CLIENT_LEFT, _LEFT) from None
        return await gathered
    finally:
        leaving.cancel()
        if not gathered.done():
            gathered.cancel()
            with suppress(asyncio.CancelledError):
                await gathered


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def of_error(error: BaseException) -> str:
    """What may be said of a note's failure."""
    return str(error) if isinstance(error, UserError | ProblemError) else kind_of_error(error)


async def results(
    request: Request, documents: Sequence[Document], choice: Choice, *, explain: bool = False
) -> list[Any]:
    """Results in order, or explanations; a note that failed is its error.

    Where all fail for one reason of the service, such as too much waiting, the request does.
    """
    engine: Engine = request.app.state.engine
    metrics: Metrics = request.app.state.metrics
    await prepared(engine, choice)
    found = await answers(request, engine.submit(choice, documents, explain=explain))
    errors = [each for each in found if isinstance(each, BaseException)]
    if busy := next((each for each in errors if isinstance(each, BusyError)), None):
        raise busy
    metrics.failed(len(errors))
    if len(errors) == len(found) == 1:
        raise ProblemError(500, f"the note could not be processed: {of_error(errors[0])}")
    if not explain:
        metrics.found(
            span.type
            if each.types.category_of(span.type)
            else "other"  # a client's own may be a name
            for each in found
            if not isinstance(each, BaseException)
            for span in each.spans
        )
    return found


async def _notes(request: Request, body: Notes, *, clean: bool) -> JSONResponse:
    options = request.app.state.options
    documents = body.documents(options.max_notes)
    ids = [None] if body.notes is None else [note.id for note in body.notes]
    choice = body.choice()
    found = await results(request, documents, choice)
    reasons = (
        await results(request, documents, choice, explain=True)
        if body.explain
        else [None] * len(found)
    )
    notes = []
    for id, document, result, reason in zip(ids, documents, found, reasons, strict=True):
        if isinstance(result, BaseException):
            notes.append(failed_note(id, of_error(result)))
            continue
        if clean:
            assert isinstance(body, DeidRequest)
            note = clean_note(id, result, body.offsets, spans=body.spans)
        else:
            note = found_note(id, result, body.offsets)
        if reason is not None and not isinstance(reason, BaseException):
            note["explanation"] = explained(document, reason, body.offsets)
        notes.append(note)
    return JSONResponse({"notes": notes})


@router.post("/deid", response_model=DeidResponse, tags=["notes"])
async def deid(request: Request, body: DeidRequest) -> JSONResponse:
    """De-identify a text or some notes: every identifier found is replaced.

    A note that cannot be processed has an `error` and no text; the others are not affected.
    """
    return await _notes(request, body, clean=True)


@router.post("/find", response_model=FindResponse, tags=["notes"])
async def find(request: Request, body: FindRequest) -> JSONResponse:
    """Find identifiers: where they are and of which type, no text."""
    return await _notes(request, body, clean=False)


class PredictedNote(Strict):
    """The marks of a note, by its id; offsets in code points."""

    id: Name
    spans: list[Mark] = Field(max_length=100_000)


class GoldNote(PredictedNote):
    """The note with its true marks."""

    text: str


class ScoreRequest(Strict):
    """Gold notes with text, and predictions by their ids."""

    gold: list[GoldNote] = Field(min_length=1)
    predicted: list[PredictedNote]
    resamples: int = Field(
        default=0, ge=0, le=1000, description="Bootstrap resamples, for intervals."
    )


@router.post("/score", tags=["notes"])
async def score(request: Request, body: ScoreRequest) -> JSONResponse:
    """Score predictions against gold: what would leak, and the figures of i2b2 2014 and others."""
    return await _call(request, lambda: _scored(body))


async def _call(request: Request, function: Any) -> JSONResponse:
    """Something that takes the processor, done in the engine's turn."""
    engine: Engine = request.app.state.engine
    (answer,) = await answers(request, [engine.call(function)])
    if isinstance(answer, UserError):
        raise ProblemError(422, str(answer))
    if isinstance(answer, BaseException):
        raise answer
    return JSONResponse(answer)


class FeaturesRequest(Strict):
    """Texts, and what has a vector: each word, or each text."""

    texts: list[str] = Field(min_length=1)
    pool: Literal["cls", "mean", "max"] | None = Field(
        default=None,
        description="One vector a text by this pooling; without it, one for each word.",
    )
    layer: int | None = None


@router.post("/features", tags=["encoder"])
async def features(request: Request, body: FeaturesRequest) -> JSONResponse:
    """Vectors of words in context, or of whole texts, by the clinical encoder that comes along."""
    _check_number(request, len(body.texts))
    return await _call(request, lambda: _vectors(body))


class FillMaskRequest(Strict):
    """A text with one or more [MASK]."""

    text: str = Field(examples=["The patient denies chest [MASK]."])
    top_k: int = Field(default=5, ge=1, le=100)


@router.post("/fill-mask", tags=["encoder"])
async def fill_mask(request: Request, body: FillMaskRequest) -> JSONResponse:
    """The most likely tokens for each mask."""
    return await _call(request, lambda: _fills(body))


def _check_number(request: Request, number: int) -> None:
    most = request.app.state.options.max_notes
    if number > most:
        raise ProblemError(413, f"{number:,} texts in one request: at most {most:,}")


# What these routes compute, in the engine's thread


def _scored(body: ScoreRequest) -> dict[str, Any]:
    gold = [
        Document(
            note.id,
            note.text,
            tuple(Span.of(note.text, mark.start, mark.end, mark.type) for mark in note.spans),
        )
        for note in body.gold
    ]
    predicted = [
        Marks(note.id, tuple(PredictedMark(each.start, each.end, each.type) for each in note.spans))
        for note in body.predicted
    ]
    return evaluated(gold, predicted, resampling=Resampling(resamples=body.resamples)).as_dict()


def _vectors(body: FeaturesRequest) -> dict[str, Any]:
    if body.pool is not None:
        rows = text_vectors(body.texts, pool=body.pool, layers=body.layer)
        return {"texts": [{"vector": _numbers(row)} for row in rows]}
    texts = []
    for found in word_vectors(body.texts, layers=body.layer):
        places = zip(found.words.starts.tolist(), found.words.ends.tolist(), strict=True)
        words = [
            {"start": start, "end": end, "vector": _numbers(vector)}
            for (start, end), vector in zip(places, found.vectors, strict=True)
        ]
        texts.append({"words": words})
    return {"texts": texts}


def _numbers(vector: Vectors) -> list[float] | None:
    """None where the encoder sees nothing of the word or text."""
    return None if np.isnan(vector).any() else vector.astype(float).round(6).tolist()


def _fills(body: FillMaskRequest) -> dict[str, Any]:
    fills = fill(body.text, top_k=body.top_k)
    return {"masks": fills if isinstance(fills[0], list) else [fills]}
