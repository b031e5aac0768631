# SPDX-License-Identifier: Apache-2.0
"""The logs of the design on the live page: entries are fetched when a log is chosen."""

from __future__ import annotations

import asyncio
from ipaddress import IPv4Address

from nicegui import ui

from bombus.applications.control.web.source import Source
from bombus.applications.logs.places import LogPlace, find_log, logs_of
from bombus.applications.logs.printing import Listing, listing
from bombus.applications.logs.reading import UdpPort, fetch
from bombus.base.errors import UserError

_NUMBERS = ("cycle", "time us", "us", "messages", "bytes", "Gbit/s", "entry")


class LogViewer:
    """A panel with the logs of a design, which are read over UDP at the design's first address.

    `places`: none if the design file is not known.
    """

    def __init__(self, source: Source) -> None:
        self._controller = source.controller
        facts = source.controller.description.facts
        self._design = facts.design if facts is not None else None
        self.places: list[LogPlace] = logs_of(self._design) if self._design is not None else []

    def read(self, name: str) -> Listing:
        """The entries of a log. UserError: it does not answer."""
        assert self._design is not None
        place = find_log(self._design, name)
        hosts = [IPv4Address(host.ip.address) for host in self._controller.registers.host]
        with UdpPort(str(hosts[0]), place.port) as port:
            return listing(place, fetch(port, place), [host.packed for host in hosts])

    def build(self) -> None:
        names = [place.name for place in self.places]
        with ui.row().classes("items-center gap-4"):
            self._chosen = ui.select(names, value=names[0]).props("dense").mark("log-choice")
            ui.button("read", on_click=self._read).props("dense no-caps size=sm padding='2px 10px'")
            self._caption = ui.label().classes("text-xs muted").mark("log-caption")
        self._table = ui.table(columns=[], rows=[], row_key="id", pagination=8)
        self._table.props("dense flat no-data-label='press read'")
        self._table.classes("w-full").mark("log-entries")

    async def _read(self) -> None:
        self._caption.text = "reading ..."
        try:
            found = await asyncio.to_thread(self.read, self._chosen.value)
        except UserError as error:
            self._caption.text = str(error)
            return
        self._caption.text = found.caption
        self._table.columns = [
            {"name": name, "label": name, "field": name, "align": "left"}
            | ({"align": "right", "classes": "num"} if name in _NUMBERS else {})
            for name in found.columns
        ]
        self._table.rows = [
            {"id": number, **dict(zip(found.columns, row, strict=True))}
            for number, row in reversed([*enumerate(found.rows)])
        ]
