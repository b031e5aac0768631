# SPDX-License-Identifier: Apache-2.0
"""docs/examples/middlebox/loop.yaml: frames from port 0 pass two packet processors."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

import bombus
from bombus.analysis import check
from bombus.applications.processors.build import build
from bombus.base.paths import EXAMPLES
from bombus.generation.generate import generate
from bombus.simulator.build import build_library
from bombus.simulator.counters import dropped
from bombus.simulator.simulation import Simulation
from bombus.simulator.stalls import explain
from tests.applications.processors import examples
from tests.applications.processors.middlebox import TWO_PORTS, crossed, frame
from tests.support import message_sums

pytestmark = pytest.mark.slow

EXAMPLE = EXAMPLES / "middlebox"
LIMIT_CYCLES = 500_000
GBPS = 5  # of each port: `second` takes the frames of both


def test_a_circle_needs_a_layer_that_drops(tmp_path: Path) -> None:
    text = (EXAMPLE / "loop.yaml").read_text()
    file = tmp_path / "circle.yaml"
    again = "{mac_port: 2}}], at: [2, 0], next: {rpu: "
    circle = text.replace(again + "second", again + "first")
    file.write_text(circle)
    with pytest.raises(check.DeadlockError, match="first -> again -> first"):
        check.check(file)
    file.write_text(circle.replace("{mac_port: 2}", "{mac_port: 2, drops_when_full: true}"))
    check.check(file)


# Frames pass the loop as often as their first byte says, then they leave by port 1.
ROUNDS = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        volatile uint8_t *rounds = (volatile uint8_t *)rpu_window(packet)->header;
        if (RPU_PORT(packet) != 2)
            rpu_send(packet ^ RPU_PORT_BIT);
        else if (--*rounds == 0)
            rpu_send(packet ^ 3 * RPU_PORT_BIT);
        else
            rpu_send(packet);
    }
}
"""


def circle(tmp_path: Path, more: str = "") -> Path:
    """The library of a design in which the second processor also sends to the loop."""
    text = (EXAMPLE / "loop.yaml").read_text()
    for old, new in ((", mac_port_2: drop", ""), ("{mac_port: 2}", f"{{mac_port: 2{more}}}")):
        assert text.count(old) == 1
        text = text.replace(old, new)
    file = tmp_path / "circle.yaml"
    file.write_text(text)
    return file


def start(simulation: Simulation, tmp_path: Path) -> None:
    """loop.c on the first processor, ROUNDS on the second."""
    (tmp_path / "rounds.c").write_text(ROUNDS)
    for processor, source in zip(
        bombus.processors(simulation), (EXAMPLE / "loop.c", tmp_path / "rounds.c"), strict=True
    ):
        elf = tmp_path / f"{source.stem}.elf"
        build([source], elf)
        processor.load(elf)
        processor.boot()


def rounds(random: Random, number: int) -> bytes:
    return bytes([number]) + frame(random, 1000)[1:]


def left(data: bytes) -> bytes:
    """What becomes of a frame."""
    return bytes(1) + data[1:]


@pytest.mark.sweep
def test_a_circle_that_is_refused_stalls(tmp_path: Path) -> None:
    """With more frames in the circle than it has room for, the loop and the processor wait for each
    other for ever.
    """
    random = Random(4)
    file = circle(tmp_path)
    with pytest.raises(check.DeadlockError, match="second -> again -> second"):
        check.check(file)
    folder = tmp_path / "generated"
    generate(file, folder, allow_deadlock=True)
    with Simulation(build_library(folder), assertions=True) as simulation:
        message_sums.leave_out(simulation)
        start(simulation, tmp_path)
        simulation.watch(5000)
        few = [rounds(random, 5) for _ in range(20)]
        done = simulation.exchange(few, limit_cycles=LIMIT_CYCLES)
        assert [each.data for each in done.received] == [left(data) for data in few]
        assert not simulation.stalls()
        done = simulation.exchange([rounds(random, 50) for _ in range(200)], limit_cycles=50_000)
        assert done.timed_out and len(done.received) < 200
        assert simulation.in_flight
        told = explain(simulation.stalls())
        (turn,) = (line for line in told if line.startswith("deadlock"))
        print(*told, sep="\n")
        assert "layer again" in turn and "layer second" in turn


@pytest.mark.sweep
def test_a_circle_that_drops_survives(tmp_path: Path) -> None:
    """The same traffic: what does not fit is dropped and counted, all else leaves."""
    random = Random(4)
    with Simulation(circle(tmp_path, ", drops_when_full: true"), assertions=True) as simulation:
        start(simulation, tmp_path)
        simulation.watch(5000)
        few = [rounds(random, 5) for _ in range(20)]
        many = [rounds(random, 50) for _ in range(200)]
        sent, came = Counter(map(left, [*few, *many, *few])), 0
        for data, all_pass in ((few, True), (many, False), (few, True)):
            done = simulation.exchange(data, limit_cycles=LIMIT_CYCLES)
            assert (len(done.received) == len(data)) == all_pass
            came += len(done.received)
            sent.subtract(each.data for each in done.received)
            simulation.advance_until_idle()
        assert min(sent.values()) == 0, "a frame is doubled"
        drops = {
            (tile, name): count
            for tile, counters in simulation.counters().items()
            for name, count in counters.items()
            if name.startswith("drop.") and count
        }
        print(drops)
        assert drops.pop(("again", "drop.frame_loop.overflow")) > 20
        assert drops.keys() <= {("port_0", "drop.frame_rx.overflow")}
        assert came + dropped(simulation.counters()) == sum(map(len, (few, many, few)))
        assert not simulation.stalls()
        message_sums.check(simulation)
        simulation.check()


@pytest.mark.sweep
def test_frames_pass_both(tmp_path: Path) -> None:
    random = Random(1)
    with examples.running("loop", tmp_path) as simulation:
        for port in (0, 1):
            simulation.line_rate(GBPS, port)
        sent = [frame(random, random.choice((60, 64, 65, 300, 1500)), n % 9) for n in range(600)]
        ports = [random.randrange(2) for _ in sent]
        done = simulation.exchange(sent, ports=ports, limit_cycles=LIMIT_CYCLES)
        crossed(simulation, sent, ports, done)
        first, second, again = (
            simulation.tile_counters(tile)["noc_in_messages"]
            for tile in ("first", "second", "again")
        )
        assert first == again == ports.count(0)
        assert second == len(sent)


ADDRESSED = (
    f"name: addressed{TWO_PORTS}"
    + """
tiles:
  - {name: port_0, layers: [frame_rx, mac_tx], at: [0, 0], next: {rpu: first}}
  - name: port_1
    layers: [{frame_rx: {mac_port: 1}}, {mac_tx: {mac_port: 1}}]
    at: [0, 1]
    next: {rpu: first}
  - {name: first, layers: [{rpu: {frames: true, num_slots: 8}}], at: [1, 0], next: {udp_tx: drop}}
  - name: second
    replicas: 4
    dispatch: flow_hash
    at: [[1, 1], [2, 1], [3, 0], [3, 1]]
    layers:
      - rpu_share
      - rpu: {lane: 1, frames: true, num_slots: 4}
      - rpu: {lane: 2, frames: true, num_slots: 4}
    next: {udp_tx: drop, mac_port_2: drop, rpu_lane3: drop, rpu_lane4: drop}
  - name: again
    layers: [{frame_loop: {mac_port: 2, keeps_flow: true}}]
    at: [2, 0]
    next: {rpu: second.rpu_share}
"""
)
TO = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        uint32_t to = rpu_window(packet)->header[0];
        rpu_address(packet, to & 3, to >> 2 & 1);
        rpu_send((packet & ~(3 * RPU_PORT_BIT)) | 2 * RPU_PORT_BIT);
    }
}
"""
MARK = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        ((volatile uint8_t *)rpu_window(packet)->header)[1] = ME;
        rpu_send(packet ^ 3 * RPU_PORT_BIT);
    }
}
"""


def test_a_program_addresses_a_processor(tmp_path: Path) -> None:
    """Frames of one flow or of any go where their first byte says: each of eight processors."""
    random = Random(3)
    file = tmp_path / "addressed.yaml"
    file.write_text(ADDRESSED)
    with Simulation(file, assertions=True) as simulation:
        for number, processor in enumerate(bombus.processors(simulation)):
            program = TO
            if processor.tile != "first":
                lane, tile = processor.lane or 0, int(processor.tile[-1])
                program = MARK.replace("ME", str(tile + 4 * lane))
            source, elf = tmp_path / f"{number}.c", tmp_path / f"{number}.elf"
            source.write_text(program)
            build([source], elf)
            processor.load(elf)
            processor.boot()
        sent = []
        for _ in range(400):
            data = frame(random, random.choice((60, 61, 300)), random.choice((3, None)))
            sent.append(bytes([random.randrange(8)]) + data[1:])
        for port in (0, 1):
            simulation.line_rate(2, port)
        done = simulation.exchange(sent, limit_cycles=LIMIT_CYCLES)
        wanted = [data[:1] * 2 + data[2:] for data in sent]
        assert sorted(each.data for each in done.received) == sorted(wanted)
        assert {each.port for each in done.received} == {1}
        message_sums.check(simulation)
        simulation.check()
