# SPDX-License-Identifier: Apache-2.0
"""Memories that do not fit the ports of their layers."""

from __future__ import annotations

from collections.abc import Iterator

from bombus.base.errors import Problem
from bombus.base.text import listing
from bombus.design.facts import Facts
from bombus.design.memories import FROM_LAYER, signals_of

_WIDTHS = {"awsize": 3, "arsize": 3, "awlen": 8, "arlen": 8, "awburst": 2, "arburst": 2}
_NEEDED = [name for name, default in FROM_LAYER.items() if default is None]


def ports(facts: Facts) -> Iterator[Problem]:
    """Memories that do not fit their ports."""
    design = facts.design
    for name in design.config.memories:
        place = ("memories", name)
        signals = signals_of(facts.raised_ports, name)
        if not signals:
            yield design.file.problem(
                place, f"no tile raises ports as {name}: `ports: {{<port>: {name}}}`"
            )
            continue
        if missing := [each for each in _NEEDED if each not in signals]:
            yield design.file.problem(
                place, f"memory {name} lacks the AXI ports {listing(missing)} of a layer"
            )
            continue
        data, address = signals["wdata"].width, signals["awaddr"].width
        wanted = {**_WIDTHS, "rdata": data, "wstrb": data // 8, "araddr": address}
        if "awid" in signals:
            wanted |= dict.fromkeys(("bid", "arid", "rid"), signals["awid"].width)
        for each, width in wanted.items():
            if each in signals and signals[each].width != width:
                yield design.file.problem(
                    place,
                    f"memory {name}: {each} has {signals[each].width} bits; should have {width}",
                )
        if data & (data - 1) or not 8 <= data <= 1024:
            yield design.file.problem(
                place, f"memory {name}: wdata has {data} bits; should be a power of two, 8 to 1024"
            )
