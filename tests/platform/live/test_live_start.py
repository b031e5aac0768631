# SPDX-License-Identifier: Apache-2.0
"""The first step of a live run: frames that already wait, and the time of the first capture."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import ARP, Ether
from scapy.utils import rdpcap

from bombus import Simulation
from tests import ROOT

PEER, PEER_MAC = "10.77.0.1", "02:00:00:00:00:01"
HOST, HOST_MAC = "10.77.0.2", "02:b0:0b:05:00:01"
ROUNDS = 200


@pytest.fixture
def attached() -> Iterator[tuple[Simulation, socket.socket]]:
    """A TCP design that has not run yet, and the other end of its MAC port."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with here, there, Simulation(ROOT / "designs" / "tcp_echo.yaml", assertions=True) as simulation:
        here.setblocking(False)
        simulation.attach(there.fileno())
        yield simulation, here


def answers(simulation: Simulation, here: socket.socket) -> Iterator[Ether]:
    for _ in range(ROUNDS):
        simulation.run_live(0.001)
        try:
            yield Ether(here.recv(2048))
        except BlockingIOError:
            continue


def test_syn_before_the_first_step(attached: tuple[Simulation, socket.socket]) -> None:
    """Linux has sent a SYN while the simulator was started: it is no reason for a reset."""
    simulation, here = attached
    ethernet = Ether(src=PEER_MAC, dst=HOST_MAC)
    syn = ethernet / IP(src=PEER, dst=HOST) / TCP(sport=1000, dport=7, flags="S", seq=1)
    here.send(bytes(syn))
    for frame in answers(simulation, here):
        if ARP in frame and frame[ARP].op == 1 and frame[ARP].pdst == PEER:
            reply = ARP(op=2, psrc=PEER, hwsrc=PEER_MAC, pdst=HOST, hwdst=HOST_MAC)
            here.send(bytes(ethernet / reply))
        if TCP in frame:
            assert frame[TCP].flags == "SA"
            return
    pytest.fail("the SYN was not answered")


def test_capture_before_the_first_step(
    attached: tuple[Simulation, socket.socket], tmp_path: Path
) -> None:
    """Register accesses let time pass, in which the design announces its address."""
    simulation, _ = attached
    capture = tmp_path / "capture.pcap"
    simulation.pcap_out(capture)
    begin = time.time()
    for _ in range(100):
        simulation.counters()
    simulation.run_live(0.01)
    simulation.close()
    times = [float(packet.time) for packet in rdpcap(str(capture))]
    assert times
    assert begin - 10 < times[0] <= times[-1] < time.time() + 10
