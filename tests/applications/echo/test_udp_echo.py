# SPDX-License-Identifier: Apache-2.0
"""UDP echo at full rate, every reply right, and a benchmark that notices if not."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bombus import Simulation
from bombus.base.errors import UserError
from bombus.base.output import STDOUT
from bombus.measure import bench
from bombus.measure.exchanges import introduce, neighbour, wire_gbps
from bombus.protocols.answers import echo_reply
from bombus.protocols.frames import Host, Station, padded, udp_frame
from bombus.protocols.stack import FIRST_CLIENT_PORT
from bombus.simulator.frames import Frame
from tests import ROOT
from tests.support.bench import CUT, DESIGNS, ECHO_REPLICAS, FUSED
from tests.support.helpers import Benchmark

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_assertions")]


PACKETS = 100
GIGABIT = ROOT / "designs" / "udp_echo_1g.yaml"
MEMORY = ROOT / "designs" / "udp_echo_memory.yaml"
PAYLOADS = [1, 18, 23, 64, 128, 256, 512, 1024, 1458, 1472, 4096, 8972]
KEYS = {
    "payload_bytes",
    "frame_bytes",
    "beats",
    "cycles_per_packet",
    "mpps",
    "wire_gbps",
    "bound_gbps",
    "latency_cycles",
    "checked",
}
# Cycles from first beat in to first beat out with a payload of one byte.
LATENCY = {DESIGNS[512]: 35, FUSED: 25}


def check_mix(rows: list[dict[str, Any]], design: Path) -> None:
    """Nothing is lost at line rate."""
    wire, port = rows
    assert (wire["rate"], port["rate"]) == ("wire", "port")
    assert wire["mac_mhz"] == (322.27 if design != DESIGNS[64] else 250)
    for row in rows:
        assert row["frames"] == 5 * PACKETS
        assert row["checked"] == row["frames"] - row["lost"]
    assert wire["lost"] == 0
    # A beat arrives in each cycle.
    assert port["cycles"] == port["beats"] < wire["cycles"]


@pytest.mark.parametrize("design", [DESIGNS[512], FUSED, DESIGNS[64]], ids=lambda path: path.stem)
def test_full_rate(design: Path, benchmark: Benchmark) -> None:
    result = benchmark("udp-echo", design, packets=PACKETS)
    assert set(result) == {"rows", "mix", "errors"}
    assert result["errors"] == 0
    assert [row["payload_bytes"] for row in result["rows"]] == PAYLOADS
    for row in result["rows"]:
        assert set(row) == KEYS
        assert row["checked"] == PACKETS
        assert row["frame_bytes"] == max(60, row["payload_bytes"] + 42)
        # The bus is never idle: no design does better.
        assert row["cycles_per_packet"] == pytest.approx(row["beats"], rel=1e-3)
        assert row["wire_gbps"] == pytest.approx(row["bound_gbps"], rel=1e-3)
    check_mix(result["mix"], design)
    if design in LATENCY:
        assert result["rows"][0]["latency_cycles"] == LATENCY[design]


def mix_at(design: Path, rate: str, frames: int = 6000) -> Any:
    """Figures of the mix at one rate."""
    benchmark: Any = bench.load("udp-echo")
    with Simulation(design, seed=1) as simulation:
        station = neighbour(simulation.manifest)
        introduce(simulation, station)
        row, errors = benchmark.measure_mix(simulation, Random(1), station, rate, frames)
    assert errors == 0 and row.frames == row.checked + row.lost
    return row


@pytest.mark.parametrize(
    "design",
    [
        *(DESIGNS[512], FUSED, DESIGNS[64], GIGABIT, MEMORY),
        *(pytest.param(each, marks=pytest.mark.sweep) for each in (DESIGNS[128], CUT)),
    ],
    ids=lambda path: path.stem,
)
def test_mix_is_not_lost_at_the_rate_of_the_port(design: Path) -> None:
    """Where pings and datagrams meet, neither blocks the messages behind it."""
    assert mix_at(design, "port").lost == 0


@pytest.mark.sweep
def test_replicas_lose_no_cycle_of_the_port() -> None:
    """Ways to replicas are of different length, but none stops the stream of requests."""
    assert mix_at(ECHO_REPLICAS, "wire").lost == 0
    assert mix_at(ECHO_REPLICAS, "port", 20_000).lost == 0


def test_short_datagrams_pass_a_memory_at_full_rate() -> None:
    """Each occupies a bank for longer than the bus: successive ones take different banks."""
    benchmark: Any = bench.load("udp-echo")
    with Simulation(MEMORY, seed=1) as simulation:
        station = neighbour(simulation.manifest)
        introduce(simulation, station)
        for size in (1, 64, 256):
            row, errors = benchmark.measure_row(simulation, Random(1), station, size, 500)
            assert errors == 0 and row.cycles_per_packet < 1.1 * row.beats


@pytest.mark.sweep
def test_lost_frames_are_no_errors_if_they_are_counted(
    benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    module: Any = bench.load("udp-echo")
    monkeypatch.setattr(bench, "load", lambda name: module)
    design = tmp_path / FUSED.name  # where pings overtake datagrams
    design.write_text(FUSED.read_text().replace("queue_beats: 16", "queue_beats: 0"))
    result = benchmark("udp-echo", design, packets=1200)
    port = result["mix"][1]
    assert result["errors"] == 0 and 0 < port["lost"] < port["frames"] * 0.05
    monkeypatch.setattr(module, "overflows", lambda simulation: 0)
    with pytest.raises(UserError, match=f"{port['lost']} errors"):
        bench.run("udp-echo", design, STDOUT, packets=1200)


def test_the_clock_of_the_estimate(benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch) -> None:
    """At half the design's clock, the rate halves and the latency in ns doubles."""
    module = bench.load("udp-echo")
    monkeypatch.setattr(module, "estimated_mhz", lambda design: 125.0)
    monkeypatch.setattr(bench, "load", lambda name: module)
    result = benchmark("udp-echo", DESIGNS[512], packets=2, estimate=True)
    for row in result["rows"]:
        assert set(row) == KEYS | {
            "mpps_estimated",
            "wire_gbps_estimated",
            "latency_ns_estimated",
        }
        assert row["mpps_estimated"] == pytest.approx(row["mpps"] / 2, rel=1e-3)
        assert row["latency_ns_estimated"] == row["latency_cycles"] * 8
        # 512 bits at 125 MHz are below the line.
        assert row["wire_gbps_estimated"] < row["wire_gbps"]


def test_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    bench.run("udp-echo", DESIGNS[512], None, packets=2)
    shown = capsys.readouterr().out
    assert "UDP echo: udp_echo" in shown and "measured on its published RTL" in shown


def corrupted(frame: bytes) -> bytes:
    """The model's answer with its last byte changed."""
    answer = echo_reply(frame)
    return answer[:-1] + bytes([answer[-1] ^ 1])


def test_wrong_reply_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    benchmark: Any = bench.load("udp-echo")
    # One reply of the burst of the last size is wrong.
    seen = []

    def model_with_a_mistake(frame: bytes) -> bytes:
        seen.append(frame)
        last = len(seen) == len(PAYLOADS) * (benchmark.SINGLE_PACKETS + PACKETS)
        return corrupted(frame) if last else echo_reply(frame)

    monkeypatch.setattr(benchmark, "echo_reply", model_with_a_mistake)
    with pytest.raises(UserError, match="1 error: replies that were wrong"):
        benchmark.main(DESIGNS[512], STDOUT, packets=PACKETS)
    assert json.loads(capsys.readouterr().out)["errors"] == 1


def test_missing_and_extra_replies_are_errors() -> None:
    station = Station.of("02:00:00:00:00:63", "10.77.0.99")
    host = Host(b"\2\0\0\0\0\1", b"\x0a\x4d\0\2", b"\xff\xff\xff\0")
    frames = [padded(udp_frame(station, host, bytes([i]))) for i in range(4)]
    replies = [Frame(echo_reply(frame), 0, 0, 0, 0) for frame in frames]
    compare = bench.load("_echo-rows").compare
    assert compare(frames, replies, echo_reply) == (4, 0)
    assert compare(frames, replies[:-1], echo_reply) == (3, 1)
    assert compare(frames, [*replies, replies[0]], echo_reply) == (4, 1)


@pytest.mark.parametrize("port", [7, 1007, 9000, 32767, 32768])
def test_two_echo_services_do_not_answer_each_other(port: int) -> None:
    """A forged datagram from a service of another host, which echoes all that it gets."""
    with Simulation(DESIGNS[512], seed=1) as simulation:
        host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
        introduce(simulation, station)
        frames = [padded(udp_frame(station, host, b"loop", source_port=port))]
        rounds = 0
        while frames and rounds < 10:
            came = simulation.exchange(frames).received
            frames = [echo_reply(frame.data) for frame in came]
            rounds += 1
        # Only a careless service on the port of a client could go on.
        assert rounds == (1 if port < FIRST_CLIENT_PORT else 10)
        dropped = simulation.tile_counters("echo")["drop.udp_echo.service_port"]
        assert dropped == (port < FIRST_CLIENT_PORT)


def test_the_shortest_frames_fill_a_wire() -> None:
    """The known figure of 10 Gbit/s: 14.88 million frames of 64 bytes a second, FCS included."""
    assert wire_gbps(60, 14_880_952) == pytest.approx(10)


def test_plain_ethernet(benchmark: Benchmark) -> None:
    """The bus is never idle, and an answer waits for the last beat of its frame alone."""
    result = benchmark("ethernet", packets=PACKETS)
    assert result["errors"] == 0
    for row in result["rows"]:
        assert set(row) == KEYS | {"protocol"} and row["protocol"] == "ethernet"
        assert row["frame_bytes"] == row["payload_bytes"] + 14
        assert row["cycles_per_packet"] == pytest.approx(row["beats"], rel=1e-3)
        assert row["latency_cycles"] <= 2 * row["beats"] + 10
        assert row["checked"] == PACKETS


def test_a_wrong_frame_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that comes back with its addresses as they were."""
    benchmark: Any = bench.load("ethernet")
    right, seen = benchmark.exchanged, []

    def model_with_a_mistake(frame: bytes) -> bytes:
        seen.append(frame)
        return frame if len(seen) == 40 else right(frame)

    monkeypatch.setattr(benchmark, "exchanged", model_with_a_mistake)
    with pytest.raises(UserError, match="1 error: replies that were wrong"):
        benchmark.main(None, STDOUT, packets=PACKETS)


def test_unknown_names() -> None:
    with pytest.raises(UserError, match="did you mean 'udp-echo'"):
        bench.run("udp-ecko", None, None)
    with pytest.raises(UserError, match="did you mean '--packets'"):
        bench.run("udp-echo", None, None, packet=3)
