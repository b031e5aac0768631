# SPDX-License-Identifier: Apache-2.0
"""The state of the TCP engine, against an independent endpoint over links of all kinds."""

from __future__ import annotations

from random import Random

import pytest
from harness import Benches
from tcp_world import Session, World

from bombus.golden.tcp import Endpoint, State


def connect(world: World, *numbers: int, **options: object) -> list[Endpoint]:
    """Peers that open connections."""
    for number in numbers:
        peer = Endpoint(world.random.getrandbits(32), now=world.now, **options)  # type: ignore[arg-type]
        world.peers[number] = peer
        peer.connect()
        world.flush(number)
    peers = [world.peers[number] for number in numbers]
    world.run(lambda: all(peer.state is State.ESTABLISHED for peer in peers))
    world.run(
        lambda: all(
            number in world.by_peer and world.sessions[world.by_peer[number]].opened
            for number in numbers
        )
    )
    return peers


def test_connection_opens_and_closes(benches: Benches) -> None:
    world = World(benches("tcp_core"))
    (peer,) = connect(world, 7)
    session = world.by_peer[7]
    peer.close()
    world.flush(7)
    world.run(lambda: world.sessions[session].peer_closed)
    assert peer.state in (State.FIN_WAIT_1, State.FIN_WAIT_2)
    world.close(session)
    world.run(lambda: 7 not in world.by_peer)
    assert peer.state is State.TIME_WAIT


def echo(world: World) -> None:
    """Applications that send back what comes, and close when the peer does."""

    def on_report(session: int, state: Session, report: dict[str, int]) -> None:
        if report["changes.opened"]:
            world.want(session)
        if report["changes.readable"] or report["changes.peer_closed"]:
            world.write(session, world.read(session))
            if state.peer_closed:
                world.close(session)
            else:
                world.want(session)
        if report["changes.closed"] and not state.peer_closed:
            world.request(session, "abort")

    world.on_report = on_report


LINKS = {
    "clean": {},
    "loss": {"loss": 0.05},
    "doubled": {"double": 0.2},
    "jitter": {"delay_us": (10, 3000)},
    "all": {"loss": 0.1, "double": 0.1, "delay_us": (10, 2000)},
    "much loss": {"loss": 0.15},
}


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("seed", range(1, 5))
def test_echo(benches: Benches, link: str, seed: int) -> None:
    check_echo(World(benches("tcp_core"), seed, **LINKS[link]), seed)


@pytest.mark.parametrize("link", ("clean", "all"))
@pytest.mark.parametrize("nagle", (0, 1))
def test_echo_with_a_small_window(benches: Benches, link: str, nagle: int) -> None:
    """Smaller than two segments: the peer waits for it."""
    bench = benches("tcp_core", ReceiveBytes=2048, Nagle=nagle)
    check_echo(World(bench, 1, **LINKS[link]), 1)


def check_echo(world: World, seed: int) -> None:
    random = Random(seed)
    echo(world)
    numbers = range(1, 6)
    connect(world, *numbers)
    sent = {number: random.randbytes(random.randrange(1, 40_000)) for number in numbers}
    back = {number: bytearray() for number in numbers}
    for number in numbers:
        world.peers[number].send(sent[number])
        world.peers[number].close()
        world.flush(number)

    def done() -> bool:
        for number in numbers:
            back[number] += world.peers[number].read()
            world.flush(number)
        return (
            all(len(back[number]) == len(sent[number]) for number in numbers) and not world.by_peer
        )

    world.run(done, limit_us=600_000_000)
    for number in numbers:
        assert back[number] == sent[number]
        assert not world.peers[number].failed


@pytest.mark.parametrize("buffer", (1, 100, 1448, 3000, 10_000))
@pytest.mark.parametrize("loss", (0.0, 0.05))
def test_window_of_the_peer_shuts_and_opens(benches: Benches, buffer: int, loss: float) -> None:
    """A peer that reads late, in parts: every byte comes, whatever its window is."""
    random = Random(buffer)
    world = World(benches("tcp_core"), seed=buffer, loss=loss)
    (peer,) = connect(world, 3, buffer=buffer, scale=None)
    session = world.by_peer[3]
    data = random.randbytes(20 * buffer if buffer < 1000 else 3 * buffer + 77)
    world.write(session, data)
    world.close(session)
    got = bytearray()
    while len(got) < len(data) or peer.state not in (State.CLOSE_WAIT, State.LAST_ACK):
        world.run(lambda: bool(peer.received) or peer.state is State.CLOSE_WAIT, 900_000_000)
        # It stays shut for longer each time: the engine has to ask.
        wait = world.now + random.choice([1_000, 300_000, 2_000_000])
        world.run_to(wait)
        got += peer.read(random.randrange(1, buffer + 1))
        world.flush(3)
    assert got == data
    assert not peer.failed
    peer.close()
    world.flush(3)
    world.run(lambda: 3 not in world.by_peer, 900_000_000)


@pytest.mark.parametrize("lost", ("ack", "nothing"))
@pytest.mark.parametrize("fin", (False, True))
def test_first_bytes_come_with_the_end_of_the_handshake(
    benches: Benches, lost: str, fin: bool
) -> None:
    world = World(benches("tcp_core"))
    echo(world)
    peer = Endpoint(7, now=0)
    world.peers[1] = peer
    peer.connect()
    world.flush(1)
    world.run(lambda: peer.state is State.ESTABLISHED, 10_000_000, flush=False)
    if lost == "ack":
        peer.take()
    peer.send(b"first bytes")
    if fin:
        peer.close()
    world.flush(1)
    world.run(lambda: len(peer.received) == 11, 60_000_000)
    assert peer.read() == b"first bytes"


def test_application_aborts(benches: Benches) -> None:
    world = World(benches("tcp_core"))
    peers = connect(world, 1, 2)
    world.request(world.by_peer[1], "abort")
    world.run(lambda: 1 not in world.by_peer)
    world.run(lambda: peers[0].state is State.CLOSED)
    assert peers[0].failed
    assert peers[1].state is State.ESTABLISHED
    peers[1].abort()
    world.flush(2)
    world.run(lambda: 2 not in world.by_peer)


def test_session_is_kept_until_its_application_lets_go(benches: Benches) -> None:
    """Also until all bytes have come that it says it has written."""
    world = World(benches("tcp_core"))
    (peer,) = connect(world, 1)
    session = world.by_peer[1]
    state = world.sessions[session]
    state.freed = True  # by hand
    peer.abort()
    world.flush(1)
    world.run(lambda: state.closed)
    world.bench.run(100)
    assert 1 in world.by_peer
    state.sent += bytes(10)
    world.free(session)
    world.bench.run(100)
    world.settle()
    assert 1 in world.by_peer
    world.request(session, "send", state.first + 10)
    world.run(lambda: 1 not in world.by_peer)


def test_requests_of_sessions_that_there_are_not(benches: Benches) -> None:
    world = World(benches("tcp_core"))
    for session in (16, 17, 2**14 - 1):
        world.request(session, "abort")
    world.bench.run(100)
    assert world.bench.events[6] == 3
    connect(world, 1)


def test_many_connections_one_after_the_other(benches: Benches) -> None:
    world = World(benches("tcp_core"))
    echo(world)
    for round_ in range(60):
        numbers = range(8 * round_, 8 * round_ + 8)
        peers = connect(world, *numbers)
        for number, peer in zip(numbers, peers, strict=True):
            peer.send(bytes([number % 256]) * (number % 50 + 1))
            peer.close()
            world.flush(number)
        world.run(lambda peers=peers: not world.by_peer, 60_000_000)
        for number, peer in zip(numbers, peers, strict=True):
            assert peer.read() == bytes([number % 256]) * (number % 50 + 1)
            del world.peers[number]
