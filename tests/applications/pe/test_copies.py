# SPDX-License-Identifier: Apache-2.0
"""Copies by streams in a whole design, that of the documentation."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

import bombus
from bombus.applications.pe.copies import PIECE_BYTES, RegisterCopies, StreamCopies
from bombus.applications.pe.element import Element
from bombus.applications.pe.memory import In, InOut
from bombus.simulator.build import Library, build
from bombus.simulator.simulation import Simulation, SimulationError
from bombus.simulator.streams import Message
from tests import ROOT

pytestmark = pytest.mark.slow

DESIGN = ROOT / "docs" / "examples" / "pe" / "memory.yaml"
PEAK = 14.4e9 / 250e6  # of the memory, in bytes per cycle
STREAMS = "sum_in_0", "sum_out_0"  # of the first element


@pytest.fixture(scope="module")
def library() -> Library:
    return build(DESIGN, assertions=True)


@pytest.fixture
def simulation(library: Library) -> Iterator[Simulation]:
    with Simulation(library, seed=1) as simulation:
        yield simulation
        simulation.check()


@pytest.fixture
def element(simulation: Simulation) -> Element:
    return bombus.elements(simulation).of("sum_words")[0]


def by_registers(simulation: Simulation) -> RegisterCopies:
    """Of the same memory."""
    return RegisterCopies(simulation.registers.tiles["sum_0"].pe_memory, "sum_0")


def by_streams(simulation: Simulation) -> StreamCopies:
    copy_in, copy_out = (simulation.streams[name] for name in STREAMS)
    return StreamCopies(copy_in, copy_out, "sum_0")


def test_both_ways(simulation: Simulation, element: Element) -> None:
    """Registers and streams show the same bytes, at any address and length."""
    random = Random(1)
    words = by_registers(simulation)
    for address, size in ((0, 1), (63, 2), (0x1001, 130), (4096, 64), (element.memory.size - 9, 9)):
        data = random.randbytes(size)
        element.memory.write(address, data)
        assert words.read(address, size) == data
        data = random.randbytes(size)
        words.write(address, data)
        assert element.memory.read(address, size) == data
    assert element.memory.read(7, 0) == b""
    element.memory.write(7, b"")


@pytest.mark.parametrize("size", [PIECE_BYTES - 1, PIECE_BYTES, 2 * PIECE_BYTES + 1])
def test_several_messages(element: Element, size: int) -> None:
    data = Random(size).randbytes(size)
    element.memory.write(0x123, data)
    assert element.memory.read(0x123, size) == data
    assert element.memory.read(0x122, 2) == bytes([0, data[0]])


@pytest.mark.parametrize(("size", "count"), [(4096, 32), (PIECE_BYTES, 2)])
def test_rate(simulation: Simulation, size: int, count: int) -> None:
    """At least 90% of the memory's bandwidth, which its refreshes are part of: copies one after
    the other, from the first answer to the last one.
    """
    copy_in, copy_out = (simulation.streams[name] for name in STREAMS)
    data = bytes(64) + Random(1).randbytes(size)
    for opcode in (b"WRIT", b"READ"):
        for number in range(count + 1):
            header = (size * number).to_bytes(8, "little") + size.to_bytes(4, "little") + opcode
            copy_in.send(header.ljust(64, b"\0") + (data[64:] if opcode == b"WRIT" else b""))
        ends = []
        for _ in range(count + 1):
            answer = copy_out.receive(1000)
            assert answer is not None
            assert answer.data == (data[64:] if opcode == b"READ" else b"") + b"\0"
            ends.append(simulation.cycle)
        rate = count * size / (ends[-1] - ends[0])
        print(f"{opcode.decode()} {size}: {rate:.1f} bytes per cycle, {rate / PEAK:.1%}")
        assert rate > 0.9 * PEAK


def test_cycles_of_a_copy(simulation: Simulation, element: Element) -> None:
    """As the documentation states them, for 4 KiB."""
    data = Random(1).randbytes(4096)
    cycles = []
    for _ in range(8):
        start = simulation.cycle
        element.memory.write(0, data)
        written = simulation.cycle
        assert element.memory.read(0, len(data)) == data
        cycles.append((written - start, simulation.cycle - written))
    print(cycles)
    assert all(write < 250 and read < 250 for write, read in cycles)


def test_while_the_kernel_runs(simulation: Simulation, element: Element) -> None:
    """Copies and the kernel share the memory: neither takes much more than twice as long."""
    size = 1 << 16
    data = Random(1).randbytes(size)
    element.memory.write(0, data)
    alone = element.run(0, size)
    element.start(0, size)
    element.memory.write(size, data)
    both = element.wait()
    assert both.value == alone.value
    assert alone.cycles * 1.5 < both.cycles < alone.cycles * 2.3
    assert element.memory.read(size, size) == data
    assert element.run(InOut(data), size).outputs == (data,)
    assert element.run(In(data), size).value == alone.value


def test_refused(simulation: Simulation, element: Element) -> None:
    streams = by_streams(simulation)
    with pytest.raises(SimulationError, match="0xfffffffe: the layer pe_dma has refused it"):
        streams.read(element.memory.size - 2, 4)
    with pytest.raises(SimulationError, match="0xffffffff: the layer pe_dma has refused it"):
        streams.write(element.memory.size - 1, b"no")
    streams.write(0, b"bombus")
    assert streams.read(0, 6) == b"bombus"
    assert simulation.tile_counters("sum_0")["event.pe_dma.refused"] == 2


def test_late_answers(simulation: Simulation, element: Element) -> None:
    """A copy that was given up does not answer for a later one."""
    copy_out = simulation.streams[STREAMS[1]]
    element.memory.write(0, b"bombus")
    copy_out.pace(1)
    with pytest.raises(SimulationError, match="sum_0: read of 6 bytes from 0x0: no answer after"):
        element.memory.read(0, 6)
    copy_out.pace(0)
    assert element.memory.read(3, 3) == b"bus"


@pytest.mark.parametrize("cycles", [1, 20, 100, 200, 1000])
def test_reset_in_a_copy(simulation: Simulation, element: Element, cycles: int) -> None:
    data = Random(1).randbytes(PIECE_BYTES)
    copy_in = simulation.streams[STREAMS[0]]
    header = bytes(8) + len(data).to_bytes(4, "little")
    copy_in.send((header + b"WRIT").ljust(64, b"\0") + data)
    copy_in.send((header + b"READ").ljust(64, b"\0"))
    simulation.advance(cycles)
    simulation.reset()
    element.memory.write(5, data)
    assert element.memory.read(5, len(data)) == data


@pytest.mark.parametrize(
    ("status", "reason"),
    [(1, "answered with an error"), (3, "another length"), (77, "status 77")],
)
def test_status(simulation: Simulation, status: int, reason: str) -> None:
    """Of any of the messages of a copy, when all are answered."""

    class Answers:
        """A stream of answers."""

        def __init__(self) -> None:
            self.left = [0, status, 0]

        def receive(self, _: int) -> Message | None:
            return Message(bytes(64) + bytes([self.left.pop(0)])) if self.left else None

    answers = Answers()
    copies = StreamCopies(simulation.streams[STREAMS[0]], answers, "sum_0")  # type: ignore[arg-type]
    with pytest.raises(SimulationError, match=reason):
        copies.read(0, 2 * PIECE_BYTES + 1)
    assert not answers.left
