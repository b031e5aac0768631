# SPDX-License-Identifier: Apache-2.0
"""tcp_stream between a kernel and an engine: ports and connections that the kernel requests."""

from __future__ import annotations

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
    echoing,
)
from tests.support.app_bench import RX, TX
from tests.support.harness import PACES, Benches

pytestmark = pytest.mark.slow

# 512 bits: a request is all in its first beat, and a chunk has two beats.
WIDTHS = pytest.mark.parametrize("width", [64, 512])


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
