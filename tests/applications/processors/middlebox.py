# SPDX-License-Identifier: Apache-2.0
"""Frames for middleboxes, and what has to become of them."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from random import Random

import bombus
from bombus.applications.processors import image
from bombus.applications.processors.build import build
from bombus.applications.processors.distribution import BY_FLOW
from bombus.protocols.flow_key import flow_key
from bombus.simulator.balancer import IN_TURN
from bombus.simulator.counters import dropped
from bombus.simulator.frames import Exchange
from bombus.simulator.simulation import Simulation
from tests.applications.processors import forwarding
from tests.support import message_sums

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

    turns = zip(cycle(bombus.processors(simulation)), cycle(programs), strict=False)
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
    assert bombus.processors(simulation).distribution.undrained == 0
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


# Frames of some lengths take longer, so that others could overtake them in another processor.
UNEVEN = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        if ((packet & 63) == 5)
            for (int n = 150; n; n--) __asm__ volatile("");
        rpu_send(packet ^ RPU_PORT_BIT);
    }
}
"""


def uneven(folder: Path) -> Path:
    """The program UNEVEN."""
    source, elf = folder / "uneven.c", folder / "uneven.elf"
    source.write_text(UNEVEN)
    build([source], elf)
    return elf


class Numbered:
    """Frames of many flows from both ports, each with a number in its flow; each must arrive
    once and unchanged.

    Frames of a flow must arrive in order, except that frames sent as `ordered=False` may change
    places with each other.
    """

    def __init__(self, simulation: Simulation, random: Random) -> None:
        self._simulation, self._random = simulation, random
        self._flows = [frame(random, 42, flow, TAGS[:1]) for flow in range(256)]
        self._numbers = [[0] * len(self._flows) for _ in range(2)]
        # Numbers and whether they are ordered, by port of arrival and flow
        self._missing = [[deque[tuple[int, bool]]() for _ in self._flows] for _ in range(2)]
        self.overtaken = 0  # frames that were not ordered

    def send(self, count: int, *, ordered: bool) -> None:
        random = self._random
        for _ in range(count):
            # Some flows have many frames, so that often two of a flow are close together.
            port, flow = random.randrange(2), int(len(self._flows) * random.random() ** 3)
            number = self._numbers[1 - port][flow]
            self._numbers[1 - port][flow] = number + 1
            self._missing[1 - port][flow].append((number, ordered))
            self._simulation.send(self._data(flow, number), port)

    def receive(self) -> None:
        """Checks what has arrived."""
        for port in (0, 1):
            while (each := self._simulation.receive(port, timeout_cycles=0)) is not None:
                flow, number = each.data[42], int.from_bytes(each.data[43:60])
                assert each.data == self._data(flow, number)
                missing = self._missing[port][flow]
                place = next((n for n, (wanted, _) in enumerate(missing) if wanted == number), None)
                assert place is not None, f"flow {flow}: {number} is doubled"
                if place:
                    before = [wanted for wanted, _ in list(missing)[:place]]
                    ordered = any(is_ordered for _, is_ordered in list(missing)[: place + 1])
                    assert not ordered, f"flow {flow}: {number} has overtaken {before}"
                    self.overtaken += 1
                del missing[place]

    def wait(self, frames: int) -> None:
        """Until no more than this many are missing."""
        end = self._simulation.cycle + LIMIT_CYCLES
        while sum(len(missing) for port in self._missing for missing in port) > frames:
            assert self._simulation.cycle < end, "frames are lost"
            self._simulation.advance(100)
            self.receive()

    def _data(self, flow: int, number: int) -> bytes:
        padding = bytes(number * 37 % 300)
        return self._flows[flow] + bytes([flow]) + number.to_bytes(17) + padding


def changes(
    simulation: Simulation, program: Path, frames: int, between: int, seed: int = 6
) -> Counter[str]:
    """Numbered frames, while after every so many the distribution is changed at random: processors
    are reloaded, evicted and started again, disabled and enabled, and the policy is switched.
    Nothing is lost or doubled, and by flow nothing is overtaken. Returns how often each was done.

    Half of the processors must be able to take the frames, since the ports cannot wait.
    """
    random = Random(seed)
    traffic = Numbered(simulation, random)
    lb, rpus = bombus.processors(simulation).distribution, bombus.processors(simulation)
    forwarding.boot(simulation, program)
    evicted: set[int] = set()
    done: Counter[str] = Counter()

    def start(number: int) -> None:
        if number in evicted:
            rpus[number].boot()
            evicted.remove(number)
        lb.enable(number)

    def one() -> int:
        return random.choice(lb.enabled)

    def change(name: str) -> None:
        off = sorted(set(range(len(rpus))) - set(lb.enabled))
        done[name] += 1
        if name == "reload":
            number = random.randrange(len(rpus))
            rpus[number].reload(program)
            evicted.discard(number)
        elif name == "policy":
            if lb.policy != IN_TURN:
                # What is sent by now is not ordered either if it is distributed later.
                traffic.wait(0)
            lb.policy = IN_TURN if lb.policy != IN_TURN else BY_FLOW
        elif name == "start" and off:
            start(random.choice(off))
        elif len(lb.enabled) <= len(rpus) // 2 or name == "start":
            done[name] -= 1
        elif name == "evict":
            number = one()
            rpus[number].evict()
            evicted.add(number)
        else:
            lb.disable(one())

    for first in range(0, frames, between):
        traffic.send(min(between, frames - first), ordered=lb.policy == BY_FLOW)
        for _ in range(random.choice((1, 1, 2, 4))):
            simulation.advance(random.randrange(between // 2))
            change(random.choice(("reload", "evict", "disable", "start", "start", "policy")))
            traffic.receive()
        traffic.wait(between // 2)  # which wait for the next ones
    traffic.wait(0)
    assert traffic.overtaken > 0, "round robin keeps the order, so order is not tested"
    assert dropped(simulation.counters()) == 0
    assert lb.undrained == 0
    message_sums.check(simulation)
    return done
