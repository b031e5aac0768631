# SPDX-License-Identifier: Apache-2.0
"""The area that the designs may take on UltraScale+, by Yosys: exact and repeatable."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from bombus.base import paths
from bombus.measure.area import Report, measure
from tests import ROOT
from tests.support.bench import DESIGNS, FUSED

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_assertions")]

FIXED_LUTS = 22_500
DELAY_PS = 4_000  # 250 MHz, the clock of the designs
# The two beats of a 65-byte frame in its time on a line of 100 Gbit/s, so that every size passes.
EVERY_SIZE_PS = 3_560
LEVELS = 12  # on any path (docs/architecture.md, "Timing")
READY_CHAIN = 1  # layers that `ready` runs through without a register
# Those at 512 bits, which is also the width of a design that names none
WIDE = [
    file
    for file in sorted((ROOT / "designs").glob("*.yaml"))
    if re.search(r"data_width: 512\b", text := file.read_text()) or "data_width" not in text
]
NARROW = [file for file in sorted((ROOT / "designs").glob("*.yaml")) if file not in WIDE]
EVERY_SIZE = {DESIGNS[512], FUSED, ROOT / "designs" / "udp_echo_cmac.yaml"}
LUTS = {DESIGNS[512]: 38_500, FUSED: 16_000}
# With the ARP cache of two tables: LUTs, ps by the mapper and by sta. The first two meet their
# clock, but not that at which every size passes; the others miss theirs.
LARGER = {
    "udp_echo": (39_559, 3_715, 3_721),
    "udp_echo_fused": (17_591, 3_998, 3_624),
    "udp_echo_cmac": (17_933, 4_063, 3_776),
    "udp_echo_memory": (18_760, 4_145, 3_840),
    "tcp_echo": (82_327, 4_094, 3_708),
    "rs": (32_216, 4_347, 3_940),
    "tcp_echo_bypass": (66_516, 4_277, 3_939),
    "udp_echo_replicas": (64_423, 4_118, 3_700),
}


def marked(designs: list[Path]) -> list[Any]:
    """The designs, with those that miss their targets as expected to fail."""
    marks = {
        name: pytest.mark.xfail(strict=True, reason=f"LUTs, mapper and sta in ps: {figures}")
        for name, figures in LARGER.items()
    }
    return [pytest.param(each, marks=marks.get(each.stem, ())) for each in designs]


def meets(design: Path, limit_ps: int | None = DELAY_PS) -> Report:
    """`limit_ps` None: only the clock of the design file."""
    report = measure(str(design))
    assert report.delay_ps is not None and report.sta_ps is not None
    if limit_ps is not None:
        assert max(report.delay_ps, report.sta_ps) <= limit_ps
    assert report.meets_clock
    assert report.levels <= LEVELS
    assert report.ready_chain is not None and len(report.ready_chain) <= READY_CHAIN
    return report


@pytest.mark.sweep
@pytest.mark.parametrize(
    "design",
    marked(WIDE),
    ids=lambda path: path.stem,
)
def test_designs(design: Path) -> None:
    report = meets(design, EVERY_SIZE_PS if design in EVERY_SIZE else DELAY_PS)
    if design == FUSED:  # `ready` passes through a layer there, so a chain must be found
        assert report.ready_chain
    assert report.area.lut_total <= LUTS.get(design, report.area.lut_total)


@pytest.mark.sweep
@pytest.mark.parametrize("design", marked(NARROW), ids=lambda path: path.stem)
def test_narrow_designs(design: Path) -> None:
    meets(design, None)


# Designs of benchmarks whose rates are quoted at 250 MHz
MEASURED = ("tcp", "tcp_bypass", "tcp_10g", "ethernet", "two_stacks_fused")


@pytest.mark.sweep
@pytest.mark.parametrize("name", MEASURED)
def test_designs_of_benchmarks(name: str) -> None:
    meets(ROOT / "benchmarks" / f"{name}.yaml")


# Designs whose pages say by how much they miss their clock, or that quote no clock
OTHERS = {"engines_15", "scale", "napt", "napt_fused"}
# Those of the documentation and of `bombus new`. The two of the page on deadlocks are not built.
EXAMPLES = [
    file
    for folder in (paths.EXAMPLES, paths.PROJECTS)
    for file in sorted(folder.rglob("*.yaml"))
    if file.parent.name != "deadlock" and file.stem not in OTHERS
]


@pytest.mark.sweep
@pytest.mark.parametrize("design", EXAMPLES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_examples(design: Path) -> None:
    report = measure(str(design))
    assert report.meets_clock, report


def test_every_design_that_the_docs_quote_is_tested() -> None:
    pages = (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    files = {file for page in pages for file in re.findall(r"[\w./]+\.yaml", page.read_text())}
    folders = re.compile(r"(?:\.\./)*(?:designs|benchmarks|(?:docs/)?examples/\w+)/(\w+)\.yaml")
    quoted = {match[1] for file in files if (match := folders.fullmatch(file))}
    assert {"first", "udp_echo", "tcp_10g", "udp_upper"} <= quoted
    tested = {each.stem for each in (*WIDE, *NARROW, *EXAMPLES)} | {*MEASURED, *OTHERS}
    deadlocks = {each.stem for each in (paths.EXAMPLES / "deadlock").glob("*.yaml")}
    assert quoted - deadlocks <= tested


@pytest.mark.sweep
def test_load_of_the_tcp_benchmark() -> None:
    """The application that makes and compares bytes is as fast as what it measures."""
    tile = measure(str(ROOT / "benchmarks" / "tcp.yaml"), tile="stream")
    assert tile.delay_ps is not None and tile.sta_ps is not None
    assert max(tile.delay_ps, tile.sta_ps) <= DELAY_PS


def test_every_wide_design_is_tested() -> None:
    """The search finds those that name no width, and those that name it for a network."""
    assert {"udp_echo", "tcp_echo", "middlebox_8"} <= {each.stem for each in WIDE}
    assert not {"two_ports", "udp_echo_10g", "udp_echo_memory"} & {each.stem for each in WIDE}


@pytest.mark.sweep
def test_crosspoint_meets_the_clock(tmp_path: Path) -> None:
    design = tmp_path / "udp_echo_crosspoint.yaml"
    design.write_text(f"{DESIGNS[512].read_text()}fabric: {{kind: crosspoint}}\n")
    meets(design)


@pytest.mark.sweep
def test_fixed_tables(tmp_path: Path) -> None:
    """Without the parts that no message uses."""
    design = tmp_path / "udp_echo_fixed.yaml"
    design.write_text(f"{DESIGNS[512].read_text()}tables: fixed\n")
    assert measure(str(design)).area.lut_total <= FIXED_LUTS


def test_router() -> None:
    router = measure("router_wormhole")
    assert router.link_bits is not None
    assert router.area.lut_total <= 5_200
    assert router.area.lut_total / router.link_bits <= 8.1
    assert router.delay_ps is not None
    assert router.delay_ps <= 2_700


@pytest.mark.sweep
def test_router_in_a_corner() -> None:
    """Ports that do not exist are no inputs of the crossbar."""
    local, north, east = 1, 2, 4
    assert (
        measure("router_wormhole", params={"Ports": local | north | east}).area.lut_total <= 2_250
    )


# Limits of area and mapper's delay for the routers of the other fabrics.
OTHER_ROUTERS = {"router_crosspoint": (5_700, 3_400), "router_virtual_channels": (6_200, 4_000)}


@pytest.mark.sweep
@pytest.mark.parametrize("name", OTHER_ROUTERS)
def test_other_routers(name: str) -> None:
    router = measure(name)
    luts, delay_ps = OTHER_ROUTERS[name]
    assert router.area.lut_total <= luts
    assert router.delay_ps is not None
    assert router.delay_ps <= delay_ps


@pytest.mark.sweep
def test_virtual_channels_in_block_ram() -> None:
    """Queues of more than 64 flits per input are not in LUTs."""
    router = measure("router_virtual_channels", params={"VirtualChannels": 2, "Depth": 64})
    assert router.area.lut_total <= 4_800


# A TCP engine for 16 sessions that only accepts connections (docs/protocols/tcp/tcp.md).
TCP_SERVER = {
    **dict.fromkeys(("active_open", "strip_headers", "duplicate_sack"), 0),
    **dict.fromkeys(("num_gaps", "num_sacks"), 0),
}


@pytest.mark.sweep
def test_tcp_server() -> None:
    engine = measure("tcp", params=TCP_SERVER)
    assert engine.area.lut_total < 9_000
    assert engine.delay_ps is not None and engine.delay_ps <= DELAY_PS
    assert engine.sta_ps is not None and engine.sta_ps <= DELAY_PS


@pytest.mark.sweep
def test_tcp_with_all_features() -> None:
    features = {"cubic": 1, "ecn": 1, "nagle": 1, "keepalive_s": 7200, "user_timeout_s": 600}
    engine = measure("tcp", params=features)
    assert engine.delay_ps is not None and engine.delay_ps <= DELAY_PS
    assert engine.sta_ps is not None and engine.sta_ps <= DELAY_PS


# LUTs of a TCP engine by its sessions. The larger one takes three and a half minutes to map.
TCP_SESSIONS = {1024: 16_000, 16_384: 16_500}


@pytest.mark.sweep
@pytest.mark.parametrize("sessions", TCP_SESSIONS)
def test_tcp_of_many_sessions(sessions: int) -> None:
    engine = measure("tcp", params={"num_sessions": sessions})
    assert engine.area.lut_total < TCP_SESSIONS[sessions]
    assert engine.delay_ps is not None and engine.delay_ps <= DELAY_PS
    assert engine.sta_ps is not None and engine.sta_ps <= DELAY_PS


@pytest.mark.sweep
def test_packet_processor_core() -> None:
    """The RISC-V core, with a margin to the 4 ns of the designs."""
    core = measure("rpu_core")
    assert core.area.lut_total <= 2_000
    assert core.delay_ps is not None and core.delay_ps <= 3_600
    assert core.sta_ps is not None and core.sta_ps <= 3_600
