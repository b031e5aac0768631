# SPDX-License-Identifier: Apache-2.0
"""Ports of layers that the design file raises to the top, and memories at them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.base.errors import DesignError
from bombus.base.paths import RTL
from bombus.design import rtl
from bombus.generation.generate import texts
from bombus.generation.manifest import manifest
from tests import ROOT
from tests.support.helpers import DESIGNS

EXAMPLES = ROOT / "docs" / "examples"
MEMORY = DESIGNS / "udp_echo_memory.yaml"
READ_OF_8_BITS = """output logic [AddrWidth-1:0] axi_araddr_o,
    output logic [7:0] axi_arlen_o,
    output logic axi_arvalid_o,
    input logic axi_arready_i,
    input logic [7:0] axi_rdata_i,
    input logic [1:0] axi_rresp_i,
    input logic axi_rlast_i,
    input logic axi_rvalid_i,
    output logic axi_rready_o,"""


def edited(folder: Path, *edits: tuple[str, str]) -> Path:
    text = MEMORY.read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    file = folder / "design.yaml"
    file.write_text(text)
    return file


def refused(file: Path) -> list[str]:
    with pytest.raises(DesignError) as caught:
        check.check(file)
    assert all(problem.line for problem in caught.value.problems)
    return [problem.message for problem in caught.value.problems if problem.is_error]


def test_the_top_has_what_is_raised() -> None:
    facts, _ = check.check(MEMORY)
    # Without the spaces that align ports.
    files = {path: re.sub(" +", " ", text) for path, text in texts(facts).items()}
    top = files["udp_echo_memory_top.sv"]
    assert "output logic [31:0] memory_awaddr_o," in top
    assert "input logic memory_awready_i," in top
    assert "output logic [6:0] fill_o," in top
    # The module around it has a memory there, and hands on the rest.
    around = files["sim/udp_echo_memory_sim.sv"]
    assert "output logic [6:0] fill_o," in around
    assert "output logic [31:0] memory_awaddr_o" not in around
    # 100 ns at 250 MHz; 16 bytes a cycle are 4 GB/s, so that 19.2 GB/s are limited by the port.
    assert "read_latency: 25," in around
    assert "bandwidth_beats: 2," in around
    # A refresh every 7800 ns, for 350 ns.
    assert "refresh_interval: 1950," in around
    assert "refresh_cycles: 88" in around
    assert manifest(facts)["pins"] == [
        {
            "name": "fill_o",
            "bits": 7,
            "output": True,
            "tile": "buffer",
            "layer": "memory_buffer",
            "port": "fill_o",
        }
    ]
    assert "axi_memory" not in files["udp_echo_memory.f"]


def test_timing_of_a_memory(tmp_path: Path) -> None:
    timing = "{preset: hbm2, read_latency_ns: 41, bandwidth_gbytes: 3, refresh_interval_ns: 0}"
    facts, _ = check.check(edited(tmp_path, ("{preset: ddr4}", timing)))
    around = texts(facts)["sim/udp_echo_memory_sim.sv"]
    for each in ("read_latency: 11,", "write_latency: 20,", "refresh_interval: 0,"):
        assert each in around
    assert "bandwidth_beats: 3,\n          bandwidth_cycles: 4," in around


def test_replicas_have_a_port_each(tmp_path: Path) -> None:
    file = edited(
        tmp_path,
        ("  memory: {preset: ddr4}\n", "  memory_0: {}\n  memory_1: {}\n"),
        ("at: [2, 0]}", "replicas: 2, dispatch: round_robin, at: [[2, 0], [3, 0]]}"),
    )
    facts, _ = check.check(file)
    top = texts(facts)["udp_echo_memory_top.sv"]
    for name in ("memory_0_awaddr_o", "memory_1_awaddr_o", "fill_0_o", "fill_1_o"):
        assert f" {name}," in top


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (", fill: fill", "", "raise it to the top by `ports: {fill: <name>}` in the"),
        ("fill: fill", "fil: fill", "no layer of tile 'buffer' has a port fil_*; did you mean 'f"),
        ("fill: fill", "fill: busy", "the top has a port busy_o"),
        ("fill: fill", "fill: mac0_rx", "the top has a port mac0_rx_o"),
        ("fill: fill", "fill: timer", "tiles have a port timer_o"),
        ("fill: fill", "fill: host", "tiles have a port host_o"),
        ("fill: fill", "fill: time_us", "tiles have a port time_us_o"),
        ("fill: fill", "fill: north", "tiles have a port north_o"),
        ("fill: fill", "fill: west_valid", "tiles have a port west_valid_o"),
        ("fill: fill", "fill: done_from_echo", "tiles have a port done_from_echo_o"),
        ("fill: fill", "fill: dispatched_echo", "tiles have a port dispatched_echo_o"),
        ("fill: fill", "fill: credit_left", "tiles have a port credit_left_o"),
        ("fill: fill", "fill: Fill", "should be snake_case"),
        (
            "udp_tx],",
            "udp_tx], ports: {led: led},",
            "tile 'echo' has a port led_*",
        ),
        ("ports: {axi: memory", "ports: {axi: hbm", "no tile raises ports as memory"),
        ("  memory: {preset: ddr4}", "  fill: {}", "memory fill lacks the AXI ports awaddr, aw"),
        (
            "before: echo.udp_echo,",
            "before: echo.udp_echo, base_address: 4294967296,",
            "must be at most 2**addr_width",
        ),
        ("preset: ddr4", "preset: ddr9", "'hbm2' or 'ddr4'"),
        ("preset: ddr4", "banks: 12", "`banks` should be a power of two, not 12"),
        ("preset: ddr4", "refresh_ns: 5000", "`refresh_ns` should be shorter"),
        ("preset: ddr4", "bandwidth_gbytes: 0", "should be above 0"),
    ],
)
def test_what_cannot_be(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert any(message in problem for problem in refused(edited(tmp_path, (old, new))))


def test_ports_of_a_memory_fit_each_other(tmp_path: Path) -> None:
    source = (RTL / "platform" / "memories" / "memory_buffer.sv").read_text()
    for old, new in (
        ("module memory_buffer", "module odd_buffer"),
        ("`BOMBUS_AXI_READ_INITIATOR(axi)", READ_OF_8_BITS),
    ):
        assert old in source
        source = source.replace(old, new)
    (tmp_path / "odd_buffer.sv").write_text(source)
    file = edited(
        tmp_path,
        ("kind: memory_buffer", "kind: odd_buffer"),
        ("memories:", "sources: [odd_buffer.sv]\nmemories:"),
    )
    assert "memory memory: rdata has 8 bits; should have 128" in refused(file)


def test_two_ports_of_one_name(tmp_path: Path) -> None:
    second = "  - {name: again, kind: memory_buffer, before: echo, ports: {axi: m, fill: fill}}\n"
    file = edited(tmp_path, ("  - {name: arp", second + "  - {name: arp"))
    assert any("two ports of the top would be fill_o" in each for each in refused(file))


def test_streams_are_in_the_manifest_with_what_they_carry() -> None:
    facts, _ = check.check(EXAMPLES / "tcp_host" / "tcp_host.yaml")
    into, out = manifest(facts)["streams"]
    assert (into["name"], into["output"], into["tile"]) == ("app_in", False, "app")
    assert (out["name"], out["output"], out["data_bytes"]) == ("app_out", True, 64)
    assert [kind["name"] for kind in into["kinds"]] == ["tcp_data", "tcp_read", "tcp_request"]
    for stream in (into, out):
        for kind in stream["kinds"]:
            package = rtl.struct_layout(f"{kind['name']}_meta_t", "tcp_pkg")
            given = {name: (f["offset"], f["width"]) for name, f in kind["fields"].items()}
            assert given == {name: (f.offset, f.width) for name, f in package.items()}
        widest = max(
            f["offset"] + f["width"] for k in stream["kinds"] for f in k["fields"].values()
        )
        assert stream["user_bits"] == widest + 24
    request = into["kinds"][2]["fields"]["request"]["values"]
    assert request["request_listen"] == rtl.constant("tcp_pkg::RequestListen")
    # Not those of a layer without AXI-Streams.
    assert manifest(check.check(MEMORY)[0])["streams"] == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("HostOutSends", "HostInSends", "localparam HostInSends is about a stream that the layer"),
        ("HostInTakes", "HostTakes", "localparam HostTakes is about a stream that the layer does"),
        ('HostOutSends = "tcp_event', 'HostOutSends = "tcp_evnt', "'tcp_evnt' has no struct"),
    ],
)
def test_declarations_about_streams(tmp_path: Path, old: str, new: str, message: str) -> None:
    source = (
        (RTL / "protocols" / "tcp" / "tcp_host.sv")
        .read_text()
        .replace("module tcp_host", "module odd")
    )
    assert old in source
    (tmp_path / "odd.sv").write_text(source.replace(old, new))
    text = (
        (EXAMPLES / "tcp_host" / "tcp_host.yaml").read_text().replace("kind: tcp_host", "kind: odd")
    )
    file = tmp_path / "design.yaml"
    file.write_text(text.replace("networks:\n", "sources: [odd.sv]\nnetworks:\n", 1))
    assert any(message in problem for problem in refused(file))


@pytest.mark.parametrize(
    ("design", "is_shared"),
    [("designs/middlebox.yaml", True), ("docs/examples/rpu/rpu_echo.yaml", False)],
)
def test_a_broadcast_of_one_is_left_open(design: str, is_shared: bool) -> None:
    resolved, _ = check.check(ROOT / design)
    for layer in resolved.design.layers():
        if layer.kind.broadcasts:
            ports = {"share_word_o", "share_got_i"}
            assert layer.shared >= ports if is_shared else not layer.shared
            assert layer.open >= ports if not is_shared else not layer.open & ports
