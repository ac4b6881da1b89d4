"""`incognote serve`: the service."""

from __future__ import annotations

from typing import Annotated

from incognote.base.options import Choices
from incognote.cli.errors import installed
from incognote.cli.from_dataclass import Only
from incognote.cli.options import FIND_AND_REPLACE, KeyFile
from incognote.runs.settings import Settings
from incognote.serve.options import ServeOptions


def serve(
    network: ServeOptions,
    settings: Annotated[
        Choices[Settings],
        Only(*FIND_AND_REPLACE),
    ],
    key_file: KeyFile = None,
) -> int:
    """Answer requests to find and replace identifiers over HTTP, offline, with the same results as deid.

    - `incognote serve` on this machine only: http://127.0.0.1:8000/v1/deid
    - `incognote serve --policy safe-harbor --workers 4`
    - `incognote keys add ward7 --keys keys.json`, then `incognote serve --host 0.0.0.0 --keys
      keys.json --certificate cert.pem --private-key key.pem`

    Clients of Presidio and of Azure's de-identification service find their routes here too. Options of
    detection and replacement are the defaults of requests, which may choose others; keys never come
    with a request. docs/serve.md has the routes.
    """
    from incognote.runs.secret_files import key_of

    with installed("the service needs", "serve"):
        from incognote.serve.run import serve as run

    return run(network, settings.fill(key=key_of(key_file)))
