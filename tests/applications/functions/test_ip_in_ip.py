# SPDX-License-Identifier: Apache-2.0
"""UDP echo in an IP-in-IP tunnel: what a stack answers, inside and outside the tunnel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bombus.applications.functions.tunnels import (
    ETHERNET_BYTES,
    IPV4_BYTES,
    PROTOCOL_IP_IN_IP,
    answers_in_ip_in_ip,
    into_ip_in_ip,
)
from bombus.base import paths
from bombus.measure.exchanges import introduce
from bombus.protocols.frames import (
    TYPE_IPV4,
    Host,
    Station,
    arp_request,
    ethernet,
    ipv4,
    padded,
    ping_frame,
    udp_frame,
)
from bombus.protocols.stack import Stack
from bombus.simulator.build import Library, build
from bombus.simulator.simulation import Simulation
from tests.applications.functions.tunnel_cases import (
    answers,
    check_deadlocks,
    check_lines,
    drops,
    inside,
    outside,
)

DESIGN = paths.EXAMPLES / "functions" / "udp_echo_tunnel.yaml"
REMOTE = Station.of("02:00:00:00:00:99", "10.77.0.1")  # the other end
INNER = Station.of("02:00:00:00:00:99", "10.99.0.1")  # behind it
FAR = Station.of("02:00:00:00:00:99", "198.51.100.7")  # behind its gateway
MTU = 1480


def test_twelve_lines_are_added_or_changed() -> None:
    check_lines(DESIGN)


def test_a_chain_with_repeated_headers(tmp_path: Path) -> None:
    """Two tiles of each layer pass; a tile that is visited twice, or a bad place, deadlocks. So do
    outer packets that go into a tunnel again, without end.
    """
    text = DESIGN.read_text()
    visited = text.replace("next: {ipv4_rx: inner_rx}", "next: {ipv4_rx: ipv4_rx}")
    visited = visited.replace("  - {name: inner_rx", "  # {name: inner_rx")
    # Tiles at the first free positions.
    misplaced = re.sub(r", at: \[[0-3], [1-3]\]", "", text)
    again = text.replace(
        "}]  # the tunnel", '}, {mac: "02:b0:0b:05:00:03", ip: 10.98.0.2, prefix: 24}]'
    )
    again = again.replace("remote: 0x0a4d0001", "outer_port: 2")
    again = again.replace("{eth_tx: eth_tx}, at: [0, 3]}", "{eth_tx: again}, at: [0, 3]}")
    again += (
        "  - {name: again, kind: ip_in_ip_encapsulate, inner_port: 2, outer_port: 1,\n"
        "     next: {eth_tx: eth_tx, ipv4_tx: outer_tx}, at: [2, 3]}\n"
    )
    bad = {"visited": visited, "misplaced": misplaced, "again": again}
    check_deadlocks(DESIGN, bad, tmp_path)


# ---- In simulation ----


@pytest.fixture(scope="module")
def library() -> Library:
    return build(DESIGN, assertions=True)


@pytest.fixture
def simulation(library: Library) -> Iterator[Simulation]:
    with Simulation(library, seed=4) as simulation:
        introduce(simulation, REMOTE)
        yield simulation
        simulation.check()


def into(host: Host, frame: bytes, **options: Any) -> bytes:
    return into_ip_in_ip(frame, REMOTE, host, **options)


def expected(simulation: Simulation, frame: bytes) -> list[bytes]:
    """Answers of a stack, in the tunnel."""
    model = Stack(inside(simulation))
    model.process(padded(arp_request(INNER, model.host)))
    return answers_in_ip_in_ip(model, frame, REMOTE, outside(simulation))


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.parametrize("pace", [0.0, 0.5])
def test_answers_are_those_of_a_stack(library: Library, pace: float) -> None:
    content = Random(1).randbytes(1500)
    with Simulation(library, seed=2, rx_bubble=pace, tx_stall=pace) as simulation:
        introduce(simulation, REMOTE)
        host, outer = inside(simulation), outside(simulation)
        frames = []
        for length in (*range(140), 1451, 1452):
            frames.append(udp_frame(INNER, host, content[:length], tos=0xB8 | length & 1))
            frames.append(udp_frame(FAR, host, content[:length]))
        frames += [ping_frame(INNER, host, content[:99]), udp_frame(INNER, host, b"bee", port=9)]
        found = simulation.exchange([into(outer, frame) for frame in frames]).received
        wanted = [answer for frame in frames for answer in expected(simulation, frame)]
        assert len(wanted) == len(frames)
        assert sorted(each.data for each in found) == sorted(wanted)
        # Beside the tunnel, the host is what it was.
        plain = Stack(outer)
        plain.process(padded(arp_request(REMOTE, outer)))
        for frame in (udp_frame(REMOTE, outer, content[:77]), ping_frame(REMOTE, outer, b"bee")):
            assert answers(simulation, frame) == list(plain.process(frame).replies)
        assert drops(simulation) == {}
        simulation.check()


@pytest.mark.slow
@pytest.mark.sweep
def test_congestion_marks(simulation: Simulation) -> None:
    host, outer = inside(simulation), outside(simulation)
    marked = {}
    for inner in range(4):
        for mark in range(4):
            frame = into(outer, udp_frame(INNER, host, b"bee", tos=0xA0 | inner), tos=mark)
            got = answers(simulation, frame)
            marked[inner, mark] = got[0][ETHERNET_BYTES + IPV4_BYTES + 1] & 3 if got else None
    # UDP echo answers with the mark that it has got.
    assert [[marked[inner, mark] for mark in range(4)] for inner in range(4)] == [
        [0, 0, 0, None],
        [1, 1, 1, 3],
        [2, 1, 2, 3],
        [3, 3, 3, 3],
    ]
    assert drops(simulation) == {"drop.ip_in_ip_decapsulate.congested": 1}


@pytest.mark.slow
@pytest.mark.sweep
def test_bad_packets_are_counted(simulation: Simulation) -> None:
    host, outer = inside(simulation), outside(simulation)
    good = udp_frame(INNER, host, bytes(40))
    nested = into(host, into(host, good))
    cases = {
        "drop.ip_in_ip_decapsulate.bad_length": udp_frame(INNER, host, b"x", total_length=30),
        "drop.ipv4_rx.fragment": udp_frame(INNER, host, bytes(40), fragment=0x2000),
        "drop.ipv4_rx.bad_checksum": udp_frame(INNER, host, b"bee", header_checksum=1),
        "drop.ipv4_rx.not_for_us": udp_frame(INNER, outer, b"bee"),
        "drop.ipv4_rx.bad_source": udp_frame(Station(INNER.mac, host.ip), host, b"bee"),
        "drop.no_route": nested,  # no layer takes a tunnel in the tunnel
    }
    for name, frame in cases.items():
        before = drops(simulation).get(name, 0)
        body = frame[ETHERNET_BYTES:]
        packet = ipv4(REMOTE.ip, outer.ip, PROTOCOL_IP_IN_IP, body)
        sent = padded(ethernet(outer.mac, REMOTE.mac, TYPE_IPV4, packet))
        assert answers(simulation, sent) == [], name
        assert drops(simulation)[name] == before + 1, name
    # Packets of the host itself, as in a loop.
    body = good[ETHERNET_BYTES:]
    packet = ipv4(outer.ip, outer.ip, PROTOCOL_IP_IN_IP, body)
    assert answers(simulation, padded(ethernet(outer.mac, REMOTE.mac, TYPE_IPV4, packet))) == []
    assert drops(simulation)["drop.ipv4_rx.bad_source"] == 2
    # A header that ends inside the outer packet, and an outer fragment.
    packet = ipv4(REMOTE.ip, outer.ip, PROTOCOL_IP_IN_IP, bytes(19))
    short = padded(ethernet(outer.mac, REMOTE.mac, TYPE_IPV4, packet))
    assert answers(simulation, short) == []
    assert drops(simulation)["drop.ip_in_ip_decapsulate.truncated"] == 1
    assert answers(simulation, into(outer, good, fragment=0x2000)) == []
    # Too long for the tunnel: UDP has no errors to take.
    assert answers(simulation, into(outer, udp_frame(INNER, host, bytes(MTU - 27)))) == []
    assert drops(simulation)["drop.ip_in_ip_encapsulate.too_long"] == 1
    assert answers(simulation, into(outer, good)) == expected(simulation, good)


@pytest.mark.slow
@pytest.mark.sweep
def test_tunnels_change_under_traffic(simulation: Simulation) -> None:
    host, outer = inside(simulation), outside(simulation)
    frame = into(outer, udp_frame(INNER, host, bytes(40)))
    table = simulation.tile("encapsulate").registers.ip_in_ip_encapsulate.tunnel
    other = Station.of("02:00:00:00:00:98", "10.77.0.8")
    introduce(simulation, other)
    to = []
    for turn in range(40):
        for _ in range(4):
            simulation.send(frame)
        simulation.advance(20 + 4 * turn)
        end = other if turn % 2 == 0 else REMOTE
        ips = {"inner_ip": int.from_bytes(INNER.ip), "outer_ip": int.from_bytes(end.ip)}
        table[3].write(**ips, valid=1)
        simulation.advance_until_idle()
        to += [each.data[30:34] for each in simulation.receive_all()]
    assert len(to) == 160 and set(to) == {other.ip, REMOTE.ip}
    # Loops: to its own next hop, to the host.
    for count, end in enumerate((INNER.ip, outer.ip), 1):
        table[3].write(inner_ip=ips["inner_ip"], outer_ip=int.from_bytes(end), valid=1)
        assert answers(simulation, frame) == []
        assert drops(simulation) == {"drop.ip_in_ip_encapsulate.loop": count}
