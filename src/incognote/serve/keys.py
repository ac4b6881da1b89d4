"""API keys: who may do what, and how often. The file holds hashes only.

A key is 256 random bits, so one plain SHA-256 hides it as well as a slow hash would. Keys are compared
in a time that does not depend on them, and a request's key is compared with every one.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from incognote.base.errors import RunError
from incognote.base.files import write_private
from incognote.runs.secret_files import read_secret

Scope = Literal["deid", "jobs", "review", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
"""deid: notes in requests; jobs: files; review: the review page; admin: metrics and all jobs."""

SCHEMA = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PREFIX = "inc_"


@dataclass(frozen=True, kw_only=True)
class ApiKey:
    """A key by its name; `per_minute` requests are allowed, any number if None."""

    name: str
    hash: str = field(repr=False)
    scopes: tuple[Scope, ...]
    per_minute: int | None = None
    created: str = ""

    def allows(self, scope: Scope) -> bool:
        """Whether the key may do this."""
        return scope in self.scopes


def read_keys(path: Path) -> list[ApiKey]:
    """The keys of a file; nobody but its owner may read it."""
    try:
        content = json.loads(read_secret(path, "file of keys", "; `incognote keys add` makes one"))
        if content["schema"] != SCHEMA:
            raise RunError(f"{path}: schema {content['schema']!r} of keys is not {SCHEMA}")
        keys = [_key(entry) for entry in content["keys"]]
    except (ValueError, KeyError, TypeError):
        raise RunError(f"{path}: is no file of keys, as `incognote keys` writes it") from None
    if len({key.name for key in keys}) < len(keys):
        raise RunError(f"{path}: two keys have one name")
    return keys


def _key(entry: Any) -> ApiKey:
    key = ApiKey(**{**entry, "scopes": tuple(entry["scopes"])})
    if not set(key.scopes) <= set(SCOPES) or not re.fullmatch(r"[0-9a-f]{64}", key.hash):
        raise ValueError("scopes or hash")
    return key


def add_key(path: Path, name: str, scopes: Sequence[str], per_minute: int | None = None) -> str:
    """Add a key to the file, which is made if it is not there; returns the key, which is kept nowhere."""
    if not _NAME.fullmatch(name):
        raise RunError(
            "the name of a key has up to 64 letters, digits, dots, hyphens and underscores"
        )
    allowed = [scope for scope in SCOPES if scope in scopes]
    if unknown := set(scopes) - set(SCOPES):
        raise RunError(f"a key cannot allow {min(unknown)!r}: choose {', '.join(SCOPES)}")
    keys = read_keys(path) if path.exists() else []
    if name in {key.name for key in keys}:
        raise RunError(f"{path}: there is a key {name} already; remove it first")
    secret = _PREFIX + secrets.token_urlsafe(32)
    created = time.strftime("%Y-%m-%d", time.gmtime())
    key = ApiKey(
        name=name,
        hash=_hash(secret),
        scopes=tuple(allowed),
        per_minute=per_minute,
        created=created,
    )
    _write(path, [*keys, key])
    return secret


def remove_key(path: Path, name: str) -> None:
    """Take a key out of the file; a service that runs has it until it is started anew."""
    keys = read_keys(path)
    if name not in {key.name for key in keys}:
        raise RunError(f"{path}: there is no key {name}")
    _write(path, [key for key in keys if key.name != name])


def _write(path: Path, keys: Iterable[ApiKey]) -> None:
    content = {"schema": SCHEMA, "keys": [asdict(key) for key in keys]}
    write_private(path, f"{json.dumps(content, indent=2)}\n".encode())


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


class KeyRing:
    """The keys of a service, with what each has used of its rate.

    A rate is a bucket that fills steadily and holds a minute's worth.
    """

    def __init__(self, keys: Sequence[ApiKey], clock: Callable[[], float] = time.monotonic) -> None:
        self._keys, self._clock = keys, clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def find(self, secret: str) -> ApiKey | None:
        """The key that this is, if it is one."""
        given, found = _hash(secret), None
        for key in self._keys:
            if hmac.compare_digest(key.hash, given):
                found = key
        return found

    def wait_of(self, key: ApiKey) -> float:
        """Count a request; 0, or the seconds until the key may make one."""
        if key.per_minute is None:
            return 0.0
        now, rate = self._clock(), key.per_minute / 60
        tokens, since = self._buckets.get(key.name, (float(key.per_minute), now))
        tokens = min(float(key.per_minute), tokens + (now - since) * rate)
        allowed = tokens >= 1
        self._buckets[key.name] = (tokens - 1 if allowed else tokens, now)
        return 0.0 if allowed else (1 - tokens) / rate
