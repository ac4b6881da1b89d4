"""The review as an ASGI application: the page, its routes, and the headers that guard them."""

from __future__ import annotations

from importlib.resources import files

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from incognote import __version__
from incognote.base.errors import UserError
from incognote.review import api
from incognote.review.desk import Desk
from incognote.review.readings import NotAllowedError
from incognote.review.store import ConflictError
from incognote.serve.gate import Gate, Limits
from incognote.serve.metrics import Metrics
from incognote.serve.problems import invalid_fields, problem, refusal

LARGEST_BODY, SECONDS = 100_000, 20.0
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


def application(desk: Desk, *, secure: bool = False) -> FastAPI:
    """The review of this desk."""
    app = FastAPI(
        title="incognote review",
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.desk = desk
    app.include_router(api.router)
    page = {
        each.name: each.read_bytes()
        for each in files("incognote.review").joinpath("page").iterdir()
        if "." in each.name
    }

    @app.get("/")
    def start() -> Response:
        return _page_file(page, "index.html")

    @app.get("/page/{name}")
    def page_file(name: str) -> Response:
        return _page_file(page, name)

    _add_errors(app)
    app.add_middleware(
        Gate,
        limits=Limits(LARGEST_BODY, SECONDS),
        metrics=Metrics(),
        refusal=refusal,
        secure=secure,
    )
    return app


def _page_file(page: dict[str, bytes], name: str) -> Response:
    if name not in page:
        raise HTTPException(404, "there is no such page")
    kind = _TYPES["." + name.rpartition(".")[2]]
    headers = {"Content-Security-Policy": PAGE_POLICY}
    return Response(page[name], media_type=kind, headers=headers)


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        return problem(
            422, "the request is not as it should be", errors=invalid_fields(error.errors())
        )

    @app.exception_handler(ConflictError)
    async def conflict(request: Request, error: ConflictError) -> Response:
        return problem(409, str(error))

    @app.exception_handler(NotAllowedError)
    async def refused(request: Request, error: NotAllowedError) -> Response:
        return problem(403, str(error))

    @app.exception_handler(UserError)
    async def mistaken(request: Request, error: UserError) -> Response:
        return problem(422, str(error))

    @app.exception_handler(HTTPException)
    async def ended(request: Request, error: HTTPException) -> Response:
        return problem(error.status_code, str(error.detail), headers=error.headers)
