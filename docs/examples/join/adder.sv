// SPDX-License-Identifier: Apache-2.0
// Joins two streams: adds an operand of the left one and an operand of the right one,
// as 64-bit numbers in network order, and sends the sum to the sender of the left one.
//
// Each input waits for a message on the other. Latency: 1 cycle. Throughput: one sum
// per cycle. For data widths of 64 bits and more.
module adder #(
    parameter type beat_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t left_i,
    input  logic  left_valid_i,
    output logic  left_ready_o,
    input  beat_t right_i,
    input  logic  right_valid_i,
    output logic  right_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output logic  event_o,
    output logic  busy_o
);

  localparam string Entry = "";
  localparam string LeftEntry = "adder";
  localparam string RightEntry = "adder";
  typedef enum logic [0:0] {NextUdpTx} next_e;
  typedef enum int unsigned {
    EventSum,  // two messages became one
    NumEvents
  } event_e;
  localparam bit LeftWaitsForRight = 1;
  localparam bit RightWaitsForLeft = 1;
  localparam string OneForEach = "left right";

  function automatic logic [63:0] swapped(logic [63:0] x);
    for (int unsigned i = 0; i < 8; i++) swapped[8*i+:8] = x[8*(7-i)+:8];
  endfunction

  beat_t sum;
  always_comb begin
    sum = left_i;
    sum.meta.l4.ports.src_port = left_i.meta.l4.ports.dst_port;
    sum.meta.l4.ports.dst_port = left_i.meta.l4.ports.src_port;
    sum.data[63:0] = swapped(swapped(left_i.data[63:0]) + swapped(right_i.data[63:0]));
  end

  logic ready;
  wire  both = left_valid_i & right_valid_i;
  assign left_ready_o  = both & ready;
  assign right_ready_o = both & ready;

  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sum),
      .in_valid_i(both),
      .in_ready_o(ready),
      .out_o,
      .out_valid_o,
      .out_ready_i
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) event_o <= 1'b0;
    else event_o <= both & ready;
  end

  assign busy_o = out_valid_o | event_o;

endmodule
