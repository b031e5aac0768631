// SPDX-License-Identifier: Apache-2.0
// One stage of the chain that joins endpoints to the router, for the endpoint of one channel.
//
// Source: "A Transport-Layer Network for Distributed FPGA Platforms", section III-A, "Endpoint
// Interface": multiplexers of alternating priority, whose inputs are the stage's endpoint and the
// next stage. The stage fills in the channel of its endpoint's packets.
//
// down: from the router to the endpoints; up: from the endpoints to the router. A packet of another
// channel is sent to the next stage, and is dropped by the last one.
//
// Latency: 1 cycle up, 0 down to the endpoint, 1 down to the next stage. Throughput: one beat per
// cycle. The ready signals to the next stage and of up are registered.
module cluster_chain_stage
  import cluster_pkg::*;
#(
    parameter type beat_t = logic,
    parameter channel_t Channel = '0
) (
    input logic clk_i,
    input logic rst_i,
    input logic last_i, // no stage follows; constant

    input  beat_t down_i,
    input  logic  down_valid_i,
    output logic  down_ready_o,
    output beat_t down_o,
    output logic  down_valid_o,
    input  logic  down_ready_i,

    input  beat_t up_i,
    input  logic  up_valid_i,
    output logic  up_ready_o,
    output beat_t up_o,
    output logic  up_valid_o,
    input  logic  up_ready_i,

    output beat_t receive_o,
    output logic  receive_valid_o,
    input  logic  receive_ready_i,
    input  beat_t send_i,
    input  logic  send_valid_i,
    output logic  send_ready_o,

    output logic drop_o,  // a packet of a channel without endpoint is dropped
    output logic holds_o
);

  wire  mine = down_i.header.channel == Channel;
  logic skid_ready;
  assign receive_o = down_i;
  assign receive_valid_o = down_valid_i & mine;
  assign down_ready_o = mine ? receive_ready_i : last_i | skid_ready;
  assign drop_o = down_valid_i & ~mine & last_i & down_i.last;
  skid_buffer #(
      .data_t(beat_t)
  ) u_down (
      .clk_i,
      .rst_i,
      .in_i(down_i),
      .in_valid_i(down_valid_i & ~mine & ~last_i),
      .in_ready_o(skid_ready),
      .out_o(down_o),
      .out_valid_o(down_valid_o),
      .out_ready_i(down_ready_i)
  );

  beat_t own, merged;
  logic merged_valid, merged_ready;
  logic [1:0] unused_selected;
  always_comb begin
    own = send_i;
    own.header.channel = Channel;
  end
  stream_merge #(
      .beat_t(beat_t),
      .NumInputs(2)
  ) u_merge (
      .clk_i,
      .rst_i,
      .in_i({up_i, own}),
      .in_valid_i({up_valid_i & ~last_i, send_valid_i}),
      .in_ready_o({up_ready_o, send_ready_o}),
      .out_o(merged),
      .out_valid_o(merged_valid),
      .out_ready_i({2{merged_ready}}),
      .selected_o(unused_selected)
  );
  skid_buffer #(
      .data_t(beat_t)
  ) u_up (
      .clk_i,
      .rst_i,
      .in_i(merged),
      .in_valid_i(merged_valid),
      .in_ready_o(merged_ready),
      .out_o(up_o),
      .out_valid_o(up_valid_o),
      .out_ready_i(up_ready_i)
  );
  assign holds_o = down_valid_o | up_valid_o;

endmodule
