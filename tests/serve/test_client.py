"""The Python client, both forms, against a service; and curl, as the page on the service shows it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from serve.servers import Server, running

import incognote
from incognote.client import AsyncClient, Client, ServiceError

TEXT = "Seen by Dr. Okafor on 3/14/2019."


def test_a_client_gives_what_the_library_gives(server: Server) -> None:
    with Client(server.url) as client:
        assert client.deid(TEXT).text == incognote.deidentify(TEXT).text
        assert client.deid(TEXT, replace="mask").text == incognote.deidentify(TEXT, "mask").text
        notes = client.deid_many([{"id": "a", "text": TEXT}, TEXT])
        assert [note.id for note in notes] == ["a", None]
        found = client.find(TEXT, explain=True)
        assert found.text is None
        assert [span["type"] for span in found.spans or ()] == ["DOCTOR", "DATE"]
        assert found.explanation
        assert client.version()["incognote"] == incognote.__version__


def test_a_refusal_has_the_services_sentence(server: Server) -> None:
    with Client(server.url) as client:
        with pytest.raises(ServiceError, match="no such policy") as refused:
            client.deid(TEXT, policy="none")
        assert refused.value.code == 422
        with pytest.raises(ServiceError, match="is not known"):
            client.deid(TEXT, modle="x")
        with pytest.raises(ServiceError, match="takes no jobs"):
            client.run_job(b"a", format="text")


def test_many_at_once_and_jobs_with_asyncio(tmp_path: Path) -> None:
    key = str(tmp_path / "spool.key")
    options = ["--detector", "rules", "--queue", "2", "--spool", str(tmp_path / "spool")]

    async def ask(url: str) -> tuple[list[str | None], bytes]:
        async with AsyncClient(url, retries=100) as client:
            notes = await asyncio.gather(*(client.deid(f"{TEXT} {number}") for number in range(12)))
            job = await client.run_job(TEXT.encode(), format="text")
            with pytest.raises(ServiceError, match="the job failed"):
                await client.run_job(b"PK nonsense", format="zip")
            return [note.text for note in notes], job

    with running(*options, "--spool-key-file", key) as server:
        texts, job = asyncio.run(ask(server.url))
    assert texts == [f"Seen by Dr. [DOCTOR] on [DATE]. {number}" for number in range(12)]
    assert job == b"Seen by Dr. [DOCTOR] on [DATE]."
    assert not list((tmp_path / "spool").iterdir())
