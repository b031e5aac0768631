# SPDX-License-Identifier: Apache-2.0
"""`bombus cluster advise`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from bombus.base.console import reading_console
from bombus.base.options import JsonOption
from bombus.base.output import check_json, write_json
from bombus.base.tables import print_table


def advise(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Traffic description (YAML): topology, and which boards send what to which.",
            show_default=False,
        ),
    ],
    simulate: Annotated[
        int,
        typer.Option(
            metavar="CYCLES",
            min=0,
            help="Also run the reference model with these parameters, for so many cycles.",
        ),
    ] = 0,
    json: JsonOption = None,
) -> None:
    """Propose parameters of endpoints for a traffic, and the bandwidth to expect."""
    from bombus.cluster import advise as tool

    check_json(json, file)
    console = reading_console(json)
    advice = tool.advise(file)
    measured = tool.simulate(file, advice, simulate) if simulate else {}
    rows = []
    table = Table("channel", title="Endpoints, sizes in packets; bandwidth of payload in Gb/s")
    headings = ("words", "BufferSize", "FlowOffset", "FlowStride", "InitBudget", "KiB/board")
    rates = ("offered", "links allow", "expected", *(("simulated",) if simulate else ()))
    for heading in (*headings, *rates):
        table.add_column(heading, justify="right")
    table.add_column("limit")
    for each in advice:
        kind = each.endpoint
        sizes = (
            each.max_words,
            kind.buffer_size,
            kind.flow_offset,
            kind.flow_stride,
            kind.init_budget,
        )
        gbps = [each.offered_gbps, each.links_gbps, each.expected_gbps]
        gbps += [measured[each.channel]] if simulate else []
        shown = [str(size) for size in sizes] + [f"{each.buffer_bytes / 1024:.1f}"]
        table.add_row(each.channel, *shown, *(f"{rate:.2f}" for rate in gbps), each.limit)
        rows.append(
            {
                "channel": each.channel,
                **dict(
                    zip(
                        ("words", "buffer_size", "flow_offset", "flow_stride"),
                        sizes[:4],
                        strict=True,
                    )
                ),
                "init_budget": kind.init_budget,
                "buffer_bytes": each.buffer_bytes,
                "offered_gbps": each.offered_gbps,
                "bound_gbps": each.links_gbps,
                "expected_gbps": each.expected_gbps,
                "simulated_gbps": measured.get(each.channel),
                "slowest": each.slowest,
                "slowest_gbps": each.slowest_gbps,
                "limit": each.limit,
            }
        )
    write_json({"endpoints": rows}, json)
    print_table(console, table)
    for each in advice:
        if each.limit:
            text = f"{each.channel}: limited by {each.limit}; slowest flow {each.slowest}"
            console.print(f"{text}, {each.slowest_gbps:.2f} Gb/s", markup=False)
    console.print("For `cluster` of a design file; `name` is the tile that receives:")
    console.print(tool.block(advice), markup=False, highlight=False, soft_wrap=True)
