# SPDX-License-Identifier: Apache-2.0
"""Logs of drops: each with its reason, its cycle, and the first bytes of the right message."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from rich.console import Console

from bombus.analysis.check import check
from bombus.applications.logs import printing
from bombus.applications.logs.entries import DropEntry, drop_entry
from bombus.applications.logs.places import LogPlace, logs_of
from bombus.applications.logs.reading import Fetched
from bombus.applications.logs.simulated import fetch_simulated
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import (
    BROADCAST_MAC,
    PROTOCOL_UDP,
    TYPE_IPV4,
    Host,
    Station,
    ethernet,
    ip_frame,
    ping_frame,
    udp,
    udp_frame,
)
from bombus.protocols.tcp.peer import Peers
from bombus.simulator.simulation import Simulation
from tests import ROOT
from tests.protocols.tcp.tcp_wire import Wire
from tests.support.bench import TIMER_STEP_US

pytestmark = pytest.mark.slow

DESIGN = ROOT / "docs" / "examples" / "logs" / "drop_logs.yaml"
IP, BODY = 14, 34  # bytes of a frame before the packet, and before its payload
IDENTITY = 4  # bytes
SYN = frozenset({"SYN"})


@dataclass(frozen=True)
class Case:
    """A frame that is dropped: by what, and where the bytes begin that its layer sees."""

    reason: str  # layer.reason, "": it is not dropped
    start: int
    frame: Callable[[Station, Host, bytes], bytes]


def _ethernet(**changes: object) -> Callable[[Station, Host, bytes], bytes]:
    def frame(station: Station, host: Host, payload: bytes) -> bytes:
        whole = udp_frame(station, host, payload)
        destination = changes.get("destination", whole[:6])
        source = changes.get("source", whole[6:12])
        kind = changes.get("kind", TYPE_IPV4)
        return ethernet(destination, source, kind, whole[IP:])  # type: ignore[arg-type]

    return frame


def _udp(**changes: object) -> Callable[[Station, Host, bytes], bytes]:
    return lambda station, host, payload: udp_frame(station, host, payload, **changes)  # type: ignore[arg-type]


def _ping(**changes: object) -> Callable[[Station, Host, bytes], bytes]:
    return lambda station, host, payload: ping_frame(station, host, payload, **changes)  # type: ignore[arg-type]


def _tcp(**changes: object) -> Callable[[Station, Host, bytes], bytes]:
    def frame(station: Station, host: Host, payload: bytes) -> bytes:
        fields = {"source": 5000, "destination": 7, "flags": SYN, "payload": payload, **changes}
        return Wire(**fields).frame(station, host)  # type: ignore[arg-type]

    return frame


def _foreign(station: Station, host: Host, payload: bytes) -> bytes:
    datagram = udp(b"\xe0\0\0\1", host.ip, 40000, 7, payload)
    return ip_frame(Station(station.mac, b"\xe0\0\0\1"), host, PROTOCOL_UDP, datagram)


OTHER = bytes.fromhex("02eeeeeeeeee")
ROUTE = bytes([131, 7, 4, 10, 0, 0, 1, 0])
CASES = [
    Case("eth_rx.not_for_us", 0, _ethernet(destination=OTHER)),
    Case("eth_rx.bad_source", 0, _ethernet(source=b"\1\2\3\4\5\6")),
    Case("eth_rx.unknown_type", 0, _ethernet(kind=0x88B5)),
    Case("eth_rx.broadcast", 0, _ethernet(destination=BROADCAST_MAC)),
    Case("ipv4_rx.bad_version", IP, _udp(version=5)),
    Case("ipv4_rx.bad_checksum", IP, _udp(header_checksum=1)),
    Case("ipv4_rx.bad_source", IP, _foreign),
    Case("ipv4_rx.fragment", IP, _udp(fragment=0x2000)),
    Case("ipv4_rx.bad_option", IP, _udp(options=bytes([7, 1, 0, 0]))),
    Case("ipv4_rx.source_route", IP, _udp(options=ROUTE)),
    Case("udp_rx.bad_length", BODY, _udp(length=9)),
    Case("udp_rx.bad_checksum", BODY, _udp(udp_checksum=1)),
    Case("udp_rx.bad_port", BODY, _udp(port=0)),
    Case("icmp_echo.bad_checksum", BODY, _ping(icmp_checksum=1)),
    Case("icmp_echo.not_echo_request", BODY, _ping(icmp_type=13)),
    Case("tcp.bad_offset", BODY, _tcp(offset=4)),
    Case("tcp.bad_checksum", BODY, _tcp(checksum=1)),
    Case("tcp.bad_port", BODY, _tcp(source=0)),
    Case("udp_echo.service_port", BODY + 8, _udp(source_port=99)),
]
GOOD = [Case("", 0, _udp()), Case("", 0, _ping()), Case("", 0, _udp(options=bytes([1, 1, 1, 0])))]


class World:
    """A running design, its neighbour and its logs."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.station = neighbour(simulation.manifest)
        self.host = Host.from_manifest(simulation.manifest)
        self.places = logs_of(check(DESIGN)[0].design)
        introduce(simulation, self.station)

    def frame(self, case: Case, number: int, size: int) -> bytes:
        return case.frame(self.station, self.host, number.to_bytes(IDENTITY) + bytes(size))

    def fetch(self) -> dict[LogPlace, Fetched]:
        self.simulation.advance_until_idle()
        return {
            place: fetch_simulated(self.simulation, self.station, place) for place in self.places
        }

    def drops(self) -> list[tuple[str, DropEntry]]:
        """Reason and entry of all drops, those of each log in its order."""
        return [
            (printing.reason(place, entry), entry)
            for place, log in self.fetch().items()
            for entry in map(drop_entry, log.entries)
        ]

    def counted(self) -> Counter[str]:
        """Drops of the tiles with logs, by their counters."""
        found: Counter[str] = Counter()
        for place in self.places:
            counters = self.simulation.tile(place.tile).counters()
            for name, value in counters.items():
                if name.startswith("drop."):
                    found[name.removeprefix("drop.")] += value
            assert counters["event.drop_log.missed"] == 0
        return +found


@pytest.fixture
def world() -> Iterator[World]:
    with Simulation(DESIGN, assertions=True, seed=4, timer_step_us=TIMER_STEP_US) as simulation:
        yield World(simulation)
        simulation.check()


def seen(case: Case, frame: bytes, size: int) -> bytes:
    return frame[case.start :][:size]


@pytest.mark.parametrize("seed", range(2))
def test_each_drop_has_its_message(world: World, seed: int) -> None:
    """Back to back, of all reasons in any order, between packets that pass and that overtake."""
    random = Random(seed)
    cases = [random.choice(GOOD if random.random() < 0.3 else CASES) for _ in range(500)]
    frames = [
        world.frame(case, number, random.choice((14, 14, 18, 200)))
        for number, case in enumerate(cases)
    ]
    for frame in frames:
        world.simulation.send(frame)
    world.simulation.receive_all()
    expected: Counter[tuple[str, bytes]] = Counter()
    for case, frame in zip(cases, frames, strict=True):
        if case.reason:
            width = 40 if case.reason.startswith("tcp.") else 64
            expected[case.reason, seen(case, frame, width)] += 1
    found: Counter[tuple[str, bytes]] = Counter()
    for reason, entry in world.drops():
        assert entry.packet is not None, reason
        found[reason, entry.packet.head] += 1
    assert found == expected
    assert Counter(reason for reason, _ in found.elements()) == world.counted()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.reason)
def test_a_burst_of_one_reason(world: World, case: Case) -> None:
    frames = [world.frame(case, number, 14) for number in range(40)]
    for frame in frames:
        world.simulation.send(frame)
    world.simulation.receive_all()
    entries = [entry for reason, entry in world.drops() if reason == case.reason]
    heads = [entry.packet.head for entry in entries if entry.packet is not None]
    assert heads == [
        seen(case, frame, 40 if case.reason.startswith("tcp.") else 64) for frame in frames
    ]
    cycles = [entry.stamp.cycle for entry in entries]
    assert cycles == sorted(set(cycles))
    assert world.counted() == {case.reason: 40}


def test_drops_of_the_look_up_of_connections(world: World) -> None:
    """A peer may open about eight; the drops follow later, and other segments are in between."""
    peers = Peers(world.simulation, world.station, 100)
    peers.connect([peers.open(5000 + n, 7, 1460, 1000 * n, echoes=True) for n in range(8)])
    segments = [
        Wire(6000 + number, 7, seq=number, flags=SYN if number % 3 else frozenset({"RST"}))
        for number in range(1, 60)
    ]
    for segment in segments:
        world.simulation.send(segment.frame(world.station, world.host))
    world.simulation.receive_all()
    entries = [entry for reason, entry in world.drops() if reason == "tcp.peer_limit"]
    numbers = [int.from_bytes(entry.packet.head[4:8]) for entry in entries if entry.packet]
    syns = [segment.seq for segment in segments if "SYN" in segment.flags]
    assert len(numbers) > 30  # the limit is looked up: the first of a burst may pass
    assert numbers == syns[-len(numbers) :]
    assert world.counted()["tcp.peer_limit"] == len(numbers)


def test_errors_over_the_limit(world: World) -> None:
    """The message is not a packet but a request for an error: its bytes are the UDP header."""
    frames = [
        udp_frame(world.station, world.host, bytes(14), port=99, source_port=40000 + number)
        for number in range(30)
    ]
    for frame in frames:
        world.simulation.send(frame)
    world.simulation.receive_all()
    entries = [entry for reason, entry in world.drops() if reason == "icmp_echo.rate_limited"]
    heads = [entry.packet.head for entry in entries if entry.packet]
    assert heads == [frame[BODY : BODY + 8] for frame in frames[8:]]
    assert not any(entry.is_packet for entry in entries)


def test_a_drop_without_a_message(world: World) -> None:
    """Packets that nobody answers the ARP requests for: eth_tx does not say which."""
    stranger = Station(OTHER, bytes([10, 77, 0, 99]))
    world.simulation.send(udp_frame(stranger, world.host, b"hello"))
    world.simulation.receive_all()
    world.simulation.elapse(seconds=5)
    ((reason, entry),) = world.drops()
    assert (reason, entry.packet) == ("eth_tx.unresolved", None)


def test_text_and_captures(world: World, tmp_path: Path) -> None:
    scapy = pytest.importorskip("scapy.utils")
    frames = [world.frame(case, number, 14) for number, case in enumerate(CASES)]
    for frame in frames:
        world.simulation.send(frame)
    world.simulation.receive_all()
    stranger = Station(OTHER, bytes([10, 77, 0, 99]))
    world.simulation.send(udp_frame(stranger, world.host, b"hello"))
    world.simulation.receive_all()
    world.simulation.elapse(seconds=5)
    logs = world.fetch()
    text = io.StringIO()
    for place, log in logs.items():
        printing.print_log(Console(file=text, width=250), place, log, [world.host.ip])
    for case in CASES:
        layer = case.reason.partition(".")[0]
        tile = {"tcp": "tcp", "icmp_echo": "icmp", "udp_echo": "icmp"}.get(layer, "receive")
        assert f"{tile}: {case.reason}" in text.getvalue()
    assert "10.77.0.1:5000 > 10.77.0.2:7 TCP SYN seq 0" in text.getvalue()
    assert "10.77.0.1:40000 > 10.77.0.2:0 UDP" in text.getvalue()
    assert "10.77.0.1 > 10.77.0.2 ICMP type 13 code 0" in text.getvalue()
    capture = tmp_path / "drops.pcapng"
    assert printing.write_capture(capture, logs, 250, [world.host.ip]) == len(CASES) + 1
    data = capture.read_bytes()
    for case in CASES:
        assert f": {case.reason}".encode() in data
    packets = [packet for packet, _ in scapy.RawPcapNgReader(str(capture))]
    assert [len(packet) for packet in packets].count(0) == 1
    for case, frame in zip(CASES, frames, strict=True):
        if case.start == 0:
            assert frame[:64] in packets
        elif case.start == IP:
            assert frame[IP : IP + 64] in packets
        elif not case.reason.startswith("udp_echo"):
            bodies = [packet[20:] for packet in packets if packet[:1] == b"\x45"]
            width = 40 if case.reason.startswith("tcp.") else 64
            assert frame[BODY : BODY + width] in bodies, case.reason
