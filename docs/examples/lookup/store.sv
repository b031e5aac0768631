// SPDX-License-Identifier: Apache-2.0
// Answers a request of one beat with its bytes inverted, to whoever has asked: the
// design has one asker.
//
// Latency: 1 cycle. Throughput: one request per cycle.
module store #(
    parameter type beat_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic busy_o
);

  localparam string Entry = "store";
  typedef enum logic [0:0] {NextUdpLookupAnswer} next_e;

  beat_t answer;
  always_comb begin
    answer = in_i;
    for (int unsigned i = 0; i < $bits(in_i.data) / 8; i++) begin
      if (i < 32'(in_i.bytes)) answer.data[8*i+:8] = ~in_i.data[8*i+:8];
    end
  end

  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(answer),
      .in_valid_i,
      .in_ready_o,
      .out_o,
      .out_valid_o,
      .out_ready_i
  );

  assign busy_o = out_valid_o;

endmodule
