# SPDX-License-Identifier: Apache-2.0
"""`bombus.Controller` on the shipped design, over frames of a simulation."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest

import bombus
from bombus.analysis.check import DeadlockError
from bombus.applications.control.arp import bind, bindings, unbind
from bombus.applications.control.session import ItemError, OtherBootError
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, udp_frame
from tests import ROOT

pytestmark = pytest.mark.slow

DESIGN = ROOT / "docs" / "examples" / "control" / "managed.yaml"
KEY = "0x0f0e0d0c0b0a09080706050403020100"  # of the design file


@pytest.mark.sweep
def test_a_running_stack_is_managed() -> None:
    with bombus.Simulation(DESIGN, assertions=True) as simulation:
        with bombus.Controller(simulation, key=KEY, manifest=DESIGN) as controller:
            host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)

            def echoes() -> bool:
                simulation.send(udp_frame(station, host, b"x" * 100, port=7))
                return simulation.receive(timeout_cycles=5000) is not None

            assert echoes()
            # Counters of all tiles but the controller's own
            over_network = controller.counters()
            assert set(over_network) == {tile["name"] for tile in simulation.manifest["tiles"]} - {
                "control"
            }
            assert over_network["echo"] == simulation.counters()["echo"]
            with pytest.raises(ItemError, match=r"tiles\.control\..* its own tile"):
                controller.tile_counters("control")
            with pytest.raises(DeadlockError, match="possible deadlock"):
                controller.set_next_hop("udp_tx", 0, "echo")
            assert echoes()
            controller.set_next_hop("echo", 0, None)
            assert not echoes()
            controller.set_next_hop("echo", 0, "udp_tx")
            assert echoes()
            # Neighbours
            neighbour_ip = str(IPv4Address(station.ip))
            assert neighbour_ip in {each.ip for each in bindings(controller)}
            assert bind(controller, "10.77.0.99", "02:00:00:00:00:99") == ["eth_tx"]
            (bound,) = (each for each in bindings(controller) if each.ip == "10.77.0.99")
            assert bound.mac == "02:00:00:00:00:99" and bound.permanent
            assert unbind(controller, "10.77.0.99") == ["eth_tx"]
            assert {each.ip for each in bindings(controller)} == {neighbour_ip}
            with controller.batch() as batch:
                before = batch.read(controller.registers.host[0].gateway)
                for n in range(1024):
                    batch.registers.host[0].gateway.write(address=n)
            assert before.value and controller.registers.host[0].gateway.address == 1023
            assert simulation.registers.host[0].gateway.address == 1023
            # Fields that are not given keep their values, in the same request.
            simulation.reset()
            introduce(simulation, station)
            assert controller.registers.host[0].ip.address == int.from_bytes(host.ip)
            simulation.reset()
            introduce(simulation, station)
            with pytest.raises(OtherBootError):
                controller.registers.host[0].gateway.address = 5
        simulation.check()
