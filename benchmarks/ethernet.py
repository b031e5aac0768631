# SPDX-License-Identifier: Apache-2.0
"""Plain Ethernet in virtual time: cycles per frame, rate, latency by size, without IP."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any

from _echo_rows import SINGLE_PACKETS, Row, measured, table

from bombus import Simulation
from bombus.base.errors import UserError
from bombus.base.paths import BENCHMARKS
from bombus.measure.bench import report_replies
from bombus.measure.exchanges import neighbour
from bombus.protocols.frames import Host, padded

DESIGN = BENCHMARKS / "ethernet.yaml"
PAYLOADS = (46, 64, 128, 256, 512, 1024, 1500, 4096, 9000)
PACKETS = 2000
ETHER_TYPE = (0x88B5).to_bytes(2)  # for local experiments (IEEE 802, 9.2.4)
ADDRESS_BYTES = 6


@dataclass(frozen=True)
class EthernetRow(Row):
    """The figures of one size; `protocol` tells them from those of UDP."""

    protocol: str = "ethernet"


def requests(random: Random, manifest: dict[str, Any], payload: int, count: int) -> list[bytes]:
    head = Host.from_manifest(manifest).mac + neighbour(manifest).mac + ETHER_TYPE
    return [padded(head + random.randbytes(payload)) for _ in range(count)]


def exchanged(frame: bytes) -> bytes:
    """What comes back: the frame with its addresses exchanged."""
    target, source = frame[:ADDRESS_BYTES], frame[ADDRESS_BYTES : 2 * ADDRESS_BYTES]
    return source + target + frame[2 * ADDRESS_BYTES :]


def measure(design: Path, packets: int, seed: int) -> tuple[list[EthernetRow], int, dict[str, Any]]:
    """All rows, the number of errors, and the design's manifest."""
    rows, errors, random = [], 0, Random(seed)
    with Simulation(design, seed=seed) as simulation:
        for payload_bytes in PAYLOADS:
            singles, frames = (
                requests(random, simulation.manifest, payload_bytes, count)
                for count in (SINGLE_PACKETS, packets)
            )
            row, row_errors = measured(simulation, payload_bytes, singles, frames, exchanged)
            rows.append(EthernetRow(**vars(row)))
            errors += row_errors
        errors += sum(simulation.errors().values())
        return rows, errors, simulation.manifest


def main(
    design: Path | None,
    json: Path | None,
    *,
    packets: Annotated[int, "frames per measurement"] = PACKETS,
    seed: Annotated[int, "random seed"] = 1,
) -> None:
    if packets < 2:
        raise UserError(f"--packets {packets}: should be at least 2")
    rows, errors, manifest = measure(design or DESIGN, packets, seed)
    report_replies(rows, errors, manifest["name"], json, [table("Ethernet", rows, manifest)])
