# SPDX-License-Identifier: Apache-2.0
"""Static timing analysis: delays of small netlists against sums worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from bombus.measure.area import delays
from bombus.measure.area.mapper_timing import MapperTiming
from bombus.measure.area.netlist import Netlist
from bombus.measure.area.origin import Origin
from bombus.measure.area.paths import worst
from bombus.measure.area.sta import Timing

_OUTPUTS = ("O", "Q", "CO", "DOA", "DOUTADOUT")
CLOCK = 2


def cell(kind: str, **ports: list[int | str]) -> dict[str, Any]:
    return {
        "type": kind,
        "attributes": {},
        "parameters": {},
        "port_directions": {
            name: "output" if name in _OUTPUTS else "input" for name in (*ports, "C")
        },
        "connections": {"C": [CLOCK], **ports},
    }


def netlist(names: dict[str, list[int]] | None = None, **cells: dict[str, Any]) -> Netlist:
    found = {name: {"bits": bits, "attributes": {}} for name, bits in (names or {}).items()}
    return Netlist({"cells": cells, "ports": {}, "netnames": found})


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


def test_a_loop_does_not_hang() -> None:
    loop = netlist(
        one=cell("LUT1", I0=[11], O=[10]),
        two=cell("LUT2", I0=[10], I1=[12], O=[11]),
        start=cell("FDRE", D=[11], Q=[12]),
    )
    assert Timing(loop).delay_ps is not None
