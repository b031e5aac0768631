# SPDX-License-Identifier: Apache-2.0
"""Raised ports of the top, from Python and as far as the C interface checks them."""

from __future__ import annotations

import pytest

from bombus.simulator.build import Library
from bombus.simulator.simulation import Simulation, SimulationError

pytestmark = pytest.mark.slow


def test_a_written_pin_takes_effect_in_the_next_cycle(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        simulation.advance(1000)  # idle: cycles are skipped
        assert simulation.read_pin("lamp_o") == 0
        for key in (0xFFF, 1, 0xA5A):
            simulation.write_pin("key_i", key)
            assert simulation.read_pin("key_i") == key
            simulation.advance(2)
            assert simulation.read_pin("lamp_o") == key << 88 | key
        simulation.reset()
        assert simulation.read_pin("key_i") == 0xA5A


def test_time_passes_until_a_pin_is_not_zero(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        start = simulation.cycle
        assert simulation.advance_until_pin("lamp_o", limit_cycles=1000) is None
        assert simulation.cycle == start + 1000
        simulation.write_pin("key_i", 0x800)  # only the highest bit of lamp_o and one in its middle
        assert simulation.advance_until_pin("lamp_o", limit_cycles=0) is None
        assert simulation.advance_until_pin("lamp_o", limit_cycles=10) == "lamp_o"
        assert simulation.cycle <= start + 1002
        assert simulation.advance_until_pin("key_i", "lamp_o", limit_cycles=10) == "key_i"
        with pytest.raises(SimulationError, match="raises no port"):
            simulation.advance_until_pin("lamp_o", "lamp", limit_cycles=10)


def test_extensions_are_served_until_a_pin_is_not_zero(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        start = simulation.cycle
        served: list[int] = []

        def serve() -> None:
            served.append(simulation.cycle - start)
            if served[-1] >= 50:
                simulation.write_pin("key_i", 1)

        simulation.serve_every(20, serve)
        assert simulation.advance_until_pin("lamp_o", limit_cycles=1000) == "lamp_o"
        assert served == [0, 20, 40, 60]


@pytest.mark.parametrize("value", [-1, 1 << 12, 1 << 15, 1 << 16, 1 << 200])
def test_a_value_that_does_not_fit_is_refused(loopback: Library, value: int) -> None:
    with Simulation(loopback) as simulation:
        simulation.write_pin("key_i", 5)
        with pytest.raises(SimulationError, match=r"does not fit|wider than the 12 bits"):
            simulation.write_pin("key_i", value)
        assert simulation.read_pin("key_i") == 5


def test_the_c_interface_refuses(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        native = simulation._native
        data = native.new("uint8_t[]", 20)
        for function, arguments, reason in (
            ("read_pin", (b"key", data, 20), "raises no port key"),
            ("read_pin", (b"lamp_o", data, 12), "wider than capacity"),
            ("read_pin", (native.ffi.NULL, data, 20), "name is NULL"),
            ("read_pin", (b"lamp_o", native.ffi.NULL, 20), "data is NULL"),
            ("advance_until_pin", (native.ffi.NULL, 1, 10), "names is NULL"),
            ("advance_until_pin", (native.new("char *[1]"), 1, 10), "names is NULL"),
            ("write_pin", (b"lamp_o", data, 13), "output of the design"),
            ("write_pin", (b"key_i", data, 1), "has 2 bytes, not 1"),
            ("write_pin", (b"key_i", data, 3), "has 2 bytes, not 3"),
        ):
            with pytest.raises(SimulationError, match=reason):
                native.call(function, *arguments)
        assert native.call("read_pin", b"lamp_o", data, 13) == 13
