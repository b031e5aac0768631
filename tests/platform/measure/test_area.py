# SPDX-License-Identifier: Apache-2.0
"""Area: cells are counted right, and synthesis gives what is known beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bombus.base.errors import UserError
from bombus.base.paths import DESIGNS
from bombus.measure import area
from bombus.measure.area import flow
from bombus.measure.area.netlist import Netlist
from bombus.measure.area.origin import Origin, Places, origins
from bombus.measure.area.sources import Part, Sources, of_design, of_module
from bombus.measure.area.sta import Timing
from bombus.measure.area.synthesis import errors


def test_cells_are_counted() -> None:
    cells = {"LUT2": 3, "LUT6": 4, "INV": 1, "RAM32M16": 2, "SRLC32E": 5, "FDRE": 7, "FDSE": 1}
    counted = area.count(cells | {"RAMB36E2": 2, "RAMB18E2": 1, "URAM288": 1, "DSP48E2": 3})
    assert counted.lut_logic == 7
    assert counted.lut_ram == 2 * 8 + 5
    assert counted.lut_total == 28
    assert (counted.ff, counted.bram36, counted.uram, counted.dsp) == (8, 2.5, 1, 3)


def test_unknown_memory_is_not_left_out() -> None:
    with pytest.raises(UserError, match="RAM1024X1D"):
        area.count({"RAM1024X1D": 1})


@pytest.mark.slow
def test_stream_register_is_one_register_per_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOMBUS_CACHE", str(tmp_path))
    report = area.measure("stream_register", data_width=64)
    # 64 bits of data, 4 of the number of bytes, last, 125 of metadata, valid.
    assert report.area.ff == 64 + 4 + 1 + 125 + 1
    assert report.area.lut_ram == 0
    assert report.delay_ps is not None
    assert report.sta_ps is not None and 0 < report.endpoints_over + report.sta_ps < 4_000
    again = area.measure("stream_register", data_width=64, per_module=True, paths=1)
    assert again.area == report.area
    assert sum(part.area.ff for part in again.modules) == report.area.ff
    (path,) = again.paths
    assert path.delay_ps == path.steps[-1].at_ps == report.sta_ps
    assert path.steps[-2].place.startswith("rtl/platform/streams/stream_register.sv:")


@pytest.mark.parametrize(
    ("target", "params", "message"),
    [
        ("router_wormole", {}, "did you mean 'router_wormhole'"),
        ("router_wormhole", {"Deph": 1}, "did you mean 'Depth'"),
        ("designs/udp_echo.yaml", {"depth": 1}, "applies to modules only"),
    ],
)
def test_mistakes_are_named(target: str, params: dict[str, int], message: str) -> None:
    with pytest.raises(UserError, match=message):
        area.measure(target, params=params)


@pytest.mark.slow
def test_a_module_refuses_its_parameters_by_its_own_message() -> None:
    """And not by those of all modules inside."""
    with pytest.raises(UserError) as caught:
        area.measure("tcp", params={"num_sessions": 17})
    (line,) = str(caught.value).splitlines()
    assert line.endswith("NumSessions must be a power of two, 16 to 16384")


def test_parameters_of_enums_are_numbers() -> None:
    lut = [
        area.measure("crosspoint_input", params={"Routing": routing}, data_width=64).area.lut_total
        for routing in (0, 2)
    ]
    assert lut[0] < lut[1]  # XY has nothing to choose from


def test_only_errors_count_as_errors() -> None:
    said = ["build.sv:12:3: error: unknown module 'x'", "ERROR: Compilation failed"]
    said += ["loop.sv:38: ERROR: unroll limit of 4000 exhausted"]
    log = ["Adding EN signal on $driver$error_q", "0 errors, 0 warnings", *said, "the end"]
    assert errors("\n".join(log)) == said
    assert errors("\n".join(log[:2])) == log[:2]  # killed: its last words


@pytest.mark.slow
def test_tiles_are_parts_of_a_design() -> None:
    """A change of one layer leaves the other tiles' results in the cache."""
    parts = {part.module: part.files for part in of_design(DESIGNS / "udp_echo.yaml").parts}
    assert len(parts) == 9
    of_udp_rx = parts["udp_echo_tile_udp_rx"]
    assert (
        "rtl/protocols/udp/udp_rx.sv" in of_udp_rx and "rtl/platform/routers/router.sv" in of_udp_rx
    )
    assert "rtl/protocols/udp/udp_tx.sv" not in of_udp_rx and "udp_echo_top.sv" not in of_udp_rx
    tile = of_design(DESIGNS / "udp_echo.yaml", "udp_rx").whole
    assert (tile.module, tile.files) == ("udp_echo_tile_udp_rx", of_udp_rx)
    with pytest.raises(UserError, match="did you mean 'udp_rx'"):
        of_design(DESIGNS / "udp_echo.yaml", "udp_rxx")


def test_parts_have_the_packages_that_they_refer_to() -> None:
    """A change to another package does not rebuild them."""

    def packages(files: Mapping[str, str]) -> set[str]:
        stems = {Path(name).stem for name in files}
        return {stem for stem in stems if stem.endswith("_pkg")}

    design = of_design(DESIGNS / "udp_echo.yaml")
    own = {"udp_echo_pkg", "udp_echo_registers_pkg"}
    common = own | {"bombus_pkg", "noc_pkg"}
    used = {
        part.module.removeprefix("udp_echo_tile_"): packages(part.files) for part in design.parts
    }
    assert used["echo"] == common
    assert used["arp"] == common | {"arp_pkg"}
    assert packages(design.whole.files) == set().union(*used.values())
    assert packages(of_module("tcp_lookup", {}, 512).whole.files) >= {"tcp_pkg", "tcp_state_pkg"}


def test_layers_have_the_types_of_their_registers() -> None:
    text = of_module("tcp", {"num_gaps": 0}, 512).whole.files["area_top.sv"]
    assert "logic [15:0] peer_port;" in text
    assert ".state_t(state_t)" in text


_HALF = """
module half (
    input logic clk_i, input logic [3:0] in_i, output logic [3:0] out_o
);
  logic [3:0] sum_q;
  always_ff @(posedge clk_i) sum_q <= sum_q + in_i;
  assign out_o = sum_q
      & {in_i[0], in_i[3:1]};
endmodule
"""
_STUB = _HALF[: _HALF.index(");")] + ");\nendmodule\n"
_TOP = """
module top (
    input logic clk_i, input logic [3:0] in_i, output logic [3:0] out_o, output logic [3:0] same_o
);
  logic [3:0] between;
  half u_first (.clk_i, .in_i, .out_o(between));
  half u_second (.clk_i, .in_i(between), .out_o);
  half u_zero (.clk_i, .in_i('0), .out_o(same_o));
endmodule
"""


@pytest.mark.slow
def test_a_design_is_composed_of_its_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOMBUS_CACHE", str(tmp_path))
    half = Part("half", {"half.sv": _HALF})
    alone, twice = (
        Sources(Part(name, files), parts, {"u_first": "half", "u_second": "half", "u_zero": "half"})
        for name, files, parts in (
            ("half", half.files, ()),
            ("top", {"top.sv": _TOP, "stubs/half.sv": _STUB}, (half,)),
        )
    )
    one, two = flow.mapped(alone), flow.mapped(twice)
    assert one.delay_ps is not None and two.delay_ps is not None
    assert two.delay_ps > one.delay_ps  # the path from the first to the second
    assert area.count(one.cells).ff == 4
    # The constant input makes the third one's output constant, and its register is unread.
    assert area.count(two.cells).ff == 2 * 4
    netlist = Netlist(two.module(flow.NETLIST))
    places = Places(twice.instances, twice.modules())
    found = origins(Netlist(two.module(flow.GATES)), netlist, places)
    logic = {
        origin.place
        for cell, origin in zip(netlist.cells, found, strict=True)
        if origin and cell.is_logic
    }
    assert logic == {"half.sv:6", "half.sv:7"}
    registers = {
        origin
        for cell, origin in zip(netlist.cells, found, strict=True)
        if origin and cell.kind == "FDRE"
    }
    assert Origin("u_second", "half", "half.sv:6", "u_second.sum_q[1]") in registers


_MULTIPLIER = """
module multiplier (input logic clk_i, input logic [15:0] in_i, output logic [31:0] out_o);
  logic [15:0] one_q, other_q;
  always_ff @(posedge clk_i) begin
    one_q <= in_i;
    other_q <= one_q;
    out_o <= one_q * other_q;
  end
endmodule
"""
_LOOP = """
module loop (input logic in_i, input logic also_i, output logic out_o);
  logic ahead, back;
  assign ahead = in_i & ~back;
  assign back = also_i & ahead;
  assign out_o = ahead ^ back;
endmodule
"""


@pytest.mark.slow
def test_a_multiplier_takes_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mapper gives it no time and no register; static timing knows how long it takes."""
    monkeypatch.setenv("BOMBUS_CACHE", str(tmp_path))
    mapped = flow.mapped(Sources(Part("multiplier", {"multiplier.sv": _MULTIPLIER}), (), {}))
    assert area.count(mapped.cells).dsp == 1
    timing = Timing(Netlist(mapped.module(flow.NETLIST)))
    assert timing.delay_ps == 77 + 140 + 1560 + 140 + 25
    assert timing.levels == 1


@pytest.mark.slow
def test_a_loop_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOMBUS_CACHE", str(tmp_path))
    mapped = flow.mapped(Sources(Part("loop", {"loop.sv": _LOOP}), (), {}))
    with pytest.raises(UserError, match=r"a loop without a register near .*also_i"):
        Timing(Netlist(mapped.module(flow.NETLIST)))
