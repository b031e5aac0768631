# SPDX-License-Identifier: Apache-2.0
"""Refused values of parameters: translation of addresses, tunnels."""

from __future__ import annotations

ENTRIES: list[dict[str, object]] = [{"NumEntries": n} for n in (8, 24, 1000, 131_072)]
BAD: dict[str, list[dict[str, object]]] = {
    "address_map": [*ENTRIES, {"FromWidth": 9}, {"ToWidth": 0}],
    "nat": ENTRIES,
    "napt": [
        *({"NumPorts": n} for n in (64, 1000, 65_536)),
        *({"InsidePort": 2}, {"OutsidePort": 2}, {"OutsidePort": 0}, {"NumMacPorts": 1}),
        *({"NumForwards": 0}, {"NumForwards": 65}),
    ],
    "napt_sessions": [{"NumPorts": n} for n in (64, 1000, 65_536)],
    "ip_in_ip_decapsulate": [{"InnerPort": 2}, {"NumMacPorts": 1}],
    "port_fork": [{"InnerPort": 2}, {"NumMacPorts": 1}],
    "vxlan_decapsulate": [{"InnerPort": 2}, {"NumMacPorts": 1}, {"Vni": 1 << 24}, {"Port": 0}],
    "vxlan_encapsulate": [
        *ENTRIES,
        *({"InnerPort": 2}, {"OuterPort": 2}, {"NumMacPorts": 1}, {"OuterPort": 1}),
        *({"Mtu": 67}, {"Mtu": 9537}, {"Vni": 1 << 24}, {"NumReplicas": 0}, {"NumReplicas": 65}),
        {"Port": 0},
    ],
    "ip_in_ip_encapsulate": [
        *ENTRIES,
        *({"InnerPort": 2}, {"OuterPort": 2}, {"NumMacPorts": 1}, {"OuterPort": 1}),
        *({"Mtu": 67}, {"Mtu": 9567}),
        *({"NumBound": 0}, {"NumBoundHops": 512}, {"BoundHops": "8'd4"}),
    ],
}
