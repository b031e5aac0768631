// SPDX-License-Identifier: Apache-2.0
// Queue of verdicts without latency: an entry can leave in the cycle in which it arrives.
//
// The sender never has more than Depth entries outstanding, so it is never stalled.
//
// Latency: 0 cycles. Throughput: one entry per cycle. Depth: a power of two.
`include "bombus_assert.svh"

module acl_verdicts #(
    parameter type data_t = logic,
    parameter int unsigned Depth = 16
) (
    input logic clk_i,
    input logic rst_i,

    input  data_t in_i,
    input  logic  in_valid_i,
    output data_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i
);

  if (Depth < 2 || Depth != 2 ** $clog2(Depth)) begin : gen_bad_depth
    $error("acl_verdicts: Depth must be a power of two, at least 2");
  end

  typedef logic [$clog2(Depth):0] count_t;  // modulo twice the depth
  count_t write_q, read_q;
  (* ram_style = "distributed" *) data_t ram[Depth];
  wire is_empty = write_q == read_q;
  assign out_valid_o = in_valid_i | ~is_empty;
  assign out_o = is_empty ? in_i : ram[read_q[$clog2(Depth)-1:0]];

  wire push = in_valid_i & ~(is_empty & out_ready_i);
  wire pop = ~is_empty & out_ready_i;
  always_ff @(posedge clk_i) if (push) ram[write_q[$clog2(Depth)-1:0]] <= in_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      write_q <= write_q + count_t'(push);
      read_q  <= read_q + count_t'(pop);
    end
  end

  `BOMBUS_ASSERT(HasRoom, !push || count_t'(write_q - read_q) != count_t'(Depth) || pop)

endmodule
