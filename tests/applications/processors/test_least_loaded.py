# SPDX-License-Identifier: Apache-2.0
"""Two ports that share packet processors by load: uneven work, policies and programs changed under
traffic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

import bombus
from bombus.applications.processors.build import build
from bombus.simulator.counters import dropped
from bombus.simulator.simulation import Simulation
from tests.applications.processors import forwarding
from tests.applications.processors.middlebox import LIMIT_CYCLES, TWO_PORTS, crossed, frame
from tests.support import message_sums

pytestmark = pytest.mark.slow

PROCESSORS = 4
DESIGN = (
    f"name: shared_by_load{TWO_PORTS}"
    + """
tiles:
  - {name: port_0, layers: [frame_rx, mac_tx], at: [0, 0]}
  - {name: port_1, layers: [{frame_rx: {mac_port: 1}}, {mac_tx: {mac_port: 1}}], at: [0, 1]}
  - name: rpu
    replicas: 4
    dispatch: [least_loaded, flow_hash]
    at: [[1, 0], [1, 1], [2, 0], [2, 1]]
    layers:
      - rpu: {frames: true, num_slots: 8, slot_bytes: 2048}
    next: {udp_tx: drop}
"""
)
# The first byte of a frame says how much work it is. Counts work and frames until it is asked.
WORK = """
#include "rpu.h"
int main(void) {
    uint32_t done = 0, frames = 0;
    for (;;) {
        uint32_t word;
        rpu_packet packet = rpu_poll();
        if (packet) {
            uint32_t work = rpu_window(packet)->header[0] & 0xff;
            for (uint32_t n = 4 * work; n; n--) __asm__ volatile("");
            done += work;
            frames++;
            rpu_send(packet ^ RPU_PORT_BIT);
        }
        if (rpu_message(&word) == 0) {
            rpu_report(frames << 20 | done);
            done = frames = 0;
        }
    }
}
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("firmware")
    (folder / "work.c").write_text(WORK)
    build([folder / "work.c"], folder / "work.elf")
    return folder / "work.elf"


@pytest.fixture
def shared(tmp_path: Path, work: Path) -> Iterator[Simulation]:
    file = tmp_path / "design.yaml"
    file.write_text(DESIGN)
    with Simulation(file, assertions=True) as simulation:
        forwarding.boot(simulation, work)
        yield simulation
        assert dropped(simulation.counters()) == 0
        message_sums.check(simulation)
        simulation.check()


def job(random: Random, work: int, length: int = 60) -> bytes:
    return bytes([work]) + frame(random, length)[1:]


def shares(simulation: Simulation) -> tuple[list[int], list[int]]:
    """Frames and work of each processor since it was last asked."""
    found = []
    for processor in bombus.processors(simulation):
        processor.debug_send(0)
        simulation.advance(300)
        found.append(processor.debug_word)
    return [word >> 20 for word in found], [word & 0xFFFFF for word in found]


def passed(simulation: Simulation, sent: Sequence[bytes], ports: Sequence[int]) -> int:
    """Cycles until all frames have come out by the other port."""
    start = simulation.cycle
    done = simulation.exchange(sent, ports=ports, limit_cycles=LIMIT_CYCLES)
    assert not done.timed_out
    got = Counter((each.port, each.data) for each in done.received)
    assert got == Counter((1 - port, data) for port, data in zip(ports, sent, strict=True))
    return max(each.last_beat_cycle for each in done.received) - start


@pytest.mark.sweep
def test_uneven_work(shared: Simulation) -> None:
    """A tenth of the frames is ten times the work; both ports send more than can be done."""
    random = Random(1)
    lb = bombus.processors(shared).distribution
    assert (lb.policy, lb.policies) == (
        "least_loaded",
        ["flow_hash", "least_loaded", "round_robin"],
    )
    sent = [job(random, 60 if random.random() < 0.1 else 6) for _ in range(600)]
    ports = [random.randrange(2) for _ in sent]
    for port in (0, 1):
        shared.line_rate(2, port)
    cycles, busiest = {}, {}
    for policy in ("least_loaded", "round_robin", "flow_hash"):
        lb.policy = policy
        assert lb.policy == policy
        cycles[policy] = passed(shared, sent, ports)
        frames, work = shares(shared)
        assert sum(frames) == len(sent) and sum(work) == sum(data[0] for data in sent)
        busiest[policy] = max(work) / sum(work)
    print(cycles, {policy: f"{share:.1%}" for policy, share in busiest.items()})
    assert busiest["least_loaded"] < 0.28


def test_nothing_is_counted_that_is_not_there(shared: Simulation, work: Path) -> None:
    """Reloads, evictions, and policies switched under traffic; then each of both ports finds all
    loads equal: frames that come one by one go to all processors in turn.
    """
    random = Random(2)
    lb = bombus.processors(shared).distribution
    sent: list[bytes] = []
    ports: list[int] = []
    came: list[list[bytes]] = [[], []]

    def feed(count: int) -> None:
        for _ in range(count):
            sent.append(job(random, random.randrange(8), random.choice((60, 100, 400))))
            ports.append(random.randrange(2))
            shared.send(sent[-1], ports[-1])
        shared.advance(random.randrange(3000))

    for number, policy in enumerate(("least_loaded", "round_robin", "flow_hash", "least_loaded")):
        feed(100)
        bombus.processors(shared)[number].reload(work)
        feed(40)
        lb.policy = policy
        feed(40)
        lb.disable((number + 1) % PROCESSORS)
        feed(40)
        bombus.processors(shared)[(number + 2) % PROCESSORS].reload(work)
        feed(40)
        lb.enable((number + 1) % PROCESSORS)
        for port in (0, 1):
            came[port] += [each.data for each in shared.receive_all(port)]
    shared.advance_until_idle()
    for port in (0, 1):
        came[port] += [each.data for each in shared.receive_all(port)]
        wanted = Counter(data for data, at in zip(sent, ports, strict=True) if at != port)
        assert Counter(came[port]) == wanted
    shares(shared)
    for port in (0, 1):
        for _ in range(3 * PROCESSORS):
            passed(shared, [job(random, 0)], [port])
            shared.advance_until_idle()
        assert shares(shared)[0] == [3] * PROCESSORS


def test_replicas_are_taken_out_without_holding_the_ports(shared: Simulation) -> None:
    """Slots are written in the middle of the traffic: what has set out arrives, nothing is lost."""
    random = Random(3)
    (balancer,) = bombus.processors(shared).balancers
    for number in range(PROCESSORS):
        sent = [job(random, random.randrange(4)) for _ in range(200)]
        for n, data in enumerate(sent):
            shared.send(data, n % 2)
        shared.advance(500 + random.randrange(500))
        balancer.disable(number)
        shared.advance(1000)
        shares(shared)
        rest = [job(random, random.randrange(4)) for _ in range(100)]
        for n, data in enumerate(rest):
            shared.send(data, n % 2)
        shared.advance_until_idle()
        assert shares(shared)[0][number] <= 8, "only what was inside"
        balancer.enable(number)
        came = Counter(each.data for port in (0, 1) for each in shared.receive_all(port))
        assert came == Counter(sent + rest)


def test_flows_stay_in_order_by_hash(shared: Simulation) -> None:
    random = Random(4)
    bombus.processors(shared).distribution.policy = "flow_hash"
    sent = [bytes([random.randrange(3)]) + frame(random, 60, n % 9)[1:] for n in range(300)]
    ports = [random.randrange(2) for _ in sent]
    done = shared.exchange(sent, ports=ports, limit_cycles=LIMIT_CYCLES)
    crossed(shared, sent, ports, done)
