# SPDX-License-Identifier: Apache-2.0
"""What strangers can take of a server, and what its numbers tell them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bombus.protocols.tcp.model import State
from bombus.simulator.build import build
from bombus.simulator.simulation import Simulation
from tests.protocols.tcp.tcp_hostile import PORT, SESSIONS, World, echo_server
from tests.protocols.tcp.tcp_wire import NOP, TIMESTAMPS, Wire, decode, parse
from tests.support.helpers import DESIGNS

pytestmark = pytest.mark.slow

IDLE_US = 60_000_000  # evict_idle_s
STAMP = bytes((NOP, NOP, TIMESTAMPS, 10)) + bytes(8)


@contextmanager
def world(*, seed: int = 0, shares: bool = False) -> Iterator[World]:
    """`shares`: one peer may take half of the sessions, the default, instead of all."""
    library = build(DESIGNS / "tcp_echo.yaml", assertions=True) if shares else echo_server()
    with Simulation(library, timer_step_us=20_000, seed=seed) as simulation:
        yield World(simulation, "strangers")
        simulation.check()


def answer(here: World, port: int) -> Wire:
    """The SYN,ACK for a SYN from this port, whose handshake ends at once."""
    simulation, stations = here.simulation, here.stations
    ends = stations.station, stations.host
    simulation.send(Wire(port, PORT, 1000, flags=frozenset({"SYN"}), options=STAMP).frame(*ends))
    found = None
    while found is None:  # requests of ARP
        frame = simulation.receive(timeout_cycles=5000)
        assert frame is not None
        found = decode(frame.data)
    assert found.flags == {"SYN", "ACK"}
    simulation.send(Wire(port, PORT, 1001, flags=frozenset({"RST"})).frame(*ends))
    simulation.advance_until_idle()
    return found


def stamp(segment: Wire) -> int:
    stamps = parse(segment.options).timestamps
    assert stamps is not None
    return stamps[0]


def test_timestamps_do_not_tell_the_time() -> None:
    """Those of two connections have nothing in common, nor do those after another reset. Those of
    one pair of ports go on, so that old segments stay old (RFC 7323, 5.8 and 7.1).
    """
    with world() as here:
        first, other = stamp(answer(here, 2000)), stamp(answer(here, 2001))
        apart = (other - first) % 2**32
        assert 1000 < apart < 2**32 - 1000
        assert min(first, other) > 1000
        here.simulation.elapse(us=1024 * 500)
        again = stamp(answer(here, 2000))
        assert 500 <= (again - first) % 2**32 <= 501
    with world(seed=1) as here:
        assert abs(stamp(answer(here, 2000)) - first) > 1000


def test_initial_sequence_numbers_change_with_the_secret() -> None:
    found = set()
    for seed in range(2):
        with world(seed=seed) as here:
            found |= {answer(here, port).seq >> 10 for port in (2000, 2001)}
    assert len(found) == 4


def test_idle_connections_make_room() -> None:
    """Sixteen that do nothing do not shut the server: the one that was idle longest ends."""
    with world() as here:
        stations = here.stations
        ports = range(2000, 2000 + SESSIONS)
        for port in ports:
            stations.connect(port)
            here.simulation.elapse(us=100_000)
        here.echo((ports[0],), 100, lambda: None)  # so that the second one is the longest idle
        client = stations.open(3000, 1)
        here.simulation.elapse(us=IDLE_US // 2)
        stations.step()
        assert client.state is State.SYN_SENT and not here.events()["evicted_idle"]
        here.simulation.elapse(us=IDLE_US // 2)
        stations.run(lambda: client.state is State.ESTABLISHED)
        # Both ends of the other one know.
        ended = [port for port in ports if stations.endpoints[port].state is State.CLOSED]
        assert ended == [ports[1]]
        assert here.events()["evicted_idle"] == 1
        del stations.endpoints[ports[1]]
        here.echo((ports[0], ports[-1], 3000), 1000, lambda: None)


def test_one_peer_does_not_take_all() -> None:
    """Half of the sessions remain for others, and one that ends makes room for the next."""
    with world(shares=True) as here:
        stations = here.stations
        opened = stations.connect(*range(2000, 2000 + SESSIONS // 2))
        client = stations.open(3000, 1)
        for _ in range(20):
            stations.step()
        assert client.state is State.SYN_SENT
        counters = here.simulation.tile("tcp").counters()
        assert counters["drop.tcp.peer_limit"] == 1 and not counters["drop.tcp.no_session"]
        opened[0].abort()
        stations.flush()
        stations.run(lambda: client.state is State.ESTABLISHED)
