# SPDX-License-Identifier: Apache-2.0
"""Layout of the live page: the mesh, a panel of the selected tile, tabs of the whole stack."""

from __future__ import annotations

import asyncio
from datetime import datetime
from statistics import median

from nicegui import ui

from bombus.applications.control.web import mesh
from bombus.applications.control.web.hub import INTERVAL_S, Hub
from bombus.applications.control.web.loads import LinkLoad, share
from bombus.applications.control.web.log_viewer import LogViewer
from bombus.applications.control.web.tile_panel import TilePanel

_WRONG_KEY_S = 1.0  # delay of the answer
_MOST_EVENTS = 200  # shown
_SLOTS = 24  # bars of the latency histogram
_STYLE = """
body { background: #f4f6f9; color: #0f172a; }
.nicegui-content { padding: 14px 18px; gap: 14px; }
.q-card { border: 1px solid #dbe1e8; box-shadow: none; border-radius: 8px; }
.q-table th { font-weight: 600; color: #475569; }
.q-table td.num, .q-table th.num { font-variant-numeric: tabular-nums; }
.muted { color: #5b6675; }
.legend { height: 9px; width: 190px; border-radius: 3px; }
"""


def _gradient() -> str:
    """Colours of the legend, at even steps of the load's square root."""
    stops = (f"{mesh.colour(max(1e-6, (n / 10) ** 2))} {10 * n}%" for n in range(11))
    return f"linear-gradient(to right, {', '.join(stops)})"


def si(value: float, unit: str) -> str:
    """With a decimal prefix and three digits: `1.25 Mbit/s`."""
    for limit, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


class Page:
    """One open page."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._manifest = hub.source.manifest
        self._viewer = LogViewer(hub.source)
        self._is_unlocked = False
        self._shown = 0  # number of the sample that is shown
        self._seen_events = 0

    # ---- Layout ----

    def build(self) -> None:
        hub = self._hub
        ui.add_head_html(f"<style>{_STYLE}{mesh.STYLE}</style>")
        ui.add_body_html(f"<script>{mesh.SCRIPT}</script>")
        ui.colors(primary="#1d4ed8")
        self._header()
        with ui.row().classes("w-full items-start no-wrap gap-4 max-lg:flex-wrap"):
            with ui.column().classes("gap-4 min-w-0").style("flex: 3 1 0"):
                self._mesh()
                self._tabs()
            with ui.column().classes("gap-4 min-w-0").style("flex: 2 1 0"):
                self._panel = TilePanel(hub, is_unlocked=lambda: self._is_unlocked)
        self._select(self._manifest["tiles"][0]["name"])
        client = ui.context.client
        hub.pages[self] = self._panel.addresses()
        client.on_delete(self._close)
        ui.timer(INTERVAL_S, self._refresh)

    def _close(self) -> None:
        self._hub.pages.pop(self, None)
        self._hub.session_pages.discard(self)
        self._hub.latency_pages.discard(self)

    def _header(self) -> None:
        with ui.header().classes("items-center gap-6 px-5 py-2").style("background: #0f2747"):
            ui.label(self._manifest["name"]).classes("text-lg font-semibold").mark("name")
            numbers = "text-sm tabular-nums"
            self._status = ui.label("connecting").classes(numbers).mark("status")
            self._speed = ui.label().classes(numbers)
            self._drops = ui.label().classes(numbers)
            ui.space()
            self._key = (
                ui.input(placeholder="key for changes", password=True)
                .props("dense dark outlined autocomplete=off")
                .classes("w-56")
                .on("keydown.enter", self._unlock)
                .mark("key")
            )
            self._lock = ui.button("unlock", icon="lock", on_click=self._unlock).props(
                "flat dense color=white no-caps"
            )

    def _mesh(self) -> None:
        with ui.card().classes("w-full p-4"):
            with ui.row().classes("w-full items-center"):
                ui.label("Mesh").classes("text-base font-semibold")
                ui.space()
                ui.label("link load").classes("text-xs muted")
                ui.label("0").classes("text-xs muted")
                ui.element("div").classes("legend").style(f"background: {_gradient()}")
                ui.label("100 %").classes("text-xs muted")
            drawing = ui.html(mesh.svg(self._manifest), sanitize=False).classes("w-full")
            find = "const tile = event.target.closest('[data-tile]');"
            find += " if (tile) emit(tile.dataset.tile);"
            for name in ("click", "keydown.enter"):
                drawing.on(
                    name,
                    lambda event: self._select(str(event.args)),
                    js_handler=f"(event) => {{ {find} }}",
                )
            self._estimate = ui.label().classes("text-xs muted").mark("estimate")

    def _tabs(self) -> None:
        with ui.card().classes("w-full p-4"):
            with ui.tabs().props("dense no-caps align=left") as tabs:
                ui.tab("log", "Log")
                if self._hub.sessions:
                    ui.tab("sessions", "TCP sessions")
                if self._viewer.places:
                    ui.tab("logs", "Logs")
                if self._hub.latencies:
                    ui.tab("latency", "Latency")
            tabs.on_value_change(lambda event: self._choose_tab(event.value))
            with ui.tab_panels(tabs, value="log").classes("w-full"):
                with ui.tab_panel("log").classes("p-0"):
                    self._log()
                if self._hub.sessions:
                    with ui.tab_panel("sessions").classes("p-0"):
                        self._session_table()
                if self._viewer.places:
                    with ui.tab_panel("logs").classes("p-0"):
                        self._viewer.build()
                if self._hub.latencies:
                    with ui.tab_panel("latency").classes("p-0"):
                        self._histogram()

    def _log(self) -> None:
        with ui.row().classes("items-center gap-4"):
            self._kind = ui.toggle(
                {"": "all", "drop": "drops", "event": "events", "stall": "stalls"},
                value="",
                on_change=self._show_log,
            ).props("dense no-caps unelevated size=sm padding='2px 10px'")
            self._own_tile = ui.checkbox("selected tile only", on_change=self._show_log).props(
                "dense size=sm"
            )
        self._events = ui.table(
            columns=[
                {"name": "time", "label": "time", "field": "time", "align": "left"},
                {"name": "cycle", "label": "cycle", "field": "cycle", "classes": "num"},
                {"name": "tile", "label": "tile", "field": "tile", "align": "left"},
                {"name": "kind", "label": "kind", "field": "kind", "align": "left"},
                {"name": "name", "label": "name", "field": "name", "align": "left"},
                {"name": "count", "label": "count", "field": "count", "classes": "num"},
            ],
            rows=[],
            row_key="id",
            pagination=8,
        )
        self._events.props("dense flat").classes("w-full").mark("log")
        self._events.props("no-data-label='No drops or events while this page was open'")

    def _session_table(self) -> None:
        columns = (
            ("number", "no.", "right"),
            ("tile", "tile", "left"),
            ("peer", "peer", "left"),
            ("port", "own port", "right"),
            ("state", "state", "left"),
            ("unacknowledged", "in flight, B", "right"),
            ("unsent", "unsent, B", "right"),
            ("cwnd", "cwnd, B", "right"),
            ("rto_us", "RTO, \N{MICRO SIGN}s", "right"),
            ("mss", "MSS, B", "right"),
        )
        self._sessions = ui.table(
            columns=[
                {
                    "name": name,
                    "label": label,
                    "field": name,
                    "align": align,
                    "sortable": True,
                    "classes": "num",
                }
                for name, label, align in columns
            ],
            rows=[],
            row_key="id",
            pagination=8,
        )
        self._sessions.props("dense flat no-data-label='No open session'")
        self._sessions.classes("w-full").mark("sessions")

    def _histogram(self) -> None:
        self._measured = ui.label().classes("text-xs muted").mark("latency")
        self._latencies = ui.echart(
            {
                "animation": False,
                "grid": {"left": 60, "right": 20, "top": 20, "bottom": 45},
                "xAxis": {"type": "category", "name": "cycles", "nameLocation": "middle"},
                "yAxis": {"type": "value", "name": "packets"},
                "series": [{"type": "bar", "data": [], "barCategoryGap": "5%"}],
            }
        ).classes("w-full h-64")

    # ---- Actions ----

    def _choose_tab(self, name: str) -> None:
        shown = {"sessions": self._hub.session_pages, "latency": self._hub.latency_pages}
        for tab, pages in shown.items():
            (pages.add if tab == name else pages.discard)(self)

    def _select(self, tile: str) -> None:
        if any(each["name"] == tile for each in self._manifest["tiles"]):
            self._panel.select(tile)
            self._hub.pages[self] = self._panel.addresses()
            self._show()
            self._show_log()

    async def _unlock(self) -> None:
        if self._is_unlocked:
            self._set_unlocked(False)
            return
        text = self._key.value or ""
        self._key.value = ""
        if self._hub.is_key(text):
            self._set_unlocked(True)
        else:
            await asyncio.sleep(_WRONG_KEY_S)
            ui.notify("This is not the key", type="negative")

    def _set_unlocked(self, is_unlocked: bool) -> None:
        self._is_unlocked = is_unlocked
        self._key.set_visibility(not is_unlocked)
        self._lock.set_text("lock" if is_unlocked else "unlock")
        self._lock.props(f"icon={'lock_open' if is_unlocked else 'lock'}")
        self._panel.show_lock()

    # ---- Refreshing ----

    def _refresh(self) -> None:
        self._hub.pages[self] = self._panel.addresses()
        if self._hub.error:
            self._status.set_text(self._hub.error)
            return
        if self._hub.history.number != self._shown:
            self._shown = self._hub.history.number
            self._show()

    def _show(self) -> None:
        history = self._hub.history
        sample = history.latest
        if sample is None:
            return
        clock = self._manifest["clock_mhz"] * 1e6
        self._status.set_text(f"cycle {sample.cycle:,} \N{MIDDLE DOT} {sample.cycle / clock:.3f} s")
        self._speed.set_text(f"{si(history.speed, 'cycles/s')} simulated")
        dropped = sum(
            value
            for values in sample.counters.values()
            for name, value in values.items()
            if name.startswith("drop.")
        )
        self._drops.set_text(f"{dropped:,} dropped")
        self._show_mesh()
        self._panel.show()
        number = len(history.events) and id(history.events[-1])
        if number != self._seen_events:
            self._seen_events = number
            self._show_log()
        if self._hub.sessions:
            rows = [
                {**vars(each), "id": f"{each.tile}{each.number}"}
                for each in self._hub.open_sessions
            ]
            if rows != self._sessions.rows:
                self._sessions.rows = rows
        if self in self._hub.latency_pages:
            self._show_latencies()

    def _show_mesh(self) -> None:
        history = self._hub.history
        links: dict[str, tuple[str, float, str, str]] = {}
        is_estimated = False
        for number, network in enumerate(self._manifest["networks"]):
            for link, load in history.loads(number).items():
                part = share(load, self._manifest, history.cycles, number)
                is_estimated = is_estimated or load.is_estimated
                previous = links.get(mesh.link_id(link))
                title = f"{network['name']}: {self._described(load)}"
                text = ("\N{ALMOST EQUAL TO}" if load.is_estimated and part else "") + mesh.percent(
                    part
                )
                entry = (mesh.colour(part), mesh.width(part), text, title)
                if previous is None or previous[1] < entry[1]:
                    links[mesh.link_id(link)] = entry
        tiles = {
            mesh.tile_id(tile["name"]): self._tile_state(tile["name"])
            for tile in self._manifest["tiles"]
        }
        ui.run_javascript(f"window.bombusMesh({_json(links)}, {_json(tiles)})")
        self._estimate.set_text(
            "\N{ALMOST EQUAL TO}: estimated; the counters leave the shares of next hops open"
            if is_estimated
            else ""
        )

    def _described(self, load: LinkLoad) -> str:
        seconds = self._hub.history.cycles / (self._manifest["clock_mhz"] * 1e6)
        rate = 8 * load.bytes / seconds if seconds > 0 else 0.0
        return si(rate, "bit/s") + (", estimated" if load.is_estimated else "")

    def _tile_state(self, tile: str) -> tuple[str, str]:
        """Its messages a second of its own time, and classes of its box."""
        history = self._hub.history
        rates = (
            history.rate(tile, f"{kind}_{way}_{unit}")
            for kind, unit in (("noc", "messages"), ("mac", "frames"))
            for way in ("in",)
        )
        total = sum(rates)
        sample = history.latest
        drops = sample is not None and any(
            history.rate(tile, name) for name in sample.counters[tile] if name.startswith("drop.")
        )
        classes = ["selected"] * (tile == self._panel.tile) + ["drops"] * drops
        return (f"{si(total, 'msg/s')}" if total else "idle"), " ".join(classes)

    def _show_log(self) -> None:
        rows = [
            {
                "id": number,
                "time": datetime.fromtimestamp(each.time).strftime("%H:%M:%S.%f")[:-5],
                "cycle": f"{each.cycle:,}",
                "tile": each.tile,
                "kind": each.kind,
                "name": each.name,
                "count": f"+{each.count:,}",
            }
            for number, each in enumerate(self._hub.history.events)
            if (not self._kind.value or each.kind == self._kind.value)
            and (not self._own_tile.value or each.tile == self._panel.tile)
        ]
        self._events.rows = rows[: -_MOST_EVENTS - 1 : -1]

    def _show_latencies(self) -> None:
        found = self._hub.history.latencies
        if not found:
            waits = "no answer in the logs of packets yet"
            self._measured.set_text(self._hub.latencies.error or waits)
            return
        low, high = min(found), max(found)
        half = median(sorted(found.elements()))
        self._measured.set_text(
            f"{found.total():,} answers, from mac_rx to mac_tx: {low:,} to {high:,} cycles, "
            f"median {half:,.0f}"
        )
        step = max(1, -(-(high - low + 1) // _SLOTS))
        bars = [0] * ((high - low) // step + 1)
        for cycles, count in found.items():
            bars[(cycles - low) // step] += count
        self._latencies.options["xAxis"]["data"] = [low + n * step for n in range(len(bars))]
        self._latencies.options["series"][0]["data"] = bars
        self._latencies.update()


def _json(value: object) -> str:
    import json

    return json.dumps(value)


def build(hub: Hub) -> None:
    """A page for a client that has connected."""
    Page(hub).build()
