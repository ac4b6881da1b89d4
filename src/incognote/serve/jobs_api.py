"""The routes of jobs: describe one, send its file, ask how far it is, take the result, delete it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from incognote.base.errors import UserError
from incognote.serve.engine import Choice, unquoted
from incognote.serve.folder_jobs import FOLDERS
from incognote.serve.job_work import FORMAT_NAMES, choice_of, job_settings
from incognote.serve.jobs import JobWorker, held
from incognote.serve.keys import ApiKey
from incognote.serve.notes import Name, Strict, joined_operators
from incognote.serve.problems import ProblemError
from incognote.serve.spool import AUDIT, INPUT, RESULT, Job, SealedFile, Spool, SpoolError
from incognote.serve.v1 import prepared

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])
_NOBODY = ""
_AT_ONCE = 1 << 18
"""Bytes of a file that are sealed in one go."""


class JobRequest(Strict):
    """What a file holds, and how its notes are found and replaced."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"format": "jsonl", "policy": "safe-harbor"}]}
    )

    format: Literal["jsonl", "csv", "parquet", "text", "i2b2", "i2b2-2006", "inline", "zip"]
    replace: str | dict[Name, Name] | None = None
    policy: Name | None = None
    number: bool | None = None
    detector: Literal["rules", "model", "both"] | None = None
    speed: Literal["careful", "balanced", "fast"] | None = None
    text: list[Name] = Field(default=[], description="Fields or columns that hold notes.")
    id: Name | None = Field(default=None, description="Field or column with a note's id.")
    patient: Name | None = Field(default=None, description="Field or column with the patient.")
    known: dict[Name, Name] = Field(
        default={}, description="Fields with identifiers of the patient, and their types."
    )
    drop: list[Name] = Field(default=[], description="Fields or columns to leave out.")
    encoding: Name | None = None

    def settings(self) -> dict[str, Any]:
        """What is kept of it with the job."""
        given = self.model_dump(exclude_none=True, exclude={"format", "replace", "detector"})
        if self.replace is not None:
            given["replace"] = joined_operators(self.replace)
        if self.detector is not None:
            given["find_by"] = self.detector
        return given


class JobStatus(BaseModel):
    """How far a job is; `share` is of its file."""

    id: str
    state: Literal["waiting", "queued", "running", "done", "failed", "cancelled"]
    format: str
    created: str
    expires: str
    share: float
    files: int
    notes: int
    failed: int
    reason: str
    input: str
    result: str


def _status(job: Job) -> dict[str, Any]:
    def shown(moment: float) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))

    return {
        "id": job.id,
        "state": job.state,
        "format": job.format,
        "created": shown(job.created),
        "expires": shown(job.expires),
        "share": job.share,
        "files": job.files,
        "notes": job.notes,
        "failed": job.failed,
        "reason": job.reason,
        "input": f"/v1/jobs/{job.id}/input",
        "result": f"/v1/jobs/{job.id}/result",
    }


def _spool(request: Request) -> Spool:
    spool: Spool | None = request.app.state.spool
    if spool is None:
        raise ProblemError(404, "this service takes no jobs: it was started without --spool")
    return spool


def owner_of(request: Request) -> str:
    """The name of the asker's key."""
    key: ApiKey | None = request.scope.get("incognote.key")
    return _NOBODY if key is None else key.name


def _job(request: Request, id: str) -> Job:
    """The job, if it is the asker's; others do not learn that it is there."""
    try:
        job = _spool(request).job(id)
    except SpoolError as error:
        raise ProblemError(404, str(error)) from None
    if not _may_see(request, job):
        raise ProblemError(404, "no such job")
    return job


def _may_see(request: Request, job: Job) -> bool:
    """Whether the asker made the job, or may see all."""
    key: ApiKey | None = request.scope.get("incognote.key")
    return key is None or job.owner == key.name or key.allows("admin")


@router.post("", status_code=201, response_model=JobStatus)
async def create(request: Request, body: JobRequest) -> JSONResponse:
    """Describe a file; then send it to the job's `input`."""
    spool, given = _spool(request), body.settings()
    assert body.format in FORMAT_NAMES
    choice: Choice = choice_of(given)
    await prepared(request.app.state.engine, choice)
    try:
        job_settings(request.app.state.settings, given)
    except UserError as error:
        words = ",".join([*body.known, *body.known.values(), *body.text, *body.drop])
        raise ProblemError(422, unquoted(str(error), words)) from None
    job = await asyncio.to_thread(spool.create, owner_of(request), body.format, given)
    return JSONResponse(_status(job), 201, headers={"Location": f"/v1/jobs/{job.id}"})


@router.put("/{id}/input", status_code=202, response_model=JobStatus)
async def send(request: Request, id: str) -> JSONResponse:
    """Send the file, as it is; the job begins when all of it is there."""
    spool = _spool(request)
    _job(request, id)
    with held(spool.path(id)) as ours:
        if not ours:
            raise ProblemError(409, "the job's file is being sent already")
        job = _job(request, id)
        if job.state != "waiting":
            raise ProblemError(409, "the job has its file already")
        try:
            size = await _sealed(request.stream(), spool.sealed(job, INPUT))
            job = await asyncio.to_thread(spool.update, id, state="queued", bytes_in=size)
        except (FileNotFoundError, SpoolError):
            raise ProblemError(404, "no such job: it was deleted meanwhile") from None
    worker: JobWorker = request.app.state.worker
    worker.wake()
    return JSONResponse(_status(job), 202)


async def _sealed(parts: AsyncIterator[bytes], file: SealedFile) -> int:
    """Seal what comes while it comes; nothing of it is kept otherwise.

    A thread is used only while there is something to write: slow senders take none from others.
    """
    with file.writer() as writer:
        waiting = bytearray()
        async for part in parts:
            waiting += part
            if len(waiting) >= _AT_ONCE:
                await asyncio.to_thread(writer.add, bytes(waiting))
                waiting.clear()
        writer.add(bytes(waiting))
        return await asyncio.to_thread(writer.finish)


@router.get("", response_model=list[JobStatus])
async def listed(request: Request) -> JSONResponse:
    """Your jobs, the oldest first; with the scope admin, all."""
    spool = _spool(request)
    jobs = await asyncio.to_thread(lambda: list(spool.jobs()))
    return JSONResponse([_status(job) for job in jobs if _may_see(request, job)])


@router.get("/{id}", response_model=JobStatus)
async def status(request: Request, id: str) -> JSONResponse:
    """How far a job is."""
    return JSONResponse(_status(_job(request, id)))


@router.post("/{id}/cancel", response_model=JobStatus)
async def cancel(request: Request, id: str) -> JSONResponse:
    """Stop a job after the notes in work; its files stay until it is deleted."""
    spool, job = _spool(request), _job(request, id)
    if not job.ended:
        spool.cancel(id)
        if job.state == "waiting":
            job = spool.update(id, state="cancelled", reason="cancelled")
    return JSONResponse(_status(job))


@router.get("/{id}/result")
async def result(request: Request, id: str) -> Response:
    """What may leave: a file of the format that was sent; of an archive, files by number."""
    spool, job = _spool(request), _job(request, id)
    if job.state != "done":
        raise ProblemError(409, f"the job is {job.state}: there is no result")
    if job.format == FOLDERS:
        raise ProblemError(409, "the job has written its files into the folder of its target")
    sealed = spool.sealed(job, RESULT)
    return StreamingResponse(sealed.read(), media_type="application/octet-stream")


@router.get("/{id}/audit")
async def audit(request: Request, id: str) -> JSONResponse:
    """What was read, found and replaced, in counts, and what failed: no text, no names."""
    spool, job = _spool(request), _job(request, id)
    if job.state != "done":
        raise ProblemError(409, f"the job is {job.state}: there is no audit")
    return JSONResponse(json.loads(b"".join(spool.sealed(job, AUDIT).read())))


@router.delete("/{id}", status_code=204)
async def delete(request: Request, id: str) -> Response:
    """Remove a job with all its files, whatever its state."""
    spool, job = _spool(request), _job(request, id)
    if not job.ended:
        spool.cancel(id)
    await asyncio.to_thread(spool.delete, id)
    return Response(status_code=204)
