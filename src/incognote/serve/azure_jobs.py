"""The routes of Azure's de-identification service for jobs over folders."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from incognote.serve.azure import AzureError, Body, Customizations, check_locales, no_key
from incognote.serve.folder_jobs import (
    FOLDERS,
    DocumentState,
    LocationError,
    Locations,
    Order,
    document_states,
    documents_in,
    location_of,
)
from incognote.serve.jobs import JobWorker
from incognote.serve.jobs_api import owner_of
from incognote.serve.spool import ORDER, Job, JobExistsError, Spool, SpoolError
from incognote.serve.v1 import prepared

router = APIRouter(prefix="/jobs", tags=["azure"])
_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_-]{1,34}[a-zA-Z0-9]")
_PAGE = 100
_STATUS = {
    "waiting": "NotStarted",
    "queued": "NotStarted",
    "running": "Running",
    "done": "Succeeded",
    "failed": "Failed",
    "cancelled": "Canceled",
}
_POLL = {"Retry-After": "1"}
"""How soon a client may look again at a job that goes on."""

Prefix = Annotated[str, Field(max_length=1024)]
PageSize = Annotated[int, Query(alias="maxpagesize", ge=1, le=1000)]
Token = Annotated[str | None, Query(alias="continuationToken", pattern="^[0-9a-z-]{1,80}$")]


class Source(Body):
    """Which files are read: those of a folder whose path begins with the prefix."""

    location: str = Field(
        max_length=2048,
        description="The URL or word to which the operator has given a folder (--job-source).",
    )
    prefix: Prefix
    extensions: list[Annotated[str, Field(max_length=64)]] = Field(
        default=["*"], min_length=1, max_length=100
    )


class Target(Body):
    """Where what may leave is written: the prefix stands for the source's."""

    location: str = Field(
        max_length=2048,
        description="The URL or word to which the operator has given a folder (--job-target).",
    )
    prefix: Prefix
    overwrite: bool = Field(
        default=False, description="Whether files that are there already are replaced."
    )


class AzureJobRequest(Body):
    """Files of a folder, and what becomes of them."""

    operation: Literal["Surrogate", "Redact", "Tag"] = "Surrogate"
    source: Source = Field(alias="sourceLocation")
    target: Target = Field(alias="targetLocation")
    customizations: Customizations | None = None

    def order(self, name: str) -> Order:
        """As it is kept."""
        if self.operation == "Tag":
            raise AzureError(
                400, "OperationNotSupported", "a job redacts or makes surrogates: tag by POST /deid"
            )
        given = self.customizations or Customizations()
        return Order(
            name=name,
            operation=self.operation,
            source=self.source.location,
            source_prefix=self.source.prefix.lstrip("/"),
            extensions=tuple(self.source.extensions),
            target=self.target.location,
            target_prefix=self.target.prefix.lstrip("/"),
            overwrite=self.target.overwrite,
            redaction_format=given.redaction_format,
            surrogate_locale=given.surrogate_locale,
        )


@router.put("/{name}", status_code=201)
async def create(request: Request, name: str, body: AzureJobRequest) -> JSONResponse:
    """Begin a job over the files of a folder; the same request again gives the same job."""
    spool = _spool(request)
    if not _NAME.fullmatch(name):
        raise AzureError(
            400, "InvalidName", "a job's name has 3 to 36 letters, digits, hyphens and underscores"
        )
    check_locales(body.customizations)
    order = body.order(name)
    locations: Locations = request.app.state.worker.locations
    try:
        await asyncio.to_thread(order.check, locations)
    except LocationError as error:
        raise AzureError(400, "InvalidStorageLocation", str(error)) from None
    if order.operation == "Surrogate" and request.app.state.settings.key is None:
        raise no_key()
    await prepared(request.app.state.engine, order.choice())
    job, is_new = await asyncio.to_thread(_created, spool, owner_of(request), order)
    worker: JobWorker = request.app.state.worker
    worker.wake()
    headers = {"Operation-Location": f"{_address(request)}/jobs/{name}", **_POLL}
    return JSONResponse(await _shown(spool, job), 201 if is_new else 200, headers=headers)


def _created(spool: Spool, owner: str, order: Order) -> tuple[Job, bool]:
    """The job, and whether it was not there before."""
    id = spool.id_of(owner, order.name)
    files = {ORDER: order.sealed()}
    try:
        return spool.create(owner, FOLDERS, {}, id=id, state="queued", files=files), True
    except JobExistsError:
        job = spool.job(id)
        if Order.of(spool, job) != order:
            raise AzureError(
                409, "JobAlreadyExists", "there is another job of this name: delete it first"
            ) from None
        return job, False


@router.get("")
async def listed(request: Request, page: PageSize = _PAGE, after: Token = None) -> JSONResponse:
    """Your jobs over folders, the oldest first, page by page."""
    spool, owner = _spool(request), owner_of(request)
    jobs = await asyncio.to_thread(
        lambda: [job for job in spool.jobs() if job.format == FOLDERS and job.owner == owner]
    )
    places = [f"{job.created:.6f}-{job.id}".replace(".", "-") for job in jobs]
    rest = [job for job, place in zip(jobs, places, strict=True) if not after or place > after]
    shown = [await _shown(spool, job) for job in rest[:page]]
    last = places[len(places) - len(rest) + page - 1] if len(rest) > page else None
    return _page(request, "/jobs", shown, page, last)


@router.get("/{name}")
async def status(request: Request, name: str) -> JSONResponse:
    """How far a job is."""
    spool, job = _spool(request), await _job(request, name)
    return JSONResponse(await _shown(spool, job), headers=None if job.ended else _POLL)


@router.get("/{name}/documents")
async def documents(
    request: Request, name: str, page: PageSize = _PAGE, after: Token = None
) -> JSONResponse:
    """What became of each file that is done, page by page."""
    spool, job = _spool(request), await _job(request, name)
    order = await asyncio.to_thread(Order.of, spool, job)
    states = await asyncio.to_thread(document_states, spool, job)
    begin = int(after) if after and after.isdecimal() else 0
    shown = [_document(job, order, state) for state in states[begin : begin + page]]
    last = str(begin + page) if len(states) > begin + page else None
    return _page(request, f"/jobs/{name}/documents", shown, page, last)


@router.post("/{name}:cancel")
async def cancel(request: Request, name: str) -> JSONResponse:
    """Stop a job after the file in work; what is written stays, and a job that has ended as it is."""
    spool, job = _spool(request), await _job(request, name)
    if not job.ended:
        spool.cancel(job.id)
        worker: JobWorker = request.app.state.worker
        worker.wake()
    return JSONResponse(await _shown(spool, job))


@router.delete("/{name}", status_code=204)
async def delete(request: Request, name: str) -> Response:
    """Forget a job; no file of a folder is deleted."""
    spool, job = _spool(request), await _job(request, name)
    if not job.ended:
        spool.cancel(job.id)
    await asyncio.to_thread(spool.delete, job.id)
    return Response(status_code=204)


def _spool(request: Request) -> Spool:
    spool: Spool | None = request.app.state.spool
    if spool is None:
        raise AzureError(
            404, "NoJobs", "this service takes no jobs: it was started without --spool"
        )
    return spool


async def _job(request: Request, name: str) -> Job:
    """Of the asker; what others have named so is not seen."""
    spool = _spool(request)
    try:
        return await asyncio.to_thread(spool.job, spool.id_of(owner_of(request), name))
    except SpoolError:
        raise AzureError(404, "JobNotFound", "there is no job of this name") from None


def _address(request: Request) -> str:
    return str(request.base_url).rstrip("/")


def _page(
    request: Request, path: str, value: Sequence[Any], page: int, last: str | None
) -> JSONResponse:
    content: dict[str, Any] = {"value": list(value)}
    if last is not None:
        query = f"maxpagesize={page}&continuationToken={last}"
        content["nextLink"] = f"{_address(request)}{path}?{query}"
    return JSONResponse(content)


async def _shown(spool: Spool, job: Job) -> dict[str, Any]:
    return await asyncio.to_thread(_content, spool, job)


def _content(spool: Spool, job: Job) -> dict[str, Any]:
    """A job in Azure's form."""
    order = Order.of(spool, job)
    customizations = {
        "redactionFormat": order.redaction_format,
        "surrogateLocale": order.surrogate_locale,
    }
    content: dict[str, Any] = {
        "name": order.name,
        "operation": order.operation,
        "sourceLocation": {
            "location": order.source,
            "prefix": order.source_prefix,
            "extensions": list(order.extensions),
        },
        "targetLocation": {
            "location": order.target,
            "prefix": order.target_prefix,
            "overwrite": order.overwrite,
        },
        "customizations": {name: value for name, value in customizations.items() if value},
        "status": _STATUS[job.state],
        "lastUpdatedAt": _moment(job.updated or job.created),
        "createdAt": _moment(job.created),
    }
    if job.started:
        content["startedAt"] = _moment(job.started)
    if job.ended:
        content["summary"] = _summary(spool, job)
    if job.state == "failed":
        content["error"] = {"code": "JobFailed", "message": job.reason}
    return content


def _summary(spool: Spool, job: Job) -> Mapping[str, int]:
    states = document_states(spool, job)
    succeeded = sum(state.status == "Succeeded" for state in states)
    total = documents_in(spool, job) or 0
    return {
        "successful": succeeded,
        "failed": len(states) - succeeded,
        "canceled": total - len(states),
        "total": total,
        "bytesProcessed": sum(state.size for state in states if state.status == "Succeeded"),
    }


def _document(job: Job, order: Order, state: DocumentState) -> dict[str, Any]:
    content: dict[str, Any] = {
        "id": f"{job.id[:8]}-{job.id[8:12]}-{job.id[12:16]}-{job.id[16:20]}-{state.number:012d}",
        "input": {"location": location_of(order.source, state.name), "etag": state.tag},
        "status": state.status,
    }
    if state.output is not None:
        place = location_of(order.target, state.output)
        content["output"] = {"location": place, "etag": state.output_tag}
    else:
        content["error"] = {"code": state.code, "message": state.message, "details": []}
    return content


def _moment(seconds: float) -> str:
    return (
        time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
        + f".{int(seconds % 1 * 1000):03d}Z"
    )
