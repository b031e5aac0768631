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
}


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("seed", range(1, 5))
def test_echo(benches: Benches, link: str, seed: int) -> None:
    random = Random(seed)
    world = World(benches("tcp_core"), seed, **LINKS[link])
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
