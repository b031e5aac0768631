# SPDX-License-Identifier: Apache-2.0
"""Logs of the headers on both sides of a TCP engine, and their capture."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from bombus.analysis.check import check
from bombus.applications.logs import printing
from bombus.applications.logs.entries import PacketEntry, packet_entry
from bombus.applications.logs.places import LogPlace, logs_of
from bombus.applications.logs.reading import Fetched
from bombus.applications.logs.simulated import fetch_simulated
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.tcp.peer import Peers
from bombus.simulator.simulation import Simulation
from tests import ROOT

pytestmark = pytest.mark.slow

DESIGN = ROOT / "docs" / "examples" / "logs" / "tcp_logs.yaml"
RECEIVED, SENT = 9111, 9112
FIRST_BYTES = 60


def headers(entries: list[PacketEntry]) -> list[bytes]:
    """TCP headers without the checksum, which is not computed yet in segments to be sent."""
    found = []
    for entry in entries:
        size = 4 * (entry.head[12] >> 4)
        found.append(entry.head[:16] + entry.head[18:size])
    return found


def on_the_wire(frames: list[bytes]) -> list[bytes]:
    tcp = [frame[34 : 14 + int.from_bytes(frame[16:18])] for frame in frames if frame[23] == 6]
    return [each[:16] + each[18 : 4 * (each[12] >> 4)] for each in tcp]


def test_headers_of_two_connections(tmp_path: Path) -> None:
    scapy = pytest.importorskip("scapy.utils")
    capture, wire = tmp_path / "logs.pcapng", tmp_path / "wire.pcapng"
    design = check(DESIGN)[0].design
    with Simulation(DESIGN, assertions=True, seed=2) as simulation:
        station = neighbour(simulation.manifest)
        introduce(simulation, station)
        peers = Peers(simulation, station, 100)
        simulation.pcap_out(wire)
        connections = [
            peers.open(5000 + n, 7, 1460, 1000 * n, echoes=True, collects=True) for n in range(2)
        ]
        peers.connect(connections)
        for number in range(20):
            each = connections[number % 2]
            peers.send(each, payload=bytes(100 + number))
            while each.una != each.nxt:
                peers.step()
        peers.reset(connections)
        simulation.pcap_out(None)
        logs: dict[LogPlace, Fetched] = {
            place: fetch_simulated(simulation, station, place) for place in logs_of(design)
        }
        host = bytes(int(part) for part in simulation.manifest["mac_ports"][0]["ip"].split("."))
        count = printing.write_capture(capture, logs, 250, [host])
        simulation.check()
    by_port = {place.port: [packet_entry(e) for e in log.entries] for place, log in logs.items()}
    frames = [data for data, _ in scapy.RawPcapNgReader(str(wire))]
    to_host = [frame for frame in frames if frame[30:34] == host]
    from_host = [frame for frame in frames if frame[26:30] == host]
    assert headers(by_port[RECEIVED]) == on_the_wire(to_host)
    assert headers(by_port[SENT]) == on_the_wire(from_host)
    assert all(log.begins and log.state.lost == 0 for log in logs.values())
    for entry, frame in zip(by_port[RECEIVED], to_host, strict=True):
        assert entry.length == int.from_bytes(frame[16:18]) - 20

    packets = list(scapy.RawPcapNgReader(str(capture)))
    assert len(packets) == count == len(to_host) + len(from_host)
    stamps = [(seen.tshigh << 32) + seen.tslow for _, seen in packets]
    assert stamps == sorted(stamps)
    received = [data for data, _ in packets if data[16:20] == host]
    segments = [frame[34 : 14 + int.from_bytes(frame[16:18])] for frame in to_host]
    assert [data[20:] for data in received] == [each[:FIRST_BYTES] for each in segments]
    assert [data[12:20] for data in received] == [station.ip + host] * len(to_host)

    if tshark := shutil.which("tshark"):
        fields = ["ip.src", "tcp.seq_raw", "tcp.len", "frame.time_epoch", "frame.comment"]
        columns = [word for field in fields for word in ("-e", field)]
        text = subprocess.run(
            [tshark, "-r", str(capture), "-T", "fields", *columns],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        rows = [line.split("\t") for line in text.splitlines()]
        assert len(rows) == count and {row[0] for row in rows} == {"10.77.0.1", "10.77.0.2"}
        lengths = [int(row[2]) for row in rows if row[0] == "10.77.0.1"]
        assert [length for length in lengths if length] == [100 + number for number in range(20)]
        entries = sorted(e.stamp.cycle for each in by_port.values() for e in each)
        assert [row[4] for row in rows] == [f"cycle {cycle}" for cycle in entries]
