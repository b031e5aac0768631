# SPDX-License-Identifier: Apache-2.0
"""What surrounds the state of the TCP engine in its bench: session table, buffers, timers,
applications, and a link to peers that loses, doubles, delays and swaps segments."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from bombus.design.rtl import constant, struct_layout
from bombus.protocols.tcp.model import Endpoint
from bombus.protocols.tcp.segment import WORD, Segment, distance
from tests.support.harness import Bench, Layout

FLAGS = ("fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr")
REQUESTS = {
    "send": 1,
    "release": 2,
    "readable": 3,
    "writable": 4,
    "close": 5,
    "abort": 6,
    "free": 7,
    "set": 12,
    "close_both": 13,
}


class Struct:
    """Packs and unpacks a struct of a package."""

    def __init__(self, name: str, package: str) -> None:
        self._fields = struct_layout(name, package)

    def pack(self, **values: int) -> int:
        item = 0
        for name, value in values.items():
            place = self._fields[name.replace("__", ".")]
            assert 0 <= value < 1 << place.width, f"{name}: {value} does not fit"
            item |= value << place.offset
        return item

    def unpack(self, item: int) -> dict[str, int]:
        return {
            name: item >> place.offset & (1 << place.width) - 1
            for name, place in self._fields.items()
        }


ARRIVAL = Struct("arrival_t", "tcp_state_pkg")
VERDICT = Struct("verdict_t", "tcp_state_pkg")
REPORT = Struct("report_t", "tcp_state_pkg")
DEPARTURE = Struct("departure_t", "tcp_state_pkg")
REFUSED = Struct("segment_t", "tcp_pkg")
EVICTED = constant("tcp_pkg::CauseEvicted")
REQUEST = Layout(("toggle", 1), ("position", 32), ("session", 14), ("operation", 4))
EXPIRED = Layout(("session", 14), ("class", 1))
ORDER = Layout(
    ("delay_deadline", 32),
    ("deadline", 32),
    ("session", 14),
    ("clear_delay", 1),
    ("set_delay", 1),
    ("clear", 1),
    ("set", 1),
)


@dataclass
class Impairment:
    """Probabilities of events on the link, and its delay in us."""

    loss: float = 0.0
    double: float = 0.0
    delay_us: tuple[int, int] = (20, 20)


@dataclass
class Session:
    """The test's state of a session."""

    peer: int
    read_end: int
    write_end: int
    # Everything that the application has written
    sent: bytearray = field(default_factory=bytearray)
    first: int = 0  # sequence number of its first byte
    got: dict[int, int] = field(default_factory=dict)  # bytes by sequence number
    released: int = 0
    read_toggle: int = 0
    write_toggle: int = 0
    active: bool = False
    opened: bool = False
    peer_closed: bool = False
    closed: bool = False
    freed: bool = False
    failed: bool = False
    evicted: bool = False


@dataclass
class ByHand:
    """A peer whose acknowledgements are made by the test; it records its input."""

    heard: list[Segment] = field(default_factory=list)
    deadline: int | None = None
    now: int = 0

    def receive(self, segment: Segment) -> None:
        self.heard.append(segment)

    def take(self) -> list[Segment]:
        return []

    def tick(self, now: int) -> None:
        pass


class World:
    """The engine, its peers, and time."""

    def __init__(self, bench: Bench, seed: int = 1, **impairment: object) -> None:
        self.bench = bench
        self.random = Random(seed)
        self.impairment = Impairment(**impairment)  # type: ignore[arg-type]
        self.peers: dict[int, Endpoint] = {}
        self.sessions: dict[int, Session] = {}
        self.by_peer: dict[int, int] = {}
        self.numbers: Sequence[int] = range(16)  # of sessions
        self.now = 0
        self.events: list[tuple[int, int, int, Segment]] = []  # time, order, peer or -1 - peer
        self._order = 0
        self._flushes = True
        self._pushed: list[tuple[int, Segment]] = []
        self._timers: dict[tuple[int, int], int] = {}
        self.refused = 0
        self.counts = [0] * 64  # of the events of tcp_core
        self.departures: list[tuple[int, dict[str, int]]] = []
        self.on_verdict = self._take  # outcome of a payload
        self.on_report: Callable[[int, Session, dict[str, int]], None] = lambda *_: None
        # Segments that the link loses, to a peer or, by -1 - peer, from one.
        self.loses: Callable[[int, Segment], bool] = lambda *_: False
        # Further SACK blocks come behind so many later segments, as they may out of tcp_receive.
        self.sacks_wait = (0, 0)
        self._late_sacks: list[tuple[int, int]] = []  # segments to wait for, item
        bench.control(0)
        bench.run(64)

    # ---- Time ----

    def run(
        self, until: Callable[[], bool], limit_us: int = 60_000_000, *, flush: bool = True
    ) -> None:
        """Lets time pass from event to event. `flush`: answers of peers are sent on the link."""
        end = self.now + limit_us
        self._flushes = flush
        while not until():
            self.settle()
            if until():
                return
            times = self._times()
            assert times, "nothing will ever happen"
            self._pass_to(max(min(times), self.now))
            assert self.now < end, f"not done after {limit_us} us"

    def run_to(self, time: int) -> None:
        """Lets time pass to this one, in us."""
        while self.now < time:
            self.settle()
            self._pass_to(min([time, *(max(each, self.now) for each in self._times())]))

    def _times(self) -> list[int]:
        """When something happens next."""
        deadlines = (peer.deadline for peer in self.peers.values())
        return [
            *(event[0] for event in self.events[:1]),
            *self._timers.values(),
            *(deadline for deadline in deadlines if deadline is not None),
        ]

    def _pass_to(self, time: int) -> None:
        while self.now < time:
            step = min(time - self.now, 0xFFFF)
            self.bench.control(step)
            self.bench.run(1)
            self.now += step
        self.bench.control(0)
        while self.events and self.events[0][0] <= self.now:
            _, _, target, segment = heapq.heappop(self.events)
            if target >= 0:
                self._to_peer(target, segment)
            else:
                self.send_to_engine(-1 - target, segment)
        for key, deadline in list(self._timers.items()):
            if deadline <= self.now:
                del self._timers[key]
                self.bench.push([EXPIRED.pack(session=key[0], **{"class": key[1]})], 2)
        for number, peer in self.peers.items():
            peer.tick(self.now)
            self.flush(number)

    # ---- The link ----

    def _post(self, target: int, segment: Segment) -> None:
        if self.random.random() < self.impairment.loss or self.loses(target, segment):
            return
        copies = 2 if self.random.random() < self.impairment.double else 1
        for _ in range(copies):
            time = self.now + self.random.randint(*self.impairment.delay_us)
            self._order += 1
            heapq.heappush(self.events, (time, self._order, target, segment))

    def flush(self, number: int) -> None:
        """Sends a peer's pending segments on the link."""
        for segment in self.peers[number].take():
            self._post(-1 - number, segment)

    def _to_peer(self, number: int, segment: Segment) -> None:
        peer = self.peers[number]
        peer.now = self.now
        peer.receive(segment)
        if self._flushes:
            self.flush(number)

    # ---- Into the engine ----

    def send_to_engine(self, number: int, segment: Segment) -> None:
        """A segment of a peer arrives."""
        fields = {
            "segment__seq": segment.seq,
            "segment__ack": segment.ack,
            "segment__window": segment.window,
            "segment__length": len(segment.payload),
            "last": (segment.seq + len(segment.payload)) % WORD,
            "segment__src_port": number,
        }
        for flag in segment.flags:
            fields[f"segment__flags__{flag}"] = 1
        if segment.mss is not None:
            fields |= {"segment__options__has_mss": 1, "segment__options__mss": segment.mss}
        if segment.scale is not None:
            fields |= {"segment__options__has_scale": 1, "segment__options__scale": segment.scale}
        if segment.sack_permitted:
            fields["segment__options__sack_permitted"] = 1
        if segment.timestamps:
            fields |= {
                "segment__options__has_timestamps": 1,
                "segment__options__ts_value": segment.timestamps[0],
                "segment__options__ts_echo": segment.timestamps[1],
            }
        blocks = [
            {
                "segment__options__has_sack": 1,
                "segment__options__sack__left": left,
                "segment__options__sack__right": right,
            }
            for left, right in segment.sacks
        ]
        session = self.by_peer.get(number)
        if session is None:
            if segment.flags != {"syn"}:
                return  # the table refuses it
            free = [each for each in self.numbers if each not in self.sessions]
            if not free:
                return
            session = self.random.choice(free)
            first = self.random.getrandbits(32)
            self.by_peer[number] = session
            start = (segment.seq + 1) % WORD
            self.sessions[session] = Session(
                number, start, first + 1, first=(first + 1) % WORD, released=start
            )
            fields |= {"opens": 1, "first": first}
        self._pushed.append((session, segment))
        first_block = blocks[0] if blocks else {}
        self.bench.push([ARRIVAL.pack(session=session, **fields, **first_block)], 0)
        again = {name: number for name, number in fields.items() if "flags" not in name}
        again |= {"segment__sack_only": 1, "segment__flags__ack": 1, "segment__length": 0}
        again["segment__seq"] = fields["last"]
        late = [(left - 1, item) for left, item in self._late_sacks]
        late += [
            (self.random.randint(*self.sacks_wait), ARRIVAL.pack(session=session, **again, **block))
            for block in blocks[1:]
        ]
        self.bench.push([item for left, item in late if left <= 0], 0)
        self._late_sacks = [(left, item) for left, item in late if left > 0]

    def connect(self, number: int) -> int:
        """The table's reaction when an application requests a connection to a peer: the session."""
        session = next(each for each in self.numbers if each not in self.sessions)
        first = self.random.getrandbits(32)
        self.by_peer[number] = session
        state = Session(number, 0, first + 1, first=(first + 1) % WORD, active=True)
        self.sessions[session] = state
        item = ARRIVAL.pack(session=session, opens=1, connects=1, first=first)
        self.bench.push([item], 0)
        return session

    def request(self, session: int, operation: str, position: int = 0, toggle: int = 0) -> None:
        item = REQUEST.pack(
            operation=REQUESTS[operation], session=session, position=position % WORD, toggle=toggle
        )
        self.bench.push([item], 1)

    def write(self, session: int, data: bytes) -> None:
        """Sends bytes as an application does."""
        state = self.sessions[session]
        state.sent += data
        self.request(session, "send", state.first + len(state.sent))

    def close(self, session: int) -> None:
        """Says that nothing more will be written."""
        state = self.sessions[session]
        self.request(session, "close", state.first + len(state.sent))

    def free(self, session: int) -> None:
        """Lets go of a session that is over."""
        state = self.sessions[session]
        self.request(session, "free", state.first + len(state.sent))

    def want(self, session: int, count: int = 1) -> None:
        """Requests an event when this many bytes beyond those released are available."""
        state = self.sessions[session]
        state.read_toggle ^= 1
        self.request(session, "readable", state.released + count, state.read_toggle)

    def read(self, session: int) -> bytes:
        """Takes all available bytes and releases them."""
        state = self.sessions[session]
        count = distance(state.read_end, state.released) - state.peer_closed
        data = bytes(state.got.pop((state.released + i) % WORD) for i in range(count))
        state.released = (state.released + count) % WORD
        self.request(session, "release", state.released)
        return data

    # ---- Out of the engine ----

    def settle(self) -> None:
        """Runs until there is no more output."""
        quiet = 0
        while quiet < 3:
            self.bench.run(12)
            quiet = 0 if self._collect() else quiet + 1

    def _collect(self) -> bool:
        bench = self.bench
        if any(bench.waiting(stream) for stream in range(bench.num_in)):
            return True
        outputs = [bench.items(stream) for stream in range(bench.num_out)]
        self.counts = [a + b for a, b in zip(self.counts, bench.events, strict=True)]
        bench.forget()
        verdicts, refused, reports, departures, orders, freed = outputs
        assert len(verdicts) <= len(self._pushed)
        for item in verdicts:
            self._judge(VERDICT.unpack(item))
        for item in refused:
            self._refuse(REFUSED.unpack(item))
        for item in orders:
            self._set_timers(ORDER.unpack(item))
        for item in reports:
            self._report(REPORT.unpack(item))
        for item in departures:
            self._depart(DEPARTURE.unpack(item))
        for item in freed:
            number = item & 0x3FFF
            state = self.sessions.pop(number)
            del self.by_peer[state.peer]
        return any(outputs)

    def _judge(self, verdict: dict[str, int]) -> None:
        session, segment = self._pushed.pop(0)
        assert verdict["session"] == session
        self.on_verdict(session, verdict, segment)

    def _take(self, session: int, verdict: dict[str, int], segment: Segment) -> None:
        if verdict["keep"]:
            assert verdict["start"] == segment.seq
            skip = verdict["skip"]
            assert skip < len(segment.payload)
            for index, byte in enumerate(segment.payload[skip:], skip):
                self.sessions[session].got[(segment.seq + index) % WORD] = byte

    def _refuse(self, segment: dict[str, int]) -> None:
        self.refused += 1
        if segment["flags.ack"]:
            reset = Segment(segment["ack"], flags=frozenset({"rst"}))
        else:
            end = segment["seq"] + segment["length"] + segment["flags.syn"] + segment["flags.fin"]
            reset = Segment(0, end % WORD, frozenset({"rst", "ack"}))
        self._post(segment["src_port"], reset)

    def _set_timers(self, order: dict[str, int]) -> None:
        for name, number in (("", 0), ("_delay", 1)):
            key = order["session"], number
            if order[f"clear{name}"]:
                self._timers.pop(key, None)
            if order[f"set{name}"]:
                deadline = order["delay_deadline" if number else "deadline"]
                self._timers[key] = self.now + max(distance(deadline, self.now % WORD), 0)

    def _report(self, report: dict[str, int]) -> None:
        session = report["session"]
        state = self.sessions[session]
        state.read_end = report["read_end"]
        state.write_end = report["write_end"]
        state.evicted |= report["cause"] == EVICTED
        for name in ("opened", "peer_closed", "closed", "failed"):
            if report[f"changes.{name}"]:
                setattr(state, name, True)
        if report["changes.opened"]:
            if state.active:
                state.released = report["read_end"]
            assert report["read_end"] == state.released, "it does not begin with the first byte"
            assert report["write_end"] == state.first
        if state.closed and not state.freed:
            state.freed = True
            self.free(session)
        self.on_report(session, state, report)

    def _depart(self, departure: dict[str, int]) -> None:
        self.departures.append((self.now, departure))
        state = self.sessions.get(departure["session"])
        if state is None:
            return
        seq, length = departure["seq"], departure["length"]
        start = distance(seq, state.first)
        payload = bytes(state.sent[start : start + length]) if length else b""
        assert len(payload) == length, "sent what the application has not written"
        flags = frozenset(name for name in FLAGS if departure[f"flags.{name}"])
        syn = "syn" in flags
        stamps = self.now // 1024 % WORD, departure["ts_echo"]
        segment = Segment(
            seq,
            departure["ack"],
            flags,
            departure["window"],
            payload,
            mss=1460 if syn else None,
            scale=1 if syn and departure["has_scale"] else None,
            sack_permitted=bool(syn and departure["sack_permitted"]),
            timestamps=stamps if departure["has_timestamps"] else None,
            sacks=tuple(
                divmod(departure["sacks"] >> 64 * index & (1 << 64) - 1, WORD)
                for index in range(departure["num_sacks"])
            ),
        )
        self._post(state.peer, segment)
