# SPDX-License-Identifier: Apache-2.0
"""Memories of a design in simulation: a module around the top, with a model at each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from bombus.design.config import Memory
from bombus.design.facts import Facts
from bombus.design.memories import FROM_LAYER, TO_LAYER, raised, signals_of

MODELS = ("axi_memory_pkg.sv", "axi_memory.sv")  # in sim/platform/models


@dataclass(frozen=True)
class Wire:
    """A signal between the top and a memory."""

    name: str
    width: int


@dataclass(frozen=True)
class MemoryContext:
    """A memory model beside the top."""

    name: str
    wires: list[Wire]
    idle: list[str]  # sideband signals that the model does not drive
    unread: list[str]  # signals that the model does not read
    parameters: Mapping[str, int]
    timing: Mapping[str, int]  # axi_memory_pkg::timing_t
    connections: Mapping[str, str]


def pins(facts: Facts) -> list[dict[str, Any]]:
    """For the manifest: raised ports without a memory in simulation, with their layer."""
    return [
        {
            "name": name,
            "bits": port.width,
            "output": port.is_output,
            "tile": layer.tile.name,
            "layer": layer.name,
            "port": port.name,
        }
        for layer, name, port in raised(facts.design)
        if not any(name.startswith(f"{memory}_") for memory in facts.design.config.memories)
    ]


def _cycles(nanoseconds: float, mhz: float) -> int:
    return ceil(nanoseconds * mhz / 1000)


def _timing(memory: Memory, data_bytes: int, mhz: float) -> dict[str, int]:
    """axi_memory_pkg::timing_t, in cycles of the layer's clock."""
    timing = memory.timing
    rate = Fraction(timing.bandwidth_gbytes * 1000 / (data_bytes * mhz)).limit_denominator(1000)
    rate = min(rate, Fraction(2))  # at most a read and a write per cycle
    rate = max(rate, Fraction(1, 1000))
    return {
        "read_latency": max(1, _cycles(timing.read_latency_ns, mhz)),
        "write_latency": max(1, _cycles(timing.write_latency_ns, mhz)),
        "bandwidth_beats": rate.numerator,
        "bandwidth_cycles": rate.denominator,
        "num_banks": timing.banks,
        "bank_bytes": timing.bank_bytes,
        "bank_cycles": _cycles(timing.bank_busy_ns, mhz),
        "refresh_interval": _cycles(timing.refresh_interval_ns, mhz),
        "refresh_cycles": _cycles(timing.refresh_ns, mhz),
    }


def context(facts: Facts) -> list[MemoryContext]:
    """For the template of the module around the top."""
    found = []
    config = facts.design.config
    for name, memory in config.memories.items():
        signals = signals_of(facts.raised_ports, name)
        data_bytes = signals["wdata"].width // 8
        connected = {}
        for each, default in FROM_LAYER.items():
            plain = (default or "").format(bytes=data_bytes)
            connected[f"axi_{each}_i"] = f"{name}_{each}_o" if each in signals else plain
        for each in TO_LAYER:
            connected[f"axi_{each}_o"] = f"{name}_{each}_i" if each in signals else ""
        found.append(
            MemoryContext(
                name=name,
                wires=[
                    Wire(f"{name}_{each}_{'o' if port.is_output else 'i'}", port.width)
                    for each, port in signals.items()
                ],
                idle=[
                    f"{name}_{each}_i"
                    for each, port in signals.items()
                    if not port.is_output and each not in TO_LAYER
                ],
                unread=[
                    f"{name}_{each}_o"
                    for each, port in signals.items()
                    if port.is_output and each not in FROM_LAYER
                ],
                parameters={
                    "DataWidth": signals["wdata"].width,
                    "AddrWidth": signals["awaddr"].width,
                    "IdWidth": signals["awid"].width if "awid" in signals else 1,
                    "MaxReads": memory.max_reads,
                    "MaxWrites": memory.max_writes,
                    "OutOfOrder": int(memory.out_of_order),
                },
                timing=_timing(memory, data_bytes, config.clock_mhz),
                connections=connected,
            )
        )
    return found
