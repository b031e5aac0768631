# SPDX-License-Identifier: Apache-2.0
"""Chains of `ready`: the layers that one runs through without a register, in rows of four."""

from __future__ import annotations

import pytest

from bombus.base.paths import DESIGNS
from bombus.measure.area import flow
from bombus.measure.area.netlist import Netlist
from bombus.measure.area.ready_chain import longest, ready_chain
from bombus.measure.area.sources import Part, Sources, of_design

# The input `ready` of the first kind depends on the output's, that of the second is a flip-flop.
_LAYERS = """
module passing (input logic clk_i, input logic in_valid_i, output logic in_ready_o,
                output logic out_valid_o, input logic out_ready_i, output logic reg_ready_o);
  assign in_ready_o = ~out_valid_o | out_ready_i;
  assign reg_ready_o = in_ready_o & in_valid_i;
  always_ff @(posedge clk_i) if (in_ready_o) out_valid_o <= in_valid_i;
endmodule
module cutting (input logic clk_i, input logic in_valid_i, output logic in_ready_o,
                output logic out_valid_o, input logic out_ready_i, output logic reg_ready_o);
  assign out_valid_o = in_valid_i;
  assign reg_ready_o = 1'b1;
  always_ff @(posedge clk_i) in_ready_o <= out_ready_i;
endmodule
"""
# Rows of four layers beside each other, in one design: mapping it takes four CPU seconds.
ROWS = {
    "through": ("passing", "passing", "passing", "passing"),
    "cut": ("passing", "passing", "cutting", "passing"),
    "early": ("passing", "cutting", "passing", "passing"),
    "registers": ("cutting", "cutting", "cutting", "cutting"),
}


def _row(row: str, *places: int) -> tuple[str, ...]:
    return tuple(f"u_{row}_{n}" for n in places or range(4))


def _top() -> str:
    inputs = ", ".join(f"{row}_valid_i, {row}_ready_i" for row in ROWS)
    outputs = ", ".join(f"{row}_valid_o, {row}_ready_o, {row}_reg_o" for row in ROWS)
    lines = [f"module top (input logic clk_i, {inputs}, output logic [3:0] {outputs});"]
    for row, kinds in ROWS.items():
        lines += [
            f"  logic [4:0] {row}_valid, {row}_ready;",
            f"  assign {row}_valid[0] = {row}_valid_i;",
            f"  assign {row}_ready[4] = {row}_ready_i;",
            f"  assign {row}_valid_o = {row}_valid[4];",
            f"  assign {row}_ready_o = {row}_ready[0];",
        ]
        lines += [
            f"  {kind} u_{row}_{n} (.clk_i, .in_valid_i({row}_valid[{n}]), "
            f".in_ready_o({row}_ready[{n}]), .out_valid_o({row}_valid[{n + 1}]), "
            f".out_ready_i({row}_ready[{n + 1}]), .reg_ready_o({row}_reg_o[{n}]));"
            for n, kind in enumerate(kinds)
        ]
    return "\n".join([*lines, "endmodule", ""])


@pytest.fixture(scope="module")
def rows() -> flow.Mapped:
    return flow.mapped(Sources(Part("top", {"top.sv": _LAYERS + _top()})))


@pytest.mark.slow
def test_a_register_ends_the_chain(rows: flow.Mapped) -> None:
    assert ready_chain(rows, _row("through")) == _row("through", 3, 2, 1, 0)
    # The chain starts in the flip-flop of the third layer, which it does not run through.
    assert ready_chain(rows, _row("cut")) == _row("cut", 1, 0)
    assert ready_chain(rows, _row("early")) == _row("early", 3, 2)
    assert ready_chain(rows, _row("registers")) == ()
    assert ready_chain(rows, [*_row("early"), *_row("through")]) == _row("through", 3, 2, 1, 0)


@pytest.mark.slow
def test_only_layers_and_their_streams_count(rows: flow.Mapped) -> None:
    """Neither other modules on the path nor the register port."""
    assert ready_chain(rows, _row("through", 3, 1)) == _row("through", 3, 1)
    assert longest(Netlist(rows.module(flow.GATES)), ()) == ()


def test_layers_of_a_design() -> None:
    layers = of_design(DESIGNS / "udp_echo.yaml").layers
    assert {"u_eth_rx.u_mac_rx", "u_eth_rx.u_eth_rx", "u_icmp.u_icmp_echo"} <= layers
    assert not any("router" in layer or "interface" in layer for layer in layers)
    assert of_design(DESIGNS / "udp_echo.yaml", "eth_rx").layers == {"u_mac_rx", "u_eth_rx"}
