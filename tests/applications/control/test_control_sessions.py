# SPDX-License-Identifier: Apache-2.0
"""Reading the TCP sessions: over ports that read few words at once, beside other programs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bombus.analysis import check
from bombus.applications.control.controller import Controller
from bombus.applications.control.tcp_sessions import STATES, engines, state_name
from bombus.applications.control.web.sessions import Sessions
from bombus.applications.control.web.source import Source
from bombus.generation.manifest import manifest
from bombus.registers.items import Item, Read, Write, words_of
from tests.support.helpers import DESIGNS

MANIFEST = manifest(check.check(DESIGNS / "tcp_echo.yaml")[0])
for _tile in MANIFEST["tiles"]:
    for _layer in _tile["layers"]:
        if _layer["kind"] == "tcp":
            _layer["params"]["num_sessions"] = 130
OPEN = {3: 5000, 17: 5001, 63: 5002, 64: 5003, 129: 5004}  # ports by session
CHOSEN = 9  # by another program


class Engine:
    """The registers `session` and `state` of an engine."""

    def __init__(self) -> None:
        self.most = 0  # words read at once
        self.chosen = CHOSEN
        named = Controller(self, manifest=MANIFEST)
        self.select = named.registers.tiles.tcp.tcp.session.where()
        self.state = named.registers.tiles.tcp.tcp.state

    def access(self, items: Sequence[Item]) -> list[int]:
        found: list[int] = []
        for item in items:
            if isinstance(item, Write):
                assert item.address == self.select
                (self.chosen,) = item.values
            elif isinstance(item, Read) and item.address == self.select:
                found.append(self.chosen)
            else:
                assert isinstance(item, Read) and item.address == self.state.where()
                found += words_of(self._state(OPEN.get(self.chosen)), item.count)
        self.most = max(self.most, len(found))
        return found

    def _state(self, port: int | None) -> int:
        fields = {"state": 3, "own_port": port, "peer_ip": 0x0A000001} if port else {}
        kinds = self.state._type.fields
        return sum(fields[each.name] << each.low for each in kinds if each.name in fields)

    def read_register(self, address: int) -> int:
        return self.access([Read(address)])[0]

    def write_register(self, address: int, value: int) -> None:
        self.access([Write(address, (value,))])


@pytest.mark.parametrize("limit", [1 << 30, 1024, 352, 20])
def test_sessions_are_read_in_parts_that_fit(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    port = Engine()
    controller = Controller(port, manifest=MANIFEST)
    monkeypatch.setattr(controller, "_most_words", limit)
    found = {number: fields["own_port"] for _, number, fields in controller.sessions()}
    assert found == OPEN
    assert port.chosen == CHOSEN and port.most <= limit
    page = Sessions(Source(controller))
    (engine,) = engines(controller)
    for _ in range(-(-engine.num_sessions // engine.most_at_once)):
        rows = page.read()
    assert {each.number: each.port for each in rows} == OPEN
    assert {each.state for each in rows} == {"ESTABLISHED"} and rows[0].peer == "10.0.0.1:0"
    assert port.chosen == CHOSEN and port.most <= limit


def test_names_of_states() -> None:
    assert (state_name(0), state_name(3)) == ("CLOSED", "ESTABLISHED")
    assert state_name(len(STATES)) == str(len(STATES))
