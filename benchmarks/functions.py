# SPDX-License-Identifier: Apache-2.0
"""Network functions in virtual time: latency that each adds to a design, its rate and area."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated

from rich.table import Table

from bombus import Simulation
from bombus.base.errors import UserError
from bombus.base.paths import DESIGNS, EXAMPLES
from bombus.measure import area as areas
from bombus.measure.bench import report_replies
from bombus.measure.exchanges import burst, cycles_per_packet, idle_latencies, introduce, neighbour
from bombus.protocols.frames import Host, Station, arp_request, padded, sums_to_zero, udp_frame

SEED = 1
PACKETS = 1000
SINGLE = 20
PAYLOAD = bytes(18)  # of a frame of 60 bytes


@dataclass(frozen=True)
class Function:
    """A layer, a design with it and the same design without it."""

    example: Path
    base: Path | None = DESIGNS / "udp_echo_fused.yaml"  # None: the example without its line
    layers: int = 1  # that a datagram and its answer pass
    forwards: bool = False  # also between MAC ports, whose rate counts


_FOLDER = EXAMPLES / "functions"
FUNCTIONS: Mapping[str, Function] = {
    "acl": Function(_FOLDER / "acl_fused.yaml"),
    "load_balancer": Function(_FOLDER / "balanced.yaml", DESIGNS / "udp_echo.yaml"),
    "nat": Function(_FOLDER / "nat_fused.yaml", layers=2),
    "shaper": Function(_FOLDER / "shaper_fused.yaml"),
}


@dataclass(frozen=True)
class Row:
    """Figures of one layer; docs/benchmarks.md defines them."""

    layer: str
    latency_cycles_added: float
    cycles_per_packet_60: float
    luts: int | None
    delay_ps: int | None


def _exchanged(design: Path, packets: int) -> tuple[float, float, int]:
    """Latency and cycles per packet, and how many replies are missing."""
    with Simulation(design, seed=SEED) as simulation:
        host = Host.from_manifest(simulation.manifest)
        station = neighbour(simulation.manifest)
        introduce(simulation, station)
        frame = udp_frame(station, host, PAYLOAD, port=7)
        cycles, answers = idle_latencies(simulation, [frame] * SINGLE)
        received = burst(simulation, [frame] * packets, packets).received
        simulation.check()
    missing = packets + SINGLE - len(received) - len(answers)
    return median(cycles), cycles_per_packet(received), missing


def _without(layer: str, example: Path) -> Path:
    """A copy of a design without the line of a layer."""
    lines = example.read_text(encoding="utf-8").splitlines(keepends=True)
    copy = Path(tempfile.mkdtemp()) / example.name
    copy.write_text("".join(line for line in lines if f" {layer}: " not in line), encoding="utf-8")
    return copy


def _forwarded(design: Path, packets: int) -> tuple[float, int]:
    """Cycles per packet from MAC port 0 to port 1, and how many are missing or wrong."""
    with Simulation(design, seed=SEED) as simulation:
        inside, outside = (Host.from_manifest(simulation.manifest, port) for port in (0, 1))
        client = neighbour(simulation.manifest)
        server = Station(client.mac, outside.ip[:3] + b"\x01")
        simulation.send(padded(arp_request(server, outside)), 1)
        simulation.advance_until_idle()
        while simulation.receive(1, timeout_cycles=0) is not None:
            pass
        frame = udp_frame(client, Host(inside.mac, server.ip, inside.netmask), PAYLOAD, port=7)
        done = simulation.exchange([frame] * packets, expected=packets)
        simulation.check()
    good = [each for each in done.received if _is_translated(each.data, frame, outside, server)]
    ports = {each.data[34:36] for each in done.received}
    return cycles_per_packet(done.received), packets - len(good) + len(ports) - 1


def _is_translated(data: bytes, frame: bytes, outside: Host, server: Station) -> bool:
    """Whether a datagram has left with the outside address and another port, else unchanged."""
    pseudo = data[26:34] + bytes((0, data[23])) + data[38:40]
    return (
        data[:12] == server.mac + outside.mac
        and data[22] == frame[22] - 1
        and data[26:34] == outside.ip + server.ip
        and data[36:40] + data[42:] == frame[36:40] + frame[42:]
        and sums_to_zero(data[14:34])
        and sums_to_zero(pseudo + data[34:])
    )


def main(
    design: Path | None = None,
    json: Path | None = None,
    layers: Annotated[str, "layers to measure, separated by commas"] = ",".join(FUNCTIONS),
    packets: Annotated[int, "packets of the measurement of the rate"] = PACKETS,
    no_area: Annotated[bool, "leave out the area, which takes minutes"] = False,
) -> None:
    if design is not None:
        raise UserError("functions: the designs are those of docs/examples/functions")
    rows, errors = [], 0
    for name in layers.split(","):
        if name not in FUNCTIONS:
            raise UserError(f"--layers {name}: expected some of {', '.join(FUNCTIONS)}")
        function = FUNCTIONS[name]
        base = function.base or _without(name, function.example)
        before, _, missing = _exchanged(base, int(packets))
        after, rate, more = _exchanged(function.example, int(packets))
        errors += missing + more
        if function.forwards:
            rate, more = _forwarded(function.example, int(packets))
            errors += more
        luts: int | None = None
        delay_ps: int | None = None
        if not no_area:
            values = areas.measure(name).as_dict()
            luts, delay_ps = values["lut_total"], max(values["delay_ps"], values["sta_ps"])
        rows.append(Row(name, (after - before) / function.layers, rate, luts, delay_ps))
    table = Table("layer", title="functions")
    for heading in ("cycles added", "cycles per packet", "LUTs", "delay ps"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            row.layer,
            f"{row.latency_cycles_added:g}",
            f"{row.cycles_per_packet_60:.3f}",
            *("" if value is None else f"{value:,}" for value in (row.luts, row.delay_ps)),
        )
    report_replies(rows, errors, "functions", json, [table])
