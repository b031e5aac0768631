# SPDX-License-Identifier: Apache-2.0
"""Refused values of parameters: the control plane."""

from __future__ import annotations

BAD: dict[str, list[dict[str, object]]] = {
    "control_answer": [{"AddressBits": 10}, {"DataWidth": 32}],
    "control_batch": [{"AddressBits": 11}, {"AddressBits": 17}, {"WindowBits": 11}],
    "control_memory": [{"NumLanes": 1}, {"NumLanes": 12}, {"NumWords": 1000}, {"NumWords": 8}],
    "control_open": [
        *({"AddressBits": 11}, {"AddressBits": 17}, {"TextBits": 11}, {"LengthBits": 14}),
        {"NumKeys": 1},
    ],
    "control_receive": [{"DataWidth": 32}, {"DataWidth": 96}, {"UserWidth": 0}, {"RowBits": 0}],
    "control_tcp": [
        *({"DataWidth": 96}, {"NumSessions": 1}, {"NumSessions": 8193}),
        *({"RingBytes": 128}, {"RingBytes": 3000}),
    ],
    "control_transmit": [{"DataWidth": 32}, {"DataWidth": 96}],
    "controller": [
        *({"DataWidth": 32}, {"DataWidth": 96}),
        *({"NumKeys": 1}, {"NumKeys": 6}, {"NumKeys": 256}),
        {"RegisterWindowBits": 11},
    ],
}
