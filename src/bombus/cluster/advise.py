# SPDX-License-Identifier: Apache-2.0
"""Parameters of endpoints for a traffic description, and the bandwidth that they reach.

The bandwidth is that of `bombus.cluster.law`, within what the links leave to each flow. Where
several senders wait for room in the same buffer it is an estimate: who gets a grant first decides.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import Field, StrictBool, StrictInt, field_validator, model_validator

from bombus.base import yaml_file
from bombus.base.errors import DesignError, Problem, UserError
from bombus.base.text import counted
from bombus.base.values import FileModel, Name
from bombus.cluster import law, routing, topology
from bombus.cluster.config import MAX_PACKETS, MAX_WORDS, MIN_WORDS
from bombus.cluster.model import Endpoint, Network, Packet, Timing
from bombus.cluster.topology import MAX_BOARDS, Port, Topology

MAX_CHANNELS = 32  # cluster_pkg::ChannelBits
CREDIT_SHARE = 0.02  # of a link, that grants may take
SHARED = "shared buffer"  # the limit where what is expected is an estimate


class TrafficTopology(FileModel):
    """The boards and their links."""

    boards: StrictInt | None = Field(None, ge=2, le=MAX_BOARDS, description="Number of boards.")
    kind: Literal["bar", "ring", "torus", "star_of_rings", "full_mesh"] | None = Field(
        None, description="A regular topology, of `boards`."
    )
    columns: StrictInt | None = Field(None, ge=1, description="Of a torus.")
    rings: StrictInt | None = Field(None, ge=1, description="Of a star of rings.")
    file: str | None = Field(None, description="Instead of a kind: a file with the links.")

    @model_validator(mode="after")
    def _is_one(self) -> TrafficTopology:
        if (self.kind is None) == (self.file is None):
            raise ValueError("should have either `kind` or `file`")
        if self.kind and self.boards is None:
            raise ValueError("`kind` needs `boards`")
        return self


class TrafficLink(FileModel):
    """The links between boards."""

    width: Literal[64, 128, 256, 512] = Field(128, description="Bits of a beat.")
    latency_cycles: StrictInt = Field(75, ge=1, le=100_000, description="Latency of a link.")
    clock_mhz: float = Field(156.25, gt=0, description="Clock of the link.")
    check: StrictBool = Field(True, description="CRC and retry.")


class Flow(FileModel):
    """Boards that send to others on a channel."""

    channel: Name = Field(description="Name of the channel.", examples=["data"])
    sources: list[StrictInt] | Literal["all"] = Field(description="Boards that send.")
    targets: list[StrictInt] | Literal["all"] = Field(
        description="Boards that receive; each source sends to each of them but itself."
    )
    gbps: float = Field(gt=0, description="Payload that each source offers, over all its targets.")
    message_bytes: StrictInt = Field(ge=1, le=1 << 30, description="Size of a message.")

    @field_validator("sources", "targets")
    @classmethod
    def _some(cls, value: list[int] | str) -> list[int] | str:
        if not value:
            raise ValueError("should name at least one board")
        if isinstance(value, list) and len(set(value)) < len(value):
            raise ValueError("names a board twice")
        return value


class Traffic(FileModel):
    """A traffic description."""

    name: Name = Field(description="Name of the traffic.", examples=["shuffle"])
    topology: TrafficTopology = Field(description="The boards and their links.")
    link: TrafficLink = Field(TrafficLink(), description="The links between boards.")
    classes: StrictInt = Field(1, ge=1, le=8, description="Paths between which channels choose.")
    buffer_kib: float = Field(
        gt=0, description="Room for the receive buffers of all endpoints of a board, in KiB."
    )
    traffic: list[Flow] = Field(min_length=1, description="Who sends to whom.")


@dataclass(frozen=True)
class Advice:
    """An endpoint's parameters and what they reach."""

    channel: str
    endpoint: Endpoint  # `words`: of the packets of this traffic
    max_words: int  # that packets have room for: `words` in a design file
    buffer_bytes: int  # on each board
    offered_gbps: float  # of all flows
    links_gbps: float  # what the links allow
    expected_gbps: float
    slowest_gbps: float  # of the slowest flow
    slowest: str
    limit: str  # the reason, if less is expected than offered


@dataclass(frozen=True)
class _Stream:
    """Packets from one board to another on a channel."""

    channel: str
    source: int
    target: int
    demand: float  # of a link, payload
    use: float  # share of the source's packets on the channel
    hops: int
    path: tuple[Port, ...]


@dataclass
class _Channel:
    """The flows of a channel, and the packets they are sent in."""

    words: int
    streams: list[_Stream]
    packets: int  # of a message


def read(path: Path) -> tuple[Traffic, Topology]:
    """Reads a traffic description. DesignError with file and line for each error."""
    document = yaml_file.read(path, "traffic description")
    traffic = yaml_file.validated(document, path, Traffic)
    given = traffic.topology
    try:
        if given.file is not None:
            made = topology.read(path.parent / given.file)
        else:
            assert given.kind is not None and given.boards is not None
            made = topology.build(
                given.kind, given.boards, columns=given.columns, rings=given.rings
            )
    except DesignError:
        raise
    except UserError as error:
        line = yaml_file.line(document, ("topology",))
        raise DesignError([Problem(path, line, str(error))]) from None
    problems = []
    for n, flow in enumerate(traffic.traffic):
        for key in ("sources", "targets"):
            boards = getattr(flow, key)
            for board in boards if isinstance(boards, list) else ():
                if not 0 <= board < made.boards:
                    line = yaml_file.line(document, ("traffic", n, key))
                    message = f"there is no board {board}; boards are 0 to {made.boards - 1}"
                    problems.append(Problem(path, line, message))
        if not problems and not list(_pairs(flow, made)):
            line = yaml_file.line(document, ("traffic", n))
            problems.append(Problem(path, line, "the only source is the only target"))
    if len({flow.channel for flow in traffic.traffic}) > MAX_CHANNELS:
        line = yaml_file.line(document, ("traffic",))
        problems.append(Problem(path, line, f"more than {MAX_CHANNELS} channels"))
    if problems:
        raise DesignError(problems)
    return traffic, made


def _boards(given: Sequence[int] | str, made: Topology) -> Sequence[int]:
    return range(made.boards) if isinstance(given, str) else given


def _pairs(flow: Flow, made: Topology) -> Iterable[tuple[int, list[int]]]:
    for source in _boards(flow.sources, made):
        if targets := [board for board in _boards(flow.targets, made) if board != source]:
            yield source, targets


def advise(path: Path) -> list[Advice]:
    """Proposes parameters for each channel of a traffic description, in its order."""
    traffic, made = read(path)
    link = traffic.link
    timing = Timing(width=link.width, latency=link.latency_cycles, check=link.check)
    line_gbps = link.width * link.clock_mhz / 1000
    channels = _channels(traffic, made, timing, line_gbps)
    streams = [stream for channel in channels.values() for stream in channel.streams]
    shares = _max_min(streams, {name: each.words for name, each in channels.items()}, timing)
    room = int(traffic.buffer_kib * 1024)
    endpoints = _endpoints(channels, shares, made, timing, room, path)
    result = []
    for name, channel in channels.items():
        endpoint = endpoints[name]
        reached = _reached(endpoint, channel.streams, shares, timing)
        slowest = min(channel.streams, key=lambda s: reached[s] / s.demand)
        offered = sum(stream.demand for stream in channel.streams)
        links = sum(shares[stream] for stream in channel.streams)
        expected = sum(reached.values())
        limit = ""
        if _is_contended(endpoint, channel, shares, timing):
            limit = SHARED
        elif expected < 0.99 * links:
            limit = "buffer"
        elif links < 0.99 * offered:
            limit = _fullest(streams, shares, made, channel.streams)
        ends = f"{made.names[slowest.source]} -> {made.names[slowest.target]}"
        result.append(
            Advice(
                name,
                endpoint,
                _max_words(endpoint, timing),
                endpoint.slots(made.boards) * _packet_bytes(endpoint, timing),
                offered * line_gbps,
                links * line_gbps,
                expected * line_gbps,
                reached[slowest] * line_gbps,
                ends,
                limit,
            )
        )
    return result


def _channels(
    traffic: Traffic, made: Topology, timing: Timing, line_gbps: float
) -> dict[str, _Channel]:
    tables = routing.tables(made, traffic.classes)
    found: dict[str, _Channel] = {}
    for flow in traffic.traffic:
        total = -(-flow.message_bytes // 8)
        packets = -(-total // _packet_words(timing))
        channel = found.setdefault(flow.channel, _Channel(1, [], 1))
        channel.words = max(channel.words, -(-total // packets))
        channel.packets = max(channel.packets, packets)
        number = list(found).index(flow.channel) % traffic.classes
        for source, targets in _pairs(flow, made):
            for target in targets:
                way = routing.path(made, tables, number, source, target) or []
                demand = flow.gbps / len(targets) / line_gbps
                channel.streams.append(
                    _Stream(flow.channel, source, target, demand, 1.0, len(way), tuple(way))
                )
    for channel in found.values():
        sums: dict[int, float] = defaultdict(float)
        for stream in channel.streams:
            sums[stream.source] += stream.demand
        channel.streams = [
            replace(stream, use=stream.demand / sums[stream.source]) for stream in channel.streams
        ]
    return found


def _is_contended(
    endpoint: Endpoint, channel: _Channel, shares: dict[_Stream, float], timing: Timing
) -> bool:
    """Whether several senders wait for room in the same buffer."""
    several = any(len(group) > 1 for group in _by_target(channel.streams).values())
    return several and endpoint.buffer_size < _wanted(channel, shares, timing).buffer_size


def _packet_words(timing: Timing) -> int:
    """Words of the packets of long messages: those of which a link carries most."""
    sizes = range(MIN_WORDS, MAX_WORDS + 1, timing.words)
    return max(sizes, key=lambda words: law.line(words, timing))


def _max_min(
    streams: Sequence[_Stream], words: dict[str, int], timing: Timing
) -> dict[_Stream, float]:
    """The payload that links leave to each stream, as a share of a link: max-min fair.

    A stream takes more of a link than its payload, by the rate that its packets reach on it.
    """
    cost = {name: 1 / law.line(count, timing) for name, count in words.items()}
    got = dict.fromkeys(streams, 0.0)
    open_streams = set(streams)
    while open_streams:
        users: dict[Port, list[_Stream]] = defaultdict(list)
        used: dict[Port, float] = defaultdict(float)
        for stream in streams:
            for port in stream.path:
                used[port] += got[stream] * cost[stream.channel]
                if stream in open_streams:
                    users[port].append(stream)
        step = min(stream.demand - got[stream] for stream in open_streams)
        for port, among in users.items():
            step = min(step, (1 - used[port]) / sum(cost[each.channel] for each in among))
        for stream in open_streams:
            got[stream] += step
        full = {
            port
            for port, among in users.items()
            if used[port] + step * sum(cost[each.channel] for each in among) > 1 - 1e-9
        }
        open_streams = {
            stream
            for stream in open_streams
            if stream.demand - got[stream] > 1e-12 and not full & set(stream.path)
        }
    return got


def _fullest(
    streams: Sequence[_Stream],
    shares: dict[_Stream, float],
    made: Topology,
    among: Sequence[_Stream],
) -> str:
    load: dict[Port, float] = defaultdict(float)
    for stream in streams:
        for port in stream.path:
            load[port] += shares[stream]
    ports = {port for stream in among for port in stream.path}
    return f"link {made.name(max(sorted(ports), key=lambda port: load[port]))}"


def _max_words(endpoint: Endpoint, timing: Timing) -> int:
    """Words that an endpoint has room for in each packet: whole beats, as a design file has it."""
    return timing.beats(max(MIN_WORDS, endpoint.words)) * timing.words


def _packet_bytes(endpoint: Endpoint, timing: Timing) -> int:
    """Bytes of the room for a packet in a buffer."""
    return _max_words(endpoint, timing) * 8


def _by_target(streams: Iterable[_Stream]) -> dict[int, list[_Stream]]:
    found: dict[int, list[_Stream]] = defaultdict(list)
    for stream in streams:
        found[stream.target].append(stream)
    return found


def _wanted(channel: _Channel, shares: dict[_Stream, float], timing: Timing) -> Endpoint:
    """The endpoint that takes all that the links bring."""
    beats = timing.wire(channel.words)
    eta = law.efficiency(channel.words, timing)

    def needs(stream: _Stream) -> int:
        """Packets under way in a round trip, at the stream's rate."""
        trip = law.round_trip(stream.hops, channel.words, timing)
        return math.ceil(min(1, shares[stream] / eta) * trip / beats)

    offset = max(map(needs, channel.streams))
    stride = _stride(offset, channel.words, timing)
    buffer = max(
        sum(map(needs, streams)) + stride * len(streams)
        for streams in _by_target(channel.streams).values()
    )
    # The first packets of a message do not wait for a grant if messages are rare.
    init = min(channel.packets, stride) if offset <= 2 else 1
    return Endpoint(True, buffer, offset, stride, init, channel.words)


def _stride(room: int, words: int, timing: Timing) -> int:
    """A stride whose grants take little of a link, if the room allows it."""
    least = math.ceil(timing.wire(1) / timing.wire(words) / CREDIT_SHARE)
    return max(1, min(least, max(4, room // 5)))


def _endpoints(
    channels: dict[str, _Channel],
    shares: dict[_Stream, float],
    made: Topology,
    timing: Timing,
    room: int,
    path: Path,
) -> dict[str, Endpoint]:
    """The endpoints that all channels want, made smaller if they exceed the room, in bytes."""
    wanted = {name: _wanted(each, shares, timing) for name, each in channels.items()}
    for name, each in wanted.items():
        if each.buffer_size > MAX_PACKETS:
            wanted[name] = _best(each, MAX_PACKETS, channels[name], shares, timing)

    def size(endpoint: Endpoint) -> int:
        return endpoint.slots(made.boards) * _packet_bytes(endpoint, timing)

    if sum(map(size, wanted.values())) <= room:
        return wanted
    small = {name: replace(each, init_budget=1) for name, each in wanted.items()}
    reserved = {name: made.boards * _packet_bytes(each, timing) for name, each in small.items()}
    least = sum(reserved[name] + _packet_bytes(each, timing) for name, each in small.items())
    if least > room:
        fixed = counted(made.boards, "board")
        raise DesignError(
            [
                Problem(
                    path,
                    None,
                    f"`buffer_kib` {room / 1024:g} is too small: {counted(len(small), 'endpoint')} "
                    f"with room for one packet from each of {fixed} and one more take "
                    f"{least / 1024:.1f} KiB",
                )
            ]
        )
    share = (room - sum(reserved.values())) / sum(
        each.buffer_size * _packet_bytes(each, timing) for each in small.values()
    )
    result = {}
    for name, each in small.items():
        buffer = max(1, min(each.buffer_size, int(each.buffer_size * share)))
        result[name] = _best(each, buffer, channels[name], shares, timing)
    return result


def _best(
    endpoint: Endpoint,
    buffer: int,
    channel: _Channel,
    shares: dict[_Stream, float],
    timing: Timing,
) -> Endpoint:
    """The stride and offset that reach most in a buffer."""
    most = _stride(buffer, endpoint.words, timing)
    strides = sorted({max(1, min(buffer, stride)) for stride in (most, buffer // 4, buffer // 2)})
    tried = [
        replace(endpoint, buffer_size=buffer, flow_stride=stride, flow_offset=offset)
        for stride in strides
        for offset in sorted({max(0, buffer - stride), min(endpoint.flow_offset, buffer - stride)})
    ]
    return max(
        tried,
        key=lambda each: (
            round(sum(_reached(each, channel.streams, shares, timing).values()), 9),
            -each.flow_stride,
            -each.flow_offset,
        ),
    )


def _reached(
    endpoint: Endpoint,
    streams: Sequence[_Stream],
    shares: dict[_Stream, float],
    timing: Timing,
) -> dict[_Stream, float]:
    """The payload of each stream, as a share of a link, with an endpoint."""
    found = {}
    for group in _by_target(streams).values():
        demands = [shares[stream] for stream in group]
        hops, uses = [stream.hops for stream in group], [stream.use for stream in group]
        total = law.several(endpoint, hops, timing, demands, uses)
        scale = min(1.0, total / sum(demands)) if sum(demands) else 1.0
        for stream, demand in zip(group, demands, strict=True):
            found[stream] = min(demand * scale, law.share(endpoint, stream.hops, timing))
    return found


def block(advice: Sequence[Advice]) -> str:
    """The proposal as YAML, for `cluster` of a design file; channels are named after tiles."""
    lines = ["endpoints:"]
    for each in advice:
        kind = each.endpoint
        lines.append(
            f"  - {{name: {each.channel}, words: {each.max_words}, "
            f"buffer_size: {kind.buffer_size}, flow_offset: {kind.flow_offset}, "
            f"flow_stride: {kind.flow_stride}, init_budget: {kind.init_budget}}}"
        )
    return "\n".join(lines)


def simulate(path: Path, advice: Sequence[Advice], cycles: int) -> dict[str, float]:
    """The payload of each channel in Gb/s, in the reference model with the advised parameters.

    Measured over the last three quarters of the cycles.
    """
    traffic, made = read(path)
    link = traffic.link
    timing = Timing(width=link.width, latency=link.latency_cycles, check=link.check)
    line_gbps = link.width * link.clock_mhz / 1000
    kinds = {each.channel: each.endpoint for each in advice}
    tables = routing.tables(made, traffic.classes)
    network = Network(made, tables, list(kinds.values()), timing)
    streams: dict[tuple[int, int], list[_Stream]] = defaultdict(list)
    for channel in _channels(traffic, made, timing, line_gbps).values():
        for stream in channel.streams:
            number = list(kinds).index(stream.channel)
            streams[stream.source, number].append(stream)
    for (source, number), among in streams.items():
        _offer(network, source, number, among)
    network.run(cycles / 4)
    start = len(network.packets)
    network.run(cycles)
    counts = Counter(packet.channel for packet in network.packets[start:])
    scale = line_gbps / (0.75 * cycles * timing.words)
    return {
        name: counts[number] * kind.words * scale
        for number, (name, kind) in enumerate(kinds.items())
    }


def _offer(network: Network, source: int, number: int, streams: Sequence[_Stream]) -> None:
    """A board's packets at their rate; the targets take turns by their demand."""
    words = network.endpoint(number).words
    demand = sum(stream.demand for stream in streams)
    pause = words / network.timing.words / demand
    debts = [0.0] * len(streams)

    def offer() -> None:
        network.at(network.now + pause, offer)
        if network.waiting(source, number) > 64:
            return  # the application waits for its endpoint
        for n, stream in enumerate(streams):
            debts[n] += stream.demand / demand
        n = max(range(len(streams)), key=debts.__getitem__)
        debts[n] -= 1
        network.send(Packet(source, streams[n].target, number, words))

    network.at(pause * (source + 1) / network.topology.boards, offer)
