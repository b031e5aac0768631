# SPDX-License-Identifier: Apache-2.0
"""Figures of the noc benchmark: of a run, and of a fabric without other traffic."""

from __future__ import annotations

from dataclasses import dataclass

ALGORITHMS = ("xy", "o1turn", "adaptive")


@dataclass(frozen=True)
class Row:
    """Figures of one run; docs/benchmarks.md defines them."""

    fabric: str  # with the number of virtual channels
    algorithm: str
    pattern: str
    traffic: str
    lossless: bool
    offered: float
    accepted: float
    latency_mean: float
    latency_p99: float
    latency_max: float
    loss: float
    window: int
    messages: int
    errors: int


@dataclass(frozen=True)
class ZeroLoad:
    """Latency without any other traffic, in cycles."""

    fabric: str
    algorithm: str
    lossless: bool
    cycles_per_hop: float
    latency_one_hop: float
