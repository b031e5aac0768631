# SPDX-License-Identifier: Apache-2.0
"""Static timing analysis of ECP5 netlists: delays against sums worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bombus.base.errors import UserError
from bombus.implementation.ecp5_estimate import Ecp5Timing, wire_ps
from bombus.implementation.harness import HARNESS
from bombus.implementation.timing import estimated_mhz
from tests.support.netlists import ecp5_cell, netlist

START = ecp5_cell("TRELLIS_FF", DI=[99], Q=[10])
TO_OUTPUT, LUT = 309, 141


def test_a_lut_is_packed_with_the_only_flip_flop_that_reads_it() -> None:
    logic = ecp5_cell("LUT4", A=[10], B=["0"], C=["0"], D=["0"], Z=[11])
    one = netlist(start=START, logic=logic, end=ecp5_cell("TRELLIS_FF", DI=[11], Q=[12]))
    assert Ecp5Timing(one).delay_ps == TO_OUTPUT + wire_ps(1) + LUT
    two = netlist(
        start=START,
        logic=logic,
        end=ecp5_cell("TRELLIS_FF", DI=[11], Q=[12]),
        other=ecp5_cell("TRELLIS_FF", DI=[11], Q=[13]),
    )
    assert Ecp5Timing(two).delay_ps == TO_OUTPUT + wire_ps(1) + LUT + wire_ps(2)


def test_a_reset_has_a_setup_time() -> None:
    reset = netlist(start=START, end=ecp5_cell("TRELLIS_FF", DI=["0"], LSR=[10], Q=[12]))
    assert Ecp5Timing(reset).delay_ps == TO_OUTPUT + wire_ps(1) + 225


def test_multiplexers_of_a_slice_have_no_wires() -> None:
    """Two LUTs, the multiplexer behind them, and one behind two of these: a single level."""
    zeros = {pin: ["0"] for pin in "BCD"}
    path = netlist(
        start=START,
        low=ecp5_cell("LUT4", A=[10], Z=[11], **zeros),
        high=ecp5_cell("LUT4", A=[10], Z=[12], **zeros),
        five=ecp5_cell("PFUMX", ALUT=[11], BLUT=[12], C0=["0"], Z=[13]),
        six=ecp5_cell("L6MUX21", D0=[13], D1=["0"], SD=["0"], Z=[14]),
        end=ecp5_cell("TRELLIS_FF", DI=[14], Q=[15]),
    )
    timing = Ecp5Timing(path)
    assert timing.delay_ps == TO_OUTPUT + wire_ps(2) + LUT + 98 + 141
    assert timing.levels == 1


def test_a_carry_chain() -> None:
    zeros = {f"{pin}{digit}": ["0"] for pin in "BCD" for digit in "01"}
    first = ecp5_cell("CCU2C", A0=[10], A1=["0"], CIN=["0"], S0=[11], S1=[12], COUT=[13], **zeros)
    second = ecp5_cell("CCU2C", A0=["0"], A1=["0"], CIN=[13], S0=[14], S1=[15], COUT=[16], **zeros)
    end = {
        f"end_{net}": ecp5_cell("TRELLIS_FF", DI=[net], Q=[20 + net]) for net in (11, 12, 14, 15)
    }
    timing = Ecp5Timing(netlist(start=START, first=first, second=second, **end))
    begin = TO_OUTPUT + wire_ps(1)
    by_net = {found.net: found.delay_ps for found in timing.endpoints}
    assert by_net[11] == begin + 141
    assert by_net[12] == begin + 278 + 257
    assert by_net[14] == begin + 278 + 230
    assert by_net[15] == begin + 278 + 257
    assert timing.levels == 1


def test_memories() -> None:
    ram = ecp5_cell("TRELLIS_DPR16X4", RAD=[10], WAD=["0"], DI=["0"], WRE=[10], DO=[11])
    read = netlist(start=START, ram=ram, end=ecp5_cell("TRELLIS_FF", DI=[11], Q=[12]))
    by_port = {found.port: found.delay_ps for found in Ecp5Timing(read).endpoints}
    assert by_port == {"DI": TO_OUTPUT + wire_ps(2) + LUT, "WRE": TO_OUTPUT + wire_ps(2) + 208}
    block = ecp5_cell("DP16KD", ADA0=[10], DOA0=[11], DOB0=[12])
    blocks = netlist(
        start=START,
        block=block,
        a=ecp5_cell("TRELLIS_FF", DI=[11], Q=[13]),
        b=ecp5_cell("TRELLIS_FF", DI=[12], Q=[14]),
    )
    by_net = {found.net: found.delay_ps for found in Ecp5Timing(blocks).endpoints}
    assert by_net[11] == 1364 + wire_ps(1)
    assert by_net[12] == 1419 + wire_ps(1)
    assert by_net[10] == TO_OUTPUT + wire_ps(1) + 67


def test_cells_of_unknown_delay(tmp_path: Path) -> None:
    """The analysis refuses them; `bombus timing` says that its estimate is not known."""
    cells = {"product": ecp5_cell("MULT18X18D", A0=[10])}
    with pytest.raises(UserError, match="cells of unknown delay: MULT18X18D"):
        Ecp5Timing(netlist(**cells))
    file = tmp_path / "netlist.json"
    module = {"cells": cells, "ports": {}, "netnames": {}}
    file.write_text(json.dumps({"modules": {HARNESS: module}}))
    assert estimated_mhz(file, "clk_i") is None
