# SPDX-License-Identifier: Apache-2.0
"""MAC ports of a design file: addresses and clocks, and what is generated for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.base import paths
from bombus.base.errors import DesignError
from bombus.design import config, rtl
from bombus.generation import generate
from tests import DESIGNS as TEST_DESIGNS
from tests.support.helpers import DESIGNS

EIGHT_PORTS = TEST_DESIGNS / "eight_ports.yaml"
ROUTE = "routes:\n  - {to: 10.80.0.0/16, via: 10.78.0.1, mac_port: 1}\n"
TWO_PORTS = (DESIGNS / "two_ports.yaml").read_text().replace(ROUTE, "")
FIRST = '- {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2, gateway: 10.77.0.1, clock_mhz: 156.25}'
SECOND = '- {mac: "02:b0:0b:05:00:02", ip: 10.78.0.2, clock_mhz: 322.265625}'


def written(folder: Path, *changes: tuple[str, str]) -> Path:
    text = TWO_PORTS
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    file = folder / "two_ports.yaml"
    file.write_text(text)
    return file


def test_the_short_form_is_one_port(tmp_path: Path) -> None:
    short = config.load(DESIGNS / "udp_echo.yaml").config
    assert [port.ip for port in short.ports] == [short.host and short.host.ip]
    assert not short.has_own_clock(0)
    both = config.load(written(tmp_path)).config
    assert [str(port.ip) for port in both.ports] == ["10.77.0.2", "10.78.0.2"]
    assert [both.has_own_clock(n) for n in range(3)] == [True, True, False]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ([("mac_ports:", "host: {mac: '02:b0:0b:05:00:01', ip: 10.0.0.1}\nmac_ports:")], "both"),
        ([(f"mac_ports:\n  {FIRST}\n  {SECOND}\n", "")], "'host' is missing"),
        ([(f"  {SECOND}\n", "")], "use 2 MAC ports, but `mac_ports` has the addresses of 1"),
        (
            [
                (
                    f"mac_ports:\n  {FIRST}\n  {SECOND}",
                    "host: {mac: '02:b0:0b:05:00:01', ip: 10.0.0.1}",
                )
            ],
            "use 2 MAC ports, but `host` has the addresses of 1",
        ),
        (
            [("clock_mhz: 156.25", "clock_mhz: 0")],
            r"mac_ports\[0\].clock_mhz: should be at least 1",
        ),
        ([("ip: 10.78.0.2", "ip: 10.78.0.0")], "network address"),
        (
            [
                (
                    f"  {SECOND}\n",
                    "".join(f"  {SECOND}\n".replace("78", str(78 + n)) for n in range(8)),
                )
            ],
            "has 9 MAC ports; a design has at most 8",
        ),
        ([("{mac_rx: {mac_port: 1}}", "{mac_rx: {mac_port: 3}}")], "mac_port must be below 3"),
        ([("{mac_rx: {mac_port: 1}}, ", "")], "MAC port 1 has no layer frame_rx or mac_rx"),
    ],
    ids=range(9),
)
def test_ports_that_cannot_be(
    tmp_path: Path, changes: list[tuple[str, str]], complaint: str
) -> None:
    with pytest.raises(DesignError, match=complaint):
        check.check(written(tmp_path, *changes))


@pytest.mark.slow
def test_more_than_three_ports_need_wider_metadata(tmp_path: Path) -> None:
    """In the design's own copy of the package; others keep theirs."""
    path = "rtl/platform/contract/bombus_pkg.sv"
    eight = generate.texts(check.check(EIGHT_PORTS)[0])
    assert "`define BOMBUS_MAC_PORTS 8\n" in eight[path]
    one = generate.texts(check.check(DESIGNS / "udp_echo.yaml")[0])
    assert one[path] == (paths.RTL / "platform" / "contract" / "bombus_pkg.sv").read_text()
    probe = "module probe; localparam int Bits = $bits(bombus_pkg::mac_port_t); endmodule\n"
    for texts, bits in ((eight, 4), (one, 2)):
        (file := tmp_path / "bombus_pkg.sv").write_text(texts[path])
        body = rtl.elaborate([file], {"probe": probe}, "probe").instance("probe").body
        assert int(body.find("Bits").value.value) == bits


def test_overlapping_networks_are_a_warning(tmp_path: Path) -> None:
    file = written(tmp_path, ("ip: 10.78.0.2", "ip: 10.77.0.3"))
    _, (warning,) = check.check(file)
    assert "networks 10.77.0.0/24 and 10.77.0.0/24 of two MAC ports overlap" in warning.message
    assert warning.line == 1 + file.read_text().splitlines().index(
        f"  {SECOND}".replace("8.0.2", "7.0.3")
    )


def test_equal_addresses_are_a_warning(tmp_path: Path) -> None:
    same = SECOND.replace("00:02", "00:01").replace("78", "77")
    _, (warning,) = check.check(written(tmp_path, (SECOND, same)))
    assert "same addresses, 02:b0:0b:05:00:01 and 10.77.0.2" in warning.message
    assert warning.line == 1 + TWO_PORTS.splitlines().index(f"  {SECOND}")


def test_a_port_that_stops_the_others_is_a_warning(tmp_path: Path) -> None:
    old = "{mac_tx: {mac_port: 1}}"
    file = written(tmp_path, (old, "{mac_tx: {mac_port: 1, drops_when_full: false}}"))
    found = [each for each in check.check(file)[1] if "drops_when_full: false" in each.message]
    (warning,) = found
    assert "stops the messages to all MAC ports" in warning.message
    assert not warning.is_error
    assert "drops_when_full" in file.read_text().splitlines()[(warning.line or 0) - 1]


def test_a_layer_gets_the_addresses_of_every_port(tmp_path: Path) -> None:
    """One that knows of one port only is refused where there are two."""
    source = (
        "module old_layer import bombus_pkg::*; #(parameter type beat_t = logic) ("
        "input logic clk_i, input logic rst_i, input host_t host_i, input beat_t in_i,"
        " input logic in_valid_i,"
        ' output logic in_ready_o); localparam string Entry = "old_layer"; endmodule\n'
    )
    (tmp_path / "old_layer.sv").write_text(source)
    file = written(tmp_path, ("tiles:", "sources: [old_layer.sv]\ntiles:"))
    with pytest.raises(DesignError, match="host_i has 144 bits; it should have 288, once for each"):
        check.check(file)


def test_a_faster_mac_gets_whole_frames(tmp_path: Path) -> None:
    """A frame may start early only where the MAC cannot overtake the core."""
    facts, _ = check.check(written(tmp_path))
    top = generate.texts(facts)["two_ports_top.sv"]
    first, second = top.split("u_mac0_clock_crossing")
    assert ".TxStartBeats(4)" in first
    assert ".TxStartBeats(0)" in second
    for number in (0, 1):
        for port in ("clk_i", "rst_i", "tx_tuser_o"):
            assert f" mac{number}_{port}" in top
    counters = [name for tile in facts.design.tiles for name in tile.counters()]
    assert counters.count("drop.clock_crossing.rx") == counters.count("drop.clock_crossing.tx") == 2


def test_one_clock_needs_no_crossing(tmp_path: Path) -> None:
    file = written(tmp_path, (", clock_mhz: 156.25", ""))
    texts = generate.texts(check.check(file)[0])
    assert "mac0_clk_i" not in texts["two_ports_top.sv"]
    assert "u_mac1_clock_crossing" in texts["two_ports_top.sv"]
    assert "mac_clock_crossing" not in "".join(
        generate.texts(check.check(DESIGNS / "udp_echo.yaml")[0])
    )


@pytest.mark.slow
def test_the_routing_table_has_entries_where_there_are_several_ports(tmp_path: Path) -> None:
    assert config.load(DESIGNS / "udp_echo.yaml").config.num_routes == 0
    assert config.load(DESIGNS / "two_ports.yaml").config.num_routes == 8
    none = written(tmp_path, ("tiles:\n", "route_entries: 0\ntiles:\n"))
    assert config.load(none).config.num_routes == 0
    text = (DESIGNS / "udp_echo.yaml").read_text()
    one = tmp_path / "udp_echo.yaml"
    one.write_text(
        text.replace("tiles:", "routes:\n  - {to: 0.0.0.0/0, via: 10.77.0.9}\ntiles:", 1)
    )
    assert config.load(one).config.num_routes == 1
    texts = generate.texts(check.check(one)[0])
    assert ".NumRoutes(1)" in "".join(texts.values())
    assert "6'd0" in texts["udp_echo_registers.sv"]
    without = generate.texts(check.check(DESIGNS / "udp_echo.yaml")[0])
    assert "route[" not in without["udp_echo.rdl"]


@pytest.mark.parametrize(
    ("new", "complaint"),
    [
        (ROUTE.replace("80.0.0/16", "80.0.1/16"), r"routes\[0\].to: .*should be an IPv4 network"),
        (ROUTE.replace("mac_port: 1", "mac_port: 2"), r"`routes\[0\]`: there is no MAC port 2"),
        (ROUTE.replace("10.78.0.1,", "10.77.0.1,"), "10.77.0.1 is no other host of 10.78.0.0/24"),
        (ROUTE.replace("10.78.0.1,", "10.78.0.2,"), "10.78.0.2 is no other host of 10.78.0.0/24"),
        (f"{ROUTE}route_entries: 0\n", "there are 1 `routes`, but `route_entries` is 0"),
        (f"{ROUTE}route_entries: 17\n", "route_entries: should be at most 16"),
    ],
)
def test_routes_that_cannot_be(tmp_path: Path, new: str, complaint: str) -> None:
    with pytest.raises(DesignError, match=complaint):
        check.check(written(tmp_path, ("tiles:\n", f"{new}tiles:\n")))
