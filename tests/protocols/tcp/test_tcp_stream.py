# SPDX-License-Identifier: Apache-2.0
"""tcp_stream between a kernel and the messages of an engine: sessions and their bytes."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.protocols.tcp.stream_world import (
    PORT,
    TO,
    Connection,
    StreamWorld,
    echoing,
    mischief,
)
from tests.support.app_bench import BEATS_IN, RX, TX
from tests.support.harness import PACES, SEEDS, Benches

pytestmark = pytest.mark.slow

# 512 bits: a request is all in its first beat, and a chunk has two beats.
WIDTHS = pytest.mark.parametrize("width", [64, 512])


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
    world.run(lambda: bool(state.told) and state.read_awaited[1] != state.served[0])
    state.served[0] = state.read_awaited[1]  # the layer hears of them by the end
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
