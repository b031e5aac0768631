# SPDX-License-Identifier: Apache-2.0
"""designs/middlebox.yaml: frames pass byte for byte; processors are drained and reloaded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

import bombus
from bombus.applications.processors.build import build
from bombus.base.paths import DESIGNS, EXAMPLES
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation
from tests.applications.processors.middlebox import (
    LIMIT_CYCLES,
    TAGS,
    changes,
    crossed,
    filling,
    frame,
    reloads,
    running,
    uneven,
)
from tests.support import message_sums

pytestmark = pytest.mark.slow

DESIGN = DESIGNS / "middlebox.yaml"
HOLD = """
#include "rpu.h"
int main(void) {
    rpu_receive();
    for (;;) {}
}
"""


@pytest.fixture
def middlebox(forward: Path) -> Iterator[Simulation]:
    with running(DESIGN, forward) as simulation:
        yield simulation


def test_every_length_passes_byte_for_byte(middlebox: Simulation) -> None:
    random = Random(1)
    lengths = [*range(60, 200), *range(200, 9000, 97), 1514, 1518, 8999, 9000, 9600]
    random.shuffle(lengths)
    sent = [frame(random, length) for length in lengths]
    sent += [random.randbytes(length) for length in (60, 64, 65, 1500)]
    ports = [random.randrange(2) for _ in sent]
    crossed(
        middlebox, sent, ports, middlebox.exchange(sent, ports=ports, limit_cycles=LIMIT_CYCLES)
    )
    message_sums.check(middlebox)


@pytest.mark.parametrize("stall", [0.0, 0.3])
def test_flows_stay_in_order(middlebox: Simulation, stall: float) -> None:
    """Few flows, back to back, short and long frames."""
    random = Random(2)
    middlebox.pace(0, tx_stall=stall)
    middlebox.pace(1, rx_bubble=stall)
    lengths = (60, 60, 61, 64, 65, 200, 1500)
    sent = [frame(random, random.choice(lengths), random.randrange(40)) for _ in range(1500)]
    ports = [random.randrange(2) for _ in sent]
    crossed(
        middlebox, sent, ports, middlebox.exchange(sent, ports=ports, limit_cycles=LIMIT_CYCLES)
    )


def test_a_processor_is_reloaded_under_traffic(middlebox: Simulation, forward: Path) -> None:
    reloads(middlebox, [forward], len(bombus.processors(middlebox)))


@pytest.mark.parametrize(("gbps", "ports"), [(100, [0]), (60, [0, 1])])
def test_long_programs_are_reloaded(
    middlebox: Simulation, tmp_path: Path, gbps: int, ports: list[int]
) -> None:
    """ids.c, which forwards what no matcher judges, and programs that fill the memories. One port
    sends at line rate, or both all that three processors can take.
    """
    ids = tmp_path / "ids.elf"
    build([EXAMPLES / "middlebox" / "ids.c"], ids)
    code, both = tmp_path / "code", tmp_path / "both"
    code.mkdir()
    both.mkdir()
    programs = [ids, filling(code), filling(both, data_words=1920)]
    idle = []
    for program in programs:
        start = middlebox.cycle
        bombus.processors(middlebox)[0].reload(program)
        idle.append(middlebox.cycle - start)
    for port in (0, 1):
        middlebox.line_rate(gbps, port)
    cycles = reloads(middlebox, programs, 12, lengths=(300, 600, 1514), frames=900, ports=ports)
    for number, name in enumerate(("ids.c", "code memory", "both memories")):
        longest = max(cycles[number :: len(programs)])
        print(f"{name}: {idle[number]} cycles idle, {longest} under traffic")
        assert idle[number] <= longest


@pytest.mark.parametrize("seed", [1, 2])
def test_flows_stay_in_order_through_changes(
    middlebox: Simulation, tmp_path: Path, seed: int
) -> None:
    for port in (0, 1):
        middlebox.line_rate(30, port)
    done = changes(middlebox, uneven(tmp_path), frames=12_000, between=300, seed=seed)
    print(dict(done))
    assert min(done[each] for each in ("reload", "evict", "disable", "start", "policy")) > 1


def shares(simulation: Simulation, sent: Sequence[bytes]) -> list[int]:
    """Frames that each processor has got."""
    before = [
        processor.status.counters["noc_in_messages"] for processor in bombus.processors(simulation)
    ]
    done = simulation.exchange(sent, limit_cycles=LIMIT_CYCLES)
    assert len(done.received) == len(sent)
    after = [
        processor.status.counters["noc_in_messages"] for processor in bombus.processors(simulation)
    ]
    return [b - a for a, b in zip(before, after, strict=True)]


def test_balancer(middlebox: Simulation) -> None:
    random = Random(4)
    lb = bombus.processors(middlebox).distribution
    assert (lb.policy, lb.policies) == ("flow_hash", ["flow_hash", "round_robin"])
    one_flow = [frame(random, 60, 7, TAGS[:1]) for _ in range(64)]
    assert sorted(shares(middlebox, one_flow)) == [0, 0, 0, 64]
    lb.policy = "round_robin"
    assert shares(middlebox, one_flow) == [16] * 4
    lb.disable(1)
    lb.disable(2)
    assert lb.enabled == [0, 3]
    first, *none, last = shares(middlebox, one_flow)
    assert none == [0, 0] and abs(first - last) <= 2
    lb.policy = "flow_hash"
    flows = [frame(random, 60, tags=TAGS[:1]) for _ in range(200)]
    assert [count > 60 for count in shares(middlebox, flows)] == [True, False, False, True]
    lb.enable(1)
    lb.enable(2)
    assert min(shares(middlebox, flows)) > 25
    with pytest.raises(SimulationError, match="policy 'random'"):
        lb.policy = "random"
    with pytest.raises(SimulationError, match="replica 4"):
        lb.disable(4)
    for number in (0, 1, 2):
        lb.disable(number)
    with pytest.raises(SimulationError, match="last replica"):
        lb.disable(3)


def test_writes_take_a_cycle_each_and_reads_see_them(middlebox: Simulation) -> None:
    """Registers of several tiles and of the design itself, memories, and addresses of nothing."""
    random = Random(7)
    registers = middlebox.registers
    for processor in bombus.processors(middlebox):
        processor.stop()
    tiles = [processor.registers for processor in bombus.processors(middlebox)]
    addresses = [registers.host[port].ip.where() for port in (0, 1)]
    addresses += [tile.watchdog.where() for tile in tiles]
    addresses += [tile.data[n].where() for tile in tiles for n in (0, 1, 2047)]
    nothing = [registers.tiles[f"rpu_{n}"].where() + 0xFFF8 for n in range(3)]
    values = {address: middlebox.read_register(address) for address in addresses}
    for _ in range(500):
        chosen = random.choices(addresses + nothing, k=random.randrange(1, 8))
        start = middlebox.cycle
        for address in chosen:
            value = random.getrandbits(8)
            middlebox.write_register(address, value)
            if address in values:
                values[address] = value
        assert middlebox.cycle - start == len(chosen)
        for address in random.choices(addresses + nothing, k=random.randrange(3)):
            assert middlebox.read_register(address) == values.get(address, 0)


COUNT = """
#include "rpu.h"
volatile uint32_t count = 1000;
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        count++;
        rpu_send(packet ^ RPU_PORT_BIT);
    }
}
"""


def test_memory_of_a_processor_that_is_stopped(middlebox: Simulation, tmp_path: Path) -> None:
    random = Random(6)
    source, elf = tmp_path / "count.c", tmp_path / "count.elf"
    source.write_text(COUNT)
    build([source], elf)
    for processor in bombus.processors(middlebox):
        processor.load(elf)
        processor.boot()
    bombus.processors(middlebox).distribution.policy = "round_robin"
    shares(middlebox, [frame(random, 60) for _ in range(40)])
    memory = bombus.processors(middlebox)[1].memory
    with pytest.raises(SimulationError, match="rpu_1 runs"):
        memory.read()
    bombus.processors(middlebox)[1].stop()
    assert memory.read() == (1010).to_bytes(4, "little")
    assert memory.read(0x1000_0001, 2) == b"\x03\x00"
    memory.write(0x1000_0000, bytes(range(8)))
    assert memory.read(0x1000_0002, 5) == bytes(range(2, 7))
    with pytest.raises(SimulationError, match="multiples of 4"):
        memory.write(0x1000_0002, bytes(4))
    with pytest.raises(SimulationError, match="data memory is 0x10000000"):
        memory.read(0x2000_0000)


def test_a_processor_that_hangs_is_evicted(
    middlebox: Simulation, forward: Path, tmp_path: Path
) -> None:
    """It loses its messages; the others continue, and it comes back."""
    random = Random(5)
    source, elf = tmp_path / "hold.c", tmp_path / "hold.elf"
    source.write_text(HOLD)
    build([source], elf)
    hung = bombus.processors(middlebox)[2]
    hung.load(elf)
    hung.boot()
    bombus.processors(middlebox).distribution.policy = "round_robin"
    for _ in range(4):
        middlebox.send(frame(random, 60))
    middlebox.advance(500)
    status = hung.status
    assert (status.inside, status.slots, status.stuck, status.exception) == (1, 1, False, None)
    with pytest.raises(SimulationError, match="still had 1 messages"):
        hung.evict(1000)
    assert bombus.processors(middlebox).distribution.undrained == 1
    assert not hung.status.running and not hung.status.enabled
    assert sum(shares(middlebox, [frame(random, 60) for _ in range(40)])) >= 40
    bombus.processors(middlebox).distribution.enable(2)
    hung.boot()
    for _ in range(4):
        middlebox.send(frame(random, 60))
    middlebox.advance(500)
    with pytest.raises(SimulationError, match="still had 1 messages"):
        hung.reload(forward, limit_cycles=1000)
    middlebox.receive_all(1)
    assert min(shares(middlebox, [frame(random, 60) for _ in range(40)])) >= 8
    assert hung.status.counters["drop.rpu.by_firmware"] == 2


def test_hostile_firmware_takes_only_itself_down(
    middlebox: Simulation, forward: Path, tmp_path: Path
) -> None:
    """From when the watchdog stops it, the others' frames pass; then it is loaded again."""
    random = Random(8)
    source, elf = tmp_path / "hold.c", tmp_path / "hold.elf"
    source.write_text(HOLD)
    build([source], elf)
    hostile, *others = bombus.processors(middlebox)
    hostile.load(elf)
    hostile.registers.watchdog.limit = 2
    hostile.boot()
    sent = [frame(random, random.choice((60, 300, 1500))) for _ in range(200)]
    done = middlebox.exchange(sent, limit_cycles=LIMIT_CYCLES)
    assert not done.timed_out
    assert hostile.status.stuck
    assert hostile.status.slots == 0
    # Frames wait behind those to it until then, and find ports full.
    before = hostile.status.counters["noc_in_messages"]
    done = middlebox.exchange(sent, limit_cycles=LIMIT_CYCLES)
    lost = hostile.status.counters["noc_in_messages"] - before
    assert lost > 20
    assert len(done.received) == len(sent) - lost
    assert all(other.status.counters["noc_out_messages"] > 20 for other in others)
    assert hostile.status.counters["event.rpu.stuck"] == 1
    hostile.load(forward)
    hostile.boot()
    assert not hostile.status.stuck
    done = middlebox.exchange(sent, limit_cycles=LIMIT_CYCLES)
    assert Counter(each.data for each in done.received) == Counter(sent)
    message_sums.check(middlebox)
