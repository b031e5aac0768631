# SPDX-License-Identifier: Apache-2.0
"""The `memories` section of a design file: memory models at raised ports, in simulation."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal

from pydantic import Field, StrictBool, StrictInt, model_validator

from bombus.base.values import FileModel


@dataclass(frozen=True)
class Timing:
    """Timing of a memory; the bandwidth is for reads and writes together."""

    read_latency_ns: float
    write_latency_ns: float
    bandwidth_gbytes: float  # GB/s
    banks: int
    bank_bytes: int
    bank_busy_ns: float
    refresh_interval_ns: float
    refresh_ns: float


# Bandwidth and refresh of HBM2: AMD PG276, "Raw Throughput Evaluation". Of DDR4: Micron, 8Gb DDR4
# SDRAM, "Features" (64 ms / 8192 rows), and JEDEC JESD79-4, "Refresh parameters" (tRFC1 at
# 8 Gb). Latencies and bank cycles are assumed, not from a data sheet.
PRESETS = {
    "hbm2": Timing(120, 80, 14.4, 16, 256, 47, 3900, 260),
    "ddr4": Timing(100, 50, 19.2, 16, 1024, 46, 7800, 350),
}


class Memory(FileModel):
    """A behavioural AXI4 memory model at raised ports; not part of the generated top."""

    preset: Literal["hbm2", "ddr4"] = Field(
        "hbm2",
        description="One port of HBM2 (14.4 GB/s, 120 ns), or one channel of DDR4-2400 (19.2 GB/s, "
        "100 ns). Other keys replace single values.",
    )
    read_latency_ns: float | None = Field(
        None, gt=0, le=1e6, description="From a read address to its first data, when idle."
    )
    write_latency_ns: float | None = Field(
        None, gt=0, le=1e6, description="From the last data of a burst to its response."
    )
    bandwidth_gbytes: float | None = Field(
        None, gt=0, le=1e4, description="Data read and written together, in GB/s."
    )
    banks: StrictInt | None = Field(None, ge=1, le=1024, description="A power of two.")
    bank_bytes: StrictInt | None = Field(
        None, ge=8, le=1 << 20, description="Adjacent bytes in one bank, a power of two."
    )
    bank_busy_ns: float | None = Field(
        None, ge=0, le=1e6, description="Between two bursts that start in one bank."
    )
    refresh_interval_ns: float | None = Field(
        None, ge=0, le=1e9, description="Between two refreshes; 0: none."
    )
    refresh_ns: float | None = Field(
        None, ge=0, le=1e9, description="Duration of a refresh, without data."
    )
    max_reads: StrictInt = Field(64, ge=1, le=1024, description="Outstanding read bursts.")
    max_writes: StrictInt = Field(32, ge=1, le=1024, description="Outstanding write bursts.")
    out_of_order: StrictBool = Field(
        True, description="Responses of different IDs may overtake each other."
    )

    @property
    def timing(self) -> Timing:
        given = {each.name: getattr(self, each.name) for each in fields(Timing)}
        return replace(
            PRESETS[self.preset],
            **{name: value for name, value in given.items() if value is not None},
        )

    @model_validator(mode="after")
    def _is_a_memory(self) -> Memory:
        for name in ("banks", "bank_bytes"):
            value = getattr(self, name)
            if value is not None and value & (value - 1):
                raise ValueError(f"`{name}` should be a power of two, not {value}")
        if 0 < self.timing.refresh_interval_ns <= self.timing.refresh_ns:
            raise ValueError("`refresh_ns` should be shorter than `refresh_interval_ns`")
        return self
