# SPDX-License-Identifier: Apache-2.0
"""Layout of a cluster's live page: boards and links, their table, counters of one board."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from bombus.applications.control.cluster_web import drawing
from bombus.applications.control.cluster_web.hub import Hub
from bombus.applications.control.web.hub import INTERVAL_S
from bombus.applications.control.web.page import si
from bombus.base.text import counted, error_rate

_STYLE = """
body { background: #f4f6f9; color: #0f172a; }
.nicegui-content { padding: 14px 18px; gap: 14px; }
.q-table td.num, .q-table th.num { font-variant-numeric: tabular-nums; }
"""
_LINKS = (
    ("link", "link"),
    ("state", "state"),
    ("load", "load"),
    ("packets", "packets"),
    ("errors", "CRC errors"),
    ("retries", "retries"),
    ("rate", "bit error rate"),
)
_COUNTERS = (("tile", "tile"), ("name", "counter"), ("count", "count"), ("rate", "a second"))


class Page:
    """One open page."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._board = hub.overview["boards"][0]["board"]
        self._shown = 0  # number of the sample that is shown
        self._names = {each["board"]: each["name"] for each in hub.overview["boards"]}

    def build(self) -> None:
        ui.add_head_html(f"<style>{_STYLE}{drawing.STYLE}</style>")
        ui.add_body_html(f"<script>{drawing.SCRIPT}</script>")
        ui.colors(primary="#1d4ed8")
        with ui.header().classes("items-center gap-6 px-5 py-2").style("background: #0f2747"):
            ui.label(self._hub.overview["name"]).classes("text-lg font-semibold")
            boards = len(self._hub.overview["boards"])
            waiting = f"reading the counters of {counted(boards, 'board')}"
            self._status = ui.label(waiting).classes("text-sm tabular-nums")
        with ui.row().classes("w-full items-start no-wrap gap-4 max-lg:flex-wrap"):
            with ui.column().classes("gap-4 min-w-0").style("flex: 3 1 0"):
                with ui.card().classes("w-full p-4"):
                    self._drawing()
                with ui.card().classes("w-full p-4"):
                    self._links = _table(_LINKS, 20)
            with ui.card().classes("min-w-0 p-4").style("flex: 2 1 0"):
                self._title = ui.label().classes("text-base font-semibold")
                self._counters = _table(_COUNTERS, 40)
        self._select(self._board)
        ui.context.client.on_delete(lambda: self._hub.pages.pop(self, None))
        ui.timer(INTERVAL_S, self._refresh)

    def _drawing(self) -> None:
        shown = ui.html(drawing.svg(self._hub.overview), sanitize=False).classes("w-full")
        find = "const board = event.target.closest('[data-board]');"
        find += " if (board) emit(board.dataset.board);"
        for name in ("click", "keydown.enter"):
            shown.on(
                name,
                lambda event: self._select(int(event.args)),
                js_handler=f"(event) => {{ {find} }}",
            )

    def _select(self, board: int) -> None:
        if board in self._names:
            self._board = self._hub.pages[self] = board
            self._title.set_text(self._names[board])
            self._show()

    def _refresh(self) -> None:
        self._hub.pages[self] = self._board
        if self._hub.error:
            self._status.set_text(self._hub.error)
        elif self._hub.number != self._shown:
            self._shown = self._hub.number
            self._show()

    def _show(self) -> None:
        hub = self._hub
        if hub.last is None:
            return
        clock = hub.overview["clock_hz"]
        cycle = hub.last["cycle"]
        speed = si(hub.speed, "cycles/s")
        self._status.set_text(
            f"cycle {cycle:,} \N{MIDDLE DOT} {cycle / clock:.6f} s \N{MIDDLE DOT} {speed}"
        )
        rows: list[dict[str, Any]] = []
        drawn = []
        for number, link in enumerate(hub.last["links"]):
            loads = hub.load(number, "from_a"), hub.load(number, "from_b")
            drawn.append((link["up"], *loads, self._link_title(link)))
            for direction, load, (one, other) in (
                ("from_a", loads[0], ("a", "b")),
                ("from_b", loads[1], ("b", "a")),
            ):
                each = link[direction]
                rows.append(
                    {
                        "id": f"{number}{direction}",
                        "link": f"{self._end(link[one])} to {self._end(link[other])}",
                        "state": "up" if link["up"] else "down",
                        "load": f"{load:.1%}",
                        "packets": f"{each.get('packets', 0):,}",
                        "errors": f"{each.get('crc_errors', 0):,}",
                        "retries": f"{each.get('retries', 0):,}",
                        "rate": error_rate(each.get("bit_error_rate")),
                    }
                )
        self._links.rows = rows
        self._counters.rows = [
            {
                "id": f"{tile}.{name}",
                "tile": tile,
                "name": name,
                "count": f"{count:,}",
                "rate": si(rate * clock, "") if rate else "",
            }
            for tile, name, count, rate in hub.counters(self._board)
            if count
        ]
        ui.run_javascript(drawing.update(drawn, self._board))

    def _end(self, end: list[int]) -> str:
        return f"{self._names[end[0]]}.{end[1]}"

    def _link_title(self, link: dict[str, Any]) -> str:
        return f"{self._end(link['a'])} \N{EN DASH} {self._end(link['b'])}"


def _table(columns: tuple[tuple[str, str], ...], rows: int) -> ui.table:
    made = ui.table(
        columns=[
            {"name": name, "label": label, "field": name, "align": "left", "classes": "num"}
            for name, label in columns
        ],
        rows=[],
        row_key="id",
        pagination=rows,
    )
    made.props("dense flat").classes("w-full")
    return made


def build(hub: Hub) -> None:
    """A page for a client that has connected."""
    Page(hub).build()
