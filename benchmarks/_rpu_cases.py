# SPDX-License-Identifier: Apache-2.0
"""Cases of `bombus bench rpu`: programs, what a case adds to the designs, and its traffic."""

from __future__ import annotations

from dataclasses import dataclass

import _rpu_ids as ids

from bombus.base.paths import EXAMPLES

# Frames pass two tiles of four processors, the second one through the loop.
LOOPBACK = """
name: middlebox_loop
data_width: 512
mac_ports:
  - {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2}
  - {mac: "02:b0:0b:05:00:02", ip: 10.78.0.2}
tiles:
  - {name: port_0, layers: [frame_rx, mac_tx], at: [0, 0], next: {rpu: first.rpu_share}}
  - name: port_1
    layers: [{frame_rx: {mac_port: 1}}, {mac_tx: {mac_port: 1}}]
    at: [0, 1]
    next: {rpu: second.rpu_share}
  - name: first
    at: [1, 0]
    layers:
      - rpu_share
      - rpu: {lane: 1, frames: true, num_slots: 16, slot_bytes: 16384}
      - rpu: {lane: 2, frames: true, num_slots: 16, slot_bytes: 16384}
      - rpu: {lane: 3, frames: true, num_slots: 16, slot_bytes: 16384}
      - rpu: {lane: 4, frames: true, num_slots: 16, slot_bytes: 16384}
    next: {udp_tx: drop}
  - name: second
    at: [1, 1]
    layers:
      - rpu_share
      - rpu: {lane: 1, frames: true, num_slots: 16, slot_bytes: 16384}
      - rpu: {lane: 2, frames: true, num_slots: 16, slot_bytes: 16384}
      - rpu: {lane: 3, frames: true, num_slots: 16, slot_bytes: 16384}
      - rpu: {lane: 4, frames: true, num_slots: 16, slot_bytes: 16384}
    next: {udp_tx: drop, mac_port_2: drop}
  - {name: again, layers: [{frame_loop: {mac_port: 2}}], at: [2, 0], next: {rpu: second.rpu_share}}
"""
# Bodies of `main`. Descriptors by custom instructions, or as words of memory; frames leave by the
# other port.
FORWARD = "for (;;) rpu_send(rpu_receive() ^ RPU_PORT_BIT);"
FORWARD_MEMORY = """for (;;) {
        rpu_packet packet = RPU_RECEIVE_WORD;
        if (packet) RPU_SEND_WORD = packet ^ RPU_PORT_BIT;
    }"""
FIREWALL = """for (;;) {
        rpu_packet packet = rpu_receive();
        if (RPU_VERDICT(packet) & 1) rpu_drop(packet);
        else rpu_send(packet ^ RPU_PORT_BIT);
    }"""
# From port 0 to port 2, the loop; the second tile then sends by port 1.
TO_LOOP = "for (;;) rpu_send(rpu_receive() ^ 2 * RPU_PORT_BIT);"
FROM_LOOP = "for (;;) rpu_send(rpu_receive() ^ 3 * RPU_PORT_BIT);"
IDS = (EXAMPLES / "middlebox" / "ids.c").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Accelerator:
    """What follows each processor of a design. ROWS stands for the rows of the rules' tables."""

    layer: str
    family: str  # first word of the names of such designs


@dataclass(frozen=True)
class Case:
    """`program`: of all processors, or of those of the first tile, if there is a `second` program.

    Frames are of random bytes, unless the case has `traffic`; `is_half_blocked`: every other frame
    of a port is from an address on the firewall's list.
    """

    name: str
    program: str
    second: str = ""
    accelerator: Accelerator | None = None
    traffic: ids.Traffic | None = None
    is_half_blocked: bool = False


BLACKLIST = Accelerator("ip_blacklist: {stages: 12}", "firewall")
MATCHER = Accelerator(f"rule_matcher: {{rows: ROWS, {ids.SLOTS}}}", "ids")

# Frames that match a rule pass too, since the rule is a prefilter.
CASES = {
    case.name: case
    for case in (
        Case("forward", FORWARD),
        Case("forward_memory", FORWARD_MEMORY),
        Case("firewall", FIREWALL, accelerator=BLACKLIST),  # its list is empty: all frames pass
        Case("firewall_drop", FIREWALL, accelerator=BLACKLIST, is_half_blocked=True),
        Case("loopback", TO_LOOP, second=FROM_LOOP),
        Case("ids_tcp", IDS, accelerator=MATCHER, traffic=ids.TCP),
        Case("ids_reordered", IDS, accelerator=MATCHER, traffic=ids.REORDERED),
        # The frames and the design of ids_reordered.
        Case("forward_reordered", FORWARD, accelerator=MATCHER, traffic=ids.REORDERED),
        Case("ids_udp", IDS, accelerator=MATCHER, traffic=ids.UDP),
        Case("ids_attack", IDS, accelerator=MATCHER, traffic=ids.ATTACK),
    )
}
BROADCAST = "broadcast"  # measures words, not frames
NAMES = (*CASES, BROADCAST)
