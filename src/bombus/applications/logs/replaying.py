# SPDX-License-Identifier: Apache-2.0
"""Replay of a TCP header log: the whole design runs again with the received segments of the log.

Each segment enters a MAC port so early that it passes the log in the logged cycle. The log of this
run is then compared with the given one (docs/applications/logs/replay.md).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bombus.analysis.check import check
from bombus.applications.logs.entries import PACKET, PacketEntry, packet_entry
from bombus.applications.logs.messages import LogError
from bombus.applications.logs.places import LogPlace, logs_of
from bombus.applications.logs.reading import Fetched, load
from bombus.applications.logs.simulated import fetch_simulated
from bombus.design.resolved import Design
from bombus.measure.exchanges import beats_of, neighbour
from bombus.protocols.frames import (
    PROTOCOL_TCP,
    TYPE_IPV4,
    Host,
    Station,
    arp_request,
    ethernet,
    ipv4,
    padded,
    pseudo_header,
    transport_checksum,
)
from bombus.simulator.simulation import Simulation

HEADER_BYTES = 60  # of TCP, with options
_RST = 4
_TCP = struct.Struct("!HHIIBBHxx")
_TCP_BYTES = 20
_SETTLED_CYCLES = 96  # without movement, after which a simulator may skip cycles
_AFTER_CYCLES = 4_000  # from the last segment to the end
_TOLERANCE_NS = 100  # of the cycles from time_us to a stamp
_TICK_NS = 1_000
_PEER_MAC = bytes.fromhex("0200000001")  # and a number


@dataclass(frozen=True)
class EngineLogs:
    """The logs on both sides of a TCP engine: headers received and headers to be sent."""

    received: LogPlace
    sent: LogPlace


@dataclass(frozen=True)
class Difference:
    """The first one. `ours`, `given`: values of the replay and of the given log, None: no entry."""

    log: str
    entry: int
    cycle: int
    field: str
    given: object
    ours: object

    def __str__(self) -> str:
        where = f"cycle {self.cycle}: entry {self.entry} of {self.log}"
        if self.given is None:
            return f"{where} is in the replay only"
        if self.ours is None:
            return f"{where} is not in the replay"
        return f"{where}: {self.field} is {self.given} in the log, {self.ours} in the replay"


@dataclass(frozen=True)
class Replayed:
    """The result. `until`: last cycle compared; `jumps`: cycles after which time was skipped while
    timers were armed, so that they may fire in other cycles."""

    received: int
    sent: int
    until: int
    jumps: tuple[int, ...]
    difference: Difference | None

    @property
    def is_uncertain(self) -> bool:
        """Whether the difference may only be due to time that was skipped before it."""
        return self.difference is not None and self.difference.cycle >= min(
            self.jumps, default=self.difference.cycle + 1
        )


def engine_logs(design: Design) -> EngineLogs:
    """The logs of a design's TCP engine. UserError if it has not exactly one before `tcp` and one
    before `ipv4_tx`, with whole TCP headers."""
    logs = [place for place in logs_of(design) if place.kind == PACKET]
    found = []
    for kind in ("tcp", "ipv4_tx"):
        before = [place for place in logs if place.before == kind]
        if len(before) != 1:
            raise LogError(
                f"{design.config.name}: a replay needs one packet_log before {kind}, not "
                f"{len(before)}: docs/applications/logs/replay.md"
            )
        if before[0].params.get("header_bytes", 0) < HEADER_BYTES:
            raise LogError(f"{before[0].name}: a replay needs header_bytes of at least 60")
        found.append(before[0])
    return EngineLogs(*found)


def load_logs(places: EngineLogs, folder: Path) -> dict[LogPlace, Fetched]:
    """Both logs, as `bombus logs -o` has written them to a folder."""
    logs = {}
    for place in (places.received, places.sent):
        path = folder / f"{place.name}.log"
        if not path.is_file():
            raise LogError(f"{path}: no such file; `bombus logs -o {folder}` writes it")
        logs[place] = load(path)
    return logs


def _segments(place: LogPlace, log: Fetched) -> list[PacketEntry]:
    if log.state.entry_bits != place.entry_bits:
        raise LogError(f"{place.name}: the log is of another design: its entries have other sizes")
    if not log.begins:
        cause = "cleared" if log.state.generation else "overwritten"
        raise LogError(
            f"{place.name}: the log does not begin at the reset: its first entries were {cause}"
        )
    entries = [packet_entry(entry) for entry in log.entries]
    return [entry for entry in entries if entry.protocol == PROTOCOL_TCP]


def _frame(entry: PacketEntry, host: Host, mac: bytes) -> bytes:
    """The frame of a received segment, with zeros for what was not logged.

    A segment that was logged whole keeps its checksum, right or wrong.
    """
    peer = entry.ip.to_bytes(4)
    segment = entry.head.ljust(entry.length, b"\0")
    if len(entry.head) < entry.length:
        segment = segment[:16] + bytes(2) + segment[18:]
        pseudo = pseudo_header(peer, host.ip, PROTOCOL_TCP, len(segment))
        value = transport_checksum(pseudo + segment).to_bytes(2)
        segment = segment[:16] + value + segment[18:]
    packet = ipv4(
        peer,
        host.ip,
        PROTOCOL_TCP,
        segment,
        tos=entry.tos,
        identification=entry.identification,
        ttl=entry.ttl,
    )
    return padded(ethernet(host.mac, mac, TYPE_IPV4, packet, entry.vlan))


class _World:
    """A simulation whose cycles are all evaluated, unless it is to skip some."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.reset_at = simulation.evaluated_cycles
        self._period_ns = 1e9 / simulation.clock_hz
        self._safe = 0  # cycles until the simulator may skip some

    @property
    def cycle(self) -> int:
        return self.simulation.evaluated_cycles

    @property
    def offset_ns(self) -> float:
        """Of the time from the cycles."""
        return self.simulation.time_ns - (self.cycle - self.reset_at) * self._period_ns

    def until(self, cycle: int) -> None:
        """Evaluates all cycles up to this one; frames of one byte, which the MAC drops, keep the
        simulator from skipping idle ones."""
        while (left := cycle - self.cycle) > 0:
            if self._safe == 0:
                self.simulation.send(b"\0", bad=True)
                self._safe = _SETTLED_CYCLES
            step = min(left, self._safe)
            self.simulation.advance(step)
            self._safe -= step

    def send(self, frame: bytes, port: int) -> None:
        self.simulation.send(frame, port)
        self._safe = _SETTLED_CYCLES

    def settle(self, limit: int) -> None:
        """Until nothing is in flight, at most up to a cycle."""
        if limit > self.cycle:
            self.simulation.advance_until_idle(limit - self.cycle)
        self._safe = 0

    def skip(self, ns: float) -> bool:
        """Lets time pass in few cycles; whether timers were armed meanwhile."""
        self._safe = 0
        armed = self.simulation.busy
        self.simulation.elapse(us=round(ns / _TICK_NS))
        return armed


def _delays(
    design: Path, places: EngineLogs, seed: int, sizes: Mapping[int, bytes]
) -> dict[int, int]:
    """Cycles from the call that sends a frame to its stamp, by beats of the frame.

    `sizes`: a frame for each number of beats, with a segment that resets an unknown connection.
    """
    found: dict[int, int] = {}
    with Simulation(design, seed=seed, assertions=True) as simulation:
        station = _reader(simulation)
        world = _World(simulation)
        sent = {}
        for beats, frame in sizes.items():
            simulation.advance_until_idle()
            sent[beats] = world.cycle
            simulation.send(frame)
        simulation.advance_until_idle()
        log = fetch_simulated(simulation, station, places.received)
        stamps = [packet_entry(entry).stamp.cycle for entry in log.entries]
        if len(stamps) != len(sent):
            raise LogError(f"{places.received.name} does not see all segments: no replay")
        for (beats, cycle), stamp in zip(sent.items(), stamps, strict=True):
            found[beats] = stamp - cycle
    return found


def _reader(simulation: Simulation) -> Station:
    station = neighbour(simulation.manifest)
    simulation.send(padded(arp_request(station, Host.from_manifest(simulation.manifest))))
    simulation.advance_until_idle()
    return station


def _probe(entry: PacketEntry, host: Host) -> bytes:
    """A frame as long as that of a segment, which resets a connection that does not exist."""
    head = entry.head[:12] + bytes([5 << 4, _RST]) + bytes(6)
    # Too long to have been logged whole, so it gets a right checksum.
    probe = replace(entry, head=head[: min(_TCP_BYTES, entry.length - 1)])
    return _frame(probe, host, _PEER_MAC + b"\xff")


@dataclass(frozen=True)
class _Anchor:
    """Something in the logs: when, and a frame to be sent to a port for it."""

    cycle: int  # evaluated
    stamp_ns: float  # offset of the stamp's time from its cycle
    logged: int
    frame: bytes | None = None
    port: int = 0


def _offsets(anchors: Sequence[_Anchor]) -> dict[int, float]:
    """Where time was skipped: the offset of time from cycles from an anchor on, by its number.

    All anchors of a section agree within a microsecond; the middle of the offsets that all allow is
    taken.
    """
    found: dict[int, float] = {}
    start = 0
    low = high = anchors[0].stamp_ns if anchors else 0.0
    for number, anchor in enumerate(anchors):
        lower, higher = min(low, anchor.stamp_ns), max(high, anchor.stamp_ns)
        if higher - lower >= _TICK_NS + _TOLERANCE_NS:
            found[start] = (high + low + _TICK_NS) / 2
            start, lower, higher = number, anchor.stamp_ns, anchor.stamp_ns
        low, high = lower, higher
        found[start] = (high + low + _TICK_NS) / 2
    return found


def replay(design_file: Path, logs: Mapping[LogPlace, Fetched], *, seed: int = 0) -> Replayed:
    """Runs a design with the received segments of its logs, and compares the logs.

    `logs`: both of the engine. `seed`: that of the run that was logged, whose secrets it gives.
    LogError: a log that does not begin at the reset, or that begins before neighbours can be known.
    """
    places = engine_logs(check(design_file)[0].design)
    received = _segments(places.received, logs[places.received])
    sent = _segments(places.sent, logs[places.sent])
    # A full log has no later entries, so nothing after its last one can be replayed.
    ends = [
        entries[-1].stamp.cycle
        for place, entries in ((places.received, received), (places.sent, sent))
        if logs[place].state.lost and entries
    ]
    until = min(ends) if ends else max((e.stamp.cycle for e in (*received, *sent)), default=0)
    received = [entry for entry in received if entry.stamp.cycle <= until]
    sent = [entry for entry in sent if entry.stamp.cycle <= until]
    if not received:
        raise LogError(f"{places.received.name} has no segments to replay")

    with Simulation(design_file, seed=seed, assertions=True) as simulation:
        world = _World(simulation)
        manifest = simulation.manifest
        hosts = [Host.from_manifest(manifest, port) for port in range(simulation.mac_ports)]
        ports = [entry.mac_port % len(hosts) for entry in received]
        macs = _macs(received, ports, hosts)
        frames = [
            _frame(entry, hosts[port], macs[port, entry.ip.to_bytes(4)])
            for entry, port in zip(received, ports, strict=True)
        ]
        beats = [beats_of(len(frame), simulation.data_bytes) for frame in frames]
        probes = {count: _probe(e, hosts[0]) for count, e in zip(beats, received, strict=True)}
        delays = _delays(design_file, places, seed, probes)
        period_ns = 1e9 / simulation.clock_hz

        def anchor(entry: PacketEntry, cycle: int, frame: bytes | None, port: int) -> _Anchor:
            offset = entry.stamp.time_us * _TICK_NS - entry.stamp.cycle * period_ns
            return _Anchor(cycle, offset, entry.stamp.cycle, frame, port)

        anchors = [anchor(entry, world.reset_at + entry.stamp.cycle, None, 0) for entry in sent]
        free: dict[int, int] = {}  # first beat of the next frame of a port
        for n in reversed(range(len(received))):
            cycle = received[n].stamp.cycle - delays[beats[n]]
            cycle = min(cycle, free.get(ports[n], cycle + beats[n]) - beats[n])
            free[ports[n]] = cycle
            anchors.append(anchor(received[n], cycle, frames[n], ports[n]))
        anchors.sort(key=lambda each: each.cycle)

        station = _introduce(simulation, hosts, macs)
        if min(free.values()) < world.cycle:
            raise LogError(
                f"{places.received.name} begins at cycle {received[0].stamp.cycle}: too early to "
                f"introduce the neighbours, which takes {world.cycle - world.reset_at} cycles"
            )
        jumps = _run(world, anchors)
        world.until(max(each.cycle for each in anchors) + _AFTER_CYCLES)
        ours = {
            place: _segments(place, fetch_simulated(simulation, station, place))
            for place in (places.received, places.sent)
        }
    found = [
        _compare(place, given, [e for e in ours[place] if e.stamp.cycle <= until])
        for place, given in ((places.received, received), (places.sent, sent))
    ]
    differences = sorted((each for each in found if each), key=lambda each: each.cycle)
    first = differences[0] if differences else None
    return Replayed(len(received), len(sent), until, tuple(jumps), first)


def _run(world: _World, anchors: Sequence[_Anchor]) -> list[int]:
    """Sends the frames; returns where time was skipped while timers were armed."""
    offsets = _offsets(anchors)
    jumps = []
    for number, each in enumerate(anchors):
        if number in offsets:
            ahead = offsets[number] - world.offset_ns
            if ahead > _TICK_NS:
                world.settle(each.cycle)
                if world.skip(ahead):
                    # Somewhere after the entry before: no log shows where.
                    jumps.append(anchors[max(0, number - 1)].logged)
        if each.frame is not None:
            world.until(each.cycle)
            world.send(each.frame, each.port)
    return jumps


_Macs = dict[tuple[int, bytes], bytes]


def _macs(received: Sequence[PacketEntry], ports: Sequence[int], hosts: Sequence[Host]) -> _Macs:
    """The MAC address that each peer gets; those beyond a gateway have that of the gateway."""
    macs: _Macs = {}
    for entry, port in zip(received, ports, strict=True):
        ip = entry.ip.to_bytes(4)
        hop = ip if hosts[port].on_link(ip) else hosts[port].gateway
        mac = macs.setdefault((port, hop), _PEER_MAC + bytes([len(macs) % 255]))
        macs[port, ip] = mac
    return macs


def _introduce(simulation: Simulation, hosts: Sequence[Host], macs: _Macs) -> Station:
    """Introduces all peers; returns the one that reads the logs."""
    reader = neighbour(simulation.manifest)
    reader = Station(macs.get((0, reader.ip), _PEER_MAC + b"\xff"), reader.ip)
    neighbours = {(port, ip): mac for (port, ip), mac in macs.items() if hosts[port].on_link(ip)}
    for (port, ip), mac in {**neighbours, (0, reader.ip): reader.mac}.items():
        simulation.send(padded(arp_request(Station(mac, ip), hosts[port])), port)
    simulation.receive_all()
    return reader


def _fields(entry: PacketEntry, *, received: bool) -> dict[str, object]:
    """What is compared. The checksum is not: it depends on bytes that were not logged."""
    found: dict[str, object] = {"cycle": entry.stamp.cycle, "peer": entry.ip}
    found |= {"length": entry.length, "VLAN tag": entry.vlan, "TOS": entry.tos}
    if received:
        found |= {"TTL": entry.ttl, "identification": entry.identification}
    if len(entry.head) < _TCP.size:
        return found | {"bytes": entry.head.hex()}
    ports = ("source port", "destination port")
    names = (*ports, "sequence number", "acknowledgement", "offset", "flags", "window")
    values = dict(zip(names, _TCP.unpack_from(entry.head), strict=True))
    options = entry.head[_TCP_BYTES : 4 * (int(values["offset"]) >> 4)]
    urgent = entry.head[18:_TCP_BYTES]
    return found | values | {"urgent pointer": urgent.hex(), "options": options.hex()}


def _compare(
    place: LogPlace, given: Sequence[PacketEntry], ours: Sequence[PacketEntry]
) -> Difference | None:
    received = place.before == "tcp"
    for number in range(max(len(given), len(ours))):
        pair = [each[number] if number < len(each) else None for each in (given, ours)]
        cycle = min(each.stamp.cycle for each in pair if each is not None)
        old, new = (_fields(each, received=received) if each else None for each in pair)
        if old is None or new is None:
            return Difference(place.name, number, cycle, "entry", old, new)
        for name, value in old.items():
            if new[name] != value:
                return Difference(place.name, number, cycle, name, value, new[name])
    return None
