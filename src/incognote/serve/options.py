"""What the operator of a service chooses; help and bounds stand on the fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from incognote.base.errors import RunError
from incognote.base.options import Option, PathText, at_least, between, check

_network = partial(Option, panel="Network")
_limits = partial(Option, panel="Limits")
_jobs = partial(Option, panel="Jobs")

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def _folders(words: Sequence[str]) -> Mapping[str, Path]:
    """Of LOCATION=DIR, each location once."""
    folders: dict[str, Path] = {}
    for word in words:
        location, _, folder = word.rpartition("=")
        location = location.rstrip("/")
        if not location or not folder:
            raise ValueError(f"{word!r} is not LOCATION=DIR")
        if folders.setdefault(location, Path(folder)) != Path(folder):
            raise ValueError(f"{location!r} stands for two folders")
    return folders


@dataclass(frozen=True, kw_only=True)
class NetworkOptions:
    """Where a program is reached."""

    host: Annotated[
        str,
        _network(
            "Address to listen on. Any other than this machine's own (127.0.0.1, ::1, localhost) needs "
            "--certificate with --private-key, or --behind-proxy.",
            metavar="ADDRESS",
        ),
    ] = "127.0.0.1"
    port: Annotated[int, _network("Port to listen on; 0 takes a free one.", between(0, 65535))] = (
        8000
    )
    certificate: Annotated[
        Path | None, _network("Certificate (PEM) for HTTPS, with its chain.", metavar="FILE")
    ] = None
    private_key: Annotated[
        Path | None, _network("Private key (PEM) of the certificate.", metavar="FILE")
    ] = None
    behind_proxy: Annotated[
        bool,
        _network(
            "A proxy in front speaks HTTPS with the clients: plain HTTP is allowed on any address."
        ),
    ] = False
    log_format: Annotated[
        Literal["json", "lines"], _network("How the log on standard error is written.")
    ] = "json"

    def __post_init__(self) -> None:
        check(self, RunError)
        if (self.certificate is None) != (self.private_key is None):
            raise RunError("--certificate and --private-key belong together: give both")
        if self.certificate is not None and self.behind_proxy:
            raise RunError("--behind-proxy is for a service without a certificate: choose one")
        if not (self.is_local or self.certificate is not None or self.behind_proxy):
            raise RunError(
                f"--host {self.host} would send notes in the clear: give --certificate and "
                "--private-key, or --behind-proxy if a proxy in front speaks HTTPS"
            )

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        return self.host in LOOPBACK


@dataclass(frozen=True, kw_only=True)
class ServeOptions(NetworkOptions):
    """How a service is reached, and how much it takes on."""

    keys: Annotated[
        Path | None,
        _network(
            "File of API keys, as `incognote keys` writes it. With it, every request needs a key; needed on "
            "any address but this machine's own.",
            metavar="FILE",
        ),
    ] = None
    allow_origin: Annotated[
        tuple[str, ...],
        _network(
            "Web origin whose pages may call the service, such as https://tools.example.org; may be "
            "repeated. None by default.",
            metavar="ORIGIN",
            repeated=True,
        ),
    ] = ()
    workers: Annotated[
        int,
        _network(
            "Number of processes, each with a model of its own. One core is worth one process.",
            between(1, 256),
            flags=("--workers", "-j"),
        ),
    ] = 1
    presidio: Annotated[
        bool,
        _network(
            "Answer Presidio's routes too: /analyze, /anonymize and those that list.",
            flags=("--presidio/--no-presidio",),
        ),
    ] = True
    azure: Annotated[
        bool,
        _network(
            "Answer the routes of Azure's de-identification service too: /deid and /jobs.",
            flags=("--azure/--no-azure",),
        ),
    ] = True
    spool: Annotated[
        Path | None,
        _jobs(
            "Folder for files that are sent as jobs, encrypted there. Without it there are no jobs. "
            "Needs --spool-key-file.",
            metavar="DIR",
        ),
    ] = None
    spool_key_file: Annotated[
        Path | None,
        _jobs(
            "File with the secret key of the spool (16 bytes or more, readable by you only); made if "
            "it is not there. Keep it outside the spool.",
            metavar="FILE",
        ),
    ] = None
    job_source: Annotated[
        Mapping[str, Path],
        _jobs(
            "A folder whose files jobs of Azure's clients may read, and the URL or word by which their "
            "requests name it; may be repeated.",
            metavar="LOCATION=DIR",
            parse=_folders,
            repeated=True,
            path=PathText(labelled=True),
        ),
    ] = field(default_factory=dict)
    job_target: Annotated[
        Mapping[str, Path],
        _jobs(
            "A folder that such jobs may write to, and its URL or word; may be repeated.",
            metavar="LOCATION=DIR",
            parse=_folders,
            repeated=True,
            path=PathText(labelled=True),
        ),
    ] = field(default_factory=dict)
    job_hours: Annotated[
        float, _jobs("Hours after which a job and its files are deleted.", between(0.001, 8760))
    ] = 24.0
    max_file: Annotated[
        float,
        _jobs(
            "Largest file of a job, in MB, unpacked; it is worked on in memory.", at_least(0.001)
        ),
    ] = 200.0
    max_body: Annotated[
        float, _limits("Largest body of a request, in MB.", between(0.001, 10_000))
    ] = 10.0
    max_notes: Annotated[int, _limits("Most notes in one request.", between(1, 100_000))] = 256
    queue: Annotated[
        int,
        _limits(
            "Most notes that wait in a process. Requests beyond are refused with 429 and the time to "
            "wait.",
            between(1, 1_000_000),
        ),
    ] = 512
    time_limit: Annotated[
        float,
        _limits("Seconds after which a request that still waits is given up.", at_least(0.1)),
    ] = 60.0
    read_limit: Annotated[
        float,
        _limits("Seconds that a client may take to send a request.", at_least(0.1)),
    ] = 20.0
    connections: Annotated[
        int, _limits("Most open connections of a process.", between(1, 1_000_000))
    ] = 1000
    grace: Annotated[
        float,
        _limits(
            "Seconds that requests in work are given to end when the service is stopped.",
            at_least(0),
        ),
    ] = 30.0

    def __post_init__(self) -> None:
        if self.keys is None and not self.is_local:
            raise RunError(
                f"--host {self.host} is reached from other machines: give --keys FILE "
                "(`incognote keys add` makes it)"
            )
        super().__post_init__()
        if (self.spool is None) != (self.spool_key_file is None):
            raise RunError("--spool and --spool-key-file belong together: give both")
        if (self.job_source or self.job_target) and self.spool is None:
            raise RunError("--job-source and --job-target are for jobs: give --spool too")
        for folder in (*self.job_source.values(), *self.job_target.values()):
            if not folder.is_dir():
                raise RunError(f"{folder}: no such folder for jobs")

    @property
    def largest_file(self) -> int:
        """In bytes."""
        return int(self.max_file * 1_000_000)

    @property
    def largest_body(self) -> int:
        """In bytes."""
        return int(self.max_body * 1_000_000)
