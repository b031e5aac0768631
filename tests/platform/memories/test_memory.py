# SPDX-License-Identifier: Apache-2.0
"""Messages through an external memory: `memory_buffer` with the model at its raised port."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from bombus.base.paths import DESIGNS
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, udp_frame
from bombus.simulator.simulation import Simulation, SimulationError
from tests.support import message_sums

pytestmark = pytest.mark.slow

BEAT = 16
LONGEST = 9600 - 14 - 28


@pytest.fixture(scope="module")
def simulation() -> Iterator[Simulation]:
    with Simulation(DESIGNS / "udp_echo_memory.yaml", assertions=True) as opened:
        introduce(opened, neighbour(opened.manifest))
        yield opened
        opened.check()
        message_sums.check(opened)


def echo(simulation: Simulation, payloads: list[bytes], window: int) -> list[int]:
    """Sends datagrams and compares the replies; cycles from the first beat in to the first out."""
    host = Host.from_manifest(simulation.manifest)
    station = neighbour(simulation.manifest)
    frames = [
        udp_frame(station, host, payload, port=7, source_port=40000 + n)
        for n, payload in enumerate(payloads)
    ]
    exchange = simulation.exchange(frames, window=window, limit_cycles=1_000_000)
    pairs = zip(exchange.received, payloads, strict=True)
    assert [frame.data[42 : 42 + len(payload)] for frame, payload in pairs] == payloads
    return [
        frame.first_beat_cycle - sent.first_beat_cycle
        for frame, sent in zip(exchange.received, exchange.sent, strict=True)
    ]


def test_every_length_comes_back(simulation: Simulation) -> None:
    random = Random(1)
    # Whole bursts and slots, a byte more and a byte less, and all short ones.
    edges = [BEAT * 16 * n + more for n in range(1, 5) for more in (-1, 0, 1)]
    lengths = [*range(3 * BEAT), *edges, 4096, 8192, LONGEST - 1, LONGEST]
    random.shuffle(lengths)
    echo(simulation, [random.randbytes(n) for n in lengths], window=8)


def test_slots_wrap_and_the_memory_stalls(simulation: Simulation) -> None:
    random = Random(2)
    simulation.pace(rx_bubble=0.3, tx_stall=0.5)
    echo(simulation, [random.randbytes(random.randrange(200)) for _ in range(300)], window=80)
    simulation.pace()


def test_latency_is_that_of_the_memory(simulation: Simulation) -> None:
    # 100 ns to read and 50 ns to write at 250 MHz, beside some 30 cycles of the layers.
    (cycles,) = echo(simulation, [b"x"], window=1)
    assert 25 + 13 + 20 < cycles < 25 + 13 + 60


def test_raised_pin_shows_the_fill(simulation: Simulation) -> None:
    assert simulation.read_pin("fill_o") == 0
    host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
    simulation.send(udp_frame(station, host, b"hello", port=7, source_port=40000))
    seen = set()
    for _ in range(200):
        simulation.advance(1)
        seen.add(simulation.read_pin("fill_o"))
    assert seen == {0, 1}
    assert len(simulation.receive_all()) == 1
    with pytest.raises(SimulationError, match="did you mean 'fill_o'"):
        simulation.read_pin("fil_o")
    with pytest.raises(SimulationError, match="is an output"):
        simulation.write_pin("fill_o", 1)
    with pytest.raises(SimulationError, match="raises no port 'memory_awvalid_o'"):
        simulation.read_pin("memory_awvalid_o")
