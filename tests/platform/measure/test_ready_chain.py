# SPDX-License-Identifier: Apache-2.0
"""Chains of `ready`: the layers that one runs through without a register, in a design of four."""

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
LAYERS = ("u_0", "u_1", "u_2", "u_3")


def _top(kinds: tuple[str, ...]) -> str:
    instances = [
        f"  {kind} u_{n} (.clk_i, .in_valid_i(valid[{n}]), .in_ready_o(ready[{n}]), "
        f".out_valid_o(valid[{n + 1}]), .out_ready_i(ready[{n + 1}]), .reg_ready_o(reg_o[{n}]));"
        for n, kind in enumerate(kinds)
    ]
    ports = "input logic clk_i, valid_i, ready_i, output logic valid_o, ready_o, [3:0] reg_o"
    wires = (
        "assign {valid[0], ready[4], valid_o, ready_o} = {valid_i, ready_i, valid[4], ready[0]};"
    )
    return "\n".join(
        [
            f"module top ({ports});",
            "  logic [4:0] valid, ready;",
            f"  {wires}",
            *instances,
            "endmodule",
        ]
    )


def _mapped(*kinds: str) -> flow.Mapped:
    return flow.mapped(Sources(Part("top", {"top.sv": _LAYERS + _top(kinds)})))


@pytest.mark.slow
def test_a_register_ends_the_chain() -> None:
    through = _mapped("passing", "passing", "passing", "passing")
    assert ready_chain(through, LAYERS) == ("u_3", "u_2", "u_1", "u_0")
    # The chain starts in the flip-flop of the third layer, which it does not run through.
    cut = _mapped("passing", "passing", "cutting", "passing")
    assert ready_chain(cut, LAYERS) == ("u_1", "u_0")
    early = _mapped("passing", "cutting", "passing", "passing")
    assert ready_chain(early, LAYERS) == ("u_3", "u_2")
    assert ready_chain(_mapped("cutting", "cutting", "cutting", "cutting"), LAYERS) == ()


@pytest.mark.slow
def test_only_layers_and_their_streams_count() -> None:
    """Neither other modules on the path nor the register port."""
    through = _mapped("passing", "passing", "passing", "passing")
    assert ready_chain(through, ("u_3", "u_1")) == ("u_3", "u_1")
    assert longest(Netlist(through.module(flow.GATES)), ()) == ()


def test_layers_of_a_design() -> None:
    layers = of_design(DESIGNS / "udp_echo.yaml").layers
    assert {"u_eth_rx.u_mac_rx", "u_eth_rx.u_eth_rx", "u_icmp.u_icmp_echo"} <= layers
    assert not any("router" in layer or "interface" in layer for layer in layers)
    assert of_design(DESIGNS / "udp_echo.yaml", "eth_rx").layers == {"u_mac_rx", "u_eth_rx"}
