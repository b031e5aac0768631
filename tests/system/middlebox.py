# SPDX-License-Identifier: Apache-2.0
"""Frames for middleboxes, and what has to become of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from random import Random

from support import forwarding, message_sums

from bombus.firmware import image
from bombus.firmware.build import build
from bombus.golden.flow_key import flow_key
from bombus.simulator.counters import dropped
from bombus.simulator.frames import Exchange
from bombus.simulator.simulation import Simulation

LIMIT_CYCLES = 500_000
RELOAD_CYCLES = 5000  # 20 us at 250 MHz
CODE_WORDS = 2048
GBPS = 40  # of each port, so that chance does not give a processor more than it can take
TAGS = (b"", b"", b"\x81\x00\x01\x23", b"\x88\xa8\0\1\x81\0\0\2")

# Of a design with two ports of 10 Gbit/s; its name and tiles are missing.
TWO_PORTS = """
data_width: 64
clock_mhz: 250
line_rate_gbps: 10
mac_ports:
  - {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2}
  - {mac: "02:b0:0b:05:00:02", ip: 10.78.0.2}
"""


@contextmanager
def running(
    design: Path, program: Path, gbps: float = GBPS, assertions: bool = True
) -> Iterator[Simulation]:
    """A middlebox of two ports whose processors all run the program; it is checked at the end."""
    with Simulation(design, assertions=assertions) as simulation:
        forwarding.boot(simulation, program)
        for port in (0, 1):
            simulation.line_rate(gbps, port)
        yield simulation
        simulation.check()


def frame(
    random: Random, length: int, flow: int | None = None, tags: Sequence[bytes] = TAGS
) -> bytes:
    """Ethernet with UDP over IPv4, of a flow or of a random one; at times with tags."""
    flow = random.getrandbits(20) if flow is None else flow
    addresses = b"\x0a\x00" + (flow >> 8).to_bytes(2) + b"\x0a\x01\x00\x01"
    ip = b"\x45\x00\x00\x2a" + bytes(5) + b"\x11\0\0" + addresses
    ports = (1024 + flow % 256).to_bytes(2) + b"\x00\x35"
    start = random.randbytes(12) + random.choice(tags) + b"\x08\x00" + ip + ports
    return (start + random.randbytes(max(0, length - len(start))))[:length]


def crossed(
    simulation: Simulation, sent: Sequence[bytes], ports: Sequence[int], done: Exchange
) -> None:
    """Checks that each frame left by the other port, once, unchanged, in order within its flow."""
    assert not done.timed_out
    assert dropped(simulation.counters()) == 0
    for port in (0, 1):
        wanted = [data for data, came_by in zip(sent, ports, strict=True) if came_by != port]
        got = [each.data for each in done.received if each.port == port]
        assert Counter(got) == Counter(wanted)
        in_order(wanted, got)


def in_order(wanted: Sequence[bytes], got: Sequence[bytes]) -> None:
    """Checks that the frames of each flow arrived as they were sent."""
    flows: dict[tuple[int, int], list[bytes]] = defaultdict(list)
    for data in wanted:
        flows[flow_key(data)].append(data)
    for data in got:
        assert flows[flow_key(data)].pop(0) == data, "overtaken within its flow"


def reloads(
    simulation: Simulation,
    programs: Sequence[Path],
    times: int,
    lengths: Sequence[int] = (60, 100, 300, 600),
    frames: int = 400,
    ports: Sequence[int] = (0, 1),
) -> list[int]:
    """Processors are reloaded in turn under traffic, with the programs in turn: nothing is lost or
    overtaken in its flow. Returns the cycles of each reload.

    `frames`: of these lengths, that wait at these ports when a reload begins.
    """
    random = Random(3)
    cycles: list[int] = []
    sent: list[tuple[int, bytes]] = []
    came: list[list[bytes]] = [[], []]

    def feed(count: int) -> None:
        for _ in range(count):
            data = frame(random, random.choice(lengths), random.randrange(60))
            sent.append((random.choice(ports), data))
            simulation.send(data, sent[-1][0])

    turns = zip(cycle(simulation.rpus), cycle(programs), strict=False)
    for processor, program in islice(turns, times):
        feed(frames)
        simulation.advance(random.randrange(2000))
        start = simulation.cycle
        processor.reload(program)
        cycles.append(simulation.cycle - start)
        assert cycles[-1] <= RELOAD_CYCLES
        assert processor.status.running and processor.status.enabled
        for port in (0, 1):
            came[port] += [each.data for each in simulation.receive_all(port)]
    simulation.advance_until_idle()
    for port in (0, 1):
        came[port] += [each.data for each in simulation.receive_all(port)]
        wanted = [data for came_by, data in sent if came_by != port]
        assert Counter(came[port]) == Counter(wanted)
        in_order(wanted, came[port])
    assert dropped(simulation.counters()) == 0
    assert simulation.lb.undrained == 0
    message_sums.check(simulation)
    return cycles


FILLS = """
#include "rpu.h"
{data}
int main(void) {{
    {use}
    __asm__ volatile("j 1f\\n.rept {code}\\n.word 0x12345\\n.endr\\n1:");
    for (;;) rpu_send(rpu_receive() ^ RPU_PORT_BIT);
}}
"""
FULL_DATA = "volatile uint32_t table[{words}] = {{[0 ... {words} - 1] = 5}};"


def filling(folder: Path, data_words: int = 0) -> Path:
    """A forwarding program that fills the code memory, and this many words of the data memory."""
    source, elf = folder / "fills.c", folder / "fills.elf"
    data = FULL_DATA.format(words=data_words) if data_words else ""
    use = "(void)table[0];" if data else ""
    filled = 0
    for _ in range(2):  # the second time its own size is known
        source.write_text(FILLS.format(code=filled, data=data, use=use))
        build([source], elf)
        filled = CODE_WORDS - image.read(elf).code_bytes // 4
    assert filled == 0
    return elf


def numbered(simulation: Simulation, forward: Path, frames: int, between: int) -> int:
    """Short frames with a number in their flow, from both ports, and a reload after every so many;
    each must arrive once, unchanged, in its turn. Returns the number of reloads.
    """
    random = Random(6)
    flows = [frame(random, 42, flow, TAGS[:1]) for flow in range(256)]
    sent = [[0] * len(flows) for _ in range(2)]
    came = [[0] * len(flows) for _ in range(2)]

    def check() -> None:
        for port in (0, 1):
            for each in simulation.receive_all(port):
                data = each.data
                flow = data[42]
                wanted = flows[flow] + bytes([flow]) + came[port][flow].to_bytes(17)
                assert data == wanted, f"flow {flow}: {data.hex()} instead of {wanted.hex()}"
                came[port][flow] += 1

    reloaded = 0
    for start in range(0, frames, between):
        for _ in range(min(between, frames - start)):
            port, flow = random.randrange(2), random.randrange(len(flows))
            number = sent[1 - port][flow]
            simulation.send(flows[flow] + bytes([flow]) + number.to_bytes(17), port)
            sent[1 - port][flow] = number + 1
        simulation.advance(random.randrange(between // 2))
        simulation.rpus[reloaded % len(simulation.rpus)].reload(forward)
        reloaded += 1
        check()
        simulation.advance(between)  # some of the frames wait for the next ones
    simulation.advance_until_idle()
    check()
    assert came == sent and sum(map(sum, sent)) == frames
    assert dropped(simulation.counters()) == 0
    return reloaded
