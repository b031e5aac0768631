# SPDX-License-Identifier: Apache-2.0
"""Samples of a run for the open pages."""

from __future__ import annotations

import asyncio
import hmac

from bombus.applications.control.web.history import History
from bombus.applications.control.web.latencies import Latencies
from bombus.applications.control.web.sessions import Session, Sessions
from bombus.applications.control.web.source import Sample, Source
from bombus.base.errors import UserError

INTERVAL_S = 0.5  # between samples


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
