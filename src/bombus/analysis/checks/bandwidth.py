# SPDX-License-Identifier: Apache-2.0
"""Whether the datapath carries the line rate."""

from __future__ import annotations

from collections.abc import Iterator

from bombus.base.errors import Problem
from bombus.design.facts import Facts


def line_rate(facts: Facts) -> Iterator[Problem]:
    design = facts.design
    config, network = design.config, design.networks[0]
    datapath = network.capacity(config.clock_mhz)
    if datapath < config.line_rate_gbps:
        yield design.file.problem(
            (*network.loc, "data_width"),
            f"{network.data_width} bits at {config.clock_mhz:g} MHz carry {datapath:g} Gbit/s, "
            f"less than the line rate of {config.line_rate_gbps:g} Gbit/s",
            is_error=False,
        )
