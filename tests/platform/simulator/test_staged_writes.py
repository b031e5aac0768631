# SPDX-License-Identifier: Apache-2.0
"""Changes of addresses and routes that an error interrupts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from bombus.registers.access import BlockAccess
from bombus.simulator.register_map import set_host, set_routes

MANIFEST = {"mac_ports": [{}], "route_entries": 4}


class Addresses:
    def __init__(self) -> None:
        self.log: list[int] = []

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "staged":
            self.log.append(value)
        else:
            super().__setattr__(name, value)


def fails(**_: int) -> None:
    raise KeyboardInterrupt


def test_an_error_ends_the_staging() -> None:
    addresses, register = Addresses(), SimpleNamespace(write=fails)
    route = [SimpleNamespace(entry=register)] * 4
    registers = SimpleNamespace(addresses=addresses, host=[{"mac": register}], route=route)
    given = cast("BlockAccess", registers)
    with pytest.raises(KeyboardInterrupt):
        set_host(given, MANIFEST, mac="02:00:00:00:00:01")
    assert addresses.log == [1, 0]
    with pytest.raises(KeyboardInterrupt):
        set_routes(given, MANIFEST, [("10.0.0.0/8", None, 0)])
    assert addresses.log == [1, 0] * 2
