// SPDX-License-Identifier: Apache-2.0
// Delays a stream by registers: flip-flops with a clock enable, no LUT per bit.
//
// Where two ways of a tile part and meet again, a message that follows on the longer way
// arrives late behind one on the shorter, and those cycles are lost. Delays on the shorter
// way make up for it.
//
// Latency: Cycles. Throughput: one beat per cycle. in_ready_o depends combinationally
// on out_ready_i.
module stream_delay #(
    parameter type data_t = logic,
    parameter int unsigned Cycles = 0
) (
    input logic clk_i,
    input logic rst_i,

    input  data_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output data_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output logic  holds_o       // a beat is inside
);

  if (Cycles > 16) begin : gen_bad_cycles
    $error("stream_delay: Cycles must be at most 16");
  end

  data_t [Cycles:0] data;
  logic [Cycles:0] valid, ready;
  assign data[0] = in_i;
  assign valid[0] = in_valid_i;
  assign in_ready_o = ready[0];
  for (genvar i = 0; i < Cycles; i++) begin : gen_stage
    stream_register #(
        .data_t(data_t)
    ) u_stage (
        .clk_i,
        .rst_i,
        .in_i(data[i]),
        .in_valid_i(valid[i]),
        .in_ready_o(ready[i]),
        .out_o(data[i+1]),
        .out_valid_o(valid[i+1]),
        .out_ready_i(ready[i+1])
    );
  end
  assign out_o = data[Cycles];
  assign out_valid_o = valid[Cycles];
  assign ready[Cycles] = out_ready_i;
  assign holds_o = |(valid >> 1);
  if (Cycles == 0) begin : gen_none
    wire unused = ^{clk_i, rst_i};
  end

endmodule
