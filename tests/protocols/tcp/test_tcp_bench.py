# SPDX-License-Identifier: Apache-2.0
"""`bombus bench tcp`: the pattern that its peers compare with, and how cycles are counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bombus.analysis import check
from bombus.base.errors import UserError
from bombus.measure import bench
from bombus.protocols.tcp.peer import pattern
from bombus.simulator.build import build
from tests import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_assertions")]


def test_pattern() -> None:
    for start in (0, 255, 65_530, (1 << 24) - 3, (1 << 32) - 3):
        places = [(start + n) % (1 << 32) for n in range(9)]
        expected = bytes((p ^ p >> 8 ^ p >> 16) & 255 for p in places)
        assert pattern(start, 9) == expected


def test_cycles_of_the_middle_half() -> None:
    benchmark: Any = bench.load("tcp")
    came = [(7 * n, 128) for n in range(100)]
    assert benchmark.cycles_each(came, 64) == 3.5
    with pytest.raises(UserError, match="too few"):
        benchmark.cycles_each(came[:1], 64)


def test_options_are_checked() -> None:
    with pytest.raises(UserError, match="--payloads"):
        bench.run("tcp", None, None, payloads="8961")
    with pytest.raises(UserError, match="--requests"):
        bench.run("tcp", None, None, requests="0")
    with pytest.raises(UserError, match="--segments"):
        bench.run("tcp", None, None, segments=3)
    with pytest.raises(UserError, match="--connections"):
        bench.run("tcp", None, None, connections="2,0")


def test_pictures(tmp_path: Path) -> None:
    """Runs of two designs share one picture per width; files that are not runs are rejected."""
    benchmark: Any = bench.load("tcp")
    figures = {"payload_bytes": 64, "goodput_gbps": 2.5, "bound_gbps": 45.07, "latency_cycles": 90}
    rows = [
        {"mode": mode, "direction": way, "buffers": buffers, "data_bits": 512} | figures
        for mode, way in (("stream", "rx"), ("stream", "tx"), ("rtt", "both"))
        for buffers in ("tile", "bypass")
    ]
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps({"rows": [row | {"connections": 8} for row in rows]}))
    benchmark.draw(benchmark.rows_of([earlier]), tmp_path)
    goodput = (tmp_path / "tcp_goodput_512.svg").read_text()
    for text in ("8 connections, bypass", "1 connection, Beehive, published", "received", "sent"):
        assert text in goodput
    trips = (tmp_path / "tcp_round_trips.svg").read_text()
    assert "buffer tiles" in trips and "bypass" in trips
    # Bars need long segments of one connection, and both latencies.
    benchmark.draw_buffers(rows, tmp_path)
    assert not (tmp_path / "tcp_buffers.svg").exists()
    long = {"payload_bytes": 4096, "connections": 1, "bound_gbps": 98.131}
    bars = [row | (long if row["mode"] == "stream" else {}) for row in rows]
    benchmark.draw_buffers(bars, tmp_path)
    drawn = (tmp_path / "tcp_buffers.svg").read_text()
    for text in ("bound of the link, 98.131", "buffer tiles", "bypass", "90", "2.5"):
        assert f">{text}<" in drawn
    # TCP and UDP beside TU Darmstadt's figures.
    benchmark.draw_protocols(bars, tmp_path)
    assert not (tmp_path / "tcp_protocols.svg").exists()
    udp = {"payload_bytes": 4096, "frame_bytes": 4138, "wire_gbps": 100.0, "beats": 65}
    request = {"payload_bytes": 64, "frame_bytes": 106, "wire_gbps": 100.0, "beats": 2}
    rows_of_udp = [udp | {"latency_cycles": 120}, request | {"latency_cycles": 36}]
    earlier.write_text(json.dumps({"rows": rows_of_udp}))
    tcp = [row | {"goodput_gbps": 98.101, "connections": 1} for row in bars]
    both = [*tcp, *benchmark.rows_of([earlier])]
    benchmark.draw(both, tmp_path)
    benchmark.draw_buffers(both, tmp_path)
    benchmark.draw_protocols(both, tmp_path)
    drawn = (tmp_path / "tcp_protocols.svg").read_text()
    for text in ("TU Darmstadt, published", "Ethernet", "99.08", "98.414", "98.101"):
        assert f">{text}<" in drawn
    assert "latency" not in drawn  # without a handshake
    handshake = tcp[-1] | {"mode": "handshake", "latency_cycles": 68}
    benchmark.draw_protocols([*both, handshake], tmp_path)
    drawn = (tmp_path / "tcp_protocols.svg").read_text()
    for text in ("68", "90", "36", "UDP", "latency in the design, request of 64 bytes"):
        assert f">{text}<" in drawn
    # Plain Ethernet too, if it was measured; not what was measured with narrower data.
    long_frame = {"payload_bytes": 4096, "frame_bytes": 4110, "wire_gbps": 100.0, "beats": 65}
    ethernet = [long_frame | {"latency_cycles": 140}, request | {"latency_cycles": 14}]
    narrow = [row | {"beats": 2 * row["beats"], "latency_cycles": 77} for row in rows_of_udp]
    rows_of_ethernet = [row | {"protocol": "ethernet"} for row in ethernet]
    earlier.write_text(json.dumps({"rows": [*rows_of_ethernet, *narrow]}))
    benchmark.draw_protocols([*both, handshake, *benchmark.rows_of([earlier])], tmp_path)
    drawn = (tmp_path / "tcp_protocols.svg").read_text()
    assert ">99.081<" in drawn and ">14<" in drawn and ">36<" in drawn and ">77<" not in drawn
    for content in ("", "[]", '{"rows": 3}', '{"rows": [4]}'):
        earlier.write_text(content)
        with pytest.raises(UserError, match="bombus bench tcp"):
            benchmark.rows_of([earlier])
    with pytest.raises(UserError, match="No such file"):
        benchmark.rows_of([tmp_path / "absent.json"])


@pytest.mark.parametrize("name", ["tcp.yaml", "tcp_10g.yaml", "tcp_bypass.yaml"])
def test_design_is_sound(name: str) -> None:
    """Its application accepts the messages of the engine."""
    facts, warnings = check.check(ROOT / "benchmarks" / name)
    assert "tcp_load" in facts.design.library.definitions
    assert not warnings


def test_figures_at_another_clock() -> None:
    """A tenth of the clock: the corresponding goodput, never more than the line rate."""
    benchmark: Any = bench.load("tcp")
    given = {"direction": "rx", "buffers": "tile", "data_bits": 512, "connections": 1, "checked": 0}
    stream = benchmark.Row(
        mode="stream",
        payload_bytes=1460,
        cycles_per_segment=24.0,
        goodput_gbps=94.9,
        bound_gbps=94.9,
        latency_cycles=None,
        **given,
    )
    slow, fast = (benchmark.at_clock(stream, mhz) for mhz in (25, 500))
    assert slow.goodput_gbps_estimated == pytest.approx(8 * 1460 * 25e6 / 24 / 1e9, rel=1e-3)
    assert fast.goodput_gbps_estimated == 94.9
    assert slow.latency_ns_estimated is None
    trip = benchmark.Row(
        mode="rtt",
        payload_bytes=64,
        cycles_per_segment=None,
        goodput_gbps=None,
        bound_gbps=None,
        latency_cycles=50,
        **given,
    )
    assert benchmark.at_clock(trip, 200).latency_ns_estimated == 250
    assert benchmark.at_clock(trip, 200).goodput_gbps_estimated is None
    headings = [column.header for column in benchmark.table([], "x", 200).columns]
    assert "Gbit/s at\n200 MHz" in headings


def frame(seq: int, flags: int, size: int) -> bytes:
    """A segment to nobody, padded."""
    segment = bytes(4) + seq.to_bytes(4, "big") + bytes(4) + bytes((0x50, flags)) + bytes(6 + size)
    head = (
        bytes((0x45, 0)) + (20 + len(segment)).to_bytes(2, "big") + bytes(5) + b"\x06" + bytes(10)
    )
    return (bytes(12) + b"\x08\x00" + head + segment).ljust(60, b"\0")


def test_bytes_of_a_transfer_count_once() -> None:
    """Over a wrap of sequence numbers; no padding, no bytes twice, no other protocol."""
    benchmark: Any = bench.load("tcp-transfers")
    arrivals = benchmark.Arrivals()
    first = (1 << 32) - 500
    arrivals.take(0, bytes(60))
    arrivals.take(1, frame(first - 1, 2, 0))
    arrivals.take(2, frame(first, 16, 0))
    arrivals.take(3, frame(first, 16, 1000))
    arrivals.take(4, frame(first, 16, 1000))
    arrivals.take(5, frame(500, 16, 7))
    assert arrivals.points == [(3, 1000), (5, 1007)]


def test_transfer_with_smoltcp() -> None:
    """A request and the first window: the same in every run, since time is virtual."""
    benchmark: Any = bench.load("tcp-transfers")
    library = build(benchmark.DESIGN, assertions=True)  # as other tests build it
    try:
        rows = benchmark.measure(library, ["smoltcp"], 30_000, 100_000)
    except UserError as error:
        pytest.skip(str(error))
    sent, came = rows
    assert all(row.complete and row.clock == "virtual" for row in rows)
    assert (sent.sender, came.sender) == ("Bombus", "smoltcp")
    # Ten segments (RFC 6928) after SYN and its answer, the others a round trip later.
    assert sent.after(1) == pytest.approx(2, abs=0.1)
    assert sent.after(12_000) == pytest.approx(2, abs=0.1)
    assert sent.after(30_000) == pytest.approx(3, abs=0.1)
    assert came.after(30_000) == pytest.approx(1.5, abs=0.1)


def test_options_of_transfers_are_checked() -> None:
    for name, value in (("peers", "windows"), ("size", 0), ("round_trip_ms", 1000)):
        with pytest.raises(UserError, match=f"--{name.replace('_', '-')}"):
            bench.run("tcp-transfers", None, None, **{name: value})
