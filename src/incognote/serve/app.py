"""The application: its routes, its beginning and its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from incognote import __version__
from incognote.base.errors import UserError
from incognote.onnx.sessions import engine as onnx_engine
from incognote.onnx.sessions import kernel
from incognote.runs.secret_files import make_key, read_key
from incognote.runs.settings import Settings
from incognote.serve import azure, azure_jobs, jobs_api, presidio, presidio_anonymize, v1
from incognote.serve.engine import Engine
from incognote.serve.folder_jobs import Locations
from incognote.serve.gate import Gate, Limits, Refusal
from incognote.serve.jobs import JobWorker
from incognote.serve.keys import KeyRing, read_keys
from incognote.serve.metrics import Metrics
from incognote.serve.openapi import describe
from incognote.serve.options import ServeOptions
from incognote.serve.problems import invalid_fields, problem
from incognote.serve.problems import refusal as refusal_of_any_path
from incognote.serve.spool import Spool

DESCRIPTION = """Finds the identifying details in clinical notes and replaces them, offline.

A note is answered only if all of it was processed. No program finds everything: what comes back is
de-identified as well as the model is, and software alone does not make a release legal."""


def application(options: ServeOptions, settings: Settings, *, threads: int = 1) -> FastAPI:
    """The service as an ASGI application, for `run.py` or a server of one's own."""
    metrics = Metrics()
    engine = Engine(
        settings,
        queue=options.queue,
        time_limit=options.time_limit,
        threads=threads,
        figures=metrics,
    )

    spool, worker = _jobs(options, engine, settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        engine.start()
        if worker is not None:
            worker.start()
        yield
        if worker is not None:
            await asyncio.to_thread(worker.close, options.grace)
        await asyncio.to_thread(engine.close, options.grace)

    app = FastAPI(
        title="incognote",
        version=__version__,
        description=DESCRIPTION,
        lifespan=lifespan,
        redoc_url=None,
        docs_url=None,  # its page loads scripts from elsewhere
        redirect_slashes=False,
    )
    app.state.options, app.state.engine, app.state.metrics = options, engine, metrics
    app.state.settings, app.state.spool, app.state.worker = settings, spool, worker
    app.include_router(jobs_api.router)
    app.include_router(v1.router)
    if options.presidio:
        app.include_router(presidio.router)
        app.include_router(presidio_anonymize.router)
    if options.azure:
        app.include_router(azure.router)
        app.include_router(azure_jobs.router)
    _add_operations(app, settings)
    refusal: Refusal = azure.refusal if options.azure else refusal_of_any_path
    _add_errors(app, refusal)
    describe(app)
    app.add_middleware(
        Gate,
        limits=Limits(options.largest_body, options.read_limit, options.largest_file),
        metrics=metrics,
        refusal=refusal,
        keys=None if options.keys is None else KeyRing(read_keys(options.keys)),
        secure=options.certificate is not None,
    )
    if options.allow_origin:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(options.allow_origin),
            allow_methods=["GET", "POST", "PUT", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key", "X-Request-Id"],
        )
    return app


def _jobs(
    options: ServeOptions, engine: Engine, settings: Settings
) -> tuple[Spool | None, JobWorker | None]:
    """The spool and who works through it, if files are taken."""
    if options.spool is None or options.spool_key_file is None:
        return None, None
    make_key(options.spool_key_file)
    spool = Spool(options.spool, read_key(options.spool_key_file), hours=options.job_hours)
    locations = Locations(options.job_source, options.job_target)
    worker = JobWorker(spool, engine, settings, largest=options.largest_file, locations=locations)
    return spool, worker


def _add_operations(app: FastAPI, settings: Settings) -> None:
    """Routes for those who run the service."""
    engine: Engine = app.state.engine
    metrics: Metrics = app.state.metrics

    @app.get("/livez", tags=["operations"], response_class=PlainTextResponse)
    async def livez() -> str:
        """Whether the process answers."""
        return "ok"

    @app.get("/readyz", tags=["operations"])
    async def readyz() -> Response:
        """Whether the model is loaded, and the service not about to stop."""
        if engine.failure is not None:
            return problem(503, "the detector could not be loaded: see the log")
        if not engine.ready:
            return problem(503, "not ready", headers={"Retry-After": "1"})
        return PlainTextResponse("ok")

    @app.get("/metrics", tags=["operations"])
    async def figures() -> Response:
        """Counts and times in Prometheus' format."""
        return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)

    @app.get("/version", tags=["operations"])
    async def version() -> JSONResponse:
        """Which version and model answer."""
        choice = settings.choice
        return JSONResponse(
            {
                "incognote": __version__,
                "detectors": choice.parts,
                "model": choice.fingerprint,
                "policy": None if settings.policy is None else settings.policy.name,
                "site": settings.site_digest,
                "onnxruntime": onnx_engine(),
                "kernel": kernel(),
            }
        )


def _add_errors(app: FastAPI, refusal: Refusal) -> None:
    """What goes wrong, as problem+json, or as clients of another service read it."""

    @app.exception_handler(presidio.PresidioError)
    async def refused_as_presidio(request: Request, error: presidio.PresidioError) -> Response:
        return presidio.refused(error)

    @app.exception_handler(azure.AzureError)
    async def refused_as_azure(request: Request, error: azure.AzureError) -> Response:
        return azure.refused(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        errors = invalid_fields(error.errors())
        return refusal(request.url.path, 422, "the request is not as it should be", errors=errors)

    @app.exception_handler(UserError)
    async def mistaken(request: Request, error: UserError) -> Response:
        return refusal(request.url.path, 422, str(error))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        return refusal(
            request.url.path, error.status_code, str(error.detail), headers=error.headers
        )
