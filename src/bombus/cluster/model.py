# SPDX-License-Identifier: Apache-2.0
"""Reference model of a cluster's network: packets, routers, links and endpoints, by events.

Source: "A Transport-Layer Network for Distributed FPGA Platforms", section III. It predicts which
packets arrive where, in which order and when. Order and content are exact; times are those of the
hardware without bit errors, except for the few cycles that arbitration may differ by.

All sessions of managed endpoints are open from the start. A packet for which an unmanaged endpoint
has no room waits in the chain of its board, and all that follow wait after it. Times are in cycles.
Inside, they are in ticks: the time of one 8-byte word on a link.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

from bombus.cluster.routing import NONE, AnyTables
from bombus.cluster.topology import Port, Topology

WORD_BITS = 64  # cluster_pkg::WordBits
GIVEN_BACK = 8  # a link gives its buffer back in parts of this number


@dataclass(frozen=True)
class Timing:
    """A link, and the constants of routers and endpoints. Cycles, unless stated."""

    width: int = 128  # bits of a beat
    latency: int = 75
    hop: int = 3  # that a router and the two ends of a link add
    check: bool = True  # a packet is forwarded when its CRC has been checked
    check_cycles: int = 1  # that a checked packet takes beyond its beats: 0 if full, 2 if a word
    credit_cycles: int = 1  # that the check adds to each way of a credit, measured
    overhead_words: int = 1  # header and CRC of a packet on a link
    buffer_beats: int = 200  # of a link
    endpoint: int = 4  # from the user to the router, and from the router to the user
    grant_cycles: int = 3  # from a packet's first beat at the receiver until its grant may leave

    @property
    def words(self) -> int:
        """Words of a beat."""
        return self.width // WORD_BITS

    def beats(self, words: int) -> int:
        """Beats of a packet between router, link and endpoints."""
        return max(1, -(-words // self.words))

    def wire(self, words: int) -> float:
        """Beats of a packet on a link, which packs words without gaps."""
        return max(self.beats(words), (words + self.overhead_words) / self.words)

    @property
    def credit(self) -> float:
        """Cycles from room in a link's buffer until the sender may use it."""
        given_back = self.buffer_beats / GIVEN_BACK
        checking = 2 * self.credit_cycles - self.check_cycles if self.check else 0
        return self.latency + self.hop + given_back + checking

    def crossing(self, words: int) -> float:
        """Cycles of a packet from a router to the next one."""
        checking = self.wire(words) + self.check_cycles if self.check else 0
        return self.latency + self.hop + checking


@dataclass(frozen=True)
class Endpoint:
    """The endpoints of a channel, on all boards; sizes are in packets (paper, table I)."""

    managed: bool = True
    buffer_size: int = 64
    flow_offset: int = 16
    flow_stride: int = 32
    init_budget: int = 2
    words: int = 2  # of the longest packet
    grant_period: int = 0  # 0: all grants are flow_stride
    idle_cycles: int = 5000  # after which a sender returns what exceeds init_budget

    @property
    def threshold(self) -> int:
        """A grant is asked for when no more than this is left."""
        return max(self.flow_offset, self.init_budget - 1)

    def slots(self, boards: int) -> int:
        """Packets that the receiver's buffer holds."""
        return self.buffer_size + (self.init_budget * boards if self.managed else 0)


@dataclass(eq=False)
class Packet:
    """A packet; times are None until it has left or arrived."""

    source: int
    destination: int
    channel: int
    words: int = 1
    content: object = None
    yields: bool = False
    grant: int = 0  # a flow-control packet: packets granted (> 0) or returned (< 0)
    offered: float = 0
    left: float | None = None
    arrived: float | None = None
    taken: float | None = None


@dataclass
class _Input:
    """A queue at a router: of a link's direction, or of the endpoint chain."""

    waiting: deque[Packet] = field(default_factory=deque)
    busy: bool = False


@dataclass
class _End:
    """An endpoint's state."""

    kind: Endpoint
    sending: deque[Packet] = field(default_factory=deque)
    answers: deque[tuple[int, bool]] = field(default_factory=deque)  # board, small
    returns: deque[tuple[int, int]] = field(default_factory=deque)
    free: int = 0
    budget: dict[int, int] = field(default_factory=dict)  # by destination
    granted: dict[int, int] = field(default_factory=dict)  # by source
    asked: set[int] = field(default_factory=set)
    yielding: set[int] = field(default_factory=set)
    sent: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    answered_last: bool = False
    grants: int = 0
    received: deque[Packet] = field(default_factory=deque)
    draining: bool = False
    held: int = 0  # if unmanaged: beats in the buffer, and in the chain on their way to it
    next_in: tuple[int, Callable[[], None]] | None = None  # beats of a packet that waits for room


class Network:
    """A cluster's network.

    tables: `routing.tables`. endpoints: by channel; a packet's class is `channel % classes`.
    """

    def __init__(
        self,
        topology: Topology,
        tables: AnyTables,
        endpoints: Sequence[Endpoint],
        timing: Timing | None = None,
    ) -> None:
        self.topology, self.tables, self.timing = topology, tables, timing or Timing()
        self.classes = len(tables[0])
        self.packets: list[Packet] = []  # that have arrived, in order of time
        self.dropped: list[Packet] = []  # without a route
        self.most_queued: dict[tuple[int, int], int] = defaultdict(int)
        self.on_arrival: Callable[[Packet], None] | None = None
        self._stalled: set[tuple[int, int]] = set()
        self._now = 0
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._order = count()
        self._ends = [[self._end(kind) for kind in endpoints] for _ in range(topology.boards)]
        self._turn = [0] * topology.boards
        self._inputs: dict[Port, _Input] = {}
        self._next: dict[Port, int] = {}
        self._busy: dict[Port, bool] = {}
        self._credits: dict[Port, float] = {}
        for board, local in enumerate(topology.num_links):
            for port in range(local + 1):
                end = Port(board, port)
                self._inputs[end], self._next[end], self._busy[end] = _Input(), 0, False
                self._credits[end] = self.timing.buffer_beats

    def _end(self, kind: Endpoint) -> _End:
        boards = range(self.topology.boards)
        budgets = dict.fromkeys(boards, kind.init_budget)
        return _End(kind, free=kind.buffer_size, budget=budgets, granted=dict(budgets))

    # ---- The user's side ----

    @property
    def now(self) -> float:
        """Cycles since the start."""
        return self._now / self.timing.words

    def at(self, cycle: float, action: Callable[[], None]) -> None:
        """Calls a function at a cycle."""
        self._at(round(cycle * self.timing.words), action)

    def send(self, packet: Packet) -> None:
        """Offers a packet to its endpoint, after those that wait there."""
        packet.offered = self.now
        self._ends[packet.source][packet.channel].sending.append(packet)
        self._pull(packet.source)

    def stall(self, board: int, channel: int, *, stalled: bool = True) -> None:
        """The user of an endpoint takes nothing."""
        if stalled:
            self._stalled.add((board, channel))
            return
        self._stalled.discard((board, channel))
        self._drain(board, self._ends[board][channel])

    def endpoint(self, channel: int) -> Endpoint:
        """The endpoints of a channel."""
        return self._ends[0][channel].kind

    def waiting(self, board: int, channel: int) -> int:
        """Packets that an endpoint has not sent yet."""
        return len(self._ends[board][channel].sending)

    def run(self, until: float | None = None) -> None:
        """Runs to a cycle, or until nothing happens."""
        end = None if until is None else round(until * self.timing.words)
        while self._events and (end is None or self._events[0][0] <= end):
            self._now, _, action = heapq.heappop(self._events)
            action()
        if end is not None:
            self._now = max(self._now, end)

    def _at(self, tick: int, action: Callable[[], None]) -> None:
        heapq.heappush(self._events, (max(tick, self._now), next(self._order), action))

    def _after(self, cycles: float, action: Callable[[], None]) -> None:
        self._at(self._now + round(cycles * self.timing.words), action)

    # ---- Endpoints: sending ----

    def _pull(self, board: int) -> None:
        """The next packet of the endpoint chain enters the router, if there is room."""
        local = self._inputs[Port(board, self.topology.num_links[board])]
        if local.waiting or local.busy:
            return
        ends = self._ends[board]
        for step in range(len(ends)):
            channel = (self._turn[board] + step) % len(ends)
            if packet := self._decide(board, channel, ends[channel]):
                self._turn[board] = channel + 1
                packet.left = self.now
                local.waiting.append(packet)
                self._route(board)
                return

    def _decide(self, board: int, channel: int, end: _End) -> Packet | None:
        """What an endpoint sends next: answers and data take turns."""
        if end.returns:
            to, amount = end.returns.popleft()
            return Packet(board, to, channel, grant=-amount)
        data = self._next_data(end)
        if end.answers and not (end.answered_last and data):
            to, small = end.answers[0]
            period = end.kind.grant_period
            small = small or (period > 0 and end.grants == period - 1)
            amount = end.kind.init_budget if small else end.kind.flow_stride
            if end.free >= amount:
                end.answers.popleft()
                end.asked.discard(to)
                end.free -= amount
                end.granted[to] += amount
                end.grants = (end.grants + 1) % period if period else 0
                end.answered_last = True
                return Packet(board, to, channel, grant=amount)
        end.answered_last = False
        if data is None:
            return None
        end.sending.popleft()
        if end.kind.managed:
            to = data.destination
            end.budget[to] -= 1
            end.sent[to] += 1
            if end.budget[to] > end.kind.init_budget:
                self._watch(board, channel, end, to)
        return data

    def _next_data(self, end: _End) -> Packet | None:
        if not end.sending:
            return None
        packet = end.sending[0]
        if end.kind.managed and not end.budget[packet.destination]:
            return None
        return packet

    def _watch(self, board: int, channel: int, end: _End, to: int) -> None:
        """An idle sender returns its surplus."""
        sent = end.sent[to]

        def idle() -> None:
            surplus = end.budget[to] - end.kind.init_budget
            if end.sent[to] == sent and surplus > 0:
                end.budget[to] -= surplus
                end.returns.append((to, surplus))
                self._pull(board)

        self._after(end.kind.idle_cycles, idle)

    # ---- Routers and links ----

    def _output(self, board: int, packet: Packet) -> Port | None:
        local = Port(board, self.topology.num_links[board])
        if packet.destination == board:
            return local
        if packet.destination >= self.topology.boards:
            return None
        port = self.tables[board][packet.channel % self.classes][packet.destination]
        found = Port(board, port)
        return None if port == NONE or found not in self.topology.peers else found

    def _route(self, board: int) -> None:
        """Starts packets on the outputs that are free; round robin between the inputs."""
        ports = [Port(board, port) for port in range(self.topology.num_links[board] + 1)]
        wants: dict[Port, list[int]] = defaultdict(list)
        for n, port in enumerate(ports):
            entry = self._inputs[port]
            while entry.waiting and not entry.busy:
                output = self._output(board, entry.waiting[0])
                if output is not None:
                    wants[output].append(n)
                    break
                packet = entry.waiting.popleft()
                self.dropped.append(packet)
                self._freed(port, self.timing.beats(packet.words))
        for output, inputs in wants.items():
            first = self._next[output]
            chosen = min(inputs, key=lambda n: (n - first) % len(ports))
            packet = self._inputs[ports[chosen]].waiting[0]
            beats = self.timing.beats(packet.words)
            is_link = output in self.topology.peers
            if self._busy[output] or (is_link and self._credits[output] < beats):
                continue
            self._next[output] = (chosen + 1) % len(ports)
            self._start(board, ports[chosen], output, packet)

    def _start(self, board: int, source: Port, output: Port, packet: Packet) -> None:
        timing = self.timing
        beats = timing.beats(packet.words)
        entry = self._inputs[source]
        entry.waiting.popleft()
        entry.busy = True
        self._busy[output] = True
        peer = self.topology.peers.get(output)
        time: float = timing.wire(packet.words) if peer else beats

        def passed() -> None:
            entry.busy = False
            self._freed(source, beats)
            self._route(board)

        def idle() -> None:
            self._busy[output] = False
            self._route(board)

        def passes() -> None:
            self._after(beats, passed)
            self._after(time, idle)

        if peer is None:

            def enters() -> None:
                passes()
                self._after(timing.endpoint + timing.grant_cycles, lambda: self._begun(packet))
                self._after(timing.endpoint + beats - 1, lambda: self._arrive(packet))

            if packet.channel < len(self._ends[board]):
                self._enter(self._ends[board][packet.channel], beats, enters)
            else:
                enters()
            return
        passes()
        self._credits[output] -= beats

        def crosses() -> None:
            self._inputs[peer].waiting.append(packet)
            self._route(peer.board)

        self._after(timing.crossing(packet.words), crosses)

    def _freed(self, port: Port, beats: int) -> None:
        """An input has room again: credits to the sender, or the next packet of the chain."""
        peer = self.topology.peers.get(port)
        if peer is None:
            self._pull(port.board)
            return

        def credited() -> None:
            self._credits[peer] += beats
            self._route(peer.board)

        self._after(self.timing.credit, credited)

    # ---- Endpoints: receiving ----

    def _enter(self, end: _End, beats: int, enters: Callable[[], None]) -> None:
        """A packet leaves the router for an endpoint, as soon as there is room."""
        if not end.kind.managed:
            room = end.kind.buffer_size * self.timing.beats(end.kind.words) + self.timing.endpoint
            if end.held and end.held + beats > room:
                end.next_in = beats, enters
                return
            end.held += beats
        enters()

    def _begun(self, packet: Packet) -> None:
        """The first beat of a packet has arrived: it is counted, and may ask for a grant."""
        ends = self._ends[packet.destination]
        if packet.channel < len(ends) and not packet.grant:
            end = ends[packet.channel]
            if end.kind.managed:
                self._count(end, packet)
                self._pull(packet.destination)

    def _arrive(self, packet: Packet) -> None:
        board = packet.destination
        if packet.channel >= len(self._ends[board]):
            self.dropped.append(packet)
            return
        end = self._ends[board][packet.channel]
        source = packet.source
        if packet.grant > 0:
            end.budget[source] += packet.grant
            self._watch(board, packet.channel, end, source)
        elif packet.grant < 0:
            end.granted[source] += packet.grant
            end.free -= packet.grant
        else:
            packet.arrived = self.now
            self.packets.append(packet)
            end.received.append(packet)
            place = board, packet.channel
            self.most_queued[place] = max(self.most_queued[place], len(end.received))
            self._drain(board, end)
            if self.on_arrival:
                self.on_arrival(packet)
        self._pull(board)

    def _count(self, end: _End, packet: Packet) -> None:
        source = packet.source
        end.granted[source] -= 1
        if end.granted[source] < 0:
            raise AssertionError(f"board {source} has sent more than it was granted")
        if packet.yields:
            end.yielding.add(source)
        if end.granted[source] <= end.kind.threshold and source not in end.asked:
            end.asked.add(source)
            end.answers.append((source, source in end.yielding))
            end.yielding.discard(source)

    def _drain(self, board: int, end: _End) -> None:
        """The user takes a beat each cycle."""
        if end.draining or not end.received:
            return
        if (board, end.received[0].channel) in self._stalled:
            return
        end.draining = True
        beats = self.timing.beats(end.received[0].words)
        if not end.kind.managed:
            end.held -= beats
            if end.next_in:
                waiting, end.next_in = end.next_in, None
                self._enter(end, *waiting)

        def taken() -> None:
            packet = end.received.popleft()
            packet.taken = self.now
            end.draining = False
            if end.kind.managed:
                end.free += 1
                self._pull(board)
            self._drain(board, end)

        self._after(beats, taken)
