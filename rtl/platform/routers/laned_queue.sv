// SPDX-License-Identifier: Apache-2.0
// Queues in one RAM: each of NumLanes lanes has a part of it, with its control bits in queue_lane.
// The lanes share one write port and one read port, and do not block each other.
//
// Latency: an entry pushed in cycle 0 is at the front in cycle 1; if it is read there, the flit is
// on out_o in cycle 2 and stays until the next read. Throughput: one flit per cycle.
`include "bombus_assert.svh"

module laned_queue #(
    parameter type flit_t = logic,
    parameter type head_t = logic,
    parameter int unsigned Depth = 512,  // total of all lanes
    parameter int unsigned NumLanes = 1,  // a power of two
    localparam type level_t = logic [$clog2(Depth):0]
) (
    input logic clk_i,
    input logic rst_i,

    input flit_t in_i,
    input head_t in_head_i,
    input logic [NumLanes-1:0] push_i,  // one-hot or zero

    output head_t [NumLanes-1:0] head_o,
    output logic [NumLanes-1:0] head_valid_o,
    output logic [NumLanes-1:0] more_o,  // another flit follows the front
    // read_i: the front to be read to out_o, one-hot or zero. pop_i: it also leaves its lane.
    input logic [NumLanes-1:0] read_i,
    input logic [NumLanes-1:0] pop_i,
    output flit_t out_o,

    output level_t [NumLanes-1:0] level_o
);

  if (NumLanes < 1 || NumLanes != 2 ** $clog2(
          NumLanes
      ) || Depth != 2 ** $clog2(
          Depth
      )) begin : gen_bad_shape
    $error("laned_queue: NumLanes and Depth must be powers of two");
  end

  localparam int unsigned LaneDepth = Depth / NumLanes;
  localparam int unsigned AddrWidth = $clog2(Depth);
  localparam int unsigned LaneAddrWidth = $clog2(LaneDepth);

  logic [NumLanes-1:0][LaneAddrWidth-1:0] lane_write_addr, lane_read_addr;
  logic [NumLanes-1:0][LaneAddrWidth:0] lane_level;
  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    queue_lane #(
        .head_t(head_t),
        .Depth (LaneDepth)
    ) u_lane (
        .clk_i,
        .rst_i,
        .push_i(push_i[l]),
        .head_i(in_head_i),
        .write_addr_o(lane_write_addr[l]),
        .valid_o(head_valid_o[l]),
        .head_o(head_o[l]),
        .more_o(more_o[l]),
        .pop_i(pop_i[l]),
        .read_addr_o(lane_read_addr[l]),
        .level_o(lane_level[l])
    );
    assign level_o[l] = level_t'(lane_level[l]);
  end

  // Default: the first lane's addresses, so that with one lane they come from registers.
  logic [AddrWidth-1:0] write_addr, read_addr;
  always_comb begin
    write_addr = AddrWidth'(lane_write_addr[0]);
    read_addr  = AddrWidth'(lane_read_addr[0]);
    for (int unsigned l = 1; l < NumLanes; l++) begin
      if (push_i[l]) write_addr = AddrWidth'(l * LaneDepth) | AddrWidth'(lane_write_addr[l]);
      if (read_i[l]) read_addr = AddrWidth'(l * LaneDepth) | AddrWidth'(lane_read_addr[l]);
    end
  end

  // Small queues are in distributed RAM.
  if (Depth > 64) begin : gen_block
    (* ram_style = "block" *) flit_t ram[Depth];
    always_ff @(posedge clk_i) begin
      if (|push_i) ram[write_addr] <= in_i;
      if (|read_i) out_o <= ram[read_addr];
    end
  end else begin : gen_distributed
    (* ram_style = "distributed" *) flit_t ram[Depth];
    always_ff @(posedge clk_i) begin
      if (|push_i) ram[write_addr] <= in_i;
      if (|read_i) out_o <= ram[read_addr];
    end
  end

  `BOMBUS_ASSERT(PushesOneLane, $onehot0(push_i))
  `BOMBUS_ASSERT(ReadsOneLane, $onehot0(read_i))

endmodule
