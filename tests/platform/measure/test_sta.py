# SPDX-License-Identifier: Apache-2.0
"""Static timing analysis: delays of small netlists against sums worked out by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from bombus.base.errors import UserError
from bombus.measure.area import Report, delays
from bombus.measure.area.cells import count
from bombus.measure.area.clocks import by_clock
from bombus.measure.area.mapper_timing import MapperTiming
from bombus.measure.area.netlist import Netlist
from bombus.measure.area.origin import Origin
from bombus.measure.area.paths import worst
from bombus.measure.area.sta import Timing
from tests.support.netlists import CLOCK, cell, netlist


def test_the_sum_of_a_path() -> None:
    """Flip-flop, slowest pin of a LUT6, fastest of a LUT2, flip-flop in the LUT's slice."""
    path = netlist(
        start=cell("FDRE", D=[9], Q=[10]),
        first=cell("LUT6", I0=[10], I1=["0"], I2=["0"], I3=["0"], I4=["0"], I5=["0"], O=[11]),
        second=cell("LUT2", I0=["1"], I1=[11], O=[12]),
        end=cell("FDRE", D=[12], CE=["1"], R=["0"], Q=[13]),
        other=cell("FDRE", D=[11], Q=[14]),
    )
    timing = Timing(path)
    # 77 to Q, a wire to one reader 140, A1 150, a wire to two 140 + 50, A6 35,
    # 50 inside the slice, 25 set-up
    by_hand = 77 + 140 + 150 + 190 + 35 + 50 + 25
    assert timing.delay_ps == by_hand == 667
    # The other one reads the first LUT from elsewhere.
    assert [end.delay_ps for end in timing.endpoints] == [667, 77 + 140 + 150 + 190 + 25]
    assert (timing.above(666), timing.above(667)) == (1, 0)
    assert timing.levels == 2
    assert [step.arrival_ps for step in timing.path(timing.endpoints[0])] == [77, 367, 592]


def test_each_clock_has_its_own_period() -> None:
    """A LUT between flip-flops of either clock, through a buffer, and a way between the clocks."""
    slow = {"C": [3]}
    fast = {"C": [5]}
    module = {
        "ports": {
            "clk_i": {"direction": "input", "bits": [3]},
            "mac0_clk_i": {"direction": "input", "bits": [4]},
            "in_i": {"direction": "input", "bits": [6]},
        },
        "netnames": {},
        "cells": {
            "buffer": cell("BUFG", I=[4], O=[5]),
            "start": cell("FDRE", D=[6], Q=[10], **slow),
            "lut": cell("LUT1", I0=[10], O=[11]),
            "end": cell("FDRE", D=[11], Q=[12], **slow),
            "other": cell("FDRE", D=[12], Q=[20], **fast),
            "between": cell("LUT6", I0=[20], **{f"I{i}": ["0"] for i in range(1, 6)}, O=[21]),
            "last": cell("FDRE", D=[21], Q=[22], **fast),
        },
    }
    core, mac = by_clock(Netlist(module), {"clk_i": 2000, "mac0_clk_i": 2500})
    assert core.sta_ps == 77 + 140 + 35 + 50 + 25
    assert (core.endpoints, core.slack_ps) == (2, 500 - 327)  # `start` from the input
    assert (core.leaving_endpoints, core.leaving_ps) == (1, 77 + 140 + 25)
    assert mac.sta_ps == 77 + 140 + 150 + 50 + 25
    assert (mac.endpoints, mac.slack_ps) == (1, 400 - 442)
    assert (mac.leaving_endpoints, mac.leaving_ps) == (0, None)
    # The design's clock is met, that of the MAC port is not.
    report = Report("", "", count({}), 427, 442, 3, 0, nominal_mhz=2000, clocks=(core, mac))
    assert report.clock_mhz == 1e6 / 427 and report.meets_clock is False
    assert replace(report, clocks=(core,)).meets_clock


def test_ports_of_a_block_ram_have_their_clocks() -> None:
    """Written at port B, read at port A."""
    ram = cell("RAMB36E2", DINADIN=[9], ADDRBWRADDR=[9], ADDRARDADDR=[9], DOUTADOUT=[20])
    del ram["connections"]["C"]
    for name, bit in (("CLKARDCLK", 3), ("CLKBWRCLK", 4)):
        ram["connections"][name] = [bit]
        ram["port_directions"][name] = "input"
    clocks = {name: {"direction": "input", "bits": [bit]} for name, bit in (("r", 3), ("w", 4))}
    found = Netlist({"cells": {"ram": ram}, "ports": clocks, "netnames": {}})
    ports = ("DINADIN", "ADDRBWRADDR", "ADDRARDADDR", "DOUTADOUT")
    assert [found.clock(0, port) for port in ports] == ["w", "w", "r", "r"]


def test_a_carry_chain_is_fast() -> None:
    """Two CARRY4: the carry goes through the second one without a wire."""
    low, high = list(range(20, 24)), list(range(30, 34))
    chain = netlist(
        start=cell("FDRE", D=[9], Q=[10]),
        first=cell(
            "CARRY4", CI=["0"], CYINIT=["0"], DI=["0"] * 4, S=[10, "0", "0", "0"], CO=low, O=[40]
        ),
        second=cell("CARRY4", CI=[23], CYINIT=["0"], DI=["0"] * 4, S=["1"] * 4, CO=[50], O=high),
        end=cell("FDRE", D=[33], Q=[60]),
    )
    # 77, a wire 140, S0 to CO3 186, CIN 0 to O3 82, 25 inside the slice, 25 set-up
    assert Timing(chain).delay_ps == 77 + 140 + 186 + 0 + 82 + 25 + 25
    assert Timing(chain).levels == 1


def test_memory() -> None:
    """Block RAM gives its data late; LUT RAM is read as a LUT, and its write port ends a path."""
    ram = cell("RAMB36E2", ADDRARDADDR=[9], DOUTADOUT=[20])
    registered = {**ram, "parameters": {"DOA_REG": "1"}}
    end = cell("FDRE", D=[20], Q=[60])
    assert Timing(netlist(ram=ram, end=end)).delay_ps == 1003 + 140 + 25
    assert Timing(netlist(ram=registered, end=end)).delay_ps == 229 + 140 + 25

    lut_ram = cell("RAM32M16", ADDRA=[10], ADDRH=[10], DIA=[20], WE=[10], DOA=[20])
    timing = Timing(netlist(start=cell("FDRE", D=[9], Q=[10]), ram=lut_ram))
    delays_by_port = {end.port: end.delay_ps for end in timing.endpoints}
    wire = 140 + 79  # of three readers, 50 for each doubling
    # The address that only reads ends no path.
    assert delays_by_port == {
        "DIA": 77 + wire + 165 + 140 + 81,
        "WE": 77 + wire + 180,
        "ADDRH": 77 + wire + 117,
    }


def test_large_fanouts_cost_more_up_to_a_bound() -> None:
    assert [delays.wire_ps(fanout) for fanout in (1, 2, 4, 64, 1000)] == [140, 190, 240, 440, 440]
    # The routed nets that the model was fitted to.
    routed = [(2, 223), (2, 251), (4, 344), (6, 203), (8, 259), (8, 346), (22, 366), (23, 261)]
    routed += [(57, 682)]
    model = sum(delays.wire_ps(fanout) for fanout, _ in routed)
    assert model == pytest.approx(0.86 * sum(delay for _, delay in routed), rel=0.05)


def test_bits_of_a_register_are_one_path() -> None:
    timing = Timing(
        netlist(
            {"u_a.sum_q": [10], "u_b.word_q": [20, 21]},
            start=cell("FDRE", D=[9], Q=[10]),
            lut=cell("LUT1", I0=[10], O=[11]),
            low=cell("FDRE", D=[11], Q=[20]),
            high=cell("FDRE", D=[11], Q=[21]),
            enabled=cell("FDRE", D=["0"], CE=[11], Q=[22]),
        )
    )
    origins = [None, Origin("u_b", "b", "b.sv:7"), None, None, Origin("u_b", "b", "b.sv:9")]
    first, second = worst(timing, origins, 5, limit_ps=300)
    assert (first.start, first.end, first.pin) == ("u_a.sum_q", "u_b.word_q", "data")
    assert (first.endpoints, first.over, first.levels) == (2, 2, 1)
    assert [step.place for step in first.steps] == ["", "b.sv:7", ""]
    assert first.steps[-1].at_ps == first.delay_ps
    assert (second.end, second.pin) == ("in u_b", "enable")


def test_the_mappers_view() -> None:
    """Late signals get the fast pins; no clock-to-output or set-up; a carry needs no wire."""
    path = netlist(
        start=cell("FDRE", D=[9], Q=[10]),
        first=cell("LUT6", I0=[10], I1=["0"], I2=["0"], I3=["0"], I4=["0"], I5=["0"], O=[11]),
        second=cell("LUT2", I0=[11], I1=[10], O=[12]),  # the late one at the slow pin
        carry=cell(
            "CARRY4",
            CI=["0"],
            CYINIT=["0"],
            DI=["0"] * 4,
            S=[12, "0", "0", "0"],
            CO=[20, 21, 22, 23],
        ),
        select=cell("MUXF7", I0=["0"], I1=["0"], S=[23], O=[30]),
        end=cell("FDRE", D=[30], Q=[40]),
        ram=cell("RAM32M16", ADDRA=[30], DOA=[50]),
        last=cell("FDRE", D=[50], Q=[60]),
    )
    timing = MapperTiming(path)
    by_hand = 300 + 127 + 300 + 127 + 508 + 300 + 296
    assert timing.delay_ps == by_hand == 1958
    # A path ends at a memory's address, and another one starts at its output.
    ends = {(path.cells[e.cell or 0].name, e.port): e.delay_ps for e in timing.endpoints}
    assert ends == {("end", "D"): by_hand, ("ram", "ADDRA"): by_hand, ("last", "D"): 0}


def test_read_ports_of_one_memory_in_series() -> None:
    """Port B, a LUT, port A of the same cell, another LUT: one path, and no loop."""
    path = netlist(
        ram=cell("RAM32M16", ADDRA=[12], ADDRB=[10], ADDRH=["0"], DOA=[13], DOB=[11], WE=["0"]),
        start=cell("FDRE", D=[9], Q=[10]),
        between=cell("LUT1", I0=[11], O=[12]),
        after=cell("LUT1", I0=[13], O=[14]),
        end=cell("FDRE", D=[14], Q=[15]),
    )
    timing = Timing(path)
    read, lut = 140 + 165, 140 + 35
    assert timing.delay_ps == 77 + read + lut + read + lut + 50 + 25 == 1112
    assert timing.levels == 4
    # The mapper's paths end at each address.
    ends = {end.port: end.delay_ps for end in MapperTiming(path).endpoints}
    assert ends == {"ADDRB": 0, "ADDRA": 300 + 127, "D": 300 + 127}


def test_a_sum_may_feed_a_higher_bit_of_its_carry_chain() -> None:
    chain = netlist(
        start=cell("FDRE", D=[9], Q=[10]),
        lut=cell("LUT1", I0=[20], O=[11]),
        carry=cell(
            "CARRY4",
            CI=["0"],
            CYINIT=["0"],
            DI=["0"] * 4,
            S=[10, 11, "0", "0"],
            O=[20, 21, 22, 23],
            CO=[30, 31, 32, 33],
        ),
        end=cell("FDRE", D=[21], Q=[40]),
    )
    # S0 to O0, the LUT, S1 to O1
    assert Timing(chain).delay_ps == 77 + 140 + 139 + 140 + 35 + 15 + 139 + 25 + 25


def multiplier(registers: str = "", **ports: list[int | str]) -> dict[str, Any]:
    """A DSP slice with some of its registers."""
    made = cell("DSP48E2", **ports)
    names = ("AREG", "BREG", "CREG", "MREG", "PREG")
    made["parameters"] = {name: str(int(name in registers.split())) for name in names}
    made["connections"]["CLK"] = made["connections"].pop("C") if "C" not in ports else [CLOCK]
    made["port_directions"]["CLK"] = "input"
    return made


def around(slice_: dict[str, Any]) -> Netlist:
    """Flip-flops before and behind a DSP slice."""
    return netlist(before=cell("FDRE", D=[9], Q=[10]), dsp=slice_, end=cell("FDRE", D=[20], Q=[21]))


@pytest.mark.parametrize(
    ("registers", "at_a", "at_c", "behind"),
    [
        ("", None, None, 1560),
        ("AREG", 300, None, 1620),
        ("AREG BREG", 300, None, 1620),
        ("CREG", None, 300, 1620),
        ("MREG", 1440, None, 1620),
        ("PREG", 1440, 1440, 280),
        ("AREG BREG CREG PREG", 300, 300, 280),
    ],
)
def test_a_multiplier_takes_its_time(
    registers: str, at_a: int | None, at_c: int | None, behind: int
) -> None:
    """Paths go through it, except where it has registers."""
    timing = Timing(around(multiplier(registers, A=[10], B=[10], C=[10], P=[20])))
    ends = {end.port: end.delay_ps for end in timing.endpoints}
    to_it = 77 + 140 + 79  # three readers
    through = behind if "PREG" in registers else max(behind, to_it + 1560)
    if at_a and at_c:
        through = behind
    assert ends["D"] == through + 140 + 25
    assert ends.get("A") == (at_a and to_it + at_a)
    assert ends.get("C") == (at_c and to_it + at_c)
    assert timing.levels == (through > behind)


def test_multipliers_in_a_row() -> None:
    cells = {
        f"mul_{i}": multiplier(A=[10 + i], B=[10 + i], P=[11 + i], RSTP=["0"]) for i in range(10)
    }
    start, end = cell("FDRE", D=[9], Q=[10]), cell("FDRE", D=[20], Q=[21])
    row = netlist(None, start=start, end=end, **cells)
    assert Timing(row).delay_ps == 77 + 10 * (190 + 1560) + 140 + 25
    assert Timing(row).levels == 10
    # The mapper does not know their delay.
    assert MapperTiming(row).delay_ps == 0


@pytest.mark.parametrize(
    ("slice_", "message"),
    [
        (multiplier(A=[10], P=[20], PCOUT=[30]), "output PCOUT"),
        (multiplier(A=[10], P=[20], MULTSIGNIN=[10]), "input MULTSIGNIN"),
        ({**multiplier(A=[10], P=[20]), "parameters": {"AMULTSEL": "AD"}}, "AMULTSEL AD"),
    ],
)
def test_uses_of_a_dsp_slice_without_published_delays(slice_: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=f"dsp: a DSP slice with unknown delay: {message}"):
        Timing(around(slice_))


@pytest.mark.parametrize("kind", ["DSP58", "CARRY8", "XORCY", "RAM1024X1D", "$_AND_", "GTYE4"])
def test_cells_of_unknown_delay_are_not_taken_for_registers(kind: str) -> None:
    unknown = netlist(known=cell("FDRE", D=[9], Q=[10]), odd=cell(kind, A=[10], O=[11]))
    for timing in (Timing, MapperTiming):
        with pytest.raises(UserError, match="unknown delay: " + re.escape(kind)):
            timing(unknown)


def test_a_loop_is_an_error() -> None:
    loop = netlist(
        {"u_a.wait": [10], "u_a.go": [11], "u_a.start_q": [12]},
        one=cell("LUT1", I0=[11], O=[10]),
        two=cell("LUT2", I0=[10], I1=[12], O=[11]),
        start=cell("FDRE", D=[11], Q=[12]),
    )
    with pytest.raises(UserError, match="a loop without a register near ") as told:
        Timing(loop)
    assert {"u_a.wait", "u_a.go"} <= set(re.findall(r"[\w.]+", str(told.value)))
    nameless = netlist(one=cell("LUT1", I0=[10], O=[10]))
    with pytest.raises(UserError, match=r"a loop without a register near one$"):
        Timing(nameless)
