# SPDX-License-Identifier: Apache-2.0
"""Serves a live page on a listening socket: the server, and the process that it runs in."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping, Sequence
from typing import Any

_Message = MutableMapping[str, Any]
_App = Callable[..., Awaitable[None]]


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


def serve(
    name: str,
    build: Callable[[], None],
    tasks: Sequence[Coroutine[Any, Any, None]],
    listener: socket.socket,
) -> None:
    """Serves pages until the process is ended.

    `name`: of what they show. `build`: makes the page of a client that has connected. `tasks`: run
    beside the server.
    """
    import uvicorn
    from fastapi import FastAPI
    from nicegui import ui

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    ui.run_with(
        app,
        root=build,
        title=f"{name} \N{MIDDLE DOT} Bombus",
        show_welcome_message=False,
        reconnect_timeout=10.0,
    )
    guarded = OwnHostOnly(app, own_names(listener.getsockname()[0]))

    async def main() -> None:
        server = uvicorn.Server(
            uvicorn.Config(guarded, log_level="warning", ws="websockets-sansio")
        )
        beside = [asyncio.create_task(each) for each in tasks]
        await server.serve(sockets=[listener])
        for task in beside:
            task.cancel()

    asyncio.run(main())


def first_line() -> str:
    """The first line of standard input, at whose end the process ends, too."""
    line = sys.stdin.readline().strip()
    threading.Thread(target=_end_with_input, daemon=True).start()
    return line


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)
