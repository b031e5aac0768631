# SPDX-License-Identifier: Apache-2.0
"""Refused values of parameters: network functions."""

from __future__ import annotations

BAD: dict[str, list[dict[str, object]]] = {
    "load_balancer": [
        *({"NumServices": 0}, {"NumServices": 17}),
        *({"NumBackends": 1}, {"NumBackends": 256}),
        *({"NumSlots": 4}, {"NumSlots": 65538}),
        *({"NumConnections": 32}, {"NumConnections": 1000}, {"NumConnections": 1 << 23}),
        *({"IdleUnits": 1}, {"IdleUnits": 128}),
        *({"BackendPort": 1}, {"BackendPort": 254}, {"BackendPort": 0, "NumMacPorts": 0}),
        {"External": 1, "AddrWidth": 65},
        {"External": 1, "AddrWidth": 17},
        {"External": 1, "BaseAddress": "64'h1000"},
        {"External": 1, "NumLines": 1},
        {"External": 1, "NumLines": 4096},
        {"External": 1, "MaxReads": 8},
        {"External": 1, "MaxReads": 20},
    ],
    "acl": [
        {"NumRules": 8},
        {"NumRules": 100},
        {"NumRules": 2048},
        {"Established": 1, "NumFlows": 100},
        {"Established": 1, "IdleS": 0},
        {"Established": 1, "Marks": 1},
    ],
    "acl_flows": [{"NumFlows": 32}, {"NumFlows": 100}, {"IdleS": 0}, {"IdleS": 2001}],
    "acl_counters": [{"NumCounters": 1}, {"NumCounters": 100}],
    "acl_key": [{"DataBytes": 4}, {"DataBytes": 24}, {"DataBytes": 128}],
    "acl_rules": [{"NumRules": 8}, {"NumRules": 100}, {"NumRules": 2048}],
    "acl_sent": [
        {"QueueMessages": 3},
        {"QueueMessages": 24},
        {"FirstServerPort": 65536},
        {"LastServerPort": 65536},
    ],
    "acl_verdicts": [{"Depth": 1}, {"Depth": 12}],
    "first_set": [{"NumBits": 1}],
    "shaper_frames": [{"Depth": 1}, {"Depth": 12}],
    "token_bucket": [{"BytesWidth": 0}, {"BytesWidth": 17}],
    "shaper": [
        {"NumClasses": 1},
        {"NumClasses": 9},
        {"OverheadBytes": 65},
        {"DataWidth": 96},
        {"QueueBeats": 128},
        {"QueueBeats": 1000},
        {"QueueBeats": 131_072},
    ],
    "shaper_choice": [{"NumClasses": 1}, {"NumClasses": 9}, {"BytesWidth": 0}, {"BytesWidth": 17}],
}
