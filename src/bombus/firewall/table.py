# SPDX-License-Identifier: Apache-2.0
"""Puts a blacklist into the accelerator of a packet processor: by registers, or as constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bombus.base.errors import UserError
from bombus.firewall.blacklist import stages


def write(registers: Any, boundaries: Sequence[int]) -> None:
    """`registers`: of the accelerator, with `list.count` and the table `boundary`.

    No address is on the list while it is written.
    """
    if len(boundaries) > len(registers.boundary):
        raise UserError(
            f"the list has {len(boundaries)} boundaries; there is room for "
            f"{len(registers.boundary)}: the parameter `stages` must be {stages(boundaries)}"
        )
    registers.list.count = 0
    for number, address in enumerate(boundaries):
        registers.boundary[number].address = address
    registers.list.count = len(boundaries)


_LAYER = """\
// SPDX-License-Identifier: Apache-2.0
// Accelerator of a packet processor: whether a frame's IPv4 source address is covered by a prefix
// of {source}, {ranges} ranges of addresses. The verdict is that of source_judge.
//
// Latency: {latency} cycles. Throughput: one beat per cycle.
module {name} #(
    parameter int unsigned DataWidth = 512
) (
    input logic clk_i,
    input logic rst_i,

    input logic accel_packet_i,
    input logic accel_packet_first_i,
    input logic [7:0] accel_packet_slot_i,
    input logic [$clog2(DataWidth/8):0] accel_packet_bytes_i,
    input logic [DataWidth-1:0] accel_packet_data_i,
    output logic accel_judges_o,
    output logic accel_judged_o,
    output logic [7:0] accel_judged_slot_o,
    output logic [31:0] accel_verdict_o
);

  localparam string Entry = "";  // no messages come to it

  // The last one first.
  localparam logic [{last}:0][31:0] Boundaries = {{
    {boundaries}
  }};

  source_judge #(
      .DataWidth(DataWidth),
      .Stages({stages}),
      .Fixed(1'b1),
      .NumFixed({count}),
      .Table(Boundaries)
  ) u_judge (
      .clk_i,
      .rst_i,
      .packet_i(accel_packet_i),
      .first_i(accel_packet_first_i),
      .slot_i(accel_packet_slot_i),
      .bytes_i(accel_packet_bytes_i),
      .data_i(accel_packet_data_i),
      .judged_o(accel_judged_o),
      .judged_slot_o(accel_judged_slot_o),
      .verdict_o(accel_verdict_o),
      .write_i(1'b0),
      .write_index_i('0),
      .write_boundary_i('0),
      .count_i({stages}'d{count})
  );
  assign accel_judges_o = 1'b1;

endmodule
"""


def layer(name: str, source: str, boundaries: Sequence[int]) -> str:
    """The SystemVerilog of an accelerator `name` with the list as constants."""
    if not boundaries:
        raise UserError(f"{source}: there is no prefix")
    words = [f"32'h{address:08x}" for address in reversed(boundaries)]
    lines = [", ".join(words[n : n + 6]) for n in range(0, len(words), 6)]
    return _LAYER.format(
        name=name,
        source=source,
        ranges=(len(boundaries) + 1) // 2,
        latency=stages(boundaries) + 2,
        last=len(boundaries) - 1,
        boundaries=",\n    ".join(lines),
        stages=stages(boundaries),
        count=len(boundaries),
    )
