"""Mixed load on a service for a while: every route, good, bad, huge, slow, given up; each answer checked.

What breaks a promise is a fault: an answer that is not the library's, none where one is due, a refusal
that was not called for, memory that grows, a word of a note in the log, a spool that is not empty.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
from fuzz.faults import FaultError, Findings
from serve.servers import Server, running
from soak.answers import GOLD, MASKED, SPEED, WAYS, Answers, Note

WORKERS = 10
QUEUE = 64
BUSY = (429, 503)
_LARGEST = 200_000
_BETWEEN_SAMPLES = 0.5
GROWTH_MEGABYTES = 60, 15
"""What the last quarter's memory may have above the second's: in some minutes, and in more."""
_MANY_SAMPLES = 1_000
_WARMING_UP = 3


@dataclass
class Memory:
    """Megabytes of the service's own, sampled."""

    samples: list[float] = field(default_factory=list)

    def take(self, process: psutil.Process) -> None:
        """One more sample."""
        family = [process, *process.children(recursive=True)]
        self.samples.append(sum(each.memory_full_info().uss for each in family) / 1e6)

    def quarters(self) -> list[float]:
        """The median of each quarter of the time."""
        size = max(1, len(self.samples) // 4)
        return [statistics.median(self.samples[at * size : (at + 1) * size]) for at in range(4)]

    def check(self) -> None:
        """No growth after the first quarter, which is for warming up."""
        _, second, _, last = self.quarters()
        if last > second + GROWTH_MEGABYTES[len(self.samples) > _MANY_SAMPLES]:
            raise FaultError(f"memory grew from {second:.0f} to {last:.0f} MB")


def soak(
    seconds: float,
    seed: int,
    folder: Path,
    findings: Findings,
    advance: Callable[[float], object] = lambda _: None,
) -> Memory:
    """Ask for so long; what was asked is counted by kind and outcome."""
    memory = Memory()
    answers = Answers(30, random.Random(seed))
    spool = folder / "spool"
    jobs = ["--spool", str(spool), "--spool-key-file", str(folder / "spool.key")]
    limits = ["--queue", str(QUEUE), "--max-body", str(_LARGEST / 1e6)]
    with running("--speed", SPEED, *jobs, *limits) as server:
        asyncio.run(_load(server, answers, seconds, seed, findings, memory, advance))
        try:
            memory.check()
            _check_end(server, spool)
        except FaultError as error:
            findings.add(f"the end of seed {seed}", error, server.output.encode())
    return memory


def _check_end(server: Server, spool: Path) -> None:
    if server.process.poll() is not None:
        raise FaultError("the service is gone")
    if server.stop() != 0:
        raise FaultError("the service did not end well")
    if any(spool.iterdir()):
        raise FaultError("jobs were left in the spool")
    if any(event in server.output for event in ("unforeseen", "Traceback", "batch failed")):
        raise FaultError("something unforeseen stands in the log")
    if "Okafor" in server.output:
        raise FaultError("the log quotes a note")


async def _load(
    server: Server,
    answers: Answers,
    seconds: float,
    seed: int,
    findings: Findings,
    memory: Memory,
    advance: Callable[[float], object],
) -> None:
    async with httpx.AsyncClient(base_url=server.url, timeout=120) as http:
        await Client(http, answers, random.Random(seed), findings).ask_everything(_WARMING_UP)
    began = time.monotonic()
    process = psutil.Process(server.process.pid)

    async def work(number: int) -> None:
        rng = random.Random(f"{seed} {number}")
        async with httpx.AsyncClient(base_url=server.url, timeout=120) as http:
            client = Client(http, answers, rng, findings)
            while time.monotonic() - began < seconds:
                await client.ask()

    async def watch() -> None:
        while (spent := time.monotonic() - began) < seconds:
            await asyncio.to_thread(memory.take, process)
            advance(spent)
            await asyncio.sleep(_BETWEEN_SAMPLES)

    await asyncio.gather(watch(), *(work(number) for number in range(WORKERS)))


class Client:
    """Asks one thing after the other."""

    def __init__(
        self, http: httpx.AsyncClient, answers: Answers, rng: random.Random, findings: Findings
    ) -> None:
        self._http, self._answers, self._rng, self._findings = http, answers, rng, findings
        self._kinds = {
            self.one: 10,
            self.several: 4,
            self.find: 3,
            self.presidio: 3,
            self.azure: 2,
            self.encoder: 1,
            self.scores: 1,
            self.invalid: 3,
            self.huge: 1,
            self.long: 1,
            self.left: 4,
            self.slow: 2,
            self.job: 2,
            self.operations: 1,
        }

    async def ask_everything(self, times: int) -> None:
        """Each kind, so often."""
        for kind in [*self._kinds] * times:
            await self._ask(kind)

    async def ask(self) -> None:
        """Anything."""
        (kind,) = self._rng.choices([*self._kinds], [*self._kinds.values()])
        await self._ask(kind)

    async def _ask(self, kind: Callable[[], Awaitable[str | None]]) -> None:
        """Ask, check what comes back, and count what became of it."""
        name = getattr(kind, "__name__", "")
        try:
            outcome = await kind()
        except Exception as error:
            self._findings.add(name, error, b"")
            outcome = "fault"
        self._findings.counts[f"{name}: {outcome or 'as expected'}"] += 1

    @property
    def _note(self) -> Note:
        return self._rng.choice(self._answers.notes)

    async def _post(self, path: str, body: Any, **options: Any) -> httpx.Response | None:
        """A good answer, or None where the service is busy, which it may say."""
        if not options:
            options = {"json": body}
        answer = await self._http.post(path, **options)
        if answer.status_code in BUSY:
            if int(answer.headers["Retry-After"]) < 1:
                raise FaultError("no time to wait")
            await asyncio.sleep(self._rng.random())
            return None
        if answer.status_code != 200:
            raise FaultError(f"{path}: status {answer.status_code}")
        return answer

    def _check(self, note: Note, way: str, answer: Any, *, clean: bool = True) -> None:
        if clean and answer["text"] != note.results[way].text:
            raise FaultError("another text than the library's")
        spans = [(span["start"], span["end"], span["type"]) for span in answer["spans"]]
        if spans != note.found(way):
            raise FaultError("other spans than the library's")

    # Kinds of requests; each says what became of it where that is not what was expected

    async def one(self) -> str | None:
        note, way = self._note, self._rng.choice([*WAYS])
        answer = await self._post("/v1/deid", {"text": note.text, **WAYS[way]})
        if answer is None:
            return "busy"
        self._check(note, way, answer.json()["notes"][0])
        return None

    async def several(self) -> str | None:
        notes = self._rng.sample(self._answers.notes, self._rng.randrange(2, 9))
        way = self._rng.choice([*WAYS])
        listed = [{"id": str(number), "text": note.text} for number, note in enumerate(notes)]
        answer = await self._post("/v1/deid", {"notes": listed, **WAYS[way]})
        if answer is None:
            return "busy"
        found = answer.json()["notes"]
        if [each["id"] for each in found] != [each["id"] for each in listed]:
            raise FaultError("notes were lost or are out of order")
        for note, each in zip(notes, found, strict=True):
            self._check(note, way, each)
        return None

    async def find(self) -> str | None:
        note, way = self._note, self._rng.choice(("as it comes", "rules"))
        answer = await self._post("/v1/find", {"text": note.text, **WAYS[way]})
        if answer is None:
            return "busy"
        self._check(note, way, answer.json()["notes"][0], clean=False)
        return None

    async def presidio(self) -> str | None:
        note = self._note
        answer = await self._post("/analyze", {"text": note.text, "language": "en"})
        if answer is None:
            return "busy"
        found = {(each["start"], each["end"], each["entity_type"]) for each in answer.json()}
        if found != note.presidio:
            raise FaultError("other findings than the library's")
        body = {"text": note.text, "analyzer_results": answer.json()}
        body["anonymizers"] = {"DEFAULT": {"type": "keep"}}
        replaced = await self._post("/anonymize", body)
        if replaced is None:
            return "busy"
        if replaced.json()["text"] != note.text:
            raise FaultError("what was to be kept changed")
        return None

    async def azure(self) -> str | None:
        note = self._note
        answer = await self._post("/deid", {"inputText": note.text, "operation": "Redact"})
        if answer is None:
            return "busy"
        if answer.json()["outputText"] != note.redacted:
            raise FaultError("another text than the library's")
        return None

    async def encoder(self) -> str | None:
        masks = await self._post("/v1/fill-mask", {"text": MASKED, "top_k": 3})
        vectors = await self._post("/v1/features", {"texts": [MASKED], "pool": "mean"})
        if masks is None or vectors is None:
            return "busy"
        if masks.json()["masks"] != [self._answers.masks]:
            raise FaultError("other words than the library's")
        if [each["vector"] for each in vectors.json()["texts"]] != self._answers.vectors:
            raise FaultError("other vectors than the library's")
        return None

    async def scores(self) -> str | None:
        predicted = {"id": "a", "spans": GOLD["spans"]}
        answer = await self._post("/v1/score", {"gold": [GOLD], "predicted": [predicted]})
        if answer is None:
            return "busy"
        if answer.json() != self._answers.scores:
            raise FaultError("other figures than the library's")
        return None

    async def invalid(self) -> str | None:
        text = self._note.text
        path, body = self._rng.choice(
            (
                ("/v1/deid", {"text": text, "policy": text}),
                ("/v1/deid", {"text": text, text: 1}),
                ("/v1/deid", {"notes": [{"text": 1}]}),
                ("/v1/find", {"text": text, "detector": "both", "speed": "slow"}),
                ("/v1/jobs", {"format": text}),
                ("/anonymize", {"text": text, "analyzer_results": [{}]}),
                ("/deid", {"inputText": text, "operation": text}),
                ("/v1/fill-mask", {"text": "none"}),
            )
        )
        answer = await self._http.post(path, json=body)
        if answer.status_code in BUSY:
            return "busy"
        if answer.status_code not in (400, 422) or text in answer.text:
            raise FaultError(f"{path}: status {answer.status_code}, or quoted")
        return None

    async def huge(self) -> str | None:
        answer = await self._http.post("/v1/deid", json={"text": "a" * (_LARGEST + 1)})
        if answer.status_code != 413:
            raise FaultError(f"status {answer.status_code}")
        return None

    async def long(self) -> str | None:
        answer = await self._post("/v1/deid", {"text": self._answers.long, "detector": "rules"})
        if answer is None:
            return "busy"
        if answer.json()["notes"][0]["text"] != self._answers.long_text:
            raise FaultError("another text than the library's")
        return None

    async def left(self) -> str | None:
        """Given up at any moment; others' answers must not suffer, and no work may stay."""
        listed = [{"text": note.text} for note in self._answers.notes[:8]]
        task = asyncio.ensure_future(self._http.post("/v1/deid", json={"notes": listed}))
        await asyncio.sleep(self._rng.random() / 5)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return None

    async def slow(self) -> str | None:
        note = self._note
        data = json.dumps({"text": note.text, "detector": "rules"}).encode()

        async def parts() -> AsyncIterator[bytes]:
            for at in range(0, len(data), 400):
                yield data[at : at + 400]
                await asyncio.sleep(self._rng.random() / 5)

        headers = {"Content-Type": "application/json"}
        answer = await self._post("/v1/deid", None, content=parts(), headers=headers)
        if answer is None:
            return "busy"
        self._check(note, "rules", answer.json()["notes"][0])
        return None

    async def job(self) -> str | None:
        notes = self._rng.sample(self._answers.notes, self._rng.randrange(1, 12))
        content = "".join(json.dumps({"text": note.text}) + "\n" for note in notes).encode()
        made = await self._http.post("/v1/jobs", json={"format": "jsonl", "detector": "rules"})
        id = made.json()["id"]
        sent = await self._http.put(f"/v1/jobs/{id}/input", content=content)
        if sent.status_code != 202:
            raise FaultError(f"a file was refused with status {sent.status_code}")
        if self._rng.random() < 0.2:
            await self._http.post(f"/v1/jobs/{id}/cancel")
        status = await self._end_of(id)
        if status == "done":
            result = await self._http.get(f"/v1/jobs/{id}/result")
            texts = [json.loads(line)["text"] for line in result.text.splitlines()]
            if texts != [note.results["rules"].text for note in notes]:
                raise FaultError("another result than the library's")
        elif status != "cancelled":
            raise FaultError(f"a job ended as {status}")
        gone = await self._http.delete(f"/v1/jobs/{id}")
        if gone.status_code != 204:
            raise FaultError(f"a job could not be deleted: status {gone.status_code}")
        return status

    async def _end_of(self, id: str) -> str:
        until = time.monotonic() + 300
        while time.monotonic() < until:
            state = str((await self._http.get(f"/v1/jobs/{id}")).json()["state"])
            if state in ("done", "failed", "cancelled"):
                return state
            await asyncio.sleep(0.1)
        raise FaultError("a job does not end")

    async def operations(self) -> str | None:
        for path in ("/livez", "/readyz", "/metrics", "/version", "/health", "/openapi.json"):
            answer = await self._http.get(path)
            if answer.status_code != 200:
                raise FaultError(f"{path}: status {answer.status_code}")
        return None
