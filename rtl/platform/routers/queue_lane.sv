// SPDX-License-Identifier: Apache-2.0
// Control of a FIFO whose data is in a separate RAM: addresses, level, and the control bits
// (`head`) of the entries, with the front entry in flip-flops for early decisions.
//
// Latency: an entry is at the front in the cycle after its push. Throughput: one entry per cycle.
// The writer must ensure that there is room. Depth: a power of two, at least 4.
`include "bombus_assert.svh"

module queue_lane #(
    parameter type head_t = logic [7:0],
    parameter int unsigned Depth = 512,
    localparam type addr_t = logic [$clog2(Depth)-1:0],
    localparam type level_t = logic [$clog2(Depth):0]
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  push_i,
    input  head_t head_i,
    output addr_t write_addr_o,

    output logic valid_o,
    output head_t head_o,
    output logic more_o,  // another entry follows the front one
    input logic pop_i,  // only when valid_o
    output addr_t read_addr_o,

    output level_t level_o  // entries in the lane
);

  if (Depth < 4 || Depth != 2 ** $clog2(Depth)) begin : gen_bad_depth
    $error("queue_lane: Depth must be a power of two, at least 4");
  end

  (* ram_style = "distributed" *) head_t heads[Depth];
  head_t head_q;
  logic valid_q;
  // Addresses have an extra wrap bit, so that their difference is the level: a push or a pop moves
  // one counter, and no adder follows the decision.
  level_t write_q, read_q, next_q;  // next_q is always read_q + 1

  wire more = addr_t'(next_q) != write_addr_o;

  always_ff @(posedge clk_i) begin
    if (push_i) heads[write_addr_o] <= head_i;
    if (pop_i | ~valid_q) head_q <= (valid_q & more) ? heads[addr_t'(next_q)] : head_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= 1'b0;
      write_q <= '0;
      read_q  <= '0;
      next_q  <= level_t'(1);
    end else begin
      valid_q <= push_i | (valid_q & (more | ~pop_i));
      if (push_i) write_q <= write_q + 1'b1;
      if (pop_i) begin
        read_q <= next_q;
        next_q <= next_q + 1'b1;
      end
    end
  end

  assign write_addr_o = addr_t'(write_q);
  assign read_addr_o = addr_t'(read_q);
  assign valid_o = valid_q;
  assign head_o = head_q;
  assign more_o = valid_q & more;
  assign level_o = write_q - read_q;

  `BOMBUS_ASSERT(NoOverflow, !(push_i && level_o == level_t'(Depth)))
  `BOMBUS_ASSERT(NoUnderflow, !(pop_i && !valid_q))

endmodule
