# SPDX-License-Identifier: Apache-2.0
"""docs/examples/middlebox/loop.yaml: frames from port 0 pass two packet processors."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from middlebox import TWO_PORTS, crossed, frame
from support import examples, message_sums

from bombus.analysis import check
from bombus.base.paths import EXAMPLES
from bombus.firmware.build import build
from bombus.simulator.simulation import Simulation

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
        for number, processor in enumerate(simulation.rpus):
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
