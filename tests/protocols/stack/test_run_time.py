# SPDX-License-Identifier: Apache-2.0
"""What can be changed while a design runs: the host's addresses and the next-hop tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from bombus.protocols.frames import (
    Host,
    Station,
    announcement,
    arp_request,
    ip_bytes,
    mac_bytes,
    ping_frame,
    udp_frame,
)
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation
from tests.support.bench import ALL_DESIGNS, DESIGNS, FUSED, GATEWAY, PEER, Bench

pytestmark = pytest.mark.slow

all_designs = pytest.mark.parametrize("design", ALL_DESIGNS)

CHANGES = 12  # each at another moment of the traffic


def text(address: bytes, digits: str, between: str) -> str:
    return between.join(format(byte, digits) for byte in address)


@all_designs
def test_new_address(design: Path) -> None:
    with Bench(design) as bench:
        old = bench.host
        bench.simulation.set_host(ip="10.77.0.7")
        bench.model.host = replace(old, ip=ip_bytes("10.77.0.7"))
        bench.announced()
        # The old address no longer answers.
        bench.run([udp_frame(PEER, old, b"old"), ping_frame(PEER, old, b"old")])
        bench.run([arp_request(PEER, old)])
        bench.introduce([PEER])
        bench.alive()
        bench.simulation.set_host(mac="02:b0:0b:05:00:77")
        bench.model.host = replace(bench.host, mac=mac_bytes("02:b0:0b:05:00:77"))
        bench.announced()
        bench.run([udp_frame(PEER, old, b"old")])
        bench.introduce([PEER])
        bench.alive()
        # A reset brings the addresses of the design file back.
        bench.simulation.reset()
        bench.model.host = old
        bench.after_reset()
        bench.introduce([PEER])
        bench.alive()


@pytest.mark.parametrize("step", [4096, 1 << 14])
def test_new_address_while_time_jumps(step: int) -> None:
    """By more at once than it takes to settle, and by multiples of it."""
    with Bench(DESIGNS[64], timer_step_us=step) as bench:
        bench.simulation.set_host(ip="10.77.0.7")
        bench.model.host = replace(bench.host, ip=ip_bytes("10.77.0.7"))
        assert not bench.simulation.receive_all()
        bench.simulation.elapse(us=4 * step)
        frames = [frame.data for frame in bench.simulation.receive_all()]
        assert frames == [announcement(bench.host)]


@pytest.mark.parametrize(
    "design",
    [DESIGNS[64], pytest.param(DESIGNS[128], marks=pytest.mark.sweep)],
    ids=lambda path: path.stem,
)
def test_a_single_write_takes_effect(design: Path) -> None:
    """Without staging, and without a request of the registers right before it or after it."""
    with Bench(design) as bench:
        bench.simulation.set_host(netmask="255.255.255.252")
        bench.simulation.registers.host[0].netmask.mask = 0xFFFF_FFFE
        bench.model.host = replace(bench.host, netmask=ip_bytes("255.255.255.254"))
        neighbour = Station(PEER.mac, ip_bytes("10.77.0.3"))
        bench.introduce([neighbour])
        bench.alive([neighbour])


@all_designs
def test_new_network(design: Path) -> None:
    with Bench(design) as bench:
        # A smaller subnet: the peer is now behind the gateway.
        bench.simulation.set_host(netmask="255.255.255.252")
        bench.model.host = replace(bench.host, netmask=ip_bytes("255.255.255.252"))
        behind = Station(GATEWAY.mac, PEER.ip)
        bench.alive([GATEWAY, behind])
        # The last address of the new subnet is its broadcast address.
        broadcast = Station(PEER.mac, ip_bytes("10.77.0.3"))
        bench.run([udp_frame(broadcast, bench.host, b"impossible")])
        # A link of two hosts has no broadcast address (RFC 3021).
        netmask = bench.simulation.registers.host[0].netmask
        netmask.mask = 0xFFFF_FFFE  # the gateway is outside, which `set_host` refuses
        bench.model.host = replace(bench.host, netmask=ip_bytes("255.255.255.254"))
        bench.introduce([broadcast])
        bench.alive([broadcast, behind])
        # Everybody is a neighbour.
        netmask.mask = 0
        bench.model.host = replace(bench.host, netmask=bytes(4))
        far = Station.of("02:00:00:00:00:aa", "198.51.100.7")
        bench.introduce([far])
        bench.alive([PEER, far])


@all_designs
def test_address_changes_under_traffic(design: Path) -> None:
    """Requests up to one in the order of arrival see the old addresses, all others the new ones.

    Frames to the new addresses before the change are dropped and counted, as are those to the old
    ones after it; nothing else is lost, and all answers are right in every byte.
    """
    with Bench(design) as bench:
        for number in range(CHANGES):
            old = bench.host
            new = Host(
                mac_bytes(f"02:b0:0b:05:01:{number:02x}"),
                ip_bytes(f"10.77.0.{20 + number}"),
                old.netmask,
                old.gateway,
            )
            frames = [
                udp_frame(PEER, host, bytes([n]) * (1 + 7 * number), source_port=40000 + n)
                for n in range(100)
                for host in (old, new)
            ]
            for frame in frames:
                bench.simulation.send(frame)
            bench.simulation.advance(len(frames) // 2 + 3 * number)
            bench.simulation.set_host(mac=text(new.mac, "02x", ":"), ip=text(new.ip, "d", "."))
            came = [frame.data for frame in bench.simulation.receive_all()]
            of_old = bench.predict(frames)[0]
            bench.model.host = new
            of_new = bench.predict(frames)[0]
            # The first frame to be seen with the new addresses is one to the new or to the old.
            allowed = [
                of_old[: n + one] + of_new[n:] for n in range(len(of_new) + 1) for one in (0, 1)
            ]
            assert came in allowed
            assert bench.drops() == Counter({"eth_rx.not_for_us": len(frames) - len(came)})
            assert not bench.simulation.registers.addresses.failed
            assert 0 < sum(frame in of_new for frame in came) < len(came)
            bench.announced()
        bench.alive()


def test_a_change_that_is_given_up() -> None:
    """While messages cannot leave, the former addresses stay in effect."""
    bench = Bench(DESIGNS[64], tx_stall=0.999)
    try:
        frame = udp_frame(PEER, bench.host, bytes(1400))
        for _ in range(40):  # more than mac_tx holds
            bench.simulation.send(frame)
        bench.simulation.advance(8000)
        with pytest.raises(SimulationError, match="was given up"):
            bench.simulation.set_host(ip="10.77.0.7")
        assert bench.simulation.registers.addresses.read() == {
            "staged": 0,
            "pending": 0,
            "failed": 1,
        }
        came = bench.simulation.receive(timeout_cycles=400_000)
        assert came is not None
        assert [came.data] == bench.predict([frame])[0]
    finally:
        bench.close()


def test_staged_writes_have_no_effect() -> None:
    with Bench(DESIGNS[64]) as bench:
        registers = bench.simulation.registers
        registers.addresses.staged = 1
        registers.host[0].ip.address = int.from_bytes(ip_bytes("10.77.0.7"))
        assert registers.addresses.pending
        bench.alive()
        registers.addresses.staged = 0
        bench.model.host = replace(bench.host, ip=ip_bytes("10.77.0.7"))
        bench.announced()
        bench.alive()
        assert not registers.addresses.pending


@pytest.mark.parametrize("width", [512, pytest.param(64, marks=pytest.mark.sweep)])
def test_route_away_under_traffic(tmp_path: Path, width: int) -> None:
    """A message without an entry in the table is dropped and counted; the entry can come back."""
    design = tmp_path / DESIGNS[width].name
    design.write_text(DESIGNS[width].read_text().replace("tables: fixed\n", ""))
    tile = "udp_rx"
    with Bench(design) as bench:
        size = 4 * bench.simulation.data_bytes
        frames = [
            udp_frame(PEER, bench.host, bytes([n % 251]) * size, source_port=40000 + n)
            for n in range(120)
        ]
        expected = bench.predict(frames)[0]
        for turn in range(3):
            for frame in frames:
                bench.simulation.send(frame)
            bench.simulation.advance(150 + 7 * turn)
            bench.simulation.set_next_hop(tile, "udp_port_7", None)
            bench.simulation.advance(60 + turn)
            bench.simulation.set_next_hop(tile, "udp_port_7", "echo")
            came = [frame.data for frame in bench.simulation.receive_all()]
            drops = bench.drops()
            assert set(drops) == {"no_route"}
            assert len(came) + drops["no_route"] == len(expected)
            # No message is torn: everything received is complete and in order.
            rest = iter(expected)
            assert all(frame in rest for frame in came)
            bench.alive()


@pytest.mark.parametrize("design", [DESIGNS[512], FUSED], ids=lambda path: path.stem)
def test_no_route_out_of_any_tile(design: Path) -> None:
    """Each way that a packet takes through the mesh, taken away and given back."""
    with Bench(design) as bench:
        for hop in bench.simulation.manifest["hops"]:
            if hop["in_tile"] or hop["to"] is None:
                continue
            tile, layer = hop["from"].split(".")[:2]
            (names,) = (
                each["next_hops"]
                for each in bench.simulation.manifest["tiles"]
                if each["name"] == tile
            )
            # Names that several layers of a tile use have that of the layer before them.
            of_layer = f"{layer}.{hop['next']}"
            (name,) = (name for name in names if name == hop["next"] or name.endswith(of_layer))
            bench.simulation.set_next_hop(tile, name, None)
            frames = [arp_request(PEER, bench.host), *bench.probes()]
            frames.append(udp_frame(PEER, bench.host, bytes(500)))
            for frame in frames:
                bench.simulation.send(frame)
            came = [frame.data for frame in bench.simulation.receive_all()]
            lost = bench.drops()
            assert set(lost) <= {"no_route"}
            expected = [reply for frame in frames for reply in bench.model.process(frame).replies]
            assert not Counter(came) - Counter(expected)
            if layer != "arp":  # ARP's own messages may be lost too
                bench.conserved()
            bench.simulation.reset()
            bench.after_reset()
            bench.introduce([PEER, GATEWAY])
            bench.alive([PEER, GATEWAY])


def test_table_written_right_after_reset() -> None:
    """The write waits until the table has been filled; the filling does not undo it."""
    with Simulation(DESIGNS[512], assertions=True) as simulation:
        host = Host.from_manifest(simulation.manifest)
        simulation.reset()
        simulation.set_next_hop("echo", "udp_tx", None)
        simulation.receive_all()
        simulation.exchange([arp_request(PEER, host), udp_frame(PEER, host, b"lost")])
        assert simulation.tile_counters("echo")["drop.no_route"] == 1
        assert simulation.tile_counters("echo")["noc_out_messages"] == 0
