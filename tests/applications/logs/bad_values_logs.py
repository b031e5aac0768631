# SPDX-License-Identifier: Apache-2.0
"""Refused values of parameters: logs."""

from __future__ import annotations

BAD: dict[str, list[dict[str, object]]] = {
    "bandwidth_log": [{"IntervalUs": 0}, {"IntervalUs": 1_000_000_001}],
    "drop_heads": [{"Kept": 2}, {"Kept": 48}, {"Kept": 8192}],
    "drop_log": [{"KeptMessages": 100}, {"HeaderBytes": 0}],
    "log_head": [{"NumBytes": 0}, {"NumBytes": 257}],
    "log_store": [
        *({"DataWidth": 32}, {"DataWidth": 96}),
        *({"EntryBits": 0}, {"EntryBits": 8193}),
        *({"NumEntries": 1}, {"NumEntries": 1000}, {"NumEntries": 131_072}),
    ],
    "packet_log": [{"HeaderBytes": 0}, {"HeaderBytes": 257}, {"OnlyProtocol": 256}],
}
