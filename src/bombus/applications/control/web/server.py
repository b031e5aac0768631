# SPDX-License-Identifier: Apache-2.0
"""The web server of the live page: a process of its own.

`python -m bombus.applications.control.web.server SOCKET FD [DESIGN]`: the run's control socket
and a listening socket.

Its standard input has one line, the key for changes, and stays open as long as the run: at its end
the process ends, too.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import os
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

from bombus.applications.control.web.history import History
from bombus.applications.control.web.latencies import Latencies
from bombus.applications.control.web.sessions import Session, Sessions
from bombus.applications.control.web.source import RunSource, Sample, Source
from bombus.base.errors import UserError

INTERVAL_S = 0.5  # between samples

_Message = MutableMapping[str, Any]
_App = Callable[..., Awaitable[None]]


class Hub:
    """Samples a source for all pages that are open; nothing is read while none is."""

    def __init__(self, source: Source, key: str) -> None:
        self.source, self._key = source, key
        self.history = History(source.manifest)
        self.sessions = Sessions(source)
        self.open_sessions: list[Session] = []
        self.latencies = Latencies(source)
        self.error = ""  # of the last sample
        self.pages: dict[object, list[int]] = {}  # open pages: addresses of registers to read
        self.session_pages: set[object] = set()  # those that show sessions
        self.latency_pages: set[object] = set()

    def is_key(self, text: str) -> bool:
        return hmac.compare_digest(text.strip().encode(), self._key.encode())

    def _read(self) -> tuple[Sample, list[Session]]:
        addresses = sorted({each for wanted in self.pages.values() for each in wanted})
        sample = self.source.sample(addresses)
        return sample, self.sessions.read() if self.session_pages else self.open_sessions

    async def read_latencies(self) -> None:
        """Reads the logs for ever, while a page shows latencies."""
        while True:
            await asyncio.sleep(INTERVAL_S)
            if self.latency_pages:
                try:
                    self.history.latencies += await asyncio.to_thread(self.latencies.read)
                except UserError as error:
                    self.latencies.error = str(error)

    async def run(self) -> None:
        """Samples for ever."""
        while True:
            start = asyncio.get_running_loop().time()
            if self.pages:
                try:
                    sample, self.open_sessions = await asyncio.to_thread(self._read)
                    self.history.add(sample)
                    self.error = ""
                except UserError as error:
                    self.error = str(error)
            elapsed = asyncio.get_running_loop().time() - start
            await asyncio.sleep(max(0.05, INTERVAL_S - elapsed))


class OwnHostOnly:
    """Refuses requests that another web site has caused: their Host or Origin is not this server.

    `names`: under which it is reached; a wildcard address is reached under any.
    """

    def __init__(self, app: _App, names: set[str] | None) -> None:
        self._app, self._names = app, names

    async def __call__(self, scope: _Message, receive: Any, send: Any) -> None:
        if scope["type"] in ("http", "websocket") and not self._is_own(scope):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            headers = [(b"content-type", b"text/plain")]
            await send({"type": "http.response.start", "status": 403, "headers": headers})
            await send({"type": "http.response.body", "body": b"wrong Host or Origin\n"})
            return
        await self._app(scope, receive, send)

    def _is_own(self, scope: _Message) -> bool:
        headers = {
            name.decode("latin1"): value.decode("latin1") for name, value in scope["headers"]
        }
        host = headers.get("host", "")
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            return False
        return self._names is None or host.rsplit(":", 1)[0].strip("[]") in self._names


def own_names(address: str) -> set[str] | None:
    """Host names of a listening address; None: any."""
    found = ipaddress.ip_address(address)
    if found.is_unspecified:
        return None
    return {address, "localhost"} if found.is_loopback else {address}


def serve(source: Source, key: str, listener: socket.socket) -> None:
    """Serves the page on a listening socket until the process is ended."""
    import uvicorn
    from fastapi import FastAPI
    from nicegui import ui

    from bombus.applications.control.web.page import build

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    hub = Hub(source, key)
    ui.run_with(
        app,
        root=lambda: build(hub),
        title=f"{source.manifest['name']} \N{MIDDLE DOT} Bombus",
        show_welcome_message=False,
        reconnect_timeout=10.0,
    )
    guarded = OwnHostOnly(app, own_names(listener.getsockname()[0]))

    async def main() -> None:
        server = uvicorn.Server(
            uvicorn.Config(guarded, log_level="warning", ws="websockets-sansio")
        )
        tasks = [asyncio.create_task(each) for each in (hub.run(), hub.read_latencies())]
        await server.serve(sockets=[listener])
        for task in tasks:
            task.cancel()

    asyncio.run(main())


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


def main() -> None:
    control, number, *designs = sys.argv[1:]
    key = sys.stdin.readline().strip()
    threading.Thread(target=_end_with_input, daemon=True).start()
    source = RunSource(Path(control), *map(Path, designs))
    serve(source, key, socket.socket(fileno=int(number)))


if __name__ == "__main__":
    main()
