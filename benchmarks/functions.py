# SPDX-License-Identifier: Apache-2.0
"""Network functions in virtual time: latency that each adds to a design, its rate and area."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from _function_handover import handover
from _function_rates import Rates, echoed, translated, without
from _function_tunnels import ip_in_ip
from _function_vxlan import vxlan
from rich.table import Table

from bombus.base.errors import UserError
from bombus.base.paths import DESIGNS, EXAMPLES
from bombus.measure import area as areas
from bombus.measure.bench import report_replies

PACKETS = 1000


@dataclass(frozen=True)
class Function:
    """A design with a layer, the same design without it, and how the rate is measured."""

    example: Path
    base: Path | str = DESIGNS / "udp_echo_fused.yaml"  # str: the example without this layer
    layers: int = 1  # that a datagram and its answer pass
    # Cycles per packet of a design, and errors; None: of the UDP echo.
    rate: Callable[[Path, int], tuple[float, int]] | None = None
    modules: Sequence[str] = ()  # whose area counts; none: the layer's own
    # Latency added and cycles per packet of a design, in place of the above; None: by the base.
    added: Callable[[Path, int], Rates] | None = None


_FOLDER = EXAMPLES / "functions"
FUNCTIONS: Mapping[str, Function] = {
    "acl": Function(_FOLDER / "acl_fused.yaml"),
    "ip_in_ip": Function(
        _FOLDER / "tunnel_fused.yaml",
        base="ip_in_ip_encapsulate",
        rate=ip_in_ip,
        modules=("ip_in_ip_encapsulate", "ip_in_ip_decapsulate"),
    ),
    "load_balancer": Function(_FOLDER / "balanced.yaml", DESIGNS / "udp_echo.yaml"),
    "napt": Function(_FOLDER / "napt_fused.yaml", base="napt", rate=translated),
    "nat": Function(_FOLDER / "nat_fused.yaml", layers=2),
    "shaper": Function(_FOLDER / "shaper_fused.yaml"),
    "tcp_handover": Function(_FOLDER / "tcp_echo_handover.yaml", added=handover),
    "vxlan": Function(
        _FOLDER / "vxlan_fused.yaml",
        added=vxlan,
        modules=("vxlan_encapsulate", "vxlan_decapsulate"),
    ),
}


@dataclass(frozen=True)
class Row:
    """Figures of one layer; docs/benchmarks.md defines them."""

    layer: str
    latency_cycles_added: float
    cycles_per_packet_60: float
    luts: int | None
    delay_ps: int | None


def _added(function: Function, packets: int) -> Rates:
    example, base = function.example, function.base
    if function.added:
        return function.added(example, packets)
    if isinstance(base, str):
        with without(base, example) as bare:
            before = echoed(bare, packets)
    else:
        before = echoed(base, packets)
    after = echoed(example, packets)
    rate, errors = after.cycles_per_packet, before.errors + after.errors
    if function.rate:
        rate, more = function.rate(example, packets)
        errors += more
    return Rates((after.latency_cycles - before.latency_cycles) / function.layers, rate, errors)


def _measured(name: str, packets: int, no_area: bool) -> tuple[Row, int]:
    """The row of a layer, and errors."""
    function = FUNCTIONS[name]
    rates = _added(function, packets)
    luts: int | None = None
    delay_ps: int | None = None
    if not no_area:
        values = [areas.measure(module).as_dict() for module in function.modules or (name,)]
        luts = sum(each["lut_total"] for each in values)
        delay_ps = max(max(each["delay_ps"], each["sta_ps"]) for each in values)
    row = Row(name, rates.latency_cycles, rates.cycles_per_packet, luts, delay_ps)
    return row, rates.errors


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
        row, wrong = _measured(name, int(packets), no_area)
        rows.append(row)
        errors += wrong
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
