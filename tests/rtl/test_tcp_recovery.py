# SPDX-License-Identifier: Apache-2.0
"""What the engine sends again when the peer tells by SACK what has come (RFC 6675)."""

from __future__ import annotations

from random import Random

import pytest
from harness import Benches
from tcp_world import World

from bombus.golden.tcp import Endpoint, Segment, distance

MSS = 1448
TIMEOUT, REPEAT, HOLE = 3, 4, 7  # events of tcp_core


def opened(world: World, **options: object) -> tuple[Endpoint, int]:
    peer = Endpoint(5, now=world.now, **options)  # type: ignore[arg-type]
    world.peers[1] = peer
    peer.connect()
    world.flush(1)
    world.run(lambda: 1 in world.by_peer and world.sessions[world.by_peer[1]].opened)
    return peer, world.by_peer[1]


def lose_once(world: World, first: int, numbers: set[int]) -> set[int]:
    """The link loses these of the segments that carry new bytes. The set that is returned gets
    empty."""
    left = set(numbers)
    count, end = 0, 0

    def loses(target: int, segment: Segment) -> bool:
        nonlocal count, end
        behind = distance(segment.seq, first) + len(segment.payload)
        if target < 0 or not segment.payload or behind <= end:
            return False
        end = behind
        count += 1
        if count - 1 not in left:
            return False
        left.remove(count - 1)
        return True

    world.loses = loses
    return left


@pytest.mark.parametrize(
    "lost", ({0}, {1}, {0, 2, 4}, {2, 3}, {1, 2, 3, 5}, {0, 3, 6}, {0, 2, 4, 6}), ids=str
)
@pytest.mark.parametrize("seed", (1, 2))
def test_gaps_of_a_window_are_filled_in_a_round_trip(
    benches: Benches, lost: set[int], seed: int
) -> None:
    """And nothing else is sent again."""
    world = World(benches("tcp_core"), seed, delay_us=(1000, 1000))
    peer, session = opened(world)
    data = Random(1).randbytes(10 * MSS)
    left = lose_once(world, world.sessions[session].first, lost)
    begin = world.now
    world.write(session, data)
    world.run(lambda: len(peer.received) == len(data))
    assert peer.read() == data
    assert not left
    assert world.now - begin < 3_500, "a trip to the peer, back, and to it again: 1 ms each"
    assert world.counts[REPEAT] == len(lost)
    assert world.counts[HOLE] == len(lost)
    assert world.counts[TIMEOUT] == 0


@pytest.mark.parametrize("sacks", (1, 4))
@pytest.mark.parametrize("seed", range(1, 6))
def test_stream_with_losses_goes_on_without_timeouts(
    benches: Benches, sacks: int, seed: int
) -> None:
    random = Random(seed)
    world = World(benches("tcp_core", NumSacks=sacks, SendBytes=2**20), seed, delay_us=(500, 500))
    peer, session = opened(world)
    data = random.randbytes(400 * MSS)
    # Three segments come behind each of them: the window is never smaller.
    lost = {begin + each for begin in range(20, 380, 60) for each in random.sample(range(4), 2)}
    left = lose_once(world, world.sessions[session].first, lost)
    world.write(session, data)
    world.run(lambda: len(peer.received) == len(data))
    got = peer.read()
    assert got == data
    assert not left
    assert world.counts[TIMEOUT] == 0
    if sacks == 4:
        assert world.counts[REPEAT] == len(lost)
