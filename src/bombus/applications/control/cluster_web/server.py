# SPDX-License-Identifier: Apache-2.0
"""The web server of a cluster's live page: a process of its own.

`python -m bombus.applications.control.cluster_web.server SOCKET FD`: the run's control socket and a
listening socket. Its standard input has one line, a key that this page does not need, and stays
open as long as the run: at its end the process ends, too.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bombus.applications.control.web.server import INTERVAL_S, OwnHostOnly, own_names
from bombus.base.errors import UserError
from bombus.live.control import request

Sample = dict[str, Any]


class Hub:
    """Samples a run for all pages that are open; nothing is read while none is.

    `ask`: calls the run (`bombus.cluster.live_calls`).
    """

    def __init__(self, ask: Callable[..., Any]) -> None:
        self._ask = ask
        self.overview: dict[str, Any] = ask("overview")
        self.pages: dict[object, int] = {}  # open pages: the board that each shows
        self.error = ""  # of the last sample
        self.number = 0  # of the last sample
        self.last: Sample | None = None
        self.before: Sample | None = None
        self._times = (0.0, 0.0)  # of both

    def sample(self) -> None:
        """Reads the links, and the counters of the boards that are shown."""
        found = self._ask("sample", [sorted({*self.pages.values()})])
        self.before, self.last = self.last, found
        self._times = self._times[1], time.monotonic()
        self.number += 1

    @property
    def cycles(self) -> int:
        """Between the last two samples."""
        return self.last["cycle"] - self.before["cycle"] if self.last and self.before else 0

    @property
    def speed(self) -> float:
        """Cycles a second of real time."""
        return self.cycles / max(1e-3, self._times[1] - self._times[0])

    def load(self, link: int, direction: str) -> float:
        """The share of cycles in which a direction of a link had words of packets."""
        if self.last is None or self.before is None or self.cycles <= 0:
            return 0.0
        now, then = (each["links"][link][direction] for each in (self.last, self.before))
        beats: int = now.get("beats", 0) - then.get("beats", 0)
        return max(0.0, min(1.0, beats / self.cycles))

    def counters(self, board: int) -> list[tuple[str, str, int, float]]:
        """Tile, counter, count and events a cycle of a board."""
        if self.last is None:
            return []
        then: dict[str, dict[str, int]] = {}
        for each in (self.before or {}).get("boards", []):
            if each["board"] == board:
                then = each["counters"]
        cycles = self.cycles if then else 0
        return [
            (tile, name, count, (count - then[tile][name]) / cycles if cycles > 0 else 0.0)
            for each in self.last["boards"]
            if each["board"] == board
            for tile, counters in each["counters"].items()
            for name, count in counters.items()
        ]

    async def run(self) -> None:
        """Samples for ever."""
        while True:
            if self.pages:
                try:
                    await asyncio.to_thread(self.sample)
                    self.error = ""
                except UserError as error:
                    self.error = str(error)
            await asyncio.sleep(INTERVAL_S)


def serve(hub: Hub, listener: socket.socket) -> None:
    """Serves the page on a listening socket until the process is ended."""
    import uvicorn
    from fastapi import FastAPI
    from nicegui import ui

    from bombus.applications.control.cluster_web.page import build

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    ui.run_with(
        app,
        root=lambda: build(hub),
        title=f"{hub.overview['name']} \N{MIDDLE DOT} Bombus",
        show_welcome_message=False,
        reconnect_timeout=10.0,
    )
    guarded = OwnHostOnly(app, own_names(listener.getsockname()[0]))

    async def main() -> None:
        server = uvicorn.Server(
            uvicorn.Config(guarded, log_level="warning", ws="websockets-sansio")
        )
        task = asyncio.create_task(hub.run())
        await server.serve(sockets=[listener])
        task.cancel()

    asyncio.run(main())


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


def main() -> None:
    control, number = sys.argv[1:]
    sys.stdin.readline()
    threading.Thread(target=_end_with_input, daemon=True).start()
    hub = Hub(lambda call, arguments=(): request(Path(control), call, arguments))
    serve(hub, socket.socket(fileno=int(number)))


if __name__ == "__main__":
    main()
