"""A real browser for tests: headless Chromium, spoken to over its DevTools pipe.

Nothing but the browser itself is needed: commands and answers are JSON texts that end in NUL.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium")
EXPECTED = CHROMIUM is not None or os.environ.get("CI") == "true"
"""Without Chromium the tests are not collected, except in CI, where they fail and say why."""

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-sync",
    "--remote-debugging-pipe",
)

MODIFIERS = {"Alt": 1, "Ctrl": 2, "Meta": 4, "Shift": 8}
CODES = {"Escape": 27, "Tab": 9, "Enter": 13, "ArrowDown": 40}


class Page:
    """One page of the browser."""

    def __init__(self, sent: int, received: int) -> None:
        self._sent, self._received = sent, received
        self._rest = b""
        self._count = 0
        self._session = ""
        self.requests: list[str] = []
        """Addresses that the page asked for."""
        self.complaints: list[str] = []
        """What it wrote to its console, and exceptions."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> Any:
        """Send a command and wait for its answer."""
        number = self._send(method, parameters)
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]

    def _send(self, method: str, parameters: Mapping[str, Any]) -> int:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._sent, json.dumps(message).encode() + b"\0")
        return self._count

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            chunk = os.read(self._received, 1 << 20)
            assert chunk, "Chromium has gone"
            self._rest += chunk
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded":
                self.complaints.append(json.dumps(message["params"]))
            case "Page.javascriptDialogOpening":  # such as: leave a page with unsaved changes?
                self._send("Page.handleJavaScriptDialog", {"accept": True})
        return message

    def open(self, path: Path, filters: str = "") -> None:
        """Load a file from disk, as if for the first time, and wait until it is there."""
        self.call("Page.navigate", url="about:blank")
        self.requests.clear()
        self.complaints.clear()
        address = path.resolve().as_uri() + (f"#{filters}" if filters else "")
        self.call("Page.navigate", url=address)
        while self._next().get("method") != "Page.loadEventFired":
            pass

    def visit(self, address: str) -> None:
        """Load a page of a server, as if for the first time, and wait until it is there."""
        self.call("Page.navigate", url="about:blank")
        self.requests.clear()
        self.complaints.clear()
        self.call("Page.navigate", url=address)
        while self._next().get("method") != "Page.loadEventFired":
            pass

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression; of a promise, what it comes to."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, *keys: str) -> None:
        """Press and release keys: a character, a name such as Escape, or Ctrl+Shift+ArrowLeft."""
        for name in keys:
            *held, key = name.split("+") if len(name) > 1 else [name]
            modifiers = sum(MODIFIERS[each] for each in held)
            types = len(key) == 1 and "Ctrl" not in held
            text = {"text": key} if types else {"text": "\r"} if name == "Enter" else {}
            code = {"windowsVirtualKeyCode": CODES[key]} if key in CODES else {}
            send = partial(
                self.call, "Input.dispatchKeyEvent", key=key, modifiers=modifiers, **code
            )
            send(type="keyDown", **text)
            send(type="keyUp")

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press the mouse's button at one point and release it at another."""
        send = partial(self.call, "Input.dispatchMouseEvent", button="left", clickCount=1)
        send(type="mousePressed", x=start[0], y=start[1])
        send(type="mouseMoved", x=end[0], y=end[1], buttons=1)
        send(type="mouseReleased", x=end[0], y=end[1])

    def until(self, expression: str, seconds: float = 10) -> None:
        """Wait until a JavaScript expression holds."""
        waits = f"""new Promise(done => {{
            const end = performance.now() + {seconds * 1000};
            const look = () => {{
                let holds = false;
                try {{ holds = Boolean({expression}) }} catch {{}}
                if (holds || performance.now() > end) done(holds);
                else setTimeout(look, 15);
            }};
            look();
        }})"""
        assert self.run(waits), f"never came: {expression}"

    def settle(self) -> None:
        """Wait for the events at hand and two frames."""
        self.run(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
        )

    def screenshot(self, path: Path) -> None:
        """What a viewer sees, as PNG."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


@contextmanager
def browser(profile: Path, width: int = 1280, height: int = 900) -> Iterator[Page]:
    """A browser with a fresh profile and one page."""
    assert CHROMIUM, "this test needs Chromium: install the Debian package chromium"
    (our_in, their_out), (their_in, our_out) = os.pipe(), os.pipe()
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (their_in, their_out)]

    def place_ends() -> None:
        os.dup2(ends[0], 3)
        os.dup2(ends[1], 4)

    process = subprocess.Popen(
        [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(3, 4),
        preexec_fn=place_ends,
    )
    for end in (*ends, their_in, their_out):
        os.close(end)
    try:
        yield Page(our_out, our_in)
    finally:
        os.close(our_out)
        os.close(our_in)
        process.terminate()
        process.wait(timeout=20)
