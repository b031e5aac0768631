# SPDX-License-Identifier: Apache-2.0
"""Panel of a tile: counters, drops and registers with histories; registers can be changed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from bombus.applications.control.web import editing
from bombus.applications.control.web.hub import Hub
from bombus.applications.control.web.mesh import sparkline
from bombus.base.errors import UserError
from bombus.registers.access import unpack
from bombus.registers.model import WORD_BITS
from bombus.registers.places import Place

_PAGE = 16  # entries of a table that are read and shown
_ENTRY = "entry number"  # no field has a name with a space
_DESIGN = "design"  # registers outside tiles: addresses, routes
_SPARK = """
<q-td :props="props"><svg width="100" height="20" viewBox="0 0 100 20" style="display:block">
<polyline :points="props.value" fill="none" stroke="#1d4ed8" stroke-width="1.4"/></svg></q-td>
"""
_EDIT = """
<q-td :props="props"><q-btn v-if="props.row.writable" flat dense round size="sm" icon="edit"
:aria-label="'edit ' + props.row.name" @click="() => $parent.$emit('edit', props.row.id)"/>
<q-btn v-if="props.row.entry" flat dense round size="sm" icon="delete"
:aria-label="'delete ' + props.row.name" @click="() => $parent.$emit('remove', props.row.id)"/>
</q-td>
"""


def _column(name: str, label: str, align: str = "left") -> dict[str, Any]:
    return {"name": name, "label": label, "field": name, "align": align, "classes": "num"}


class TilePanel:
    """Shows one tile."""

    def __init__(self, hub: Hub, is_unlocked: Callable[[], bool]) -> None:
        self._hub, self._is_unlocked = hub, is_unlocked
        self._tiles = {tile["name"]: tile for tile in hub.source.manifest["tiles"]}
        self.tile = next(iter(self._tiles))
        self._places: dict[str, Place] = {}
        self._first = 0  # entry of the table that is shown
        with ui.card().classes("w-full p-4 gap-2"):
            with ui.row().classes("w-full items-baseline"):
                self._title = ui.label().classes("text-base font-semibold").mark("tile")
                self._layers = ui.label().classes("text-xs muted")
            with ui.tabs().props("dense no-caps align=left") as tabs:
                ui.tab("counters", "Counters")
                ui.tab("drops", "Drops and events")
                ui.tab("registers", "Registers")
            with ui.tab_panels(tabs, value="counters").classes("w-full"):
                with ui.tab_panel("counters").classes("p-0"):
                    self._counters = self._counter_table("counters")
                with ui.tab_panel("drops").classes("p-0"):
                    self._drops = self._counter_table("drops")
                with ui.tab_panel("registers").classes("p-0"):
                    self._register_view()
            self._tabs = tabs
            tabs.on_value_change(self.show)

    @staticmethod
    def _counter_table(name: str) -> ui.table:
        table = ui.table(
            columns=[
                _column("name", "name"),
                _column("value", "value", "right"),
                _column("rate", "per second", "right"),
                _column("history", "last minute"),
            ],
            rows=[],
            row_key="name",
            pagination=0,
        )
        table.props("dense flat hide-pagination").classes("w-full").mark(name)
        table.props("no-data-label='None in this tile'")
        table.add_slot("body-cell-history", _SPARK)
        return table

    def _register_view(self) -> None:
        with ui.row().classes("w-full items-center no-wrap gap-2"):
            self._scope = ui.toggle(
                ["tile", _DESIGN], value="tile", on_change=lambda: self.select(self.tile)
            ).props("dense no-caps unelevated size=sm padding='2px 10px'")
            self._choice = (
                ui.select([], on_change=self._choose)
                .props("dense outlined options-dense")
                .classes("grow")
                .mark("register")
            )
        with ui.row().classes("items-center gap-2") as self._pager:
            ui.button(icon="chevron_left", on_click=lambda: self._turn(-1)).props("flat dense")
            self._range = ui.label().classes("text-xs muted")
            ui.button(icon="chevron_right", on_click=lambda: self._turn(1)).props("flat dense")
        self._insert = ui.button("insert row", icon="add", on_click=self.insert)
        self._insert.props("flat dense no-caps").mark("insert")
        self._registers = ui.table(
            columns=[
                _column("name", "entry / field"),
                _column("value", "value", "right"),
                _column("bits", "bits", "right"),
                _column("history", "last minute"),
                _column("edit", ""),
            ],
            rows=[],
            row_key="id",
            pagination=0,
        )
        self._registers.props("dense flat hide-pagination").classes("w-full").mark("registers")
        self._registers.add_slot("body-cell-history", _SPARK)
        self._registers.add_slot("body-cell-edit", _EDIT)
        self._registers.on("edit", lambda event: self.edit(str(event.args)))
        self._registers.on("remove", lambda event: self.remove(str(event.args)))
        self._hint = ui.label().classes("text-xs muted")
        self.show_lock()

    # ---- Selection ----

    def select(self, tile: str) -> None:
        """Shows this tile."""
        self.tile = tile
        found = self._tiles[tile]
        self._title.set_text(tile)
        kinds = ", ".join(layer["kind"] for layer in found["layers"])
        self._layers.set_text(f"({found['x']}, {found['y']})  {kinds}")
        is_design = self._scope.value == _DESIGN
        places = editing.of_tile(self._hub.source.manifest, None if is_design else tile)
        start = "" if is_design else f"tiles.{tile}."
        self._places = {each.path.removeprefix(start): each for each in places}
        first = next(iter(self._places), None)
        self._choice.set_options(list(self._places), value=first)
        self._first = 0
        self.show()

    def _choose(self) -> None:
        self._first = 0
        self.show()

    def _turn(self, way: int) -> None:
        place = self._place()
        if place is not None:
            last = max(0, (place.register.count or 1) - 1) // _PAGE * _PAGE
            self._first = min(last, max(0, self._first + way * _PAGE))
            self.show()

    def _place(self) -> Place | None:
        return self._places.get(self._choice.value)

    def addresses(self) -> list[int]:
        """Registers to read with each sample."""
        place = self._place()
        if self._tabs.value != "registers" or place is None or not place.type.is_readable:
            return []
        return editing.words(place, self._first, _PAGE)

    # ---- Showing ----

    def show(self) -> None:
        """The newest sample."""
        sample = self._hub.history.latest
        if self._tabs.value == "registers":
            self._show_registers()
        elif sample is not None:
            values = sample.counters[self.tile]
            own = [name for name in values if name.startswith(("drop.", "event."))]
            if self._tabs.value == "drops":
                self._drops.rows = self._rows(own, values)
            else:
                self._counters.rows = self._rows(
                    [name for name in values if name not in own], values
                )

    def _rows(self, names: list[str], values: dict[str, int]) -> list[dict[str, Any]]:
        history = self._hub.history
        return [
            {
                "name": name,
                "value": f"{values[name]:,}",
                "rate": f"{history.rate(self.tile, name):,.0f}",
                "history": sparkline(history.rates(self.tile, name)),
            }
            for name in names
        ]

    def _show_registers(self) -> None:
        place = self._place()
        sample = self._hub.history.latest
        self._insert.set_visibility(place is not None and _has_rows(place))
        if place is None:
            self._registers.rows = []
            self._pager.set_visibility(False)
            return
        count = place.register.count
        self._pager.set_visibility((count or 1) > _PAGE)
        entries = range(self._first, min(self._first + _PAGE, count or 1))
        if entries:
            self._range.set_text(f"entries {entries[0]} to {entries[-1]} of {count or 1}")
        rows: list[dict[str, Any]] = []
        for entry in entries:
            words = editing.words(place, entry)
            known = sample is not None and all(word in sample.words for word in words)
            history = [self._hub.history.words(word) for word in words]
            length = min(map(len, history))
            values = [
                sum(part[n] << WORD_BITS * k for k, part in enumerate(history))
                for n in range(-length, 0)
            ]
            for number, field in enumerate(place.type.fields):
                past = [value >> field.low & (1 << field.width) - 1 for value in values]
                text = "write only" if not field.is_readable else "\N{HORIZONTAL ELLIPSIS}"
                if known and field.is_readable and past:
                    text = editing.shown(field, past[-1])
                name = field.name if count is None else f"[{entry}].{field.name}"
                rows.append(
                    {
                        "id": f"{entry}:{field.name}",
                        "name": name,
                        "value": text,
                        "bits": field.width,
                        "history": sparkline([float(each) for each in past]),
                        "writable": number == 0 and place.type.is_writable,
                        "entry": number == 0 and _has_rows(place),
                    }
                )
        self._registers.rows = rows

    def show_lock(self) -> None:
        """Whether changes are possible."""
        self._hint.set_text("" if self._is_unlocked() else "Changes need the key, at the top.")

    # ---- Changing ----

    def edit(self, row: str) -> None:
        """A dialog for an entry's fields."""
        found = self._chosen(row)
        if found is None:
            return
        place, number = found
        entry = None if place.register.count is None else number
        values = self._values(place, number)
        at = "" if entry is None else f"[{entry}]"
        controller = self._hub.source.controller

        async def write(given: dict[str, str]) -> bool:
            what = f"{place.path}{at} was written"
            return await self._change(what, editing.write, controller, place, entry, given)

        self._dialog(f"{place.path}{at}", place, values, write)

    def insert(self) -> None:
        """A dialog for a new entry of the table."""
        found = self._chosen("0")
        if found is None:
            return
        place, _ = found
        top = len(place.entries) - 1
        controller = self._hub.source.controller

        async def write(given: dict[str, str]) -> bool:
            number = given.pop(_ENTRY, "")
            if number and not (number.isdecimal() and int(number) <= top):
                ui.notify(f"Entry {number}: should be from 0 to {top}", type="negative")
                return False
            entry = int(number) if number else None
            what = f"An entry of {place.path} was inserted"
            return await self._change(what, editing.insert, controller, place, entry, given)

        label = f"entry, 0 to {top}; empty: the first free one"
        self._dialog(f"{place.path}: new entry", place, {}, write, {_ENTRY: label})

    async def remove(self, row: str) -> None:
        """Empties an entry of the table."""
        if (found := self._chosen(row)) is not None:
            place, number = found
            what = f"{place.path}[{number}] was deleted"
            controller = self._hub.source.controller
            await self._change(what, editing.delete, controller, place, number)

    def _chosen(self, row: str) -> tuple[Place, int] | None:
        """The register and the entry of a row; None, with a message, unless it can be changed."""
        place = self._place()
        number, _, _ = row.partition(":")
        if place is None or not number.isdecimal() or int(number) not in place.entries:
            return None
        if not self._is_unlocked():
            ui.notify("Changes need the key", type="negative")
            return None
        return place, int(number)

    @staticmethod
    def _dialog(
        title: str,
        place: Place,
        values: dict[str, int],
        write: Callable[[dict[str, str]], Awaitable[bool]],
        further: dict[str, str] | None = None,
    ) -> None:
        """Asks for fields. `values`: those that are known; `further`: other inputs, with labels."""
        inputs: dict[str, ui.input] = {}

        def ask(name: str, label: str, text: str) -> None:
            box = ui.input(label, value=text).props("dense outlined").classes("w-full")
            inputs[name] = box.mark(f"field-{name}")

        with ui.dialog() as dialog, ui.card().classes("min-w-96"):
            ui.label(title).classes("font-semibold")
            for name, label in (further or {}).items():
                ask(name, label, "")
            for field in place.type.fields:
                if field.is_writable:
                    top = (1 << field.width) - 1
                    known = field.name in values
                    text = editing.shown(field, values[field.name]) if known else ""
                    end = top if field.width <= 32 else hex(top)
                    ask(field.name, f"{field.name}, 0 to {end}", text)
            with ui.row().classes("w-full justify-end"):
                ui.button("cancel", on_click=dialog.close).props("flat no-caps")

                async def done() -> None:
                    if await write(
                        {name: each.value for name, each in inputs.items() if each.value}
                    ):
                        dialog.close()

                ui.button("write", on_click=done).props("no-caps unelevated").mark("write")
        dialog.on("hide", dialog.delete)
        dialog.open()

    def _values(self, place: Place, entry: int) -> dict[str, int]:
        """Fields as last read; none if they were not."""
        sample = self._hub.history.latest
        words = editing.words(place, entry)
        if sample is None or any(word not in sample.words for word in words):
            return {}
        value = sum(sample.words[word] << WORD_BITS * n for n, word in enumerate(words))
        return unpack(place.type, value)

    async def _change(self, what: str, change: Callable[..., object], *given: object) -> bool:
        """Makes a change if this page is unlocked; whether it did. `what`: what was done."""
        if not self._is_unlocked():
            ui.notify("Changes need the key", type="negative")
            return False
        try:
            await asyncio.to_thread(change, *given)
        except UserError as error:
            ui.notify(str(error), type="negative", multi_line=True)
            return False
        ui.notify(what, type="positive")
        return True


def _has_rows(place: Place) -> bool:
    """Whether entries can be inserted and deleted."""
    return place.register.count is not None and place.type.is_writable
