# SPDX-License-Identifier: Apache-2.0
"""`bombus bench rpu`: designs are sound, options are checked, rates are of the middle half."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from bombus.analysis import check
from bombus.applications.firewall.blacklist import boundaries, is_covered
from bombus.applications.intrusion_detection import compiling, lookup, model
from bombus.base.errors import UserError
from bombus.generation.manifest import manifest
from bombus.measure import bench
from bombus.simulator.simulation import Simulation

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_assertions")]


def test_designs_have_so_many_processors(tmp_path: Path) -> None:
    benchmark: Any = bench.load("rpu")
    for processors, file in benchmark.DESIGN_FILES.items():
        facts, warnings = check.check(file)
        assert not warnings
        kinds = [layer.kind.name for tile in facts.design.tiles for layer in tile.layers]
        assert kinds.count("rpu") == processors
        if processors > 1:
            facts, warnings = check.check(benchmark.broadcast.narrow(file, tmp_path))
            assert not warnings and facts.design.networks[0].data_width == 64
        for case, kind in (("ids_tcp", "rule_matcher"), ("firewall", "ip_blacklist")):
            facts, _ = check.check(
                benchmark.with_accelerators(file, benchmark.CASES[case], tmp_path)
            )
            kinds = [layer.kind.name for tile in facts.design.tiles for layer in tile.layers]
            assert kinds.count(kind) == processors
        same = [
            benchmark.with_accelerators(file, benchmark.CASES[case], tmp_path).read_text()
            for case in ("ids_reordered", "forward_reordered")
        ]
        assert same[0] == same[1]


def test_all_accelerators_of_a_tile_are_found(tmp_path: Path) -> None:
    """Each gets its rule or its list, also where a tile has several."""
    benchmark: Any = bench.load("rpu")
    for case, kind in (("ids_tcp", "rule_matcher"), ("firewall", "ip_blacklist")):
        file = benchmark.with_accelerators(
            benchmark.DESIGN_FILES[8], benchmark.CASES[case], tmp_path
        )
        facts, _ = check.check(file)
        tiles = {
            tile.name: {each.name: each for each in tile.layers} for tile in facts.design.tiles
        }
        registers = SimpleNamespace(tiles=tiles)
        simulation: Any = SimpleNamespace(manifest=manifest(facts), registers=registers)
        found = Simulation.registers_of(simulation, kind)
        assert [layer.kind.name for layer in found] == [kind] * 8
        assert len({(layer.tile.name, layer.name) for layer in found}) == 8


def test_frames_of_intrusion_detection(tmp_path: Path) -> None:
    """Only the attack matches the rule, at every size."""
    benchmark: Any = bench.load("rpu")
    file = tmp_path / "bench.rules"
    file.write_text(benchmark.ids.RULE)
    (rule,) = compiling.read([file], {})
    for size in (60, 64, 1500):
        for case in (each for each in benchmark.CASES.values() if each.traffic):
            protocol = case.traffic.protocol
            data = benchmark.frame(Random(1), case, size)
            assert len(data) == size and data[23] == protocol
            assert int.from_bytes(data[16:18]) == size - 14
            payload = data[54 if protocol == 6 else 42 :]
            packet = model.Packet(1 if protocol == 6 else 2, 1, 80, payload)
            assert model.is_found(rule, packet) == (case.name == "ids_attack")


def test_generated_rules() -> None:
    """Payloads differ and hit some bits; no rule is exact, so that no frame is dropped."""
    benchmark: Any = bench.load("rpu")
    matching = benchmark.ids.Matching(400)
    assert matching.rows == 512 and not matching.tables.left_out
    work = matching.work(384)
    assert 0 <= work.fragments_per_byte < work.bitmap_hits_per_byte < 0.1
    payloads = matching.payloads(Random(1), 330)
    assert len(set(payloads)) > 50 and {len(each) for each in payloads} == {330}
    frames = benchmark.ids.segments(Random(1), benchmark.ids.TCP, 384, 1000, 1, payloads)
    for data in frames[:200]:
        hits = lookup.hits(matching.tables, model.Packet(1, 1, 80, data[54:]))
        assert not any(hit.is_exact for hit in hits)
    packet = model.Packet(
        2, 1, 80, benchmark.frame(Random(1), benchmark.CASES["ids_attack"], 384)[42:]
    )
    sids = {hit.sid for hit in lookup.hits(matching.tables, packet)}
    assert 9999999 in sids


@pytest.mark.parametrize("ports", [1, 2])
def test_segments_of_flows(ports: int) -> None:
    """Of as many flows, each by one port, in order or in swapped pairs after the first segment."""
    benchmark: Any = bench.load("rpu")
    for traffic in (benchmark.ids.TCP, benchmark.ids.REORDERED):
        flows: dict[bytes, list[int]] = {}
        own: dict[bytes, set[int]] = {}
        frames = benchmark.ids.segments(Random(1), traffic, 100, 3000, ports, [b"x" * 46])
        for n, data in enumerate(frames):
            flows.setdefault(data[26:38], []).append(int.from_bytes(data[38:42]) // 46)
            own.setdefault(data[26:38], set()).add(n % ports)
        assert len(flows) == benchmark.ids.NUM_FLOWS and all(
            len(each) == 1 for each in own.values()
        )
        for numbers in flows.values():
            assert sorted(numbers) == list(range(len(numbers))) and len(numbers) > 4
            pairs = [0, *(n for k in range(1, len(numbers), 2) for n in (k + 1, k))]
            assert numbers == (pairs if traffic.is_reordered else sorted(numbers))


def test_blocked_frames() -> None:
    """From addresses on the list, which fits into the table, or beside it; a blocked frame that
    comes out is an error, and none that does not is lost.
    """
    benchmark: Any = bench.load("rpu")
    found = boundaries(benchmark.BLOCKED)
    assert 4000 < len(found) < 1 << 12
    random = Random(1)
    frames = []
    for n in range(400):
        blocked, size = n % 2 == 1, random.choice((60, 65, 1500))
        frames.append(benchmark.frame(random, benchmark.CASES["firewall_drop"], size, blocked))
        assert len(frames[-1]) == size and frames[-1][12:15] == b"\x08\x00\x45"
        assert is_covered(found, int.from_bytes(frames[-1][26:30])) == blocked
    ports, passes = [0] * len(frames), [n % 2 == 0 for n in range(len(frames))]
    came = [SimpleNamespace(data=data, port=1) for data in frames]
    for received, expected in (
        (came[::2], (0, 0)),
        (came[2::2], (1, 0)),
        (came[::2] + came[1:2], (0, 1)),
    ):
        done = SimpleNamespace(received=received)
        assert benchmark.compare(frames, ports, passes, done) == expected


def test_who_drops_frames() -> None:
    """Ports without room on the way in or out, and programs; what else is dropped is an error."""
    benchmark: Any = bench.load("rpu")
    counters = {
        "port_0": {"drop.frame_rx.overflow": 2, "drop.mac_tx.full": 3, "drop.no_route": 9},
        "rpu_0": {"drop.rpu_2.by_firmware": 4, "drop.rpu_2.too_long": 9, "event.rpu.full": 9},
    }
    simulation = SimpleNamespace(advance=lambda cycles: None, counters=lambda: counters)
    assert benchmark.drops(simulation) == {"ports": 5, "programs": 4}


def test_options_are_checked() -> None:
    wrong = {
        "case": ("back",),
        "sizes": ("59", "9601"),
        "rpus": ("none", "3"),
        "rules": (5,),
        "seed": (0,),
    }
    for name, value in ((name, value) for name, values in wrong.items() for value in values):
        with pytest.raises(UserError, match=f"{name}|none"):
            bench.run("rpu", None, None, **{name: value})


def test_cycles_of_the_middle_half() -> None:
    benchmark: Any = bench.load("rpu")
    done = SimpleNamespace(received=[SimpleNamespace(last_beat_cycle=3 * n) for n in range(40)])
    assert benchmark.cycles_each(done) == 3
    with pytest.raises(UserError, match="too few"):
        benchmark.cycles_each(SimpleNamespace(received=done.received[:2]))


def test_figures_at_another_clock() -> None:
    """Half the clock gives half the rate, never more than the line rate."""
    benchmark: Any = bench.load("rpu")
    row = benchmark.Row(
        case="forward",
        rpus=8,
        ports=2,
        frame_bytes=1500,
        cycles_per_packet=12.2,
        mpps=20.5,
        gbps=200.0,
        bound_gbps=200.0,
        latency_cycles=90,
        lost=0,
        dropped_by_ports=0,
        dropped_by_programs=0,
    )
    half, double = (benchmark.at_clock(row, mhz, 100.0) for mhz in (125, 500))
    assert half.mpps_estimated == pytest.approx(125 / 12.2, rel=1e-3)
    assert half.gbps_estimated == pytest.approx(125e6 / 12.2 * (1500 + 24) * 8 / 1e9, rel=1e-3)
    assert half.latency_ns_estimated == 720
    assert double.gbps_estimated == 200
    assert (
        benchmark.at_clock(replace(row, latency_cycles=None), 125, 100.0).latency_ns_estimated
        is None
    )
