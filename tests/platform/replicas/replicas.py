# SPDX-License-Identifier: Apache-2.0
"""A small design with replicas of an application, for tests of replica groups."""

from __future__ import annotations

from pathlib import Path

ECHO = "{name: echo, kind: udp_echo, udp_port: 7, at: [2, 1]}"
REPLICAS = "{name: echo, kind: udp_echo, udp_port: 7, replicas: 3}"
# Requests go east and south, answers west and to the first column.
SOUND = """name: small
data_width: 64
line_rate_gbps: 10
fabric: {columns: 3, rows: 3}
host: {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2}
tiles:
  - name: receive
    layers: [mac_rx, eth_rx, ipv4_rx, icmp_echo, udp_rx]
    at: [0, 0]
  - {name: arp, kind: arp, at: [0, 1]}
  - {name: transmit, layers: [udp_tx, ipv4_tx, eth_tx, mac_tx], at: [0, 2]}
"""


def small(tmp_path: Path, *tiles: str) -> Path:
    file = tmp_path / "design.yaml"
    file.write_text(SOUND + "".join(f"  - {tile}\n" for tile in tiles))
    return file
