# SPDX-License-Identifier: Apache-2.0
"""Refused values of parameters: network functions."""

from __future__ import annotations

BAD: dict[str, list[dict[str, object]]] = {
    "load_balancer": [
        *({"NumServices": 0}, {"NumServices": 17}),
        *({"NumBackends": 1}, {"NumBackends": 256}),
        *({"NumSlots": 3}, {"NumSlots": 65538}),
        *({"NumConnections": 32}, {"NumConnections": 1000}),
        *({"IdleUnits": 1}, {"IdleUnits": 128}),
    ],
}
