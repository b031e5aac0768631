# SPDX-License-Identifier: Apache-2.0
"""docs/examples/middlebox/host_memory.yaml: packet processors and the memory of their host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

import bombus
from bombus.applications.processors.build import build
from bombus.applications.processors.host import STEP_CYCLES, HostFrame
from bombus.applications.processors.host_memory import (
    FRAME,
    READ,
    WRITE,
    WRITE_ANSWERED,
    HostMemory,
)
from bombus.simulator.counters import dropped
from bombus.simulator.frames import Frame
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation
from tests.applications.processors import examples, forwarding
from tests.applications.processors.middlebox import frame, in_order
from tests.support import message_sums

pytestmark = pytest.mark.slow

DESIGN = examples.MIDDLEBOXES / "host_memory.yaml"
TAGS, PLACE_BYTES = 16, 2048  # of host_memory.c
STORE_BYTES = 32768  # of rpu_host
CLOCK_MHZ = 250
GBPS = 1
SLOW_GBPS = 0.05  # what comes while a reload holds frames has a tag each

# Frames from port 0 go to the host, those from port 1 leave by port 0. The word for rpu_host is in
# the frame, so that a test can write any; LONG in the tag of a read: one that is too long.
LONG = 0x100
RAW = """
#include "rpu_host.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        if (RPU_PORT(packet) == 1) {
            rpu_send(packet ^ RPU_PORT_BIT);
        } else if (RPU_PORT(packet) == RPU_HOST_PORT) {
            rpu_report(rpu_host_answer(packet));
            rpu_send(packet ^ 3 * RPU_PORT_BIT);
        } else {
            uint32_t word = rpu_window(packet)->header[0];
            if (word >> 30 == RPU_HOST_READ) {
                volatile uint32_t *bytes = rpu_bytes(packet);
                bytes[0] = bytes[1];
                bytes[1] = bytes[2];
                packet = (packet & ~0x3fffu) | (word & 0x100 ? 12 : 8);
            }
            rpu_window(packet)->meta[1] = word;
            rpu_send(packet ^ 2 * RPU_PORT_BIT);
        }
    }
}
"""


@contextmanager
def raw(folder: Path) -> Iterator[Simulation]:
    source, elf = folder / "raw.c", folder / "raw.elf"
    source.write_text(RAW)
    build([source], elf)
    with Simulation(DESIGN, assertions=True) as simulation:
        forwarding.boot(simulation, elf)
        yield simulation
        simulation.check()


def pushed(simulation: Simulation, sent: list[bytes], ports: list[int]) -> list[list[Frame]]:
    """Sends frames by these ports; what has come out of each port once all is done."""
    for data, port in zip(sent, ports, strict=True):
        simulation.send(data, port)
    assert bombus.processors(simulation).host.advance_until_idle()
    return [simulation.receive_all(port) for port in (0, 1)]


def some(random: Random, number: int) -> tuple[list[bytes], list[int]]:
    sent = [frame(random, random.choice((60, 61, 62, 63, 300, 1514)), n % 9) for n in range(number)]
    return sent, [random.randrange(2) for _ in sent]


def test_frames_pass_the_memory_of_the_host(tmp_path: Path) -> None:
    random = Random(1)
    with examples.running("host_memory", tmp_path) as simulation:
        for port in (0, 1):
            simulation.line_rate(GBPS, port)
        host = bombus.processors(simulation).host
        sent, ports = some(random, 300)
        got = pushed(simulation, sent, ports)
        assert dropped(simulation.counters()) == 0
        for port in (0, 1):
            wanted = [data for data, came in zip(sent, ports, strict=True) if came != port]
            found = [each.data for each in got[port]]
            assert sorted(found) == sorted(wanted)
            in_order(wanted, found)
        assert host.counts == {"writes": len(sent), "reads": len(sent)}
        # Each frame that was last in its place is still there.
        places = range(0, 2 * TAGS * PLACE_BYTES, PLACE_BYTES)
        there = {host.memory.read(place, 60) for place in places} - {bytes(60)}
        assert len(there) > 4 and there <= {data[:60] for data in sent}


def round_trip(simulation: Simulation, data: bytes) -> int:
    """Cycles until a frame comes back."""
    start = simulation.cycle
    simulation.send(data)
    while (found := simulation.receive(1, timeout_cycles=0)) is None:
        simulation.advance(1)
    assert found.data == data
    return simulation.cycle - start


def test_latency(tmp_path: Path) -> None:
    """A frame waits twice for the host."""
    data = frame(Random(2), 60)
    with examples.running("host_memory", tmp_path) as simulation:
        cycles = {}
        bombus.processors(simulation).host.latency_us = 0
        round_trip(simulation, data)  # the program has begun
        for latency_us in (0, 1, 4):
            bombus.processors(simulation).host.latency_us = latency_us
            cycles[latency_us] = round_trip(simulation, data)
            simulation.advance(100)
        assert cycles[0] < 300
        for latency_us in (1, 4):
            more = cycles[latency_us] - cycles[0]
            assert abs(more - 2 * latency_us * CLOCK_MHZ) <= 2 * STEP_CYCLES


@pytest.mark.parametrize("tags", [1, 4, 32])
def test_requests_in_flight(tmp_path: Path, tags: int) -> None:
    """No more than the host has tags; the others wait, and nothing is lost."""
    random = Random(3)
    with examples.running("host_memory", tmp_path) as simulation:
        host = bombus.processors(simulation).host
        host.tags, host.latency_us = tags, 2
        sent = [frame(random, 60, n) for n in range(20)]
        start = simulation.cycle
        for data in sent:
            simulation.send(data)
        most = waited = 0
        while host.counts["reads"] < len(sent):
            simulation.advance(STEP_CYCLES)
            most, waited = max(most, host.in_flight), max(waited, host.waiting)
        assert most == min(tags, len(sent)) or (tags > len(sent) and most > TAGS // 2)
        assert bool(waited) == (tags < len(sent))
        cycles = simulation.cycle - start
        assert cycles >= 2 * len(sent) * 2 * CLOCK_MHZ // tags
        assert host.advance_until_idle()
        assert sorted(each.data for each in simulation.receive_all(1)) == sorted(sent)


def test_addresses_that_do_not_exist(tmp_path: Path) -> None:
    """Frames of the second processor do not fit into the memory."""
    random = Random(4)
    with examples.running("host_memory", tmp_path) as simulation:
        for port in (0, 1):
            simulation.line_rate(GBPS, port)
        host = bombus.processors(simulation).host
        host.memory = HostMemory(TAGS * PLACE_BYTES)
        sent, ports = some(random, 100)
        got = pushed(simulation, sent, ports)
        passed = sum(len(each) for each in got)
        assert host.counts["bad_address"] == len(sent) - passed > 10
        assert host.counts["writes"] == host.counts["reads"] == passed > 10
        assert simulation.tile_counters("rpu_1")["drop.rpu.by_firmware"] == len(sent) - passed
        host.memory = HostMemory(1 << 20)
        sent, ports = some(random, 100)
        assert sum(map(len, pushed(simulation, sent, ports))) == len(sent)


def test_idle_means_that_nothing_is_left(tmp_path: Path) -> None:
    """Also if requests come while the counters are read that tell what has left."""
    random = Random(6)
    with examples.running("host_memory", tmp_path) as simulation:
        simulation.line_rate(GBPS)
        for _ in range(60):
            sent = [
                frame(random, random.randrange(60, 1515), n) for n in range(random.randrange(1, 9))
            ]
            got = pushed(simulation, sent, [0] * len(sent))
            assert sorted(each.data for each in got[1]) == sorted(sent)
            simulation.advance(random.randrange(100))


def test_frames_of_the_host_reach_the_named_processor(tmp_path: Path) -> None:
    random = Random(5)
    with examples.running("host_memory", tmp_path) as simulation:
        host = bombus.processors(simulation).host
        for number in (0, 1):
            before = simulation.tile_counters(f"rpu_{number}")["noc_in_messages"]
            for port in (0, 1):
                sent = [frame(random, length) for length in (60, 61, 700, 2048)]
                for data in sent:
                    host.send(data, number, tag=port)
                assert host.advance_until_idle()
                assert [each.data for each in simulation.receive_all(port)] == sent
            after = simulation.tile_counters(f"rpu_{number}")["noc_in_messages"]
            assert after - before == 8
        bombus.processors(simulation).distribution.disable(0)
        for _ in range(5):
            host.send(frame(random, 60))
        host.send(frame(random, 60), 0)  # a disabled one can still be named
        assert host.advance_until_idle()
        assert simulation.tile_counters("rpu_0")["noc_in_messages"] == 8 + 1
        bombus.processors(simulation).distribution.enable(0)
        bombus.processors(simulation).distribution.policy = "round_robin"  # is that of the ports
        for _ in range(4):
            host.send(frame(random, 60), 1)
        host.send(frame(random, 60))
        host.send(frame(random, 60))
        assert host.advance_until_idle()
        assert simulation.tile_counters("rpu_0")["noc_in_messages"] == 8 + 1 + 1
        with pytest.raises(SimulationError, match="the processor takes 2048"):
            host.send(bytes(2049), 0)
        with pytest.raises(SimulationError, match="no processor 2"):
            host.send(bytes(60), 2)


def test_a_reload_waits_for_the_host(tmp_path: Path) -> None:
    """Frames that are in the host's memory come back before their processor is stopped."""
    random = Random(6)
    with examples.running("host_memory", tmp_path) as simulation:
        for port in (0, 1):
            simulation.line_rate(SLOW_GBPS, port)
        host = bombus.processors(simulation).host
        host.latency_us = 50  # longer than an eviction takes otherwise
        sent, ports = some(random, 100)
        for data, port in zip(sent, ports, strict=True):
            simulation.send(data, port)
        for _ in range(4):
            for number, processor in enumerate(bombus.processors(simulation)):
                while not host.open(number):
                    simulation.advance(100)
                processor.reload(tmp_path / "host_memory.elf")
        assert host.advance_until_idle()
        found = [simulation.receive_all(port) for port in (0, 1)]
        assert sum(map(len, found)) == len(sent)
        for port in (0, 1):
            wanted = [data for data, came in zip(sent, ports, strict=True) if came != port]
            in_order(wanted, [each.data for each in found[port]])
        assert dropped(simulation.counters()) == 0


def test_a_reset_ends_all_requests(tmp_path: Path) -> None:
    random = Random(9)
    with examples.running("host_memory", tmp_path) as simulation:
        host = bombus.processors(simulation).host
        host.latency_us, host.tags = 100, 1
        for n in range(10):
            simulation.send(frame(random, 60, n))
        host.send(frame(random, 60), 0)
        simulation.advance(500)
        assert host.in_flight == 1
        assert host.waiting > 5
        host.send(frame(random, 60), 0)
        simulation.reset()
        assert host.open() == 0
        forwarding.boot(simulation, tmp_path / "host_memory.elf")
        host.latency_us = 1
        sent, ports = some(random, 20)
        assert sum(map(len, pushed(simulation, sent, ports))) == len(sent)
        bombus.processors(simulation)[0].evict()


def test_properties_of_the_host(tmp_path: Path) -> None:
    with examples.running("host_memory", tmp_path) as simulation:
        host = bombus.processors(simulation).host
        assert (host.latency_us, host.tags, len(host.memory)) == (1, 32, 1 << 20)
        for latency_us in (-1, 1e9, float("nan")):
            with pytest.raises(SimulationError, match="latency_us: should be"):
                host.latency_us = latency_us
        with pytest.raises(SimulationError, match="tags: should be"):
            host.tags = 0


def word(what: int, gap: int = 0, tag: int = 0, other: int = 0) -> bytes:
    """`other`: bits without a meaning."""
    return (what << 30 | other << 24 | gap << 22 | tag).to_bytes(4, "little")


def flow_of(simulation: Simulation, number: int) -> bytes:
    """A frame, without its first word, of a flow that the named processor gets."""
    for flow in range(64):
        data = frame(Random(10), 60, flow, tags=(b"",))[4:]
        before = simulation.tile_counters(f"rpu_{number}")["noc_in_messages"]
        simulation.send(word(FRAME) + data)
        assert bombus.processors(simulation).host.advance_until_idle()
        assert bombus.processors(simulation).host.receive() is not None
        if simulation.tile_counters(f"rpu_{number}")["noc_in_messages"] > before:
            return data
    raise AssertionError(number)


def test_no_processor_speaks_for_another(tmp_path: Path) -> None:
    """Whatever its program writes, the host knows whose frame it is, and answers to the sender."""
    with raw(tmp_path) as simulation:
        host, random = bombus.processors(simulation).host, Random(11)
        host.memory.write(0, b"m" * 60)
        place = bytes(4) + (60).to_bytes(4, "little")
        for number in (0, 1):
            rest, other = flow_of(simulation, number), bombus.processors(simulation)[1 - number]
            for named in (1 - number, 63, random.randrange(64)):
                simulation.send(word(FRAME, tag=5, other=named) + rest)
                assert host.advance_until_idle()
                hit = host.receive()
                assert hit is not None and (hit.processor, hit.tag) == (number, 5)
                before = simulation.tile_counters(other.tile)["noc_in_messages"]
                simulation.send(word(READ, tag=named, other=named) + place + rest[8:])
                assert host.advance_until_idle()
                assert [each.data for each in simulation.receive_all(1)] == [b"m" * 60]
                assert bombus.processors(simulation)[number].debug_word == READ << 17 | named
                assert simulation.tile_counters(other.tile)["noc_in_messages"] == before
        assert host.counts["bad_request"] == 0


def test_a_host_that_takes_nothing_stops_nobody(tmp_path: Path) -> None:
    random = Random(7)
    with raw(tmp_path) as simulation:
        simulation.streams["host_out"].pace(1)
        for_host = [word(FRAME, tag=n) + random.randbytes(996) for n in range(60)]
        others = [frame(random, 60, n) for n in range(200)]
        for data in for_host:
            simulation.send(data, 0)
        for data in others:
            simulation.send(data, 1)
        simulation.advance(60 * 250)
        got = [simulation.receive(0, timeout_cycles=0) for _ in others]
        assert sorted(each.data for each in got if each) == sorted(others)
        lost = simulation.tile_counters("host")["drop.rpu_host.overflow"]
        assert lost == dropped(simulation.counters())
        assert abs(len(for_host) - lost - STORE_BYTES // 1000) <= 1
        simulation.streams["host_out"].pace(0)
        assert bombus.processors(simulation).host.advance_until_idle()
        found = []
        while (hit := bombus.processors(simulation).host.receive()) is not None:
            found.append(hit)
        assert len(found) == len(for_host) - lost
        for hit in found:
            assert hit == HostFrame(for_host[hit.tag], 0, hit.tag)
        message_sums.check(simulation)


def test_whatever_firmware_asks_for(tmp_path: Path) -> None:
    """Requests in error are counted and answered with an error; any word is taken."""
    random = Random(8)
    with raw(tmp_path) as simulation:
        host = bombus.processors(simulation).host
        host.memory.write(0, bytes(range(256)))

        def ask(data: bytes) -> tuple[list[bytes], int]:
            simulation.send(data, 0)
            assert host.advance_until_idle()
            return [each.data for each in simulation.receive_all(1)], bombus.processors(simulation)[
                0
            ].debug_word

        def read(address: int, length: int) -> bytes:
            numbers = address.to_bytes(4, "little") + length.to_bytes(4, "little")
            return word(READ, tag=77) + numbers + bytes(48)

        answered = [bytes(60)]  # with padding
        assert ask(read(3, 7)) == ([bytes(range(3, 10)).ljust(60, b"\0")], READ << 17 | 77)
        failed = (READ | 4) << 17 | 77
        assert ask(read(1 << 20, 0)) == (answered, READ << 17 | 77)
        assert ask(read((1 << 20) - 1, 2)) == (answered, failed)
        assert ask(read(0xFFFFFFFF, 0xFFFFFFFF)) == (answered, failed)
        assert ask(read(0, 2049)) == (answered, failed)
        assert host.counts == {"reads": 2, "bad_address": 1, "bad_length": 2}
        data = word(WRITE_ANSWERED, gap=2) + bytes(58) + b"\0\x10\0\0"
        assert ask(data) == (answered, WRITE_ANSWERED << 17)
        assert host.memory.read(0x1000, 60) == data[:60]
        assert ask(word(WRITE) + bytes(60) + b"\0\x20\0\0")[0] == []
        data = word(WRITE, tag=5) + bytes(60) + b"\0\0\0\x7f"
        assert ask(data) == (answered, (WRITE | 4) << 17 | 5)
        before = host.counts["bad_request"]
        assert ask(word(READ, tag=LONG) + bytes(60))[0] == []
        assert host.counts["bad_request"] == before + 1
        total = host.counts.total()
        for _ in range(200):
            simulation.send(random.randbytes(random.choice((60, 64, 300))), 0)
        assert host.advance_until_idle()
        assert host.counts.total() == total + 200
