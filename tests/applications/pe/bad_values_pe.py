# SPDX-License-Identifier: Apache-2.0
"""Refused values of parameters: processing elements."""

from __future__ import annotations

BAD: dict[str, list[dict[str, object]]] = {
    "pe": [{"NumArguments": 0}, {"NumArguments": 65}],
    "pe_dma": [
        {"DataWidth": 64},
        {"DataWidth": 192},
        {"DataWidth": 2048},
        {"AddrWidth": 10},
        {"AddrWidth": 63},
    ],
    "pe_memory": [
        {"DataWidth": 16},
        {"DataWidth": 96},
        {"DataWidth": 2048},
        {"WindowWords": 1},
        {"WindowWords": 24},
        {"WindowWords": 131072},
        {"AddrWidth": 10},
        {"AddrWidth": 43},
        {"AccessCycles": 1},
        {"AccessCycles": 524289},
    ],
}
