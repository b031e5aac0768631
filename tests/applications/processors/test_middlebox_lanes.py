# SPDX-License-Identifier: Apache-2.0
"""designs/middlebox_8.yaml: four packet processors in a tile, shared out by flow or in turn."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

import bombus
from bombus.applications.processors.build import build
from bombus.base.paths import DESIGNS
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation
from tests.applications.processors.middlebox import (
    LIMIT_CYCLES,
    TAGS,
    changes,
    crossed,
    frame,
    reloads,
    running,
    uneven,
)
from tests.support import message_sums

pytestmark = pytest.mark.slow

DESIGN = DESIGNS / "middlebox_8.yaml"
PROCESSORS = 8


@pytest.fixture
def lanes(forward: Path) -> Iterator[Simulation]:
    with running(DESIGN, forward) as simulation:
        yield simulation


COUNT = """
#include "rpu.h"
int main(void) {
    uint32_t count = 0;
    for (;;) {
        uint32_t word;
        rpu_packet packet = rpu_poll();
        if (packet) {
            count++;
            rpu_send(packet ^ RPU_PORT_BIT);
        }
        if (rpu_message(&word) == 0) {
            rpu_report(count);
            count = 0;
        }
    }
}
"""


def shares(simulation: Simulation, sent: Sequence[bytes]) -> list[int]:
    """Frames that each processor has sent, as COUNT tells."""
    done = simulation.exchange(sent, limit_cycles=LIMIT_CYCLES)
    assert len(done.received) == len(sent)
    found = []
    for processor in bombus.processors(simulation):
        processor.debug_send(0)
        simulation.advance(200)
        found.append(processor.debug_word)
    return found


def test_flows_stay_in_order(lanes: Simulation) -> None:
    """Few flows, back to back, frames of all lengths; by flow each has one processor."""
    assert [(each.name, each.lane) for each in bombus.processors(lanes)[3:5]] == [
        ("rpu_0.rpu_4", 3),
        ("rpu_1.rpu", 0),
    ]
    random = Random(2)
    lengths = (60, 60, 61, 64, 65, 200, 1500, 9000)
    sent = [frame(random, random.choice(lengths), random.randrange(40)) for _ in range(1200)]
    ports = [random.randrange(2) for _ in sent]
    crossed(lanes, sent, ports, lanes.exchange(sent, ports=ports, limit_cycles=LIMIT_CYCLES))
    message_sums.check(lanes)


def test_distribution(lanes: Simulation, tmp_path: Path) -> None:
    """Policies, and processors that are disabled, down to a whole tile and to the last one."""
    random = Random(4)
    source, elf = tmp_path / "count.c", tmp_path / "count.elf"
    source.write_text(COUNT)
    build([source], elf)
    for processor in bombus.processors(lanes):
        processor.load(elf)
        processor.boot()
    lb = bombus.processors(lanes).distribution
    assert (lb.policy, lb.policies) == ("flow_hash", ["flow_hash", "round_robin"])
    one_flow = [frame(random, 60, 7, TAGS[:1]) for _ in range(64)]
    flows = [frame(random, 60, tags=TAGS[:1]) for _ in range(400)]
    assert sorted(shares(lanes, one_flow)) == [0] * 7 + [64]
    assert min(shares(lanes, flows)) > 25
    lb.policy = "round_robin"
    assert shares(lanes, one_flow) == [8] * PROCESSORS
    for number in (0, 1, 2, 3, 5):
        lb.disable(number)
    assert lb.enabled == [4, 6, 7]
    assert (
        not bombus.processors(lanes)[0].status.enabled
        and bombus.processors(lanes)[4].status.enabled
    )
    found = shares(lanes, flows)
    assert [found[number] for number in (0, 1, 2, 3, 5)] == [0] * 5
    assert min(found[number] for number in (4, 6, 7)) > 100
    lb.policy = "flow_hash"
    found = shares(lanes, flows)
    assert [found[number] for number in (0, 1, 2, 3, 5)] == [0] * 5
    assert min(found[number] for number in (4, 6, 7)) > 50
    lb.enable(1)
    found = shares(lanes, flows)
    assert found[1] > 100 and found[0] == 0
    for number in (1, 4, 6):
        lb.disable(number)
    with pytest.raises(SimulationError, match="last replica"):
        lb.disable(7)
    assert shares(lanes, one_flow)[7] == 64
    for number in range(7):
        lb.enable(number)
    assert min(shares(lanes, flows)) > 25


@pytest.mark.sweep
@pytest.mark.parametrize("dispatch", ["least_loaded", "[flow_hash, least_loaded]"])
def test_by_load_lanes_are_used_in_turn(tmp_path: Path, dispatch: str) -> None:
    """Also for a single flow, from the first frame on if the design file says so."""
    source, elf = tmp_path / "count.c", tmp_path / "count.elf"
    source.write_text(COUNT)
    build([source], elf)
    design = tmp_path / "by_load.yaml"
    text = DESIGN.read_text()
    assert text.count("dispatch: flow_hash") == 1
    design.write_text(text.replace("dispatch: flow_hash", f"dispatch: {dispatch}"))
    random = Random(6)
    one_flow = [frame(random, 60, 7, TAGS[:1]) for _ in range(64)]
    with running(design, elf) as simulation:
        if dispatch != "least_loaded":
            assert sorted(shares(simulation, one_flow)) == [0] * 7 + [64]
            bombus.processors(simulation).distribution.policy = "least_loaded"
        assert min(shares(simulation, one_flow)) >= 6
        bombus.processors(simulation).distribution.disable(6)
        found = shares(simulation, one_flow)
        assert found.pop(6) == 0 and min(found) >= 6
        if dispatch != "least_loaded":
            bombus.processors(simulation).distribution.policy = "flow_hash"
            assert sum(share > 0 for share in shares(simulation, one_flow)) == 1


def test_one_that_hangs_holds_up_nobody_in_turn(
    lanes: Simulation, forward: Path, tmp_path: Path
) -> None:
    """Messages that it has not taken go to the others, long before the watchdog stops it."""
    random = Random(5)
    source, elf = tmp_path / "hold.c", tmp_path / "hold.elf"
    source.write_text('#include "rpu.h"\nint main(void) { for (;;) {} }\n')
    build([source], elf)
    bombus.processors(lanes).distribution.policy = "round_robin"
    hung = bombus.processors(lanes)[2]
    hung.load(elf)
    hung.boot()
    sent = [frame(random, random.choice((60, 300, 1500))) for _ in range(1000)]
    for data in sent:
        lanes.send(data)
    lanes.advance(40_000)
    came = 0
    while lanes.receive(1, timeout_cycles=0) is not None:
        came += 1
    assert came == len(sent) - 16
    assert hung.status.slots == 16 and not hung.status.stuck
    hung.load(forward)  # which gets the messages waiting there
    hung.boot()
    assert len(lanes.receive_all(1)) == 16


def test_reloaded_under_traffic(lanes: Simulation, forward: Path) -> None:
    reloads(lanes, [forward], PROCESSORS)


@pytest.mark.sweep
def test_reloaded_a_hundred_times(lanes: Simulation, forward: Path) -> None:
    reloads(lanes, [forward], 100)


@pytest.mark.sweep
def test_many_frames_in_order_through_changes(forward: Path, tmp_path: Path) -> None:
    """As many frames as `BOMBUS_FRAMES` says; without assertions, since they slow it down."""
    frames = int(os.environ.get("BOMBUS_FRAMES", "200000"))
    with running(DESIGN, forward, gbps=24, assertions=False) as simulation:
        done = changes(simulation, uneven(tmp_path), frames, between=5000)
        print(f"{frames:,} frames, {simulation.cycle:,} cycles, {dict(done)}")
