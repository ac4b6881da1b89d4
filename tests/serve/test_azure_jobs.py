"""Azure's own client runs jobs over folders that the operator allows, and over no others."""

from __future__ import annotations

import json
import signal
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from azure.core.credentials import AccessToken
from azure.core.exceptions import (
    ClientAuthenticationError,
    HttpResponseError,
    ResourceExistsError,
    ResourceNotFoundError,
)
from azure.health.deidentification import DeidentificationClient
from azure.health.deidentification.models import (
    DeidentificationContent,
    DeidentificationCustomizationOptions,
    DeidentificationJob,
    DeidentificationOperationType,
    SourceStorageLocation,
    TargetStorageLocation,
)
from serve.servers import Server, running

from incognote.serve.folder_jobs import JobFileError as Refused
from incognote.serve.folder_jobs import (
    LocationError,
    Locations,
    Order,
    list_documents,
    read_document,
)
from incognote.serve.keys import add_key

STORAGE = "https://hospital.blob.core.windows.net/notes"
NOTE = "Zebulon Quackenbush was seen by Dr. Okafor on 3/14/2019.\n"


@dataclass(frozen=True)
class Credential:
    """Azure's clients send a token; here it is the API key."""

    key: str

    def get_token(self, *scopes: str, **options: Any) -> AccessToken:
        """Valid for an hour."""
        return AccessToken(self.key, int(time.time()) + 3600)


@dataclass(frozen=True)
class Service:
    """A service with a folder that stands for a container, and its keys."""

    server: Server
    folder: Path
    certificate: Path
    keys: dict[str, str]

    def azure(self, key: str = "jobs") -> DeidentificationClient:
        """Azure's own client."""
        return DeidentificationClient(
            self.server.url,
            Credential(self.keys[key]),
            connection_verify=str(self.certificate),
            polling_interval=1,
            retry_total=0,
        )

    def raw(self, key: str = "jobs") -> httpx.Client:
        """Plain HTTP."""
        context = ssl.create_default_context(cafile=str(self.certificate))
        return self.server.client(self.keys[key], verify=context)


@pytest.fixture(scope="module")
def service(
    tmp_path_factory: pytest.TempPathFactory, certificate: tuple[Path, Path], key_file: Path
) -> Iterator[Service]:
    """With TLS and keys, as Azure's clients need it."""
    folder = tmp_path_factory.mktemp("azure")
    notes = folder / "notes"
    for number in range(5):
        (notes / f"ward7/p{number}").mkdir(parents=True)
        (notes / f"ward7/p{number}/Quackenbush.txt").write_text(f"{NOTE}Visit {number}.\n")
    (notes / "ward8").mkdir()
    (notes / "ward8/list.csv").write_text("a,b\n1,2\n")
    (notes / "ward8/image.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    (notes / "ward8/note.txt").write_text(NOTE)
    keys = {name: add_key(folder / "keys.json", name, ["jobs", "deid"]) for name in ("jobs", "b")}
    keys["wrong"] = "inc_wrong"
    options = ["--spool", str(folder / "spool"), "--spool-key-file", str(folder / "spool.key")]
    options += ["--job-source", f"{STORAGE}={notes}", "--job-target", f"{STORAGE}={notes}"]
    options += ["--keys", str(folder / "keys.json"), "--key-file", str(key_file)]
    options += ["--certificate", str(certificate[0]), "--private-key", str(certificate[1])]
    context = ssl.create_default_context(cafile=str(certificate[0]))
    with running("--detector", "rules", *options, verify=context) as server:
        yield Service(server, notes, certificate[0], keys)


def job(source: str, target: str, **more: Any) -> DeidentificationJob:
    """As the samples of Azure's client make one."""
    overwrite = more.pop("overwrite", True)
    extensions = more.pop("extensions", None)
    return DeidentificationJob(
        source_location=SourceStorageLocation(
            location=STORAGE, prefix=source, extensions=extensions
        ),
        target_location=TargetStorageLocation(location=STORAGE, prefix=target, overwrite=overwrite),
        **more,
    )


def code_of(failed: Any) -> str:
    """Why, in a word."""
    return str(failed.error.code)


def test_the_sample_for_documents_runs_as_it_is(service: Service) -> None:
    with service.azure() as client:
        finished = client.begin_deidentify_documents(
            "sample-job-1",
            job("ward7", "_output", operation_type=DeidentificationOperationType.SURROGATE),
        ).result(timeout=120)
        assert (finished.job_name, finished.status) == ("sample-job-1", "Succeeded")
        assert finished.summary is not None
        assert (finished.summary.total_count, finished.summary.successful_count) == (5, 5)
        found = list(client.list_job_documents("sample-job-1", maxpagesize=2))
    assert [each.status for each in found] == ["Succeeded"] * 5
    assert found[0].input_location.location == f"{STORAGE}/ward7/p0/Quackenbush.txt"
    assert found[0].output_location is not None
    assert found[0].output_location.location == f"{STORAGE}/_output/p0/Quackenbush.txt"
    written = [path.read_text() for path in sorted(service.folder.glob("_output/*/*"))]
    assert len(written) == 5
    firsts = {text.splitlines()[0] for text in written}
    assert len(firsts) == 1, "all files of a job have the same surrogates"
    assert "Okafor" not in "".join(written)
    assert "Visit 3." in written[3]


def test_redaction_has_the_form_that_is_asked_for(service: Service) -> None:
    form = DeidentificationCustomizationOptions(redaction_format="<{type}>")
    with service.azure() as client:
        text = client.deidentify_text(
            DeidentificationContent(
                input_text=NOTE,
                operation_type=DeidentificationOperationType.REDACT,
                customizations=form,
            )
        ).output_text
        asked = job("ward8/note", "clean/n", operation_type="Redact", extensions=[".TXT"])
        asked["customizations"] = {"redactionFormat": "<{type}>"}
        client.begin_deidentify_documents("redact_1", asked).result(timeout=120)
    assert (service.folder / "clean/n.txt").read_text() == text
    assert "seen by Dr. <doctor> on <date>." in (text or "")


def test_a_file_that_cannot_be_read_is_told_and_not_written(service: Service) -> None:
    with service.azure() as client:
        finished = client.begin_deidentify_documents(
            "mixed", job("ward8/", "mixed", operation_type="Redact")
        ).result(timeout=120)
        states = {
            Path(each.input_location.location).name: each
            for each in client.list_job_documents("mixed")
        }
        assert finished.status == "Succeeded"
        assert finished.summary is not None
        assert (finished.summary.successful_count, finished.summary.failed_count) == (1, 2)
        assert code_of(states["image.png"]) == "UnsupportedFormat"
        assert code_of(states["list.csv"]) == "InvalidDocument"
        assert sorted(path.name for path in service.folder.glob("mixed/*")) == ["note.txt"]
        again = client.begin_deidentify_documents(
            "kept", job("ward8/note", "mixed/note", operation_type="Redact", overwrite=False)
        )
        with pytest.raises(HttpResponseError):
            again.result(timeout=120)
        assert code_of(next(iter(client.list_job_documents("kept")))) == "OutputExists"


def test_jobs_are_listed_page_by_page_and_forgotten(service: Service) -> None:
    with service.azure() as client, service.azure("b") as other:
        for number in range(3):
            client.begin_deidentify_documents(
                f"page-{number}", job("ward8/note", f"page{number}/n", operation_type="Redact")
            ).result(timeout=120)
        names = [each.job_name for each in client.list_jobs(maxpagesize=1)]
        assert [name for name in names if name.startswith("page-")] == [
            "page-0",
            "page-1",
            "page-2",
        ]
        assert list(other.list_jobs()) == []
        with pytest.raises(ResourceNotFoundError):
            other.get_job("page-0")
        with pytest.raises(ResourceExistsError, match="another job of this name"):
            client.begin_deidentify_documents("page-0", job("ward7", "x", operation_type="Redact"))
        assert client.cancel_job("page-0").status == "Succeeded"
        client.delete_job("page-0")
        with pytest.raises(ResourceNotFoundError, match="no job of this name"):
            client.get_job("page-0")
        assert (service.folder / "page0/n.txt").exists()
    with service.azure("wrong") as nobody, pytest.raises(ClientAuthenticationError) as refused:
        nobody.get_job("page-1")
    assert code_of(refused.value) == "Unauthorized"


def test_a_request_that_comes_again_gives_the_same_job(service: Service) -> None:
    asked = job("ward8/note", "twice/n", operation_type="Redact")
    body = json.dumps(asked.as_dict()).encode()
    id = "0b7c9d1e-0000-4000-8000-12345678abcd"
    with service.raw() as client:
        first, second = (
            client.put(
                "/jobs/twice?api-version=2024-11-15",
                content=body,
                headers={"Content-Type": "application/json", "x-ms-client-request-id": id},
            )
            for _ in range(2)
        )
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["createdAt"] == second.json()["createdAt"]
    assert first.headers["operation-location"] == f"{service.server.url}/jobs/twice"
    assert first.headers["x-ms-client-request-id"] == id


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"sourceLocation": {"location": "/etc", "prefix": ""}}, 400, "InvalidStorageLocation"),
        (
            {"sourceLocation": {"location": f"{STORAGE}?sv=1&sig=s", "prefix": ""}},
            400,
            "InvalidStorageLocation",
        ),
        (
            {"targetLocation": {"location": STORAGE, "prefix": "../out"}},
            400,
            "InvalidStorageLocation",
        ),
        (
            {"targetLocation": {"location": STORAGE, "prefix": "ward7"}},
            400,
            "InvalidStorageLocation",
        ),
        ({"operation": "Tag"}, 400, "OperationNotSupported"),
        ({"operation": "Burn"}, 400, "BadRequest"),
        ({"sourceLocation": {"prefix": "ward7"}}, 400, "BadRequest"),
        ({"customizations": {"surrogateLocale": "fr-FR"}}, 422, "UnsupportedLocale"),
    ],
)
def test_what_cannot_be_is_refused_in_azures_form(
    service: Service, change: dict[str, Any], status: int, code: str
) -> None:
    body = {
        "operation": "Redact",
        "sourceLocation": {"location": STORAGE, "prefix": "/ward7", "extensions": ["*"]},
        "targetLocation": {"location": STORAGE, "prefix": "/out", "overwrite": True},
        "status": "NotStarted",
    }
    with service.raw() as client:
        answer = client.put("/jobs/refused", json={**body, **change})
        assert client.put("/jobs/a", json=body).json()["error"]["code"] == "InvalidName"
        assert client.get("/jobs/refused").status_code == 404
        assert client.get("/jobs?continuationToken=../x").status_code == 400
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["code"] == answer.headers["x-ms-error-code"] == code
    assert "Quackenbush" not in answer.text


def test_a_killed_service_goes_on_and_writes_each_file_once(tmp_path: Path, key_file: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    target.mkdir()
    for number in range(120):
        (source / f"Quackenbush-{number:03d}.txt").write_text(f"{NOTE * 6}Visit {number}.\n")
    options = ["--spool", str(tmp_path / "spool"), "--spool-key-file", str(tmp_path / "spool.key")]
    options += ["--job-source", f"in={source}", "--job-target", f"out={target}"]
    options += ["--detector", "rules", "--key-file", str(key_file)]
    body = {
        "sourceLocation": {"location": "in", "prefix": ""},
        "targetLocation": {"location": "out", "prefix": ""},
    }
    with running(*options) as server, server.client() as client:
        assert client.put("/jobs/documents_smith_1", json=body).status_code == 201
        while len(list(target.glob("*.txt"))) < 20:
            threading.Event().wait(0.01)
        server.stop(signal.SIGKILL)
        first = server.output
    lying = b"".join(
        path.read_bytes() for path in (tmp_path / "spool").rglob("*") if path.is_file()
    )
    for word in (b"Quackenbush", b"Zebulon", b"smith_1"):
        assert word not in lying
        assert word.decode() not in first
    stamps = {path.name: path.stat().st_mtime_ns for path in target.glob("*.txt")}
    assert 20 <= len(stamps) < 120
    with running(*options) as server, server.client() as client:
        while (answer := client.get("/jobs/documents_smith_1").json())["status"] == "Running":
            threading.Event().wait(0.05)
        audits = client.get("/v1/jobs").json()
        audit = client.get(f"/v1/jobs/{audits[0]['id']}/audit").json()
    assert answer["status"] == "Succeeded", answer
    assert answer["summary"]["total"] == answer["summary"]["successful"] == 120
    assert (audit["notes"]["written"], audit["characters"]["coverage"]) == (120, 1.0)
    written = {path.name: path for path in target.iterdir()}
    assert len(written) == 120
    again = [name for name, stamp in stamps.items() if written[name].stat().st_mtime_ns != stamp]
    assert len(again) <= 1, "only a file that was being written is written again"
    assert "Okafor" not in "".join(path.read_text() for path in written.values())


def test_a_job_is_cancelled_after_the_file_in_work(tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    target.mkdir()
    for number in range(150):
        (source / f"{number:03d}.txt").write_text(NOTE * 20)
    options = ["--spool", str(tmp_path / "spool"), "--spool-key-file", str(tmp_path / "spool.key")]
    options += ["--job-source", f"in={source}", "--job-target", f"out={target}"]
    body = {
        "operation": "Redact",
        "sourceLocation": {"location": "in", "prefix": ""},
        "targetLocation": {"location": "out", "prefix": ""},
    }
    with running("--detector", "rules", *options) as server, server.client() as client:
        client.put("/jobs/long", json=body)
        while not list(target.glob("*.txt")):
            threading.Event().wait(0.01)
        assert client.post("/jobs/long:cancel").status_code == 200
        while (answer := client.get("/jobs/long").json())["status"] == "Running":
            threading.Event().wait(0.02)
    summary = answer["summary"]
    assert answer["status"] == "Canceled"
    assert 0 < summary["successful"] < 150
    assert summary["canceled"] == summary["total"] - summary["successful"]


# Folders


def order(**changes: Any) -> Order:
    """From one folder to another."""
    given = {
        "name": "job",
        "operation": "Redact",
        "source": "in",
        "source_prefix": "documents/user/",
        "extensions": ("*",),
        "target": "out",
        "target_prefix": "output_docs/",
        "overwrite": True,
    }
    return Order(**{**given, **changes})


@pytest.mark.parametrize(
    ("source", "target", "name", "output"),
    [
        ("documents/user/", "output_docs/", "documents/user/note.txt", "output_docs/note.txt"),
        ("folder1", "_output", "folder1/document1.txt", "_output/document1.txt"),
        ("", "_output", "a/b.txt", "_output/a/b.txt"),
        ("docs/", "out", "docs/b.txt", "out/b.txt"),
        ("docs/patient1", "out/", "docs/patient12.txt", "out/2.txt"),
        ("a", "", "a/b.txt", "b.txt"),
    ],
)
def test_the_targets_prefix_stands_for_the_sources(
    source: str, target: str, name: str, output: str
) -> None:
    assert order(source_prefix=source, target_prefix=target).output_of(name) == output


def test_nothing_outside_a_folder_is_read(tmp_path: Path) -> None:
    folder, outside = tmp_path / "in", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_text(NOTE)
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "folder").symlink_to(outside)
    (folder / ".hidden.txt").write_text(NOTE)
    (folder / "a.txt").write_text(NOTE)
    assert list_documents(folder, "", ["*"]) == ["a.txt", "link.txt"]
    assert read_document(folder, "a.txt", 1000)[0] == NOTE.encode()
    for name in ("link.txt", "folder/secret.txt", "../outside/secret.txt"):
        with pytest.raises(Refused):
            read_document(folder, name, 1000)
    with pytest.raises(Refused, match="larger than 10 bytes"):
        read_document(folder, "a.txt", 10)
    locations = Locations({"in": folder}, {"out": tmp_path})
    order().check(locations)
    for changes in ({"source": "out"}, {"target": "in"}, {"target_prefix": "a/../../b"}):
        with pytest.raises(LocationError):
            order(**changes).check(locations)
