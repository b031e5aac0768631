# SPDX-License-Identifier: Apache-2.0
"""The network between boards: many boards as one design."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bombus.cluster.simulation import Cluster

__all__ = ["Cluster"]


def __getattr__(name: str) -> Any:
    """Loads the simulation of many boards when it is first used."""
    if name == "Cluster":
        from bombus.cluster.simulation import Cluster

        return Cluster
    raise AttributeError(f"module 'bombus.cluster' has no attribute {name!r}")
