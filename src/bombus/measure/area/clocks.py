# SPDX-License-Identifier: Apache-2.0
"""Slack of each clock of a netlist, against its own period.

Inputs and outputs of the module count with every clock whose registers they reach. Paths from one
clock to another, through synchronisers and asynchronous FIFOs, are reported as such and meet no
period: the constraints of a board limit them.

The mapper's estimate has no place here. It knows one clock, and saves LUTs in every path that is
shorter than its longest one, also in those of a faster clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from bombus.measure.area.netlist import Netlist
from bombus.measure.area.sta import Timing


@dataclass(frozen=True)
class ClockTiming:
    """The longest paths of one clock."""

    clock: str
    mhz: float  # of the design file
    sta_ps: int | None
    endpoints: int
    leaving_ps: int | None  # the longest path to another clock
    leaving_endpoints: int

    @property
    def slack_ps(self) -> int:
        """What the longest path leaves of the period; negative: it is missed."""
        return int(1e6 / self.mhz) - (self.sta_ps or 0)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "slack_ps": self.slack_ps}


def by_clock(netlist: Netlist, mhz: Mapping[str, float]) -> list[ClockTiming]:
    """The timing of each clock, by the names of the module's clock inputs."""
    found = []
    for clock, rate in mhz.items():
        own = (clock, None)
        timing = Timing(netlist, own, own)
        leaving = Timing(netlist, (clock,), set(mhz) - {clock})
        found.append(
            ClockTiming(
                clock,
                rate,
                timing.delay_ps,
                len(timing.endpoints),
                leaving.delay_ps,
                len(leaving.endpoints),
            )
        )
    return found
