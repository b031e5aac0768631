# SPDX-License-Identifier: Apache-2.0
"""Requests to a TCP service: bytes of a connection, whose reply is so many bytes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from _service_messages import Messages
from _service_udp import Replies

from bombus import Simulation
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import MIN_FRAME_BYTES, WIRE_EXTRA_BYTES
from bombus.protocols.tcp.peer import ACK, HEADER_BYTES, PSH, Connection, Peers

MSS = 1460  # on Ethernet
WINDOW_BYTES = 65_536  # maximum in flight of a connection
HALF_OPEN = 4  # at a time
FIRST_PORT = 20_000
FIRST_SEQUENCE = 1 << 20
AHEAD = 8  # segments of a connection that wait for the line
PATIENCE_CYCLES = 200_000  # without a byte or an acknowledgement


@dataclass
class _Asked:
    """A request without a complete reply."""

    number: int
    request: bytes
    missing: int  # bytes of its reply
    sent: int = 0  # cycle of its first beat
    first: int | None = None  # cycle of the first beat of its reply


@dataclass
class _Flow:
    """One connection, and the requests on it."""

    end: Connection
    mss: int
    to_send: deque[tuple[bytes, _Asked | None]] = field(default_factory=deque)  # segments
    asked: deque[_Asked] = field(default_factory=deque)  # oldest first

    def add(self, asked: _Asked) -> None:
        self.asked.append(asked)
        for start in range(0, len(asked.request), self.mss):
            segment = asked.request[start : start + self.mss]
            self.to_send.append((segment, None if start else asked))


class TcpService:
    """A TCP service of a running design, and connections with it."""

    def __init__(
        self,
        simulation: Simulation,
        port: int,
        messages: Messages,
        connections: int,
        mss: int = MSS,
    ) -> None:
        self.simulation = simulation
        self.port = port
        self.messages = messages
        self.mss = mss
        line_rate = float(simulation.manifest["line_rate_gbps"])
        self.peers = Peers(simulation, neighbour(simulation.manifest), line_rate)
        introduce(simulation, self.peers.station)
        ends: list[Connection] = []
        while len(ends) < connections:
            some = range(len(ends), min(connections, len(ends) + HALF_OPEN))
            opened = [
                self.peers.open(FIRST_PORT + number, port, mss, FIRST_SEQUENCE, collects=True)
                for number in some
            ]
            self.peers.connect(opened)
            ends += opened
        self.flows = [_Flow(each, mss) for each in ends]
        self._stamps: deque[_Asked | None] = deque()  # of queued frames: what they start

    def most_bytes(self) -> int:
        return 1 << 20

    def wire_bytes(self, request: int, reply: int) -> tuple[int, int]:
        """Least bytes on the line for a request and for a reply. Requests have segments of their
        own; replies can share segments.
        """
        whole, rest = divmod(request, self.mss)
        sizes = [self.mss] * whole + [rest] * (rest > 0)
        asked = sum(frame_bytes(size) + WIRE_EXTRA_BYTES for size in sizes)
        return asked, -(-reply * (frame_bytes(self.mss) + WIRE_EXTRA_BYTES) // self.mss)

    def singles(self, requests: Sequence[bytes]) -> Replies:
        """Sends each request alone, when nothing is in flight."""
        found = Replies()
        for number, request in enumerate(requests):
            self._settle(number)
            self._run([request], number, 1, self.flows[:1], found)
        return found

    def burst(self, requests: Sequence[bytes], outstanding: int) -> Replies:
        """Sends all over the connections by turns; `outstanding`: at most so many of all
        connections without a reply (0: as many as the windows take).
        """
        found = Replies()
        self._settle(0)
        self._run(requests, 0, outstanding, self.flows, found)
        return found

    def _settle(self, cycles: int) -> None:
        """Nothing is in flight; not always at the same phase of background activity."""
        self.simulation.advance_until_idle()
        self.simulation.advance(cycles)
        self.peers.step()
        self._stamps.clear()

    def _run(
        self,
        requests: Sequence[bytes],
        first: int,
        outstanding: int,
        flows: Sequence[_Flow],
        to: Replies,
    ) -> None:
        waiting = deque(enumerate(requests, first))
        before, progress, turn = len(to.cycles), self.simulation.cycle, 0
        while (done := len(to.cycles) - before) < len(requests):
            if self.simulation.cycle - progress > PATIENCE_CYCLES:
                return  # the rest is lost
            for _ in range(AHEAD * len(flows)):
                flow = flows[turn % len(flows)]
                open_now = len(requests) - len(waiting) - done
                if not waiting or (outstanding and open_now >= outstanding):
                    break
                if len(flow.to_send) < AHEAD:
                    number, request = waiting.popleft()
                    flow.add(_Asked(number, request, self.messages.reply_bytes(request)))
                turn += 1
            self._send(flows)
            self.peers.step(acknowledge=False)
            for stamp in self.peers.sent:
                if (asked := self._stamps.popleft()) is not None:
                    asked.sent = stamp.first_beat_cycle
            if sum(self._take(flow, to) for flow in flows):
                progress = self.simulation.cycle

    def _send(self, flows: Sequence[_Flow]) -> None:
        """Segments of requests by turns, then acknowledgements that no segment carries."""
        is_idle = False
        while self.peers.hungry and not is_idle:
            is_idle = True
            for flow in flows:
                if flow.to_send and flow.end.may_send(len(flow.to_send[0][0]), WINDOW_BYTES):
                    segment, asked = flow.to_send.popleft()
                    self._queue(flow.end, ACK | PSH, segment, asked)
                    is_idle = False
        for flow in flows:
            due = flow.end.to_acknowledge
            if due >= 2 or (due and not flow.to_send):
                self._queue(flow.end, ACK)

    def _queue(
        self, end: Connection, flags: int, segment: bytes = b"", asked: _Asked | None = None
    ) -> None:
        self.peers.send(end, flags, segment)
        self._stamps.append(asked)

    def _take(self, flow: _Flow, to: Replies) -> bool:
        """Cuts the bytes received into replies; whether there were some."""
        end, came = flow.end, flow.end.came
        assert end.collected is not None
        for first_cycle, last_cycle, size in came:
            left = size
            while left:
                if not flow.asked:
                    self.messages.count_wrong(None, "more bytes than replies have")
                    break
                asked = flow.asked[0]
                if asked.first is None:
                    asked.first = first_cycle
                taken = min(left, asked.missing)
                asked.missing -= taken
                left -= taken
                if asked.missing == 0:
                    self._finish(flow.asked.popleft(), end.collected, last_cycle, to)
        has_progress = bool(came) or bool(end.acknowledged)
        came.clear()
        end.acknowledged.clear()
        return has_progress

    def _finish(self, asked: _Asked, collected: bytearray, cycle: int, to: Replies) -> None:
        size = self.messages.reply_bytes(asked.request)
        reply = bytes(collected[:size])
        del collected[:size]
        assert asked.first is not None
        to.latencies.append(asked.first - asked.sent)
        to.cycles.append(cycle)
        to.sizes.append(size)
        self.messages.check(asked.number, asked.request, reply)


def frame_bytes(payload: int) -> int:
    """Bytes of the frame of a segment."""
    return max(MIN_FRAME_BYTES, HEADER_BYTES + payload)
