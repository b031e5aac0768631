# SPDX-License-Identifier: Apache-2.0
"""Place and route: what is asked of nextpnr, and what its answers are made into."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bombus.analysis import check
from bombus.base.errors import UserError
from bombus.design import rtl
from bombus.generation import generate
from bombus.generation.board.device import device
from bombus.implementation import nextpnr, timing, tool, yosys_ecp5
from bombus.implementation.harness import HARNESS, harness
from bombus.implementation.owners import OUTSIDE, TOP, Owners
from bombus.pictures.files import save
from bombus.pictures.floorplan import Spot, figure
from tests import ROOT

WIRE = Path(__file__).parent / "designs" / "frame_wire.yaml"
TWO_CLOCKS = ROOT / "designs" / "two_ports.yaml"


def test_devices_have_the_names_of_the_data_sheet() -> None:
    assert device("LFE5UM5G-85F").flags[0] == "--um5g-85k"
    assert device("lfe5u-25f-6").flags == ["--25k", "--package", "CABGA381", "--speed", "6"]
    assert device("lfe5um-45f").name == "lfe5um-45f-8"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("xc7a100t", "is not a device"),
        ("lfe5um-12f", "begin at 25f"),
        ("lfe5um5g-85f-6", "speed grade 8 only"),
    ],
)
def test_other_devices_are_refused(name: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        device(name)


@pytest.mark.parametrize("file", [WIRE, TWO_CLOCKS])
def test_harness_joins_every_port_in_its_clock(file: Path) -> None:
    facts, _ = check.check(file)
    top = f"{facts.design.config.name}_top"
    sources = generate.texts(facts)
    text = harness(sources, top)
    texts = {name: source for name, source in sources.items() if name.endswith(".sv")}
    elaboration = rtl.elaborate([], texts | {"harness.sv": text}, top=HARNESS)
    assert not elaboration.problems()
    instance = elaboration.instance(HARNESS).body.find("u_design")
    assert all(connection.expression for connection in instance.portConnections)
    if file == TWO_CLOCKS:
        assert "posedge mac1_clk_i" in text
        assert ".mac1_rx_tdata_i(mac1_in_q[" in text
        assert ".mac1_tx_tlast_o(mac1_out[" in text


def test_cells_have_owners() -> None:
    owners = Owners("u_design", ["receive", "arp"])
    assert owners.tile("u_design.u_receive.u_udp_rx.sum_q_LUT4_Z") == "receive"
    assert owners.part("u_design.u_receive.u_udp_rx.u_sum.q[3]") == "receive.udp_rx"
    assert owners.part("u_design.u_receive.pulse_q") == "receive"
    assert owners.tile("u_design.u_registers.q") == TOP
    assert owners.tile("u_design.request_q_TRELLIS_FF_Q") == TOP
    assert owners.tile("core_in_q_TRELLIS_FF_Q") == OUTSIDE


def _step(cell: str, kind: str, delay: float) -> dict[str, Any]:
    return {"from": {"cell": cell}, "to": {"cell": "x"}, "type": kind, "delay": delay}


def test_report_is_read_and_told_by_parts(tmp_path: Path) -> None:
    clock = "$glbnet$clk_i$TRELLIS_IO_IN"
    path = [
        _step("u_design.u_a.u_arp.q", "clk-to-q", 0.5),
        _step("u_design.u_a.u_arp.q", "routing", 1.0),
        _step("u_design.u_a.u_arp.x", "logic", 0.25),
        _step("u_design.u_a.u_arp.x", "routing", 2.0),
        _step("u_design.u_b.u_router.y", "logic", 0.25),
        _step("u_design.u_b.u_router.y", "setup", 0.0),
    ]
    report = {
        "fmax": {clock: {"achieved": 60.5, "constraint": 250.0}},
        "critical_paths": [
            {"from": f"posedge {clock}", "to": "<async>", "path": path[:1]},
            {"from": f"posedge {clock}", "to": f"posedge {clock}", "path": path},
        ],
        "utilization": {bel: {"used": 3, "available": 10} for bel in nextpnr.UNITS},
    }
    (tmp_path / "report.json").write_text(json.dumps(report))
    (tmp_path / "cells.json").write_text(json.dumps([["u_design.u_a.q", "ff", 3, 4, "SLICEA.FF0"]]))
    routed = nextpnr.read(tmp_path)
    assert routed.fmax_mhz == {"clk_i": 60.5}
    assert routed.used["lut4"] == (3, 10)
    owners = Owners("u_design", ["a", "b"])
    first, second = owners.segments(routed.paths["clk_i"])
    assert (first.owner, first.levels, first.logic_ns, first.wire_ns) == ("a.arp", 1, 0.75, 3.0)
    assert (second.owner, second.levels, second.wire_ns) == ("b.router", 1, 0.0)
    assert timing.by_tile(routed.cells, owners) == {"a": {"lut4": 0, "ff": 1, "ebr": 0, "dsp": 0}}


def test_every_clock_is_compared_with_its_own_rate() -> None:
    targets = check.check(TWO_CLOCKS)[0].design.config.clocks
    assert targets == {"clk_i": 200, "mac0_clk_i": 156.25, "mac1_clk_i": 322.265625}
    reached = {"clk_i": 200.5, "mac0_clk_i": 199.0, "mac1_clk_i": 299.996}
    rates = timing.rates(nextpnr.Routed(reached, {}, {}, {}, []), targets)
    assert [rate.is_met for rate in rates.values()] == [True, True, False]
    assert rates["mac1_clk_i"] == timing.ClockRate(300.0, 322.265625)


def test_floorplan_names_its_tiles_and_repeats(tmp_path: Path) -> None:
    tiles = [f"tile_{i}" for i in range(12)]
    spots = [Spot(tile, i, i % 3) for i, tile in enumerate(tiles)]
    for name in ("a.svg", "b.svg"):
        save(lambda: figure(spots, tiles, "a design"), tmp_path / name, "a design")
    text = (tmp_path / "a.svg").read_text()
    assert all(f"{tile}: 1" in text for tile in tiles)
    assert text == (tmp_path / "b.svg").read_text()


def test_what_takes_too_long_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot: not finished after 0.5 s.*\nplacing"):
        tool.run(["sh", "-c", "echo placing; exec sleep 60"], tmp_path, "log", "cannot", 0.5)


# A design in which nothing can be optimised away, with a path from u_a to u_b.
TINY = """
module count (input logic clk_i, input logic [15:0] in_i, output logic [15:0] out_o);
  always_ff @(posedge clk_i) out_o <= out_o + in_i;
endmodule
module mix (input logic clk_i, input logic [15:0] in_i, output logic [15:0] out_o);
  always_ff @(posedge clk_i) out_o <= (in_i << 3) + (out_o ^ in_i);
endmodule
module tiny_top (input logic clk_i, input logic [15:0] in_i, output logic [15:0] out_o);
  logic [15:0] middle;
  count u_a (.clk_i, .in_i, .out_o(middle));
  mix u_b (.clk_i, .in_i(middle), .out_o);
endmodule
"""


@pytest.mark.slow
def test_small_design_is_placed_and_routed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOMBUS_CACHE", str(tmp_path))
    sources = {"tiny.sv": TINY, "tiny.f": "tiny.sv\nharness.sv\n"}
    sources["harness.sv"] = harness(sources, "tiny_top")
    synthesis = yosys_ecp5.Request(HARNESS, "tiny.f", "netlist.json")
    netlist = timing.synthesised(sources, synthesis, "the test")
    request = nextpnr.Request(device("lfe5um5g-25f"), "netlist.json", HARNESS, 1, 100)
    routed = nextpnr.read(timing.routed(netlist, request, "the test", timeout_s=600))
    assert 50 < routed.fmax_mhz["clk_i"] < 500
    assert routed.constraint_mhz == {"clk_i": 100}
    owners = Owners("u_design", ["a", "b"])
    tiles = timing.by_tile(routed.cells, owners)
    # Each part has 16 flip-flops. The harness has 16 at the inputs and twice 16 plus one at the
    # outputs; those that sample a signal of a part directly may have its name.
    assert tiles["a"]["ff"] == 16
    assert sum(cells["ff"] for cells in tiles.values()) == 16 * 5 + 1
    estimate = timing.estimated_mhz(netlist / "netlist.json", "clk_i")
    assert estimate == pytest.approx(routed.fmax_mhz["clk_i"], rel=0.5)
    path = owners.segments(routed.paths["clk_i"])
    assert {part.owner for part in path} <= {"a", "b", OUTSIDE}
    delay = sum(part.logic_ns + part.wire_ns for part in path)
    assert delay == pytest.approx(1000 / routed.fmax_mhz["clk_i"], rel=0.01)
    monkeypatch.setattr(tool, "run", lambda *_: pytest.fail("it was in the cache"))
    timing.routed(netlist, request, "the test")
