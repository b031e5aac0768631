# SPDX-License-Identifier: Apache-2.0
"""What surrounds tcp_stream: an engine with its buffers, peers, and a kernel that looks after every
byte. Messages are answered at random times, as far as their order leaves it open."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar

from bombus.protocols.tcp.segment import WORD, distance
from tests.protocols.tcp.tcp_world import Struct
from tests.support.app_bench import (
    BEATS_OUT,
    READS,
    REQUESTS,
    RX,
    AppBench,
    Sent,
    struct_bits,
)
from tests.support.harness import Benches

EVENT = Struct("tcp_event_meta_t", "tcp_pkg")
DATA = Struct("tcp_data_meta_t", "tcp_pkg")
READ = Struct("tcp_read_meta_t", "tcp_pkg")
REQUEST = Struct("tcp_request_meta_t", "tcp_pkg")
FROM = Struct("from_peer_t", "tcp_stream_pkg")
TO = Struct("to_peer_t", "tcp_stream_pkg")
KIND_DATA, KIND_EVENT, KIND_READ, KIND_REQUEST = range(1, 5)  # defaults of the layers
RELEASE, READABLE, WRITABLE, CLOSE, ABORT, FREE, LISTEN, CONNECT = range(2, 10)
UNLISTEN = 11
META = "tcp_event_meta_t", "tcp_pkg"
PORT = 7
REQUESTED = 50000  # local port of connections that the kernel has requested
LONGEST = 1460  # bytes of a segment


@dataclass
class Connection:
    """One use of the number of a session, as the engine and the kernel see it."""

    tuple: dict[str, int]
    first_read: int  # sequence number of the peer's first byte
    first_write: int
    to_come: bytes  # everything that the peer will send
    ring: int
    active: bool = False
    keen: bool = True  # the peer reads
    # Engine
    came: int = 0  # total bytes put into the receive buffer
    released: int = 0
    written: bytearray = field(default_factory=bytearray)  # bytes that the send buffer got
    acked: int = 0
    read_awaited: tuple[int, int] = (0, 0)  # position, toggle
    write_awaited: tuple[int, int] = (0, 0)
    served: list[int] = field(default_factory=lambda: [0, 0])
    opened: bool = False
    peer_closed: bool = False
    closing: int | None = None
    over: bool = False
    failed: bool = False  # by the peer, a timeout, or the application
    freed: int | None = None
    # Kernel
    told: list[str] = field(default_factory=list)
    got: bytearray = field(default_factory=bytearray)
    sent: bytearray = field(default_factory=bytearray)  # as the kernel believes
    said_close: bool = False
    said_reset: bool = False

    @property
    def read_end(self) -> int:
        return (self.first_read + self.came + self.peer_closed) % WORD

    @property
    def space_end(self) -> int:
        """How many bytes may have been written."""
        return self.acked + self.ring


class StreamWorld:
    """tcp_stream, or an application of the engine that has no kernel."""

    defaults: ClassVar[dict[str, int]] = {"NumSessions": 4, "ChunkBytes": 128}

    def __init__(
        self,
        benches: Benches,
        width: int = 64,
        seed: int = 1,
        layer: str = "tcp_stream",
        **parameters: int,
    ) -> None:
        given = self.defaults | parameters
        users = (
            struct_bits("from_peer_t", "tcp_stream_pkg"),
            struct_bits("to_peer_t", "tcp_stream_pkg"),
        )
        self.has_kernel = layer == "tcp_stream"
        names = ("kernel_rx", "kernel_tx") if self.has_kernel else None
        self.app = AppBench(benches, layer, width, META, names, users, given, seed)
        self.random = Random(seed)
        self.sessions = given["NumSessions"]
        self.chunk = given.get("ChunkBytes", LONGEST)
        self.ring = given.get("WindowBytes", 4 * self.chunk)  # of either buffer
        self.live: dict[int, Connection] = {}
        self.done: list[Connection] = []
        self.port = given.get("TcpPort", PORT)  # 0: all that no other application has
        self.ports: set[int] = set()  # on which connections are accepted
        self.reads: deque[Sent] = deque()  # answers not sent yet
        self.asked: list[dict[str, int]] = []  # connections
        self.misses = 0  # answers to connects that the kernel got
        self.served: list[int] = []  # sessions of reads, as they came
        self.counted: Counter[str] = Counter()  # events
        # The kernel's reaction to its input.
        self.on_bytes: Callable[[int, Connection, bytes], None] = lambda *_: None
        self.on_flag: Callable[[int, Connection, str], None] = self.answer
        self.automatic = True  # peers act randomly

    def reset(self) -> None:
        self.app.reset()
        self.live.clear()
        self.done.clear()
        self.reads.clear()
        self.asked.clear()
        self.ports.clear()
        self.misses = 0

    # ---- The kernel ----

    def say(self, session: int, payload: bytes = b"", **flags: int) -> None:
        self.app.send(payload, TO.pack(session=session, **flags))
        state = self.live.get(session)
        if state:
            if not state.said_close and not state.said_reset:
                state.sent += payload
            state.said_close |= bool(flags.get("close"))
            state.said_reset |= bool(flags.get("reset"))

    def answer(self, session: int, state: Connection, flag: str) -> None:
        """The least that a kernel has to do."""
        if flag == "closed" and not state.said_close:
            self.say(session, close=1)
        if flag == "ended":
            self.say(session, done=1)

    def hear(self, message: Sent) -> None:
        user = FROM.unpack(message.side)
        session = user["session"]
        flags = [name for name in ("opened", "closed", "ended") if user[name]]
        if user["failed"] and not flags:
            assert not message.payload
            self.misses += 1
            return
        assert len(flags) == (not message.payload), "one flag or bytes"
        state = self.live[session]
        for name in ("ip", "peer_port", "own_port"):
            assert user[name] == state.tuple[name]
        for flag in flags:
            assert flag not in state.told
            state.told.append(flag)
            if flag == "opened":
                assert len(state.told) == 1
            if flag == "closed":
                assert bytes(state.got) == state.to_come, "closed before its last byte"
            if flag == "ended":
                assert state.over
                if user["failed"] and state.said_reset:
                    state.failed = True  # also if the session has ended before the reset
                assert bool(user["failed"]) == state.failed
                if not state.failed:
                    assert bytes(state.got) == state.to_come
            self.on_flag(session, state, flag)
        if message.payload:
            assert state.told == ["opened"]
            assert len(message.payload) <= self.chunk
            state.got += message.payload
            assert state.to_come.startswith(bytes(state.got)), "not what the peer has sent"
            self.on_bytes(session, state, message.payload)

    # ---- The engine ----

    def open(
        self, length: int, session: int | None = None, *, requested: bool = False, **fields: object
    ) -> int | None:
        """A connection opens, by a peer or requested: the peer will send this many bytes."""
        free = [each for each in range(self.sessions) if each not in self.live]
        if session is None:
            if not free:
                return None
            session = self.random.choice(free)
        random = self.random
        addresses = {"ip": random.getrandbits(32), "peer_port": random.getrandbits(16)}
        start = [
            random.choice([random.getrandbits(32), -random.randrange(1000) % WORD]) for _ in "ab"
        ]
        own_port = REQUESTED if requested else self.port or random.choice(sorted(self.ports))
        state = Connection(
            addresses | {"own_port": own_port},
            start[0],
            start[1],
            random.randbytes(length),
            self.ring,
            **fields,  # type: ignore[arg-type]
        )
        self.live[session] = state
        state.opened = True
        self.tell(session, opened=1)
        return session

    def tell(self, session: int, **changes: int) -> None:
        state = self.live[session]
        # Until it has opened, of the first byte
        space = 0 if "opened" in changes or not state.opened else state.space_end
        own_port = state.tuple["own_port"]
        self.app.beats(
            b"",
            EVENT.pack(
                port=self.port or (0 if own_port == REQUESTED else own_port),
                session=session,
                read_end=state.read_end,
                write_end=(state.first_write + space) % WORD,
                **{f"tuple__{name}": value for name, value in state.tuple.items()},
                **{f"changes__{name}": value for name, value in changes.items()},
            ),
            KIND_EVENT,
        )

    def settle_wishes(self, session: int) -> None:
        state = self.live[session]
        if state.over:
            return
        changes = {}
        position, toggle = state.read_awaited
        if toggle != state.served[0] and distance(state.read_end, position) >= 0:
            state.served[0], changes["readable"] = toggle, 1
        position, toggle = state.write_awaited
        end = (state.first_write + state.space_end) % WORD
        if toggle != state.served[1] and distance(end, position) >= 0:
            state.served[1], changes["writable"] = toggle, 1
        if changes:
            self.tell(session, **changes)

    def comes(self, session: int, count: int) -> None:
        """This many bytes arrive from the peer, if there is room."""
        state = self.live[session]
        room = state.released + self.ring - state.came
        state.came += min(count, room, len(state.to_come) - state.came)

    def ends(self, session: int, *, failed: bool) -> None:
        state = self.live[session]
        state.over, state.failed = True, failed
        self.tell(session, closed=1, **({"failed": 1} if failed else {}))

    def peer_acts(self, session: int) -> None:
        random, state = self.random, self.live[session]
        if state.over:
            return
        if random.random() < 0.5:
            self.comes(session, random.choice([1, 7, 64, 128, 300]))
        if state.keen:
            gap = len(state.written) - state.acked
            state.acked += random.choice([0, gap, random.randrange(gap + 1)])
        if state.came == len(state.to_come) and not state.peer_closed and random.random() < 0.2:
            state.peer_closed = True
            readable = int(state.read_awaited[1] != state.served[0])
            state.served[0] = state.read_awaited[1]
            self.tell(session, peer_closed=1, readable=readable)
        if state.closing is not None:
            all_written = len(state.written) == state.closing and state.acked == state.closing
            if all_written and state.peer_closed and random.random() < 0.5:
                self.ends(session, failed=False)

    def take_request(self, message: Sent) -> None:
        request = REQUEST.unpack(message.side)
        operation, session, argument = request["request"], request["session"], request["argument"]
        if operation == LISTEN:
            assert argument not in self.ports
            self.ports.add(argument)
            return
        if operation == UNLISTEN:
            self.ports.remove(argument)
            return
        if operation == CONNECT:
            self.asked.append(request)
            return
        state = self.live[session]
        assert state.freed is None, "asks for a session that it has let go of"
        if operation == RELEASE:
            count = distance(argument, (state.first_read + state.released) % WORD)
            assert count > 0
            state.released += count
            assert state.released <= state.came
        elif operation == READABLE:
            assert request["toggle"] != state.read_awaited[1]
            state.read_awaited = argument, request["toggle"]
        elif operation == WRITABLE:
            assert request["toggle"] != state.write_awaited[1]
            state.write_awaited = argument, request["toggle"]
        elif operation == CLOSE:
            assert state.closing is None
            state.closing = distance(argument, state.first_write)
            assert state.closing >= len(state.written)
        elif operation == ABORT:
            if not state.over:
                self.ends(session, failed=False)  # `failed` is only what others have done
            state.failed = True
        elif operation == FREE:
            assert state.over and (not self.has_kernel or "ended" in state.told)
            state.freed = distance(argument, state.first_write)
            assert state.freed >= len(state.written)
        else:
            raise AssertionError(f"request {operation}")

    def take_read(self, message: Sent) -> None:
        read = READ.unpack(message.side)
        assert read["port"] == self.port
        state = self.live[read["session"]]
        self.served.append(read["session"])
        start = distance(read["start"], state.first_read)
        end = start + read["length"]
        assert 0 < read["length"] <= self.chunk
        assert state.released <= start and end <= state.came, "reads what is not there"
        meta = DATA.pack(session=read["session"], start=read["start"])
        self.reads.append(Sent(state.to_come[start:end], meta))

    def take_data(self, message: Sent) -> None:
        data = DATA.unpack(message.side)
        assert message.kind == KIND_DATA and not data["skip"]
        state = self.live[data["session"]]
        assert message.payload and len(message.payload) <= self.chunk
        place = (state.first_write + len(state.written)) % WORD
        assert data["start"] == place, "leaves a gap"
        state.written += message.payload
        assert len(state.written) <= state.space_end, "overruns the ring"
        said = bytes(state.sent) if self.has_kernel else state.to_come  # it is an echo
        assert said.startswith(bytes(state.written)), "not what was said"
        if state.closing is not None:
            assert len(state.written) <= state.closing

    # ---- Time ----

    def step(self, cycles: int | None = None) -> None:
        random = self.random
        self.app.bench.run(cycles or random.randrange(1, 20))
        self.counted.update(dict(zip(self.app.events, self.app.bench.events, strict=False)))
        found = self.app.take()
        for message in found[BEATS_OUT]:
            self.take_data(message)
        for message in found[REQUESTS]:
            self.take_request(message)
        for message in found[READS]:
            self.take_read(message)
        for message in found[RX]:
            self.hear(message)
        while self.reads and random.random() < 0.7:
            answer = self.reads.popleft()
            self.app.beats(answer.payload, answer.side, KIND_DATA)
        for session, state in list(self.live.items()):
            if self.automatic:
                self.peer_acts(session)
            self.settle_wishes(session)
            if state.freed is not None and state.freed == len(state.written):
                self.done.append(self.live.pop(session))

    def run(self, until: Callable[[], bool], steps: int = 20_000) -> None:
        for _ in range(steps):
            if until():
                return
            self.step()
        raise AssertionError(f"not done after {steps} steps")

    def come_and_go(self, count: int) -> None:
        """So many more connections open and end, some of them by a reset."""
        random, before = self.random, len(self.done)

        def done() -> bool:
            if len(self.done) + len(self.live) < before + count:
                if random.random() < 0.2:
                    self.open(random.choice([0, 1, 8, 129, 700, 3000]))
            elif not self.live:
                return True
            if random.random() < 0.005 and self.live:
                session = random.choice(list(self.live))
                if not self.live[session].over:
                    self.ends(session, failed=True)
            return False

        self.run(done)

    def echo_after_resets(self) -> None:
        """Resets in the midst of traffic; behind each, new connections get their bytes back."""
        for _ in range(15):
            self.app.bench.pace(gap=0.2, stall=self.random.choice([0.0, 0.6, 1.0]))
            for _ in range(4):
                self.open(2000)
            for _ in range(self.random.randrange(100)):
                self.step()
            self.reset()
            self.app.bench.pace(gap=0.1, stall=0.1)
            for length in (0, 1, 500):
                self.open(length)
            self.run(lambda: len(self.done) == 3)
            assert self.ports == {PORT}
            assert all(state.to_come == state.written for state in self.done)


def echoing(world: StreamWorld) -> None:
    """The kernel echoes."""
    world.on_flag = world.answer
    world.on_bytes = lambda session, _, data: world.say(session, data)


def mischief(world: StreamWorld) -> None:
    """The kernel sends messages of all lengths, closes or resets where it likes."""
    random = world.random

    def answer(session: int, state: Connection, flag: str) -> None:
        if flag == "opened" and random.random() < 0.5:
            for _ in range(random.randrange(4)):
                length = random.choice([0, 1, 8, 9, 127, 128, 129, 700])
                world.say(session, random.randbytes(length))
        world.answer(session, state, flag)

    def bytes_come(session: int, state: Connection, data: bytes) -> None:
        chance = random.random()
        if chance < 0.1:
            world.say(session, data[: random.randrange(len(data))], close=1)
        elif chance < 0.14:
            world.say(session, data, reset=1)
        elif chance < 0.6:
            world.say(session, data * random.randrange(4))

    world.on_flag, world.on_bytes = answer, bytes_come
