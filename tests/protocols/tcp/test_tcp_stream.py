# SPDX-License-Identifier: Apache-2.0
"""tcp_stream between a kernel and the messages of an engine."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.protocols.tcp.stream_world import (
    CONNECT,
    EVENT,
    KIND_EVENT,
    PORT,
    REQUESTED,
    TO,
    Connection,
    StreamWorld,
)
from tests.support.app_bench import BEATS_IN, RX, TX
from tests.support.harness import PACES, SEEDS, Benches

pytestmark = pytest.mark.slow

# 512 bits: a request is all in its first beat, and a chunk has two beats.
WIDTHS = pytest.mark.parametrize("width", [64, 512])


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


@pytest.mark.parametrize("seed", SEEDS)
@WIDTHS
def test_sessions_that_come_and_go(benches: Benches, width: int, seed: int) -> None:
    """Numbers of sessions are used again and again; peers reset some connections, and the kernel
    does; numbers of bytes wrap, and rings."""
    world = StreamWorld(benches, width, seed)
    for index, pace in enumerate(PACES):
        (echoing if index % 2 else mischief)(world)
        world.app.bench.pace(**pace)
        world.come_and_go(25)
    assert world.ports == {PORT}
    for state in world.done:
        assert state.told[0] == "opened" and state.told[-1] == "ended"
        if not state.failed:
            assert bytes(state.got) == state.to_come
            assert state.written == state.sent
    world.app.bench.drain()
    assert not world.app.busy and not world.app.timer


def test_counters(benches: Benches) -> None:
    world = StreamWorld(benches)
    echoing(world)
    for _ in range(3):
        world.open(500)
    world.run(lambda: len(world.done) == 3)
    world.step()
    counted = world.counted
    assert counted["received"] == counted["read"] == len(world.served)
    assert counted["sent"] >= counted["received"] and not counted["forgotten"]
    assert counted["told"] > 9 and counted["request"] > 9 and not counted["impatient"]


def test_kernel_that_never_takes(benches: Benches) -> None:
    """Events are still accepted; the kernel's data are sent."""
    world = StreamWorld(benches)
    world.app.bench.stall(RX, 1.0)
    sessions = [world.open(2000) for _ in range(4)]
    for _ in range(300):
        world.step()
    for session in sessions:
        world.say(session, bytes(100))
        world.live[session].told.append("opened")
    for _ in range(300):
        world.step()
    assert all(len(world.live[session].written) == 100 for session in sessions)
    assert not world.app.bench.waiting(BEATS_IN) and not world.app.bench.waiting(TX)
    for state in world.live.values():
        state.told.clear()
    world.app.bench.stall(RX, 0.0)
    world.run(lambda: len(world.done) == 4)


def test_kernel_that_never_stops(benches: Benches) -> None:
    """A stream of messages without bytes, or of one byte, leaves turns to other sessions."""
    for payload in (b"", b"x"):
        world = StreamWorld(benches)
        chatty, other = world.open(0, keen=True), world.open(400)
        assert chatty is not None and other is not None
        world.run(lambda: len(world.live[chatty].told) == 1)  # noqa: B023

        def heard(world: StreamWorld = world, other: int = other, chatty: int = chatty) -> bool:
            while world.app.bench.waiting(TX) < 50:
                world.say(chatty, payload)  # noqa: B023
            return len(world.live[other].got) == 400

        world.automatic = False
        world.comes(other, 400)
        state = world.live[chatty]

        def reads(session: int = chatty, state: Connection = state) -> None:
            state.acked = len(state.written)

        for _ in range(300):
            reads()
            world.step()
            if heard():
                break
        else:
            raise AssertionError("nobody has looked at the other session")


def test_sessions_take_turns(benches: Benches) -> None:
    """A kernel that answers one session at once does not keep others from being read."""
    world = StreamWorld(benches)
    echoing(world)
    world.automatic = False
    sessions = [world.open(5000, keen=True) for _ in range(4)]
    for _ in range(400):
        for session in sessions:
            state = world.live[session]
            state.acked = len(state.written)
            world.comes(session, 5000)
        world.step(4)
    read = Counter(world.served)
    assert len(read) == 4 and max(read.values()) < 2 * min(read.values()), read


def test_peer_that_does_not_read(benches: Benches) -> None:
    """It holds up the others for a time; then its connection is reset."""
    world = StreamWorld(benches, PatienceUs=1000)
    world.automatic = False
    bad, good = world.open(0, keen=False), world.open(0)
    assert bad is not None and good is not None
    world.run(lambda: all(state.told for state in world.live.values()))
    world.say(bad, bytes(world.ring + 1))
    world.say(good, b"hello")
    for _ in range(200):
        world.step()
    assert len(world.live[bad].written) == world.ring // world.chunk * world.chunk
    assert not world.live[good].written
    assert world.app.timer and not world.app.busy
    world.app.bench.control(1)
    world.app.bench.run(900)
    world.step()
    assert not world.live[bad].failed
    world.run(lambda: world.live[good].written == b"hello", 200)
    world.run(lambda: bool(world.done))
    assert world.done[0].failed and world.done[0].told == ["opened", "ended"]
    assert not world.app.timer


@pytest.mark.parametrize("peer_closed", [False, True])
def test_a_reset_by_the_kernel_is_a_failure(benches: Benches, peer_closed: bool) -> None:
    """It is told as one by the peer is, and bytes that come meanwhile are not read."""
    world = StreamWorld(benches)
    world.automatic = False
    session = world.open(500)
    assert session is not None
    state = world.live[session]
    world.run(lambda: bool(state.told) and state.read_wish[1] != state.served[0])
    state.served[0] = state.read_wish[1]  # the layer hears of them by the end
    world.comes(session, 500)
    state.peer_closed = peer_closed
    world.say(session, reset=1)
    world.run(lambda: bool(world.done))
    assert state.failed and state.told == ["opened", "ended"]
    assert not state.got and not world.served


def test_peer_that_reads_slowly(benches: Benches) -> None:
    """The time restarts with each waiting piece."""
    world = StreamWorld(benches, PatienceUs=1000)
    world.automatic = False
    session = world.open(0, keen=False)
    assert session is not None
    state = world.live[session]
    world.run(lambda: bool(state.told))
    world.say(session, bytes(4 * world.ring))
    world.app.bench.control(1)
    while len(state.written) < 4 * world.ring:
        world.app.bench.run(300)
        state.acked = min(state.acked + world.chunk, len(state.written))
        world.step()
        assert not state.failed


def test_connections_that_the_kernel_opens(benches: Benches) -> None:
    world = StreamWorld(benches, Listens=0)
    random = world.random
    opened = []

    def connected(session: int, state: Connection, flag: str) -> None:
        if flag == "opened":
            opened.append(session)
            world.say(session, b"request", close=1)
        world.answer(session, state, flag)

    world.on_flag = connected
    for pace in PACES:
        world.app.bench.pace(**pace)
        for _ in range(20):
            ip, port = random.getrandbits(32), random.getrandbits(16)
            address = ip.to_bytes(4, "little") + port.to_bytes(2, "little")
            # The session and the flags are ignored.
            flags = {"connect": 1, "close": 1, "done": 1, "session": random.randrange(4)}
            world.app.send(address, TO.pack(**flags))
            world.run(lambda: bool(world.asked))
            request = world.asked.pop()
            assert request["request"] == CONNECT and not request["mac_port"]
            assert (request["argument"], request["peer_port"], request["port"]) == (ip, port, PORT)
            chance = random.random()
            free = [each for each in range(4) if each not in world.live]
            if chance < 0.3 or not free:
                misses = world.misses
                world.app.beats(b"", EVENT.pack(port=PORT, changes__failed=1), KIND_EVENT)
                world.run(lambda misses=misses: world.misses == misses + 1)
            elif chance < 0.6:
                session = free[0]
                addresses = {"ip": ip, "peer_port": port, "own_port": REQUESTED}
                first = random.getrandbits(32)
                state = Connection(addresses, 0, first, b"", world.ring, active=True)
                world.live[session] = state
                world.ends(session, failed=True)
                world.run(lambda state=state: "ended" in state.told)
                assert state.told == ["ended"]
            else:
                world.open(300, requested=True)
    world.run(lambda: not world.live)
    assert opened and not world.ports


def test_connections_beyond_those_that_may_be_requested(benches: Benches) -> None:
    """They fail at once; as many as have been answered may be requested again."""
    world = StreamWorld(benches, Listens=0, MaxConnects=3, TcpPort=0)
    world.automatic = False

    def connect(count: int, asked: int) -> None:
        """Requests so many; so many reach the engine."""
        before = len(world.asked), world.misses
        for _ in range(count):
            world.app.send(bytes([10, 0, 77, 10, 80, 0]), TO.pack(connect=1))
        world.run(lambda: world.misses == before[1] + count - asked)
        world.step(200)
        assert (len(world.asked), world.misses) == (before[0] + asked, before[1] + count - asked)

    connect(5, 3)
    assert not world.counted["forgotten"]
    world.ports.add(PORT)
    world.open(0)  # by a peer: answers none
    connect(2, 0)
    world.app.beats(
        b"", EVENT.pack(port=0, tuple__own_port=REQUESTED, changes__failed=1), KIND_EVENT
    )
    world.step(100)
    assert world.misses == 5
    connect(3, 1)
    opened = world.open(0, requested=True)
    assert opened is not None
    connect(3, 1)
    # Its end is no further answer; one that never opens is.
    world.ends(opened, failed=True)
    world.run(lambda: bool(world.done))
    connect(2, 0)
    refused = next(each for each in range(4) if each not in world.live)
    addresses = {"ip": 1, "peer_port": 2, "own_port": REQUESTED}
    world.live[refused] = Connection(addresses, 0, 5, b"", world.ring, active=True)
    world.ends(refused, failed=True)
    world.run(lambda: len(world.done) == 2)
    connect(3, 1)
    for _ in range(3):
        world.app.beats(b"", EVENT.pack(tuple__own_port=REQUESTED, changes__failed=1), KIND_EVENT)
    world.step(200)
    connect(9, 3)


def test_ports_that_the_kernel_opens(benches: Benches) -> None:
    """With port 0 none is open at first; the kernel opens and closes any."""
    world = StreamWorld(benches, TcpPort=0)
    echoing(world)
    random = world.random
    world.step(200)
    assert not world.ports
    said: set[int] = set()
    for pace in PACES:
        world.app.bench.pace(**pace)
        for _ in range(20):
            port = random.choice(sorted(said)) if len(said) > 3 else random.randrange(1, 1 << 16)
            flag = "unlisten" if port in said else "listen"
            said ^= {port}
            # The session and the other flags are ignored, and what follows the port.
            flags = {flag: 1, "close": 1, "reset": 1, "done": 1, "session": random.randrange(4)}
            rest = random.randbytes(random.choice([0, 6, 20, 200]))
            world.app.send(port.to_bytes(2, "little") + rest, TO.pack(**flags))
            world.run(lambda said=frozenset(said): world.ports == said)
            if said:
                world.open(random.choice([0, 1, 500]))
    world.run(lambda: not world.live)
    assert len(world.done) > 20
    assert all(state.to_come == state.written for state in world.done)


@WIDTHS
def test_requests_begin_with_their_first_beat(benches: Benches, width: int) -> None:
    """What follows an address or a port is ignored, and so is a request that is too short."""
    world = StreamWorld(benches, width, TcpPort=0)
    world.step(200)
    world.app.send(b"\x07\x00" + bytes(126) + b"\x78\x56" + bytes(200), TO.pack(listen=1))
    world.run(lambda: world.ports == {PORT})
    world.automatic = False
    session = world.open(0)
    assert session is not None
    world.run(lambda: bool(world.live[session].told))
    flags = {"close": 1, "reset": 1, "done": 1, "session": session}
    for request in ("listen", "unlisten", "connect"):
        for parts in ([b""], [b"\x07"], [b"\x09", b"\x00"]):
            items = world.app.axi_items(parts, TO.pack(**{request: 1}, **flags))
            world.app.bench.push(items, TX)
            world.step(60)
    state = world.live[session]
    assert world.ports == {PORT} and len(world.live) == 1
    assert state.closing is None and not state.over
    assert world.counted["forgotten"] == 9
    world.app.send(b"\x07\x00" + bytes(200), TO.pack(unlisten=1))
    world.run(lambda: world.ports == set())


def test_ports_of_others(benches: Benches) -> None:
    """With a port of its own, the layer opens and closes no other one."""
    world = StreamWorld(benches, Listens=0)
    for port, flag, after in (
        (PORT + 1, "listen", set()),
        (PORT, "listen", {PORT}),
        (PORT + 256, "unlisten", {PORT}),
        (PORT, "unlisten", set()),
        (PORT, "listen", {PORT}),
    ):
        world.app.send(port.to_bytes(2, "little"), TO.pack(**{flag: 1}))
        for _ in range(20):
            world.step()
        assert world.ports == after
    assert world.counted["forgotten"] == 2


def test_missed_connections_while_the_kernel_does_not_listen(benches: Benches) -> None:
    world = StreamWorld(benches)
    world.app.bench.stall(RX, 1.0)
    for _ in range(100):
        world.app.beats(b"", EVENT.pack(port=PORT, changes__failed=1), KIND_EVENT)
    for _ in range(100):
        world.step()
    world.app.bench.stall(RX, 0.0)
    world.run(lambda: world.misses == 100, 300)


@WIDTHS
def test_numbers_of_no_session(benches: Benches, width: int) -> None:
    """Output of the kernel for an impossible session affects no other one."""
    world = StreamWorld(benches, width)
    session = world.open(0)
    assert session is not None
    world.run(lambda: bool(world.live[session].told))
    for flags in ({}, {"close": 1}, {"reset": 1}, {"done": 1}):
        world.app.send(b"stray", TO.pack(session=session + 4, **flags))
    world.say(session, b"own")
    world.automatic = False
    for _ in range(50):
        world.step()
    state = world.live[session]
    assert state.written == b"own" and state.closing is None and not state.over


@WIDTHS
def test_beats_that_are_not_full(benches: Benches, width: int) -> None:
    """The bytes of a message may be spread over its beats arbitrarily."""
    world = StreamWorld(benches, width)
    random = world.random
    session = world.open(0)
    assert session is not None
    state = world.live[session]
    world.run(lambda: bool(state.told))
    for _ in range(200):
        sizes = [random.randrange(world.app.size + 1) for _ in range(random.randrange(1, 40))]
        parts = [random.randbytes(size) for size in sizes]
        world.app.bench.push(world.app.axi_items(parts, TO.pack(session=session)), TX)
        state.sent += b"".join(parts)
    world.say(session, close=1)
    world.run(lambda: bool(world.done))
    assert state.written == state.sent


def requests_come(world: StreamWorld, listens: bool) -> bool:
    """Now and then the kernel asks for something or ends what it says. Whether its port is open."""
    random = world.random
    request = random.choice(["port", "connect", "close", "", "", "", ""])
    if request == "port":
        listens = not listens
        flag = "listen" if listens else "unlisten"
        world.app.send(PORT.to_bytes(2, "little"), TO.pack(**{flag: 1}))
    elif request == "connect":
        world.app.send(random.randbytes(6), TO.pack(connect=1))
    elif request == "close" and world.live:
        world.say(random.choice(sorted(world.live)), close=1)
    return listens


@WIDTHS
def test_reset_in_traffic(benches: Benches, width: int) -> None:
    world = StreamWorld(benches, width)
    for _ in range(15):
        mischief(world)
        world.app.bench.pace(gap=0.2, stall=world.random.choice([0.0, 0.6, 1.0]))
        for _ in range(4):
            world.open(2000)
        listens = True
        for _ in range(world.random.randrange(100)):
            listens = requests_come(world, listens)
            world.step()
        world.reset()
        world.app.bench.pace(gap=0.1, stall=0.1)
        echoing(world)
        for length in (0, 1, 500):
            world.open(length)
        world.run(lambda: len(world.done) == 3)
        assert world.ports == {PORT} and not world.asked
        assert all(bytes(state.got) == state.to_come == state.written for state in world.done)


@WIDTHS
def test_every_length(benches: Benches, width: int) -> None:
    """Messages of the kernel and chunks of every length up to three pieces."""
    world = StreamWorld(benches, width)
    world.automatic = False
    session = world.open(0)
    assert session is not None
    state = world.live[session]
    world.run(lambda: bool(state.told))
    for length in range(3 * world.chunk + 2):
        world.say(session, world.random.randbytes(length))
        state.to_come += world.random.randbytes(length)
        state.came += length if length <= world.ring else 0
        count = len(state.sent)

        def all_there(count: int = count) -> bool:
            state.acked = len(state.written)
            return len(state.written) == count and len(state.got) == state.came

        world.run(all_there)
    assert state.written == state.sent


def test_streams_are_fast(benches: Benches) -> None:
    """Both ways at the same time: no more than some 10 cycles are lost with a chunk."""
    world = StreamWorld(benches, ChunkBytes=1024)
    world.automatic = False
    world.ring = 8 * 1024
    session = world.open(200_000)
    assert session is not None
    state = world.live[session]
    world.run(lambda: bool(state.told))
    world.say(session, bytes(100_000))
    start = world.app.bench.cycle
    while len(state.got) < 100_000 or len(state.written) < 100_000:
        state.acked = len(state.written)
        world.comes(session, 100_000)
        world.step(4)
        for answer in world.reads:
            world.app.beats(answer.payload, answer.side, 1)
        world.reads.clear()
    cycles = world.app.bench.cycle - start
    assert cycles < 1.25 * 100_000 / 8, cycles
