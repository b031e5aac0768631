# SPDX-License-Identifier: Apache-2.0
"""Runs hop.c on one packet processor and sends it a packet of every TTL."""

from __future__ import annotations

import sys
from pathlib import Path

from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

import bombus
from bombus import Simulation
from bombus.applications.processors.build import build

FOLDER = Path(__file__).parent
ELF = Path(sys.argv[1] if sys.argv[1:] else "hop.elf")

build([FOLDER / "hop.c"], ELF)
with Simulation(FOLDER / "firewall.yaml", assertions=True) as simulation:
    processor = bombus.processors(simulation)[0]
    processor.load(ELF)
    processor.boot()
    for ttl in range(256):
        packet = Ether() / IP(src="10.1.0.1", dst="10.2.0.1", ttl=ttl) / UDP(dport=9) / bytes(20)
        frames = simulation.exchange([packet]).received
        if ttl <= 1:
            assert frames == []
        else:
            packet[IP].ttl -= 1  # scapy computes the checksum
            assert [(frame.data, frame.port) for frame in frames] == [(bytes(packet), 1)]
    status = processor.status
    dropped = status.counters["drop.rpu.by_firmware"]
    print(f"256 packets, as expected; the program {status.state}, {dropped} dropped")
