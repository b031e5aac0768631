# SPDX-License-Identifier: Apache-2.0
"""Numbers that every layer of a design gets, where it has a parameter for them."""

from __future__ import annotations

from typing import NamedTuple


class Shared(NamedTuple):
    """`NumMacPorts` and `NumRoutes`."""

    num_mac_ports: int = 1
    num_routes: int = 0  # entries of the routing table

    @property
    def parameters(self) -> dict[str, int]:
        return {"NumMacPorts": self.num_mac_ports, "NumRoutes": self.num_routes}


ALONE = Shared()  # for a layer outside a design
