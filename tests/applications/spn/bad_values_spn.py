# SPDX-License-Identifier: Apache-2.0
"""Refused values of parameters: sum-product networks."""

from __future__ import annotations

BAD: dict[str, list[dict[str, object]]] = {
    "spn_kernel": [
        {"NumVariables": 0},
        {"NumVariables": 9000},
        {"ValueBits": 0},
        {"ValueBits": 17},
        {"Copies": 0},
        {"MaxReplyBytes": 13},
        {"MaxReplyBytes": 8973},
    ],
}
