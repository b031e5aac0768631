# SPDX-License-Identifier: Apache-2.0
"""Processing elements of whole designs from Python: the designs of the documentation."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

import bombus
from bombus.applications.pe.copies import RegisterCopies
from bombus.applications.pe.element import Element, Outcome
from bombus.applications.pe.elements import Elements
from bombus.applications.pe.memory import In, InOut, Out
from bombus.measure.exchanges import introduce
from bombus.protocols.frames import Host, Station, udp_frame
from bombus.simulator.build import Library, build
from bombus.simulator.simulation import Simulation, SimulationError
from tests import ROOT

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "docs" / "examples" / "pe"
HELD = Path(__file__).parent / "designs" / "held_burst.yaml"
ACCESS_CYCLES = 400  # of that design
ALL_ONES = (1 << 64) - 1
STATION = Station.of("02:00:00:00:00:99", "10.77.0.1")
HEADERS = 14 + 20 + 8  # Ethernet, IPv4, UDP


@pytest.fixture(scope="module")
def stream_library() -> Library:
    return build(EXAMPLES / "stream.yaml", assertions=True)


@pytest.fixture(scope="module")
def memory_library() -> Library:
    return build(EXAMPLES / "memory.yaml", assertions=True)


@pytest.fixture(scope="module")
def held_library() -> Library:
    return build(HELD, assertions=True)


@pytest.fixture
def held(held_library: Library) -> Iterator[Simulation]:
    with Simulation(held_library, seed=1) as simulation:
        yield simulation
        simulation.check()


@pytest.fixture
def stream(stream_library: Library) -> Iterator[Simulation]:
    with Simulation(stream_library, seed=1) as simulation:
        introduce(simulation, STATION)
        yield simulation
        simulation.check()


@pytest.fixture
def memory(memory_library: Library) -> Iterator[Simulation]:
    with Simulation(memory_library, seed=1) as simulation:
        yield simulation
        simulation.check()


def send(simulation: Simulation, port: int, payloads: list[bytes]) -> None:
    host = Host.from_manifest(simulation.manifest)
    for payload in payloads:
        simulation.send(udp_frame(STATION, host, payload, port=port))


def replies(simulation: Simulation, lengths: list[int]) -> list[bytes]:
    frames = simulation.receive_all()
    assert len(frames) == len(lengths)
    return [
        frame.data[HEADERS : HEADERS + length]
        for frame, length in zip(frames, lengths, strict=True)
    ]


def words(data: bytes) -> int:
    return sum(struct.unpack(f"<{len(data) // 4}I", data))


# ---- Streams ----


def test_elements(stream: Simulation) -> None:
    elements = bombus.elements(stream)
    assert elements is bombus.elements(stream)
    assert [(each.name, each.kind, each.number) for each in elements] == [
        ("add", "udp_add", 0),
        ("add_quietly", "udp_add", 1),
    ]
    assert [each.interrupt for each in elements] == ["add_done_o", None]
    assert elements.of("udp_add") == list(elements)
    with pytest.raises(SimulationError, match="no processing element has the kernel 'udp_ad'"):
        elements.of("udp_ad")


def test_addresses(stream: Simulation) -> None:
    """Those of TaPaSCo's control interface."""
    registers = bombus.elements(stream)[0].registers
    base = registers.where()
    places = {
        "control": 0x00,
        "global_interrupt": 0x04,
        "interrupt_enable": 0x08,
        "pending": 0x0C,
        "result": 0x10,
    }
    assert {name: registers[name].where() - base for name in places} == places
    assert [each.value.where() - base for each in registers.argument] == [0x20, 0x30]


@pytest.mark.parametrize("number", [0, 1])
def test_payload_through_a_kernel(stream: Simulation, number: int) -> None:
    """With an interrupt line and without."""
    random = Random(number)
    element = bombus.elements(stream)[number]
    payloads = [random.randbytes(length) for length in (1, 8, 9, 700, 18)]
    port = (7, 9)[number]
    send(stream, port, payloads[:1])
    assert stream.receive_all() == []  # it was not started
    for addend in (1, 255):
        element.start(len(payloads), addend)
        assert element.running
        assert not element.finished
        send(stream, port, payloads)
        outcome = element.wait()
        assert outcome.value == sum(map(len, payloads))
        assert not element.running
        found = replies(stream, [len(each) for each in payloads])
        assert found == [bytes((byte + addend) % 256 for byte in each) for each in payloads]
    name = "drop.udp_add.not_running"
    assert stream.tile_counters(element.name)[name] == 1


@pytest.mark.parametrize("number", [0, 1])
def test_cycles_while_it_waits(stream: Simulation, number: int) -> None:
    """Clock cycles, of which a simulator skips none although nothing moves."""
    element = bombus.elements(stream)[number]
    before = stream.cycle
    element.start(1, 0)
    started = stream.cycle
    stream.advance(20_000)
    sent = stream.cycle
    send(stream, (7, 9)[number], [b"x"])
    cycles = element.wait().cycles
    assert sent - started < cycles < stream.cycle - before
    evaluated = stream.evaluated_cycles
    stream.advance(20_000)
    assert stream.evaluated_cycles - evaluated < 1000  # no kernel runs


def test_argument_during_a_run(stream: Simulation) -> None:
    element = bombus.elements(stream)[0]
    element.start(2, 1)
    send(stream, 7, [b"abc"])
    assert replies(stream, [3]) == [b"bcd"]
    element.set_argument(1, 2)
    send(stream, 7, [b"abc"])
    assert element.wait().value == 6
    assert replies(stream, [3]) == [b"cde"]


@pytest.mark.parametrize("number", [0, 1])
def test_a_kernel_that_does_not_end(stream: Simulation, number: int) -> None:
    element = bombus.elements(stream)[number]
    element.start(1, 0)
    before = stream.cycle
    with pytest.raises(TimeoutError, match="still runs after 500 cycles"):
        element.wait(500)
    assert 500 <= stream.cycle - before < 700
    with pytest.raises(SimulationError, match="runs"):
        element.start(1, 0)
    send(stream, (7, 9)[number], [b"x"])
    assert element.wait().value == 1  # it may be waited for again


def test_start_while_it_runs_is_refused(stream: Simulation) -> None:
    """By Python, and by the layer if another program starts it."""
    element = bombus.elements(stream)[0]
    element.registers.argument[0].value.bits = 1
    element.registers.control.write(start=1, stop=0)
    with pytest.raises(SimulationError, match="add runs"):
        element.start(1, 0)
    element.registers.control.write(start=1, stop=0)
    stream.advance_until_idle()
    assert stream.tile_counters("add")["event.pe.refused"] == 1


def test_interrupt_is_acknowledged_once(stream: Simulation) -> None:
    element = bombus.elements(stream)[0]
    assert not element.acknowledge()
    element.start(1, 0)
    send(stream, 7, [b"x"])
    assert stream.advance_until_pin("add_done_o") == "add_done_o"
    assert element.finished
    assert element.acknowledge()
    assert not element.acknowledge()
    assert stream.read_pin("add_done_o") == 0
    assert not element.finished


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda element: element.wait(), "add was not started"),
        (lambda element: element.start(1, 2, 3), "has 2 arguments, not 3"),
        (lambda element: element.set_argument(2, 0), "has arguments 0 to 1, not 2"),
        (lambda element: element.set_argument(-1, 0), "has arguments 0 to 1, not -1"),
        (lambda element: element.start(1 << 64), "does not fit into 64 bits"),
        (lambda element: element.start(-1 - (1 << 63)), "does not fit into 64 bits"),
        (lambda element: element.start(1.5), "is not an integer"),
        (lambda element: element.start("1"), "is not an integer"),
        (lambda element: element.start(In(b"x")), "add has no memory"),
        (lambda element: element.memory, "add has no memory"),
    ],
)
def test_refused(stream: Simulation, call: Callable[[Element], object], reason: str) -> None:
    element = bombus.elements(stream)[0]
    with pytest.raises(SimulationError, match=reason):
        call(element)
    assert not element.running
    assert not element.started


def test_negative_arguments(stream: Simulation) -> None:
    element = bombus.elements(stream)[0]
    element.set_argument(0, -1)
    assert element.registers.argument[0].value.bits == (1 << 64) - 1


@pytest.mark.parametrize("number", [0, 1])
def test_stop(stream: Simulation, number: int) -> None:
    element = bombus.elements(stream)[number]
    port = (7, 9)[number]
    assert not element.stop()  # it does not run
    element.start(5, 1)
    send(stream, port, [b"abc"])
    assert replies(stream, [3]) == [b"bcd"]
    assert element.stop()
    assert not (element.running or element.started or element.finished)
    assert not element.registers.pending.done
    if element.interrupt is not None:
        assert stream.read_pin(element.interrupt) == 0
    send(stream, port, [b"abc"])
    assert stream.receive_all() == []  # dropped
    counters = stream.tile_counters(element.name)
    assert (counters["event.pe.stopped"], counters["event.pe.done"]) == (1, 0)
    assert element.run(0, 0).value == 0


def test_stop_within_a_datagram(stream: Simulation) -> None:
    """It is returned whole, or not at all."""
    element = bombus.elements(stream)[0]
    returned = []
    for cycles in range(0, 320, 16):
        element.start(1 << 20, 1)
        send(stream, 7, [bytes(700)])
        stream.advance(cycles)
        assert element.stop()
        found = stream.receive_all()
        returned.append(len(found))
        assert all(each.data[HEADERS:] == b"\1" * 700 for each in found)
    assert set(returned) == {0, 1}


def test_stop_after_the_end(stream: Simulation) -> None:
    element = bombus.elements(stream)[0]
    element.start(0, 0)
    stream.advance_until_idle()
    assert not element.stop()
    assert not element.acknowledge()
    assert stream.read_pin("add_done_o") == 0
    assert stream.tile_counters("add")["event.pe.stopped"] == 0
    with pytest.raises(SimulationError, match="add was not started"):
        element.wait()


# ---- Memories ----


@pytest.mark.parametrize("numbers", [(0, 1), (2, 0)])
def test_bytes(memory: Simulation, numbers: tuple[int, int]) -> None:
    """By streams, and by registers."""
    first, second = (bombus.elements(memory)[number].memory for number in numbers)
    assert first.size == 1 << 32
    assert first.read(0x0FFD, 8) == bytes(8)  # never written
    first.write(0x0FFD, b"across")
    assert first.read(0x0FFC, 8) == b"\0across\0"
    first.write(first.size - 1, b"z")
    assert first.read(first.size - 3, 3) == b"\0\0z"
    assert second.read(0x0FFC, 8) == bytes(8)
    for address, count in ((first.size - 1, 2), (-1, 1), (0, -1)):
        with pytest.raises(SimulationError, match="has a memory of 4294967296 bytes"):
            first.read(address, count)


def test_buffers(memory: Simulation) -> None:
    space = bombus.elements(memory)[0].memory
    first, second = space.allocate(5000), space.allocate(1)
    assert (first.address, second.address) == (0, 8192)
    first.free()
    assert space.allocate(4097).address == 0
    assert space.allocate(4097).address == 12288
    second.write(b"x")
    assert second.read() == b"x"
    for call in (lambda: second.write(b"xy"), lambda: second.read(1, 1), lambda: second.read(-1)):
        with pytest.raises(SimulationError, match="a buffer of 1 bytes has no"):
            call()
    with pytest.raises(SimulationError, match="the buffer is free"):
        first.free()
    with pytest.raises(SimulationError, match="at least one byte"):
        space.allocate(0)
    with pytest.raises(SimulationError, match="has no room"):
        space.allocate(space.size)


@pytest.mark.parametrize("size", [0, 64, 1024, 1088, 4096])
def test_sum_of_a_buffer(memory: Simulation, size: int) -> None:
    element = bombus.elements(memory)[1]
    data = Random(size).randbytes(size)
    offset = 3 * 64  # so that the first burst is shorter
    buffer = element.memory.allocate(offset + size)
    buffer.write(data, offset)
    outcomes = [element.run(buffer.address + offset, size) for _ in range(3)]
    assert {each.value for each in outcomes} == {words(data)}
    # Bytes per cycle of the memory, which does not refresh in all runs.
    assert min(each.cycles for each in outcomes) <= 60 + size // 57


def test_rate_of_copies(memory: Simulation) -> None:
    """By registers, as the documentation states it, in cycles per word."""
    space = bombus.elements(memory).of("fill_words")[0].memory
    data = Random(1).randbytes(4096)
    start = memory.cycle
    space.write(0, data)
    written = memory.cycle
    assert space.read(0, len(data)) == data
    assert 26 <= (written - start) / 1024 < 27
    assert 39 <= (memory.cycle - written) / 1024 < 40


def test_outputs(memory: Simulation) -> None:
    """Buffers of arguments exist during a run."""
    element = bombus.elements(memory)[0]
    data = bytes(range(64))
    outcome = element.run(InOut(data), 64)
    assert outcome == Outcome(words(data), outcome.cycles, (data,))
    assert element.run(In(data), 64).outputs == ()
    assert element.run(Out(64), 0).outputs == (data,)  # the buffer has the same place
    assert element.memory.allocate(1).address == 0
    with pytest.raises(SimulationError, match="has no room"):
        element.start(In(b"x"), Out((1 << 32) - 4096))
    assert element.memory.allocate(1).address == 4096  # nothing is left of the failed start
    with pytest.raises(SimulationError, match="a buffer of 0 bytes"):
        element.start(In(b""))


@pytest.mark.parametrize(
    ("address", "length"),
    [(64, 1 << 32), (0, (1 << 32) + 64), (1 << 32, 64), (ALL_ONES - 63, 64), (0, ALL_ONES - 63)],
)
def test_a_buffer_beyond_the_memory(memory: Simulation, address: int, length: int) -> None:
    for element in bombus.elements(memory):
        outcome = element.run(address, length)
        assert outcome.value == ALL_ONES
        assert outcome.cycles < 20


def test_the_whole_memory(memory: Simulation) -> None:
    """A run that lasts longer than any test; software uses the memory meanwhile."""
    element = bombus.elements(memory)[0]
    last = element.memory.size - 64
    element.memory.write(last, b"\1" * 64)
    assert element.run(last, 64).value == 0x01010101 * 16
    element.start(0, element.memory.size)
    data = Random(1).randbytes(256)
    before = memory.cycle
    words = RegisterCopies(memory.registers.tiles["sum_0"].pe_memory, "sum_0")
    words.write(4096, data)
    assert words.read(4096, len(data)) == data
    assert memory.cycle - before < 128 * 700  # each waits for 511 beats at most
    assert element.running
    assert element.stop()


def test_a_kernel_that_never_finishes(held: Simulation) -> None:
    (element,) = bombus.elements(held)
    element.memory.write(0, b"before")
    element.start(0)
    with pytest.raises(TimeoutError, match="still runs after 300 cycles"):
        element.wait(300)
    assert element.memory.read(0, 6) == b"before"
    assert element.stop()


def test_a_kernel_that_takes_no_data(held: Simulation) -> None:
    """An access fails after the stated cycles; other registers answer meanwhile and later."""
    (element,) = bombus.elements(held)
    element.memory.write(0, b"before")
    element.start(1)
    before = held.cycle
    with pytest.raises(SimulationError, match="held: read of 4 bytes from 0x0: 1 accesses failed"):
        element.memory.read(0, 4)
    assert ACCESS_CYCLES < held.cycle - before < ACCESS_CYCLES + 60
    with pytest.raises(SimulationError, match="held: write of 8 bytes to 0x0: 2 accesses failed"):
        element.memory.write(0, b"withheld")
    assert element.running
    assert held.tile_counters("held")["event.pe_memory.late"] == 3
    assert element.stop()
    assert element.memory.read(0, 8) == b"before\0\0"


def test_reset_in_a_burst(memory: Simulation) -> None:
    """Nothing of it is left for the next run."""
    sums, _, fill = bombus.elements(memory)
    data = Random(1).randbytes(2048)
    for cycles in (10, 40, 75):
        sums.start(0, 1 << 20)
        fill.start(0, 1 << 20, 1)
        memory.advance(cycles)
        memory.reset()
        assert not (sums.running or fill.running)
        sums.memory.write(0, data)
        assert sums.run(0, len(data)).value == words(data)
        assert fill.run(64, 1024, 2).value == 1024
        assert fill.memory.read(64, 1024) == b"\2\0\0\0" * 256


def test_zero_acknowledges_nothing(stream: Simulation) -> None:
    element = bombus.elements(stream)[0]
    element.run(0, 0)
    element.start(0, 0)
    stream.advance_until_idle()
    element.registers.pending.done = 0
    assert element.finished
    assert element.registers.pending.done
    assert element.wait().value == 0


@pytest.mark.parametrize(("offset", "size"), [(0, 0), (0, 64), (192, 4096), (1024, 1088)])
def test_fill(memory: Simulation, offset: int, size: int) -> None:
    """An element of another kind, with one argument more."""
    (element,) = bombus.elements(memory).of("fill_words")
    assert (element.number, element.num_arguments) == (2, 3)
    element.memory.write(offset + size, b"kept")
    outcome = element.run(offset, size, 0x04030201)
    assert outcome.value == size
    assert element.memory.read(offset, size) == bytes((1, 2, 3, 4)) * (size // 4)
    assert element.memory.read(offset + size, 4) == b"kept"


def test_stop_among_reads(memory: Simulation) -> None:
    """Beats of the stopped run do not arrive in the next one."""
    element = bombus.elements(memory).of("sum_words")[0]
    data = Random(1).randbytes(1 << 14)
    element.memory.write(0, data)
    for cycles in range(0, 60, 7):
        element.start(0, 1 << 20)
        memory.advance(cycles)
        assert element.stop()
        assert element.registers.cycles.count < 2000
        assert element.run(64, 1024).value == words(data[64:1088])


def test_stop_among_writes(memory: Simulation) -> None:
    """No beat of the stopped run is sent in the next one."""
    (element,) = bombus.elements(memory).of("fill_words")
    assert element.run(0, 4096, 1).value == 4096
    for cycles in range(0, 60, 7):
        element.start(0, 1 << 20, 1)
        memory.advance(cycles)
        assert element.stop()
        assert element.registers.cycles.count < 2000
        assert element.run(64, 1024, 2 + cycles).value == 1024
        found = element.memory.read(0, 1536)
        assert found[64:1088] == (2 + cycles).to_bytes(4, "little") * 256
        assert found[:64] + found[1088:] == b"\1\0\0\0" * 128


# ---- Jobs ----


def test_jobs(memory: Simulation) -> None:
    elements = bombus.elements(memory)
    parts = [Random(n).randbytes(64 * (1 + n % 3)) for n in range(7)]
    jobs = [elements.submit("sum_words", In(part), len(part)) for part in parts]
    assert [job.result().value for job in jobs] == [words(part) for part in parts]
    assert {job.element for job in jobs} == set(elements.of("sum_words"))
    assert all(job.done for job in jobs)


def test_jobs_of_two_kinds(memory: Simulation) -> None:
    """Each kind has a queue: a job waits for none of the other kind."""
    elements = bombus.elements(memory)
    sums = [elements.submit("sum_words", In(b"\1" * 64), 1 << 19) for _ in range(4)]
    fills = [elements.submit("fill_words", Out(128), 128, word) for word in (5, 6)]
    assert [job.result().outputs[0] for job in fills] == [
        word.to_bytes(4, "little") * 32 for word in (5, 6)
    ]
    assert not any(job.done for job in sums)
    assert {job.result().value for job in sums} == {0x01010101 * 16}
    assert {job.element for job in fills} == {elements[2]}
    assert {job.element for job in sums} == {elements[0], elements[1]}
    with pytest.raises(SimulationError, match="sum_0 has 2 arguments, not 3"):
        elements.submit("sum_words", 0, 64, 1)


def test_stopped_jobs(stream: Simulation) -> None:
    elements = bombus.elements(stream)
    jobs = [elements.submit("udp_add", 1, 0) for _ in range(4)]
    jobs[2].stop()  # it has not begun
    jobs[0].stop()
    for job in (jobs[0], jobs[2]):
        assert job.done
        with pytest.raises(SimulationError, match="the job was stopped"):
            job.result()
    assert not jobs[3].done
    assert jobs[3].element is elements[0]
    send(stream, 7, [b"x"])
    assert jobs[3].result().value == 1
    jobs[3].stop()  # without effect
    assert jobs[3].result().value == 1
    jobs[1].stop()
    assert not any(each.running for each in elements)


def test_jobs_that_the_program_ends(stream: Simulation) -> None:
    """By methods of the element: such a job is lost, and the next one keeps its own outcome."""
    elements = bombus.elements(stream)
    jobs = [elements.submit("udp_add", 1, 0) for _ in range(2)]
    elements[0].stop()
    elements[1].stop()
    elements[1].start(1, 0)
    waiting = elements.submit("udp_add", 0, 0)
    for job in jobs:
        assert job.done
        with pytest.raises(SimulationError, match=r"`wait` or `stop` of add.* has ended the job"):
            job.result()
    jobs[1].stop()  # without effect
    assert elements[1].running
    assert waiting.result().value == 0
    assert elements[1].stop()


def test_a_job_that_does_not_end_keeps_its_element_only(stream: Simulation) -> None:
    elements = bombus.elements(stream)
    endless, short = elements.submit("udp_add", 1, 0), elements.submit("udp_add", 0, 0)
    waiting = elements.submit("udp_add", 0, 0)
    assert short.result().value == 0
    assert waiting.result().value == 0
    assert waiting.element is short.element
    with pytest.raises(TimeoutError, match="a job on add is not done after 300 cycles"):
        endless.result(300)
    assert not endless.done


def test_a_job_that_cannot_start(memory: Simulation) -> None:
    """It has failed, and keeps no other job from the element."""
    elements = bombus.elements(memory)
    running = [elements.submit("sum_words", 0, 1 << 18) for _ in range(2)]
    part, room = b"\1" * 64, (1 << 32) - 4096
    jobs = [elements.submit("sum_words", *each) for each in ((In(part), 64), (Out(room), 0)) * 3]
    taken = [each.memory.allocate(8192) for each in elements.of("sum_words")]
    assert [job.result().value for job in jobs[::2]] == [0x01010101 * 16] * 3
    for job in jobs[1::2]:
        assert job.done
        with pytest.raises(SimulationError, match="has no room"):
            job.result()
    assert {job.result().value for job in running} == {0}
    with pytest.raises(SimulationError, match="has no room"):
        elements.submit("sum_words", Out(room), 0).result()  # although an element is free
    for each in taken:
        each.free()


def test_jobs_and_starts(stream: Simulation) -> None:
    """A job waits for an element that the program keeps only if another one may become free."""
    elements = bombus.elements(stream)
    elements[0].start(0, 0)
    job = elements.submit("udp_add", 1, 0)
    waiting = elements.submit("udp_add", 0, 0)
    assert job.element is elements[1]
    with pytest.raises(TimeoutError, match="a job without an element is not done after 300"):
        waiting.result(300)
    job.stop()
    assert waiting.result().value == 0
    elements[1].start(0, 0)
    waiting = elements.submit("udp_add", 0, 0)
    before = stream.cycle
    with pytest.raises(SimulationError, match="`wait` or `stop` frees one of add, add_quietly"):
        waiting.result()
    assert stream.cycle - before < 100
    assert not waiting.done
    elements[0].wait()
    assert waiting.result().value == 0
    assert waiting.element is elements[0]


def test_jobs_and_another_master(stream: Simulation) -> None:
    """A job waits for elements that other programs have started."""
    elements = bombus.elements(stream)
    for number, element in enumerate(elements):
        element.registers.argument[0].value.bits = 1 + number
        element.registers.control.write(start=1, stop=0)
    job = elements.submit("udp_add", 0, 0)
    assert job.element is None
    before = stream.cycle
    with pytest.raises(TimeoutError, match="a job without an element is not done after 300"):
        job.result(300)
    assert 300 <= stream.cycle - before < 500
    send(stream, 7, [b"x"])
    assert job.result().value == 0
    assert job.element is elements[0]
    assert elements[1].stop()


def test_reset(stream: Simulation) -> None:
    elements = bombus.elements(stream)
    jobs = [elements.submit("udp_add", 1, 0) for _ in range(3)]
    stream.reset()
    for job in jobs:
        with pytest.raises(SimulationError, match="was reset"):
            job.result()
    assert elements.submit("udp_add", 0, 0).result().value == 0


def test_jobs_are_refused(stream: Simulation) -> None:
    elements: Elements = bombus.elements(stream)
    with pytest.raises(SimulationError, match="no processing element has the kernel"):
        elements.submit("sum_words")
    with pytest.raises(SimulationError, match="has 2 arguments, not 3"):
        elements.submit("udp_add", 1, 2, 3)
