# SPDX-License-Identifier: Apache-2.0
"""Messages of a kind that a layer does not take, by a next hop that was rewritten at run time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bombus.base.paths import DESIGNS
from bombus.protocols.frames import Host, Station, ping_frame
from bombus.simulator.simulation import Simulation
from tests.support import message_sums
from tests.support.bench import TIMER_STEP_US, UNCHECKED

pytestmark = pytest.mark.slow

LOST = "drop.unknown_kind"


def entries(simulation: Simulation) -> list[tuple[str, int, str]]:
    """Tile, number and name of inputs reachable by the first network."""
    return [
        (tile["name"], number, name or tile["layers"][0]["kind"])
        for tile in simulation.manifest["tiles"]
        for number, name in enumerate(next(iter(tile["entries"].values()), []))
    ]


def changed(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {name: n - before[name] for name, n in after.items() if n != before[name]}


def question(simulation: Simulation, number: int) -> bytes:
    """A ping from an unknown station, so that `eth_tx` asks for it."""
    host: Any = Host.from_manifest(simulation.manifest)
    station = Station.of(f"02:00:00:00:01:{number:02x}", f"10.77.0.{100 + number}")
    return ping_frame(station, host, b"who is it")


@pytest.mark.parametrize(
    "name",
    ["udp_echo", pytest.param("tcp_echo_bypass", marks=pytest.mark.sweep), "two_ports"],
)
def test_every_layer_is_spared_and_every_tile_counts(name: str) -> None:
    """`eth_tx` asks each of them in place of `arp`, whose kind of message is no other layer's."""
    design: Path = DESIGNS / f"{name}.yaml"
    with Simulation(
        design, assertions=design not in UNCHECKED, timer_step_us=TIMER_STEP_US
    ) as simulation:
        message_sums.leave_out(simulation)
        sender = next(
            tile["name"]
            for tile in simulation.manifest["tiles"]
            if any(layer["kind"] == "eth_tx" for layer in tile["layers"])
        )
        found = [each for each in entries(simulation) if each[0] != sender]
        asked = 0
        for place, (tile, port, layer) in enumerate(found):
            simulation.set_next_hop(sender, "arp", tile, port=port)
            before = simulation.tile_counters(tile)
            simulation.send(question(simulation, place))
            simulation.advance(3000)
            more = changed(before, simulation.tile_counters(tile))
            if layer == "arp":
                asked += 1
                assert LOST not in more, layer
                continue
            assert more[LOST] == 1, (tile, layer)
            # Nothing has reached a layer: layers drop nothing themselves.
            drops = {each for each in more if each.startswith("drop.")}
            assert drops == {LOST}, (tile, layer)
        assert asked == 1
        simulation.check()
