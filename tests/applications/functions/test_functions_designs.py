# SPDX-License-Identifier: Apache-2.0
"""The examples of network functions as whole designs, and the benchmark of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bombus
from bombus.applications.functions import acl, acl_load
from bombus.base import paths
from bombus.base.errors import DesignError, UserError
from bombus.cli import app, extensions
from bombus.design import resolve
from bombus.design.facts import Facts
from bombus.generation.instances import checked_streams
from bombus.measure import bench
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, ping_frame, udp_frame
from bombus.simulator.simulation import Simulation
from tests.support.helpers import Benchmark


@dataclass(frozen=True)
class _Port:
    """Of registers, as a board has one."""

    read_register: Callable[[int], int]
    write_register: Callable[[int, int], None]


EXAMPLES = paths.EXAMPLES / "functions"
MOST_LINES = 12


def test_lines_that_an_example_adds() -> None:
    """To the design of the same name: `#` and the name aside."""
    for example, base in (
        ("acl", "udp_echo"),
        ("acl_fused", "udp_echo_fused"),
        ("acl_established", "udp_echo_fused"),
        ("shaper_fused", "udp_echo_fused"),
        ("napt", "two_ports"),
        ("shaper_marks", "udp_echo_fused"),
        ("balanced", "udp_echo"),
        ("balanced_memory", "udp_echo"),
        ("balanced_tunnels", "udp_echo"),
        ("vxlan_fused", "udp_echo_fused"),
    ):
        files = (EXAMPLES / f"{example}.yaml", paths.DESIGNS / f"{base}.yaml")
        mine, before = (Counter(file.read_text().splitlines()) for file in files)
        added = [
            line
            for line in (mine - before).elements()
            if not line.lstrip().startswith(("#", "name:"))
        ]
        assert 0 < len(added) <= MOST_LINES, example


def test_the_load_balancer_may_clear_its_table(tmp_path: Path) -> None:
    """After a reset or a write of the secret it takes nothing meanwhile, a cycle for each set."""
    file = tmp_path / "design.yaml"
    text = (EXAMPLES / "balanced.yaml").read_text()
    for number in (64, 1 << 14, 1 << 22):
        given = f"load_balancer: {{num_connections: {number}, "
        file.write_text(text.replace("load_balancer: {", given, 1))
        design, _ = resolve.load(file)
        (layer,) = (each for each in design.layers() if each.kind.name == "load_balancer")
        limit = checked_streams(layer, Facts(design)).promises["MaxBusyCycles"]
        assert limit >= max(4096, number // 4 + 4)


def test_a_design_file_names_its_rules(tmp_path: Path) -> None:
    """As the option --acl would, which takes precedence."""
    text = (EXAMPLES / "acl_fused.yaml").read_text()
    design, rules = tmp_path / "design.yaml", tmp_path / "rules"
    none = {name: None for each in extensions.run_options() for name in each.options}

    def software(named: str, **given: Path) -> int:
        design.write_text(text.replace("tiles:\n", f"run: {{{named}: rules}}\ntiles:\n", 1))
        return len(extensions.software(design, {**none, **given}, ExitStack()))

    rules.write_text("default deny\n")
    assert software("acl") == 1

    def problems() -> list[str]:
        return [str(each) for each in extensions.file_problems(resolve.load(design)[0])]

    assert not problems()
    assert acl_load.of_design(design) == acl.parse("default deny", "rules")
    assert acl_load.of_design(EXAMPLES / "acl_fused.yaml") is None
    rules.write_text("deny\n")
    with pytest.raises(UserError, match="rules:1: a protocol is missing"):
        software("acl")
    with pytest.raises(UserError, match="rules:1: a protocol is missing"):
        acl_load.of_design(design)
    with pytest.raises(UserError, match=r"cannot read .*other"):
        software("acl", acl=tmp_path / "other")
    (problem,) = problems()
    assert problem.startswith(f"{design}:8: run: acl: {rules}:1: a protocol is missing")
    rules.write_text("deny ip from any to any\n" * 513)
    with pytest.raises(UserError, match="has 513 rules, the layer room for 512"):
        software("acl")
    rules.write_text("allow tcp from any to any established\n")
    (problem,) = problems()
    assert problem.endswith("its parameter established must be 1")
    rules.unlink()
    (problem,) = problems()
    assert problem == f"{design}:8: warning: run: acl: there is no {rules}"
    with pytest.raises(DesignError, match=r"design.yaml:8: .* no option --acls .*acl"):
        software("acls")
    with pytest.raises(DesignError, match=r"design.yaml:8: .* no option --acls .*acl"):
        problems()


def test_check_reads_rules(tmp_path: Path) -> None:
    design, rules = tmp_path / "design.yaml", tmp_path / "my.acl"

    def checked(base: str, said: str) -> str | None:
        text = (EXAMPLES / f"{base}.yaml").read_text()
        design.write_text(text.replace("tiles:\n", "run: {acl: my.acl}\ntiles:\n", 1))
        rules.write_text(said)
        result = CliRunner().invoke(app, ["check", str(design)])
        return None if result.exit_code == 0 else str(result.exception)

    assert checked("acl_fused", "default deny\n") is None
    assert "my.acl:1: " in (checked("acl_fused", "default denied\n") or "")
    assert "has no layer acl" in (checked("nat_fused", "default deny\n") or "")


@pytest.mark.slow
@pytest.mark.sweep
def test_rules_in_a_design() -> None:
    rules = acl.read(EXAMPLES / "my.acl")
    with Simulation(EXAMPLES / "acl_fused.yaml", seed=1) as simulation:
        host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
        introduce(simulation, station)
        (layer,) = bombus.access_lists(simulation)
        registers = layer.registers
        ports = (7, 1023, 1024, 40000, 65535)
        frames = [udp_frame(station, host, b"bee", port=7, source_port=source) for source in ports]
        before = len(simulation.exchange(frames).received)
        layer.load(EXAMPLES / "my.acl")
        found = simulation.exchange([*frames, ping_frame(station, host, b"bee")])
        simulation.advance_until_idle()
        counters = simulation.tile_counters("receive")
        assert before > 0 and len(found.received) == 3
        assert counters["drop.acl.default"] == 2 and counters["event.acl.default"] >= before
        assert layer.packets() == list(zip(rules.rules, [1, 0, 3, 0], strict=True))
        assert bombus.access_lists(simulation)[0] is layer and layer.tile == "receive"
        with pytest.raises(UserError, match="room for 512"):
            acl_load.load(registers, acl.RuleSet([acl.Rule(True)] * 513, False))
        port = _Port(simulation.read_register, simulation.write_register)
        with bombus.Controller(port, manifest=EXAMPLES / "acl_fused.yaml") as controller:
            closed = acl.parse("allow udp from any port 1024 to any", "closed")
            assert acl_load.load_all(controller, closed) == ["receive"]
        dropped = simulation.tile_counters("receive")["drop.acl.default"]
        simulation.exchange(frames)
        simulation.advance_until_idle()
        assert acl_load.packets(registers, closed.rules) == [1]
        assert simulation.tile_counters("receive")["drop.acl.default"] == dropped + 4
        simulation.check()


@pytest.mark.slow
@pytest.mark.sweep
def test_established_flows_in_a_design() -> None:
    """Only those whose datagrams the echo has answered pass, although no rule names them."""
    opening = acl.parse("allow udp from any port 40000-40003 to any port 7", "opening")
    closed = acl.parse("allow ip from any to any established", "closed")
    with Simulation(EXAMPLES / "acl_established.yaml", seed=1, assertions=True) as simulation:
        host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
        introduce(simulation, station)
        (registers,) = simulation.registers_of("acl")
        ports = range(39990, 40010)
        frames = [udp_frame(station, host, b"bee", port=7, source_port=port) for port in ports]
        for rules in (opening, closed, closed):
            acl_load.load(registers, rules)
            assert len(simulation.exchange(frames).received) == 4
        receive = simulation.tile_counters("receive")
        assert receive["event.acl.flow"] == 4 and receive["event.acl.flow_evicted"] == 0
        sent = simulation.tile_counters("transmit")
        assert sent["event.acl_sent.reported"] == 12 and sent["event.acl_sent.unreported"] == 0
        simulation.check()
    with Simulation(EXAMPLES / "acl_fused.yaml", seed=1) as simulation:
        (registers,) = simulation.registers_of("acl")
        with pytest.raises(UserError, match="line 1: the layer does not know established flows"):
            acl_load.load(registers, closed)


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.parametrize("example", ["shaper_fused", "shaper_marks"])
def test_classes_in_a_design(example: str) -> None:
    """Class 2 is that of a DSCP, or of a UDP port by the mark of an access control list. It has a
    byte in 10 cycles; class 0 has no limit, and its answers overtake those of class 2.
    """
    count, slow = 8, 40001
    with Simulation(EXAMPLES / f"{example}.yaml", seed=1) as simulation:
        host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
        introduce(simulation, station)
        (registers,) = simulation.registers_of("shaper")
        registers.class_of[5 if example == "shaper_marks" else 46].class_number = 2
        if example == "shaper_marks":
            rules = f"allow udp from any to any port {slow} mark 5\ndefault allow"
            bombus.access_lists(simulation)[0].load(acl.parse(rules, "marks"))
        registers.limit[2].rate.step = (1 << 24) // 10
        registers.limit[2].burst.bytes = 100
        frames = []
        for n in range(count):
            for port, tos in ((slow, 46 << 2), (40000, 0)):
                options = {"tos": tos} if example == "shaper_fused" else {}
                payload = bytes([n]) * 58
                frames.append(
                    udp_frame(station, host, payload, port=7, source_port=port, **options)
                )
        got = simulation.exchange(frames).received
        assert len(got) == 2 * count
        classes = [int.from_bytes(bytes(frame)[36:38]) for frame in got]
        slower = [frame for frame, port in zip(got, classes, strict=True) if port == slow]
        assert classes == [slow, *[40000] * count, *[slow] * (count - 1)]
        assert [bytes(frame)[42] for frame in slower] == list(range(count))
        cycles = [frame.first_beat_cycle for frame in slower]
        assert all(abs(b - a - 1000) <= 3 for a, b in pairwise(cycles))
        simulation.check()


@pytest.mark.slow
@pytest.mark.sweep
def test_addresses_change_while_a_class_waits() -> None:
    """For its bucket, longer than a change may take. The frame that waits has the old addresses."""
    with Simulation(EXAMPLES / "shaper_fused.yaml", seed=1) as simulation:
        host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
        introduce(simulation, station)
        (registers,) = simulation.registers_of("shaper")
        registers.limit[0].rate.step = (1 << 24) // 1000
        registers.limit[0].burst.bytes = 100
        frame = udp_frame(station, host, bytes(58), port=7, source_port=40000)
        for _ in range(2):
            simulation.send(frame)
        first = simulation.receive()
        simulation.set_host(ip="10.77.0.7")
        assert not simulation.registers.addresses.failed
        second = simulation.receive(timeout_cycles=200_000)
        assert first is not None and second is not None
        assert second.data[6:12] == host.mac and second.data[26:30] == host.ip
        assert second.first_beat_cycle - first.first_beat_cycle > 1 << 16


# Of a message of the benchmark, if it is not one.
BEATS = {"ip_in_ip": 2, "vxlan": 2, "tcp_handover": 8}


@pytest.mark.slow
@pytest.mark.sweep
def test_benchmark(benchmark: Benchmark) -> None:
    result = benchmark("functions", no_area=True, packets=200)
    assert result["errors"] == 0
    for row in result["rows"]:
        assert row["latency_cycles_added"] <= 4
        beats = BEATS.get(row["layer"], 1)
        assert row["cycles_per_packet_60"] == pytest.approx(beats, rel=1e-2)


def test_bad_options() -> None:
    with pytest.raises(UserError, match="expected some of acl"):
        bench.run("functions", None, None, layers="nat64")
    with pytest.raises(UserError, match="docs/examples/functions"):
        bench.run("functions", Path("x.yaml"), None)
