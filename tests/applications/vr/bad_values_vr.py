# SPDX-License-Identifier: Apache-2.0
"""Refused values of parameters: Viewstamped Replication."""

from __future__ import annotations

BAD: dict[str, list[dict[str, object]]] = {
    "vr_witness": [
        {"DataWidth": 256},
        {"UdpPort": 0},
        {"UdpPort": 65536},
        {"LogLines": 16},
        {"LogLines": 100},
        {"LogLines": 131_072},
        {"LogOps": 2},
        {"LogOps": 100},
        {"LogOps": 4096},
        {"External": 1, "LogLines": 16},
        {"External": 1, "LogLines": 524_288},
        {"External": 1, "LogLines": 262_144, "LogOps": 131_072},
        {"External": 1, "LogLines": 262_144, "AddrWidth": 23},
        {"External": 1, "AddrWidth": 65},
        {"External": 1, "BaseAddress": "64'h1000"},
        {"External": 1, "LogLines": 2048, "AddrWidth": 17, "BaseAddress": "64'h20000"},
        {"BufferLines": 1},
        {"BufferLines": 100},
        {"BufferLines": 512},
        {"FragmentLines": 1},
        {"FragmentLines": 141},
        {"JoinLines": 1},
        {"JoinLines": 100},
        {"JoinLines": 512},
        {"RetryUs": 0},
        {"RetryUs": 1_000_001},
    ],
}
