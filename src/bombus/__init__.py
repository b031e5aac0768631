# SPDX-License-Identifier: Apache-2.0
"""Bombus: hardware network stacks from a design file.

The pipeline, one module per step, each usable alone:
config -> check (with place) -> generate -> build -> simulation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bombus.simulator.simulation import Simulation

__all__ = ["Simulation"]


def __getattr__(name: str) -> Any:
    """Loads the binding of the simulator when it is first asked for."""
    if name == "Simulation":
        from bombus.simulator.simulation import Simulation

        return Simulation
    raise AttributeError(f"module 'bombus' has no attribute {name!r}")
