# SPDX-License-Identifier: Apache-2.0
"""Capture files in and out."""

from __future__ import annotations

import itertools
import random
import resource
import signal
import struct
from pathlib import Path

import pytest
from scapy.all import Ether, PcapNgReader, Raw, rdpcap, wrpcap, wrpcapng

from bombus.simulator.build import Library
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation

pytestmark = pytest.mark.slow

SOURCE = random.Random(3)
FRAMES = [SOURCE.randbytes(SOURCE.randint(60, 1500)) for _ in range(50)]


def test_out_and_in_again(loopback: Library, tmp_path: Path) -> None:
    with Simulation(loopback) as simulation:
        simulation.pcap_out(tmp_path / "rx.pcap", tx=False)
        first = simulation.exchange(FRAMES)
        simulation.pcap_out(None)
    assert [bytes(packet) for packet in rdpcap(str(tmp_path / "rx.pcap"))] == FRAMES

    with Simulation(loopback) as simulation:
        assert simulation.pcap_in(tmp_path / "rx.pcap") == len(FRAMES)
        again = simulation.receive_all()
    assert [frame.data for frame in again] == [frame.data for frame in first.received]


def test_frames_for_a_link_that_is_down_are_lost(loopback: Library, tmp_path: Path) -> None:
    wrpcap(str(tmp_path / "in.pcap"), FRAMES)
    with Simulation(loopback) as simulation:
        simulation.link(up=False)
        assert simulation.pcap_in(tmp_path / "in.pcap") == len(FRAMES)
        assert simulation.statistics()["link_lost"] == len(FRAMES)
        simulation.link(up=True)
        assert not simulation.receive_all()


def test_same_run_same_file(loopback: Library, tmp_path: Path) -> None:
    def run(name: str) -> bytes:
        with Simulation(loopback, seed=4, rx_bubble=0.2, tx_stall=0.2) as simulation:
            simulation.pcap_out(tmp_path / name)
            simulation.exchange(FRAMES)
        return (tmp_path / name).read_bytes()

    assert run("one.pcap") == run("other.pcap")


def test_times_are_virtual(loopback: Library, tmp_path: Path) -> None:
    with Simulation(loopback) as simulation:
        simulation.pcap_out(tmp_path / "tx.pcap", rx=False)
        simulation.elapse(seconds=2)
        received = simulation.exchange(FRAMES[:5]).received
    packets = rdpcap(str(tmp_path / "tx.pcap"))
    assert [round(float(p.time) * 1e9) for p in packets] == [f.time_ns for f in received]


def test_gaps_of_the_file_can_be_kept(loopback: Library, tmp_path: Path) -> None:
    packets = [Ether(raw) for raw in FRAMES[:5]]
    for number, packet in enumerate(packets):
        packet.time = 1_700_000_000 + number * 0.01
    wrpcap(str(tmp_path / "in.pcap"), packets)
    with Simulation(loopback) as simulation:
        simulation.pcap_in(tmp_path / "in.pcap", keep_time=True)
        received = simulation.receive_all(timeout_cycles=100_000_000)
        assert len(received) == 5
        gaps = [b.time_ns - a.time_ns for a, b in itertools.pairwise(received)]
        assert all(abs(gap - 10_000_000) < 2000 for gap in gaps)
        assert simulation.evaluated_cycles < 5000


def test_files_that_are_none(loopback: Library, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    (tmp_path / "other").write_bytes(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
    wrpcap(str(tmp_path / "short"), [Ether() / Raw(bytes(100))])
    (tmp_path / "short").write_bytes((tmp_path / "short").read_bytes()[:-5])
    with Simulation(loopback) as simulation:
        for name in ("text", "other", "short", "missing"):
            with pytest.raises(SimulationError, match=name):
                simulation.pcap_in(tmp_path / name)


def test_pcapng_tells_directions_and_reads_back(loopback: Library, tmp_path: Path) -> None:
    with Simulation(loopback) as simulation:
        simulation.pcap_out(tmp_path / "both.pcapng")
        simulation.elapse(seconds=5)
        received = simulation.exchange(FRAMES).received
        simulation.pcap_out(None)
    with PcapNgReader(str(tmp_path / "both.pcapng")) as reader:
        packets = list(reader)
    incoming = [bytes(p) for p in packets if p.direction == 1]
    outgoing = [p for p in packets if p.direction == 2]
    assert incoming == FRAMES == [bytes(p) for p in outgoing]
    assert [round(float(p.time) * 1e9) for p in outgoing] == [f.time_ns for f in received]

    with Simulation(loopback) as simulation:
        assert simulation.pcap_in(tmp_path / "both.pcapng", keep_time=True) == 2 * len(FRAMES)
        again = [frame.data for frame in simulation.receive_all(timeout_cycles=1_000_000)]
    assert again == [bytes(packet) for packet in packets]


def test_pcapng_of_other_programs(loopback: Library, tmp_path: Path) -> None:
    """As scapy writes it: without nanoseconds and directions."""
    packets = [Ether(raw) for raw in FRAMES]
    for number, packet in enumerate(packets):
        packet.time = 1_700_000_000 + number * 0.001
    wrpcapng(str(tmp_path / "in"), packets)
    with Simulation(loopback) as simulation:
        simulation.pcap_in(tmp_path / "in", keep_time=True)
        received = simulation.receive_all(timeout_cycles=100_000_000)
    assert [frame.data for frame in received] == FRAMES
    gaps = [b.time_ns - a.time_ns for a, b in itertools.pairwise(received)]
    assert all(abs(gap - 1_000_000) < 2000 for gap in gaps)


def test_a_full_disk_is_told(loopback: Library, tmp_path: Path) -> None:
    with Simulation(loopback) as simulation, pytest.raises(SimulationError, match="No space"):
        simulation.pcap_out("/dev/full")

    # As on a file system with room for some frames only.
    path = tmp_path / "capture.pcap"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    simulation = Simulation(loopback)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
        simulation.pcap_out(path)
        simulation.exchange([bytes(1000)] * 200)
        simulation.advance(1)
        lost = simulation.statistics()["capture_lost"]
        with pytest.raises(SimulationError, match=rf"{path}: File too large; \d+ frames"):
            simulation.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    # The frames in the file are complete.
    kept = rdpcap(str(path))
    assert len(kept) == (100_000 - 24) // 1016
    assert lost == 400 - len(kept)
    assert {bytes(packet) for packet in kept} == {bytes(1000)}
