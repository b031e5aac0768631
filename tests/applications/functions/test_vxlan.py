# SPDX-License-Identifier: Apache-2.0
"""UDP echo in a VXLAN: what a stack answers, inside and outside the tunnel."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bombus.base import paths
from bombus.measure.exchanges import introduce
from bombus.protocols.frames import (
    PROTOCOL_UDP,
    TYPE_IPV4,
    Host,
    Station,
    arp_request,
    ethernet,
    ipv4,
    padded,
    ping_frame,
    udp,
    udp_frame,
)
from bombus.protocols.stack import Stack
from bombus.simulator.build import Library, build
from bombus.simulator.simulation import Simulation
from tests.applications.functions import tunnel_cases
from tests.applications.functions.tunnel_cases import (
    answers,
    check_deadlocks,
    check_lines,
    inside,
    outside,
)

DESIGN = paths.EXAMPLES / "functions" / "udp_echo_vxlan.yaml"
REMOTE = Station.of("02:00:00:00:00:99", "10.77.0.1")  # the other end
OTHERS = [Station.of(f"02:00:00:00:00:a{n}", f"10.77.0.{10 + n}") for n in range(2)]
INNER = Station.of("02:00:00:00:0c:01", "10.99.0.1")
VNI, PORT, MTU = 42, 4789, 1450
NO_END = "drop.vxlan_encapsulate.no_end"
LOOP = "drop.vxlan_encapsulate.loop"
HEADERS = 14 + 20 + 8 + 8  # before an inner frame


def test_twelve_lines_are_added_or_changed() -> None:
    check_lines(DESIGN)


def test_a_chain_with_repeated_headers(tmp_path: Path) -> None:
    """Two tiles of each layer pass; a tile that is visited twice, or a bad place, deadlocks."""
    text = DESIGN.read_text()
    # Outer and inner packets in one ipv4_tx.
    visited = text.replace("ipv4_tx: eth_tx}, at: [1, 3]", "ipv4_tx: ipv4_tx}, at: [1, 3]")
    visited = visited.replace("[ipv4_tx, eth_tx, mac_tx]", "[eth_tx, mac_tx]")
    misplaced = re.sub(r", at: \[[0-3], [1-3]\]", "", text)
    check_deadlocks(DESIGN, {"visited": visited, "misplaced": misplaced}, tmp_path)


# ---- In simulation ----


@pytest.fixture(scope="module")
def library() -> Library:
    return build(DESIGN, assertions=True)


@pytest.fixture
def simulation(library: Library) -> Iterator[Simulation]:
    with Simulation(library, seed=4) as simulation:
        connect(simulation)
        yield simulation
        simulation.check()


def into(host: Host, frame: bytes, *, source: bytes = REMOTE.ip, **options: Any) -> bytes:
    """This inner frame in the tunnel. Options of the outer IP header as of `ipv4`."""
    payload = bytes((8, 0, 0, 0)) + VNI.to_bytes(3) + b"\0" + frame
    datagram = udp(source, host.ip, 50_000, PORT, payload, udp_checksum=0)
    packet = ipv4(source, host.ip, PROTOCOL_UDP, datagram, **options)
    return padded(ethernet(host.mac, REMOTE.mac, TYPE_IPV4, packet))


def cut(frame: bytes) -> bytes:
    """An IPv4 frame without padding."""
    return frame[: 14 + int.from_bytes(frame[16:18])]


def inner_of(outer: bytes) -> bytes:
    """The frame in the tunnel, whose headers must be right."""
    frame = cut(outer)
    assert frame[23] == PROTOCOL_UDP and frame[36:38] == PORT.to_bytes(2)
    assert frame[34:36] >= b"\xc0\0" and frame[40:42] == b"\0\0"
    assert int.from_bytes(frame[38:40]) == len(frame) - 34
    assert frame[42:50] == bytes((8, 0, 0, 0)) + VNI.to_bytes(3) + b"\0"
    return frame[HEADERS:]


def connect(simulation: Simulation) -> None:
    """Resolves the outer neighbours, and the inner one by ARP in the tunnel."""
    for station in (REMOTE, *OTHERS):
        introduce(simulation, station)
    registers = simulation.tile("inner_tx").registers.vxlan_encapsulate
    end = int.from_bytes(REMOTE.ip)
    registers.remote[5].write(mac=int.from_bytes(INNER.mac), vni=VNI, ip=end, valid=1)
    assert registers.remote[5].read()["valid"]  # written: after a reset, the table is cleared first
    simulation.send(into(outside(simulation), arp_request(INNER, inside(simulation))))
    simulation.advance_until_idle()
    (answer,) = simulation.receive_all()
    model = Stack(inside(simulation))
    (reply,) = model.process(padded(arp_request(INNER, inside(simulation)))).replies
    assert inner_of(answer.data) == reply[:42]


def drops(simulation: Simulation) -> Mapping[str, int]:
    """But for that of the announcement of the inner host, while the list is empty."""
    return Counter(tunnel_cases.drops(simulation)) - Counter({NO_END: 1})


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.parametrize("pace", [0.0, 0.5])
def test_answers_are_those_of_a_stack(library: Library, pace: float) -> None:
    content = Random(1).randbytes(1500)
    with Simulation(library, seed=2, rx_bubble=pace, tx_stall=pace) as simulation:
        connect(simulation)
        host, outer = inside(simulation), outside(simulation)
        model = Stack(host)
        model.process(padded(arp_request(INNER, host)))
        frames = [
            udp_frame(INNER, host, content[:length]) for length in (*range(140), MTU - 29, MTU - 28)
        ]
        frames += [padded(udp_frame(INNER, host, content[:n])) for n in range(18)]
        frames += [ping_frame(INNER, host, content[:99]), udp_frame(INNER, host, b"bee", port=9)]
        got = simulation.exchange([into(outer, frame) for frame in frames]).received
        wanted = [cut(reply) for frame in frames for reply in model.process(padded(frame)).replies]
        assert len(wanted) == len(frames)
        assert sorted(inner_of(each.data) for each in got) == sorted(wanted)
        assert {each.data[30:34] for each in got} == {REMOTE.ip}
        # Beside the tunnel, the host is what it was.
        plain = Stack(outer)
        plain.process(padded(arp_request(REMOTE, outer)))
        for frame in (udp_frame(REMOTE, outer, content[:77]), ping_frame(REMOTE, outer, b"bee")):
            assert answers(simulation, frame) == list(plain.process(frame).replies)
        # Datagrams to other ports reach udp_rx.
        assert len(answers(simulation, udp_frame(REMOTE, outer, b"bee", port=4790))) == 1
        assert drops(simulation) == {}
        simulation.check()


@pytest.mark.slow
@pytest.mark.sweep
def test_bad_frames_are_counted(simulation: Simulation) -> None:
    host, outer = inside(simulation), outside(simulation)
    good = udp_frame(INNER, host, bytes(40))
    nested = udp_frame(INNER, host, into(host, good)[42:], port=PORT)
    cases = {
        "drop.ipv4_rx.bad_length": udp_frame(INNER, host, b"x", total_length=30),
        "drop.ipv4_rx.fragment": udp_frame(INNER, host, bytes(40), fragment=0x2000),
        "drop.ipv4_rx.bad_checksum": udp_frame(INNER, host, b"bee", header_checksum=1),
        "drop.udp_rx.bad_checksum": udp_frame(INNER, host, b"bee", udp_checksum=1),
        "drop.eth_rx.not_for_us": ethernet(outer.mac, INNER.mac, TYPE_IPV4, good[14:]),
        "drop.eth_rx.unknown_type": ethernet(host.mac, INNER.mac, 0x86DD, good[14:]),
        "drop.vxlan_decapsulate.tagged": good[:12] + b"\x81\0\0\7" + good[12:],
        "drop.vxlan_decapsulate.truncated": good[:13],
    }
    for name, frame in cases.items():
        before = drops(simulation).get(name, 0)
        assert answers(simulation, into(outer, frame)) == [], name
        assert drops(simulation)[name] == before + 1, name
    # An outer fragment, and a mark of a router.
    assert answers(simulation, into(outer, good, fragment=0x2000)) == []
    assert answers(simulation, into(outer, good, tos=3)) == []
    assert drops(simulation)["drop.vxlan_decapsulate.congested"] == 1
    # A tunnel in the tunnel is a datagram to a closed port.
    (unreachable,) = answers(simulation, into(outer, nested))
    assert inner_of(unreachable)[34:36] == b"\3\3"
    assert len(answers(simulation, into(outer, good))) == 1
    # Longer than the tunnel carries.
    assert answers(simulation, into(outer, udp_frame(INNER, host, bytes(MTU - 27)))) == []
    assert drops(simulation)["drop.vxlan_encapsulate.too_long"] == 1


@pytest.mark.slow
@pytest.mark.sweep
def test_loops_are_counted(simulation: Simulation) -> None:
    """Ends that are the host itself, in the table and in the list; frames that have returned."""
    host, outer = inside(simulation), outside(simulation)
    frame = into(outer, udp_frame(INNER, host, b"bee"))
    registers = simulation.tile("inner_tx").registers.vxlan_encapsulate
    own = int.from_bytes(outer.ip)
    registers.remote[5].write(mac=int.from_bytes(INNER.mac), vni=VNI, ip=own, valid=1)
    assert answers(simulation, frame) == []
    assert drops(simulation) == {LOOP: 1}
    registers.remote[5].write(mac=0, vni=0, ip=0, valid=0)
    registers.replicas[1].replica.write(ip=own, valid=1)
    registers.replicas[2].replica.write(ip=int.from_bytes(OTHERS[0].ip), valid=1)
    assert [each[30:34] for each in answers(simulation, frame)] == [OTHERS[0].ip]
    assert drops(simulation) == {LOOP: 2}
    registers.replicas[1].replica.write(ip=int.from_bytes(OTHERS[1].ip), valid=1)
    assert len(answers(simulation, frame)) == 2
    back = udp_frame(Station(host.mac, host.ip), host, b"bee")
    for count, sent in enumerate((into(outer, back), into(outer, back, source=outer.ip)), 1):
        assert answers(simulation, sent) == []
        assert drops(simulation) == {LOOP: 2, "drop.ipv4_rx.bad_source": count}


@pytest.mark.slow
@pytest.mark.sweep
def test_the_table_and_the_list(simulation: Simulation) -> None:
    host, outer = inside(simulation), outside(simulation)
    frame = into(outer, udp_frame(INNER, host, bytes(300)))
    registers = simulation.tile("inner_tx").registers.vxlan_encapsulate
    ends = Counter[bytes]()
    mac = int.from_bytes(INNER.mac)
    for turn in range(20):
        for _ in range(4):
            simulation.send(frame)
        simulation.advance(20 + 9 * turn)
        end = int.from_bytes(OTHERS[turn % 2].ip)
        registers.remote[5].write(mac=mac, vni=VNI, ip=end, valid=1)
        simulation.advance_until_idle()
        ends += Counter(each.data[30:34] for each in simulation.receive_all())
    assert ends.total() == 80 and {each.ip for each in OTHERS} <= set(ends)
    # Unknown: to the whole list, or dropped.
    registers.remote[5].write(mac=0, vni=0, ip=0, valid=0)
    assert answers(simulation, frame) == []
    assert drops(simulation) == {NO_END: 1}
    for n, other in enumerate(OTHERS):
        registers.replicas[3 * n].replica.write(ip=int.from_bytes(other.ip), valid=1)
    got = answers(simulation, frame)
    assert [each[30:34] for each in got] == [each.ip for each in OTHERS]
    assert len({inner_of(each) for each in got}) == 1
    # An ARP request for a new neighbour, and the answer that waits for it.
    other = Station.of("02:00:00:00:0c:02", "10.99.0.77")
    got = answers(simulation, into(outer, udp_frame(other, host, bytes(9))))
    requests = [inner_of(each) for each in got]
    assert [each[:14] for each in requests] == [b"\xff" * 6 + host.mac + b"\x08\x06"] * 2
    assert requests[0][38:42] == other.ip and [each[30:34] for each in got] == [
        each.ip for each in OTHERS
    ]
    assert drops(simulation) == {NO_END: 1}
