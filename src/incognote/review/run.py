"""Serves a review on this machine, or to reviewers elsewhere over HTTPS."""

from __future__ import annotations

import sys
import threading
import webbrowser
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from incognote.base.messages import log
from incognote.base.options import Option, between
from incognote.review.app import application
from incognote.review.desk import Desk
from incognote.review.reviewers import invite
from incognote.serve.listening import Server, config, listening, log_to_stderr, url_of
from incognote.serve.options import NetworkOptions

_network = partial(Option, panel="Network")


@dataclass(frozen=True, kw_only=True)
class PageOptions(NetworkOptions):
    """Where the page is."""

    port: Annotated[int, _network("Port to listen on; 0 takes a free one.", between(0, 65535))] = (
        8010
    )
    browser: Annotated[
        bool, _network("Open the page in a browser.", flags=("--browser/--no-browser",))
    ] = True


def serve_review(desk: Desk, options: PageOptions, lead: str) -> int:
    """Answer until a signal comes; prints the link by which the lead comes in."""
    log_to_stderr(options.log_format)
    listener = listening(options)
    address = url_of(options, listener)
    link = f"{address}/#{invite(desk.project.store, lead, 'lead')}"
    log("review", "listening", url=address)
    print(f"incognote: {lead} reviews at {link}", file=sys.stderr, flush=True)
    print("incognote: stop with Ctrl-C; nothing is lost", file=sys.stderr, flush=True)
    secure = options.certificate is not None or options.behind_proxy
    settled = config(options, lambda: application(desk, secure=secure))
    if options.browser and options.is_local:
        threading.Timer(1.0, webbrowser.open, (link,)).start()
    with listener:
        server = Server(settled)
        server.run(sockets=[listener])
    return 0 if server.started else 1
