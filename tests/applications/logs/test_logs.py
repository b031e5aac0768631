# SPDX-License-Identifier: Apache-2.0
"""Logs of packets and bandwidth, read over UDP: entries, latencies, requests of all kinds."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from rich.console import Console

from bombus.analysis.check import check
from bombus.applications.logs import printing
from bombus.applications.logs.entries import PacketEntry, bandwidth_entry, packet_entry
from bombus.applications.logs.latency import latencies
from bombus.applications.logs.messages import Answer, LogError, Status, answer, request
from bombus.applications.logs.places import LogPlace, find_log, logs_of
from bombus.applications.logs.reading import Fetched, fetch, load
from bombus.applications.logs.simulated import SimulatedPort, fetch_simulated
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, Station, ping_frame, udp_frame
from bombus.simulator.frames import latencies as measured
from bombus.simulator.simulation import Simulation
from tests import ROOT

pytestmark = pytest.mark.slow

DESIGN = ROOT / "docs" / "examples" / "logs" / "logs.yaml"
RX, TX, BANDWIDTH = 9101, 9102, 9103
# Cycles from the first beat at the MAC port to the log, and from the other log to the port, of a
# frame of one beat that waits for nothing: mac_rx and mac_tx.
AT_THE_PORTS = 8


@pytest.fixture(scope="module")
def places() -> dict[int, LogPlace]:
    return {place.port: place for place in logs_of(check(DESIGN)[0].design)}


class World:
    """A running design with logs, and its neighbour."""

    def __init__(self, simulation: Simulation, places: dict[int, LogPlace]) -> None:
        self.simulation = simulation
        self.places = places
        self.station: Station = neighbour(simulation.manifest)
        self.host = Host.from_manifest(simulation.manifest)
        introduce(simulation, self.station)

    def fetch(self, port: int) -> Fetched:
        return fetch_simulated(self.simulation, self.station, self.places[port])

    def ask(self, port: int, index: int) -> Answer:
        log = SimulatedPort(self.simulation, self.station, port)
        log.send(request(index, 77))
        data = log.receive()
        assert data is not None
        found = answer(data)
        assert found is not None and (found.number, found.index) == (77, index)
        return found

    def echo(self, payload: bytes, port: int = 40000) -> bytes:
        return udp_frame(self.station, self.host, payload, source_port=port)

    def control(self, tile: str, **values: int) -> None:
        registers = self.simulation.tile(tile).registers.log_store.control
        registers.write(**{"ring": 0, "paused": 0, "clear": 0, **values})
        self.simulation.advance(20)

    def counted(self, tile: str, name: str) -> int:
        self.simulation.advance_until_idle()
        return self.simulation.tile(tile).counters()[f"event.log_store.{name}"]


@pytest.fixture
def world(places: dict[int, LogPlace]) -> Iterator[World]:
    with Simulation(DESIGN, assertions=True, seed=3) as simulation:
        yield World(simulation, places)
        simulation.check()


def test_the_logs_of_a_design(places: dict[int, LogPlace]) -> None:
    design = check(DESIGN)[0].design
    names = ["receive.packet_log", "echo.bandwidth_log", "transmit.packet_log"]
    assert [place.name for place in logs_of(design)] == names
    assert [places[port].before for port in (RX, TX, BANDWIDTH)] == ["eth_rx", "mac_tx", "udp_echo"]
    assert find_log(design, "echo") == places[BANDWIDTH]
    with pytest.raises(Exception, match="no single log 'packet_log'; its logs: receive"):
        find_log(design, "packet_log")


def test_every_packet_is_logged(world: World) -> None:
    random = Random(1)
    frames = [world.echo(random.randbytes(random.randrange(0, 400))) for _ in range(60)]
    result = world.simulation.exchange(frames)

    def echoes(port: int, ports: slice) -> list[PacketEntry]:
        entries = [packet_entry(entry) for entry in world.fetch(port).entries]
        return [entry for entry in entries if entry.head[ports] == b"\0\7"]

    came, went = echoes(RX, slice(36, 38)), echoes(TX, slice(34, 36))
    for frame, entry in zip(frames, came, strict=True):
        size = 42 + int.from_bytes(frame[38:40]) - 8  # without padding
        assert (entry.length, entry.head) == (size, frame[: min(size, 64)])
        assert entry.vlan is None
    for frame, entry in zip(result.received, went, strict=True):
        size = 42 + int.from_bytes(frame.data[38:40]) - 8
        # The checksum of UDP is computed later, in mac_tx.
        expected = bytearray(frame.data[: min(size, 64)])
        expected[40:42] = entry.head[40:42]
        assert (entry.length, entry.head) == (size, bytes(expected))
    assert sorted(each.stamp.cycle for each in came) == [each.stamp.cycle for each in came]


@pytest.mark.parametrize("window", [1, 0])
def test_latencies_are_those_at_the_ports(world: World, window: int) -> None:
    payloads = [number.to_bytes(4) + bytes(14) for number in range(50)]
    result = world.simulation.exchange([world.echo(each) for each in payloads], window=window)
    expected = measured(result)
    found = latencies(
        [packet_entry(entry) for entry in world.fetch(RX).entries],
        [packet_entry(entry) for entry in world.fetch(TX).entries],
    )
    echoed = [each.cycles for each in found if each.request.head[36:38] == b"\0\7"]
    assert len(echoed) == len(expected) == 50
    assert {at - log for log, at in zip(echoed, expected, strict=True)} == {AT_THE_PORTS}


def test_latencies_of_pings_and_of_flows_that_mix(world: World) -> None:
    for number in range(20):
        world.simulation.send(world.echo(b"%d" % number, 40000 + number % 3))
        world.simulation.send(ping_frame(world.station, world.host, b"bee", sequence=number))
    world.simulation.receive_all()
    found = latencies(
        [packet_entry(entry) for entry in world.fetch(RX).entries],
        [packet_entry(entry) for entry in world.fetch(TX).entries],
    )
    assert sum(each.request.head[23] == 1 for each in found) == 20
    echoed = [each for each in found if each.request.head[36:38] == b"\0\7"]
    assert len(echoed) == 20
    assert all(each.request.head[42:44] == each.answer.head[42:44] for each in echoed)


def test_bandwidth_adds_up(world: World) -> None:
    sizes = [Random(2).randrange(0, 1400) for _ in range(200)]
    world.simulation.exchange([world.echo(bytes(size)) for size in sizes], window=1)
    world.simulation.advance(10_000)
    log = world.fetch(BANDWIDTH)
    entries = [bandwidth_entry(entry) for entry in log.entries]
    assert sum(each.messages for each in entries) == len(sizes)
    assert sum(each.bytes for each in entries) == sum(sizes)
    assert all(10 <= each.us <= 11 for each in entries[1:])
    assert [each.stamp.cycle for each in entries] == sorted(each.stamp.cycle for each in entries)
    assert len(entries) > 1


def test_a_full_log_stops(world: World) -> None:
    world.control("receive", clear=1)
    frames = [world.echo(b"%d" % number) for number in range(600)]
    world.simulation.exchange(frames)
    log = world.fetch(RX)
    assert (len(log.entries), log.state.ring) == (512, False)
    assert log.state.lost > 600 - 512 and not log.begins
    assert packet_entry(log.entries[0]).head[42:43] == b"0"
    assert world.counted("receive", "lost") >= log.state.lost


def test_a_ring_has_the_latest_entries(world: World) -> None:
    world.control("transmit", ring=1)
    world.simulation.exchange([world.echo(b"%d" % number) for number in range(600)])
    state = world.ask(TX, 0)
    assert state.status == Status.OVERWRITTEN and state.ring and state.lost == 0
    assert state.next - state.first == 512
    # While it is read, each answer is an entry more, so that the oldest are overwritten.
    log = world.fetch(TX)
    assert log.first > state.first
    assert log.first + len(log.entries) == log.state.next
    entry = next(each for each in map(packet_entry, log.entries) if each.head[42:45] == b"599")
    assert entry.length == 45


def test_pausing_and_clearing(world: World) -> None:
    before = world.ask(BANDWIDTH, 0)
    assert before.status == Status.NOT_WRITTEN
    world.control("echo", paused=1)
    world.simulation.exchange([world.echo(b"a")])
    world.simulation.advance(10_000)
    assert world.ask(BANDWIDTH, 0).status == Status.NOT_WRITTEN
    world.control("echo", ring=1)
    world.simulation.exchange([world.echo(b"a")])
    world.simulation.advance(10_000)
    assert world.ask(BANDWIDTH, 0).status == Status.OK
    world.control("echo", clear=1)
    cleared = world.ask(BANDWIDTH, 0)
    assert (cleared.status, cleared.generation) == (Status.OVERWRITTEN, 1)
    assert not world.fetch(BANDWIDTH).entries


@pytest.mark.parametrize(
    "index", [0, 1, 511, 512, (1 << 16), (1 << 48) - 1, 1 << 48, (1 << 64) - 1]
)
def test_an_entry_that_does_not_exist_is_answered(world: World, index: int) -> None:
    found = world.ask(BANDWIDTH, index)
    assert (found.status, found.entry) == (Status.NOT_WRITTEN, b"")
    assert (found.first, found.next, found.entry_bits) == (0, 0, 184)


def test_malformed_requests_are_counted(world: World) -> None:
    good = request(0, 1)
    random = Random(4)
    bad = [good[:length] for length in range(16)]
    bad += [b"\xff" + good[1:], good[:1] + b"\xff" + good[2:], good[:2] + b"\2" + good[3:]]
    bad += [random.randbytes(random.randrange(0, 1400)) for _ in range(60)]
    for data in bad:
        world.simulation.send(udp_frame(world.station, world.host, data, port=BANDWIDTH))
        assert not world.simulation.receive_all()
    assert world.counted("echo", "malformed") == len(bad)
    # Further bytes are ignored.
    log = SimulatedPort(world.simulation, world.station, BANDWIDTH)
    log.send(good + bytes(500))
    assert log.receive() is not None


def test_a_flood_of_requests_is_bounded(world: World) -> None:
    world.simulation.exchange([world.echo(b"a")])
    frames = [
        udp_frame(world.station, world.host, request(0, number), port=RX) for number in range(100)
    ]
    result = world.simulation.exchange(frames)
    busy = world.counted("receive", "busy")
    assert busy > 0 and len(result.received) == 100 - busy
    assert len(world.fetch(RX).entries) > 100


class Lossy:
    """A port that loses datagrams both ways, and doubles answers."""

    def __init__(self, port: SimulatedPort, random: Random) -> None:
        self.port, self.random = port, random
        self.late: list[bytes] = []

    def send(self, data: bytes) -> None:
        if self.random.random() < 0.7:
            self.port.send(data)

    def receive(self) -> bytes | None:
        if self.late:
            return self.late.pop()
        data = self.port.receive()
        if data is None or self.random.random() < 0.3:
            return None
        if self.random.random() < 0.2:
            self.late.append(data)
        return data


def test_lost_datagrams_are_requested_again(world: World) -> None:
    world.simulation.exchange([world.echo(bytes([number])) for number in range(40)])
    world.control("receive", paused=1)
    whole = world.fetch(RX)
    port = SimulatedPort(world.simulation, world.station, RX)
    assert fetch(Lossy(port, Random(5)), world.places[RX]).entries == whole.entries


class Silent:
    def send(self, data: bytes) -> None:
        pass

    def receive(self) -> None:
        return None


def test_a_log_that_does_not_answer(places: dict[int, LogPlace]) -> None:
    with pytest.raises(LogError, match=r"receive\.packet_log: no answer from UDP port 9101"):
        fetch(Silent(), places[RX])


def test_files_and_captures(world: World, tmp_path: Path) -> None:
    scapy = pytest.importorskip("scapy.utils")
    for number in range(5):
        world.simulation.exchange([world.echo(b"%d" % number)])
        world.simulation.elapse(us=1000)
    logs = {world.places[port]: world.fetch(port) for port in (RX, TX, BANDWIDTH)}
    for place, log in logs.items():
        log.save(tmp_path / "a.log")
        assert load(tmp_path / "a.log") == log, place
    text = io.StringIO()
    for place, log in logs.items():
        printing.print_log(Console(file=text, width=200), place, log)
    printing.print_latencies(Console(file=text, width=200), logs)
    assert "latency from mac_rx to mac_tx: " in text.getvalue()
    count = len(logs[world.places[BANDWIDTH]].entries)
    assert f"echo.bandwidth_log (UDP port 9103): entries: {count}" in text.getvalue()
    capture = tmp_path / "a.pcapng"
    count = printing.write_capture(capture, logs, 250, [world.host.ip])
    packets = list(scapy.RawPcapNgReader(str(capture)))
    assert len(packets) == count == sum(len(logs[world.places[port]].entries) for port in (RX, TX))
    entries = [packet_entry(e) for port in (RX, TX) for e in logs[world.places[port]].entries]
    entries.sort(key=lambda entry: entry.stamp.cycle)
    for (data, seen), entry in zip(packets, entries, strict=True):
        assert (data, seen.wirelen, seen.tsresol) == (entry.head, entry.length, 10**9)
        time_ns = (seen.tshigh << 32) + seen.tslow
        assert abs(time_ns // 1000 - entry.stamp.time_us) <= 3


@pytest.mark.parametrize("data", [b"", bytes(39), bytes(40), bytes(100)])
def test_a_file_that_is_no_log(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.log").write_bytes(data)
    with pytest.raises(LogError, match="is not a log"):
        load(tmp_path / "a.log")


def test_a_truncated_file(world: World, tmp_path: Path) -> None:
    world.fetch(RX).save(tmp_path / "a.log")
    (tmp_path / "a.log").write_bytes((tmp_path / "a.log").read_bytes()[:-1])
    with pytest.raises(LogError, match="bytes of entries"):
        load(tmp_path / "a.log")
